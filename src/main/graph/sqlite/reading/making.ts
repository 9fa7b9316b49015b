/** Entities of a query made into something else in a thread, batch after batch (`ReadTransaction.made`). */
import type { Made, Making } from '../../making.js';
import type { Query } from '../../query.js';
import { tableOfKind } from '../connection/parts.js';
import type { Plan } from '../query/plan.js';
import type { ReadContext } from './read-context.js';
import type { Store } from './store.js';

/** Entities of a batch: some 20 ms of the thread, so that others who read there wait no longer. */
const BATCH = 4096;

/**
 * One batch is made while the caller works on the one before. Each sees what is committed when it is read, and goes on behind the last key of the
 * one before. `compile` is called for each.
 */
export async function* madeOf(
  store: Store,
  context: ReadContext,
  compile: () => Plan,
  kind: Query['kind'],
  making: Making,
): AsyncGenerator<Made, void, undefined> {
  const { module, about } = making;
  const batch = async (after: number | undefined) => {
    context.check();
    const cut = { offset: 0, limit: BATCH, ...(after === undefined ? {} : { after }) };
    const incoming = (making.incoming ?? []).flatMap((type) => store.names.idOf(type) ?? []);
    const { text: sql, params } = compile().strict().rows(cut);
    const made = await store.scans.make({
      sql,
      params,
      rows: BATCH,
      table: tableOfKind(kind),
      incoming,
      module,
      about,
    });
    context.scanned?.();
    return made;
  };
  let next = batch(undefined);
  for (;;) {
    const { bytes, entities, last } = await next;
    if (last !== undefined) {
      next = batch(last);
      // Its caller may want no more.
      next.catch(() => undefined);
    }
    if (entities > 0) yield { bytes, entities };
    if (last === undefined) return;
  }
}
