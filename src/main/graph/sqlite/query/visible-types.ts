/** Types all of whose nodes a rule allows, by what counters tell: for them nothing has to be asked of a node. */
import { type AccessRule, narrowed } from '../../access.js';
import type { Catalog } from './catalog.js';

/**
 * What is left of a rule for nodes of these types that `narrowed` has left over (itself, where counters tell nothing); undefined: it
 * allows all of them. True only of the moment.
 */
export function narrowedNow(
  needed: AccessRule | undefined,
  types: readonly string[] | undefined,
  catalog: Catalog,
): AccessRule | undefined {
  if (needed === undefined || types === undefined || needed.keys.length === 0) return needed;
  const whole = types.filter((type) => needed.types.includes(type) || allFlagged(type, needed, catalog));
  if (whole.length === types.length) return undefined;
  // Rights lead on from nodes that a rule allows by type, and not from those that it allows by a flag.
  return whole.every((type) => needed.types.includes(type)) || needed.propagation !== undefined
    ? needed
    : { ...needed, types: [...new Set([...needed.types, ...whole])] };
}

/** The number of nodes of these types that a rule allows, where counters alone tell it. */
export function countedNow(
  rule: AccessRule,
  types: readonly string[] | undefined,
  catalog: Catalog,
): number | undefined {
  if (types === undefined) return undefined;
  const needed = narrowedNow(narrowed(rule, types), types, catalog);
  const distinct = [...new Set(types)];
  const nodes = (type: string): number => {
    const id = catalog.idOf(type);
    return id === undefined ? 0 : catalog.nodes(id);
  };
  if (needed === undefined) return distinct.reduce((sum, type) => sum + nodes(type), 0);
  const [key, ...others] = needed.keys;
  if (key === undefined || others.length > 0 || needed.propagation !== undefined) return undefined;
  if (needed.principals.length + needed.ids.length > 0) return undefined;
  let count = 0;
  for (const type of distinct) {
    const id = catalog.idOf(type);
    if (needed.types.includes(type)) count += nodes(type);
    else if (id !== undefined && needed.keysIgnoredFor?.includes(type) !== true) {
      const flagged = catalog.flagged(id, key);
      if (flagged === undefined) return undefined;
      count += flagged;
    }
  }
  return count;
}

function allFlagged(type: string, { keys, keysIgnoredFor }: AccessRule, catalog: Catalog): boolean {
  if (keysIgnoredFor?.includes(type) === true) return false;
  const id = catalog.idOf(type);
  // A type without a node allows all of them.
  if (id === undefined) return true;
  const nodes = catalog.nodes(id);
  return keys.some((key) => catalog.flagged(id, key) === nodes);
}
