/** Names of queries: the same for the same one, parameters and rules included. */
import type { AccessRule } from '../../access.js';
import type { NodeQuery } from '../../query.js';
import { exact } from '../connection/sharing.js';

/** Characters of a name, at most: it holds all values of the query. */
const LONGEST = 20_000;

/** Rules are kept by who makes them for as long as they hold, and can be long. */
const rules = new WeakMap<AccessRule, number>();
let count = 0;

function numberOf(rule: AccessRule): number {
  let number = rules.get(rule);
  if (number === undefined) rules.set(rule, (number = ++count));
  return number;
}

/** The page does not count. Undefined: it is too long. */
export function nameOf({ offset: _offset, limit: _limit, ...query }: NodeQuery, what: string): string | undefined {
  const name = JSON.stringify([what, query], (key, value: unknown) =>
    key === 'access' && value !== undefined ? numberOf(value as AccessRule) : exact(key, value),
  );
  return name.length > LONGEST ? undefined : name;
}
