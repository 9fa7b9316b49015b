/**
 * What was shown before some changes, as far as they themselves say so. Values of then are gone; but most changes do not decide on who is shown an object, and
 * of one that was deleted its visibility and its owner are told.
 */
import { allowsItself, type AccessRule, type ChangeNotice, FLAG_KEYS, OWNS, SECURITY } from '../graph/index.js';
import type { Affected } from './affected.js';
import type { Watched } from './watched.js';

/** `isShown`: now. `rule`: what decides on who reads, the same before; undefined: all may be read. Answers undefined where it cannot be said. */
export function wasShown(
  one: Affected,
  isShown: boolean,
  watched: Watched,
  rule: AccessRule | undefined,
): boolean | undefined {
  if (
    one.changes.find(({ kind, verb }) => kind === 'node' && (verb === 'create' || verb === 'delete'))?.verb === 'create'
  )
    return false;
  const isGone = one.last === 'delete';
  if (one.changes.some((change) => decides(change, one, watched, rule))) return undefined;
  if (!isGone) return isShown;
  return watched.isFiltered ? undefined : wasReadable(one, rule);
}

/** Whether such a change may decide on who is shown the object. */
function decides(
  change: ChangeNotice,
  { id, last }: Affected,
  watched: Watched,
  rule: AccessRule | undefined,
): boolean {
  const { kind, verb, key = 'type', relType, targetId } = change;
  if (kind === 'node') {
    if (verb !== 'change') return false;
    return watched.isFiltered || key === 'type' || (rule !== undefined && FLAG_KEYS.some((flag) => flag === key));
  }
  // Those of an object go with it.
  if (last === 'delete' && verb === 'unlink') return false;
  if (watched.isFiltered) return true;
  if (rule === undefined) return false;
  if (rule.propagation?.steps.some((step) => step.relType === relType) === true) return true;
  // They lead from who has the right.
  return targetId === id && (relType === OWNS || relType === SECURITY);
}

/** Whether an object that was deleted could be read. */
function wasReadable({ id, type, changes }: Affected, rule: AccessRule | undefined): boolean | undefined {
  if (rule === undefined) return true;
  const flags = changes.find(({ verb }) => verb === 'delete')?.flags;
  if (flags === undefined) return undefined;
  const properties = Object.fromEntries(flags.map((flag) => [flag, true]));
  if (allowsItself({ kind: 'node', id, type, properties }, rule)) return true;
  const links = changes.filter(({ targetId, sourceId = '' }) => targetId === id && rule.principals.includes(sourceId));
  if (links.some(({ relType }) => relType === OWNS)) return true;
  // Which rights were granted is not told.
  if (links.some(({ relType }) => relType === SECURITY)) return undefined;
  const inherits = rule.propagation?.steps.some(({ nearTypes }) => nearTypes?.includes(type) ?? true) === true;
  return inherits ? undefined : false;
}
