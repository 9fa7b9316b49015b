/**
 * Endpoints of the interface whose feature is not part of the service yet: they answer so, and clearly. A row leaves this
 * table when its feature arrives.
 */
import type { Resolver, Verb } from '../context.js';
import { RestError } from '../errors.js';

interface Row {
  readonly path: RegExp;
  readonly signature: (path: string) => string;
  readonly allow: readonly Verb[];
  readonly feature: string;
}

const rows: readonly Row[] = [
  {
    path: /^cypher$/,
    signature: () => 'cypher',
    allow: ['GET', 'POST'],
    feature: 'graph queries in Cypher (they need a database that speaks it)',
  },
  { path: /^stats$/, signature: () => 'stats', allow: ['GET'], feature: 'access statistics' },
  { path: /^log$/, signature: () => 'log', allow: ['GET', 'POST'], feature: 'the analytics log' },
  {
    path: /^_runtimeEventLog$/,
    signature: () => '_runtimeEventLog',
    allow: ['GET', 'POST'],
    feature: 'the runtime event log',
  },
  { path: /^maintenance\/_schemaJson$/, signature: (p) => p, allow: ['GET', 'POST'], feature: 'schema snapshots' },
];

export const resolveUnavailable: Resolver = (segments) => {
  const path = segments.join('/');
  const row = rows.find((r) => r.path.test(path));
  if (row === undefined) return undefined;
  const refuse = (): Promise<void> =>
    Promise.reject(new RestError(501, `This version of svc does not have ${row.feature} yet.`));
  return {
    signature: row.signature(path),
    allow: ['OPTIONS', ...row.allow],
    verbs: Object.fromEntries(row.allow.map((verb) => [verb, refuse])),
  };
};
