/**
 * Endpoints of the interface whose feature is not part of the service yet: they answer so, and clearly. A row leaves this
 * table when its feature arrives.
 */
import type { Resolver, Verb } from '../context.js';
import { RestError } from '../errors.js';

interface Row {
  readonly allow: readonly Verb[];
  readonly feature: string;
}

/** By path, which is the signature as well. */
const rows: ReadonlyMap<string, Row> = new Map([
  ['cypher', { allow: ['GET', 'POST'], feature: 'graph queries in Cypher (they need a database that speaks it)' }],
]);

export const resolveUnavailable: Resolver = (segments) => {
  const path = segments.join('/');
  const row = rows.get(path);
  if (row === undefined) return undefined;
  const refuse = (): Promise<void> =>
    Promise.reject(new RestError(501, `This version of svc does not have ${row.feature} yet.`));
  return {
    signature: path,
    allow: ['OPTIONS', ...row.allow],
    verbs: Object.fromEntries(row.allow.map((verb) => [verb, refuse])),
  };
};
