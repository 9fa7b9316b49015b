/** Where a full-text search runs: in a worker; of what is small, and in a write transaction, on the loop. */
import { noTextIndex, textIndexBeingBuilt } from '../../errors.js';
import type { TextMatch } from '../../graph.js';
import type { TextQuery } from '../../text/text-query.js';
import { graphError, type Row } from '../connection/connection.js';
import { nextTurn } from '../connection/pace.js';
import { type ScanLimits, timedOut } from '../scans/scans.js';
import type { Store } from './store.js';
import { leavesOf, searchParts, type TextSearch } from '../indexes/text-search.js';
import type { Unit } from '../writing/unit.js';

/**
 * Characters of an index times words looked for up to which a search takes no longer than a few milliseconds. One for
 * words that begin with something takes as long as one for so many words.
 */
const SMALL = 500_000;
const OPEN_WORDS = 20;
/** Milliseconds of statements in a write transaction before the loop gets a turn. */
const TURN_AFTER = 4;

export interface SearchContext {
  readonly store: Store;
  /** Of a write transaction. */
  readonly unit: Unit | undefined;
  readonly limits: ScanLimits;
}

export async function searchText(
  context: SearchContext,
  name: string,
  query: TextQuery,
  page: { readonly offset: number; readonly limit: number },
): Promise<TextMatch[]> {
  const { store, unit, limits } = context;
  const index = store.texts.byName(name);
  if (index === undefined) throw noTextIndex(name);
  if (index.state === 'building') throw textIndexBeingBuilt(name);
  const types = [...index.types].flatMap((type) => store.names.idOf(type) ?? []);
  const search: TextSearch = { index: index.id, kind: index.kind, types, query, ...page };
  let rows: Row[];
  if (unit !== undefined) rows = await inTurns(context, unit, search);
  else if (isSmall(store, search)) rows = atOnce(store, search);
  else {
    rows = [];
    await store.scans.search(search, limits, (batch) => rows.push(...batch));
  }
  // It was dropped meanwhile.
  if (store.texts.byName(name)?.id !== index.id) throw textIndexBeingBuilt(name);
  return rows.map(([id, score]) => ({ id: String(id), score: Number(score) }));
}

function isSmall(store: Store, { index, query }: TextSearch): boolean {
  if (store.guard.budget <= 0) return false;
  const size = store.connection(undefined).get('SELECT total(size) FROM text_part WHERE owner = ?', [index])?.[0];
  let words = 0;
  for (const leaf of leavesOf(query, true).values())
    words += leaf.op === 'words' ? leaf.text.split(/\s+/u).length : OPEN_WORDS;
  return Number(size) * words <= SMALL;
}

/** Without a turn between two statements: they are to see the same. */
function atOnce(store: Store, search: TextSearch): Row[] {
  try {
    const steps = searchParts(store.connection(undefined), search);
    for (;;) {
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  } catch (error) {
    throw graphError(error);
  }
}

/** A write transaction has to see its own writes, which a worker does not. */
async function inTurns({ store, limits }: SearchContext, unit: Unit, search: TextSearch): Promise<Row[]> {
  const steps = searchParts(store.connection(unit), search);
  let began = performance.now();
  for (;;) {
    let step: ReturnType<typeof steps.next>;
    try {
      step = steps.next();
    } catch (error) {
      throw graphError(error);
    }
    if (step.done === true) return step.value;
    if (performance.now() - began < TURN_AFTER) continue;
    await nextTurn();
    unit.check();
    if (Date.now() > limits.deadline) throw timedOut();
    began = performance.now();
  }
}
