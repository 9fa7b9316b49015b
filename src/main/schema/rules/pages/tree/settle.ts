/** What follows, in trees of pages, from all that a transaction has changed; asked at its end, and by who changes trees (`adopt`). */
import type { ObjectTransaction } from '../../../writing/object-transaction.js';
import { settleOrder } from './order.js';
import { settleOwners } from './owners.js';
import { settleReloadTargets } from './reload-targets.js';
import { settleReferences, settleShared } from './shared.js';
import { TreeState } from './state.js';
import { settleTexts } from './texts.js';
import { settleVersions } from './versions.js';

/** Throws `SchemaError` for what must not be. Work in proportion to what was changed; of what was not only what a move takes along. */
export async function settleTrees(objects: ObjectTransaction): Promise<void> {
  const state = await TreeState.of(objects);
  if (state === undefined) return;
  await settleOwners(objects, state);
  await settleOrder(objects, state);
  await settleTexts(objects, state);
  await settleReferences(objects, state);
  await settleShared(objects, state);
  await settleReloadTargets(objects, state);
  await settleVersions(objects, state);
  state.settled(objects);
}

/** Gives what has moved so far the page of its place, so that whoever goes on with the transaction sees it. Throws as `settleTrees`. */
export async function adopt(objects: ObjectTransaction): Promise<void> {
  const state = await TreeState.of(objects);
  if (state === undefined) return;
  await settleOwners(objects, state);
  state.skip(objects);
}
