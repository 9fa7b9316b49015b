/** Where a database is, as the command line says it; a further engine is one more line in `ENGINES`. */
import { existsSync, realpathSync } from 'node:fs';
import { resolve } from 'node:path';
import {
  type BulkReader,
  type BulkWriter,
  openNeo4jReader,
  openNeo4jWriter,
  openSqliteReader,
  openSqliteWriter,
} from '../graph/index.js';
import { CopyError } from './errors.js';

/** How to get into a Neo4j. */
export interface Access {
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

export interface Place {
  /** For people; without credentials. */
  readonly name: string;
  /** The same text: the same place. */
  readonly key: string;
  openReader(): Promise<BulkReader>;
  openWriter(): Promise<BulkWriter>;
}

const ENGINES: Readonly<Record<string, (rest: string, access: Access) => Place | undefined>> = {
  sqlite: sqlitePlace,
  neo4j: neo4jPlace,
};

/** Reads `sqlite:PATH` or `neo4j:URL`. Credentials in a URL go before `access`. `option` is named in errors. */
export function placeOf(text: string, option: string, access: Access): Place {
  const colon = text.indexOf(':');
  const engine = colon > 0 ? ENGINES[text.slice(0, colon)] : undefined;
  const place = engine?.(text.slice(colon + 1), access);
  // The text is not repeated: it may have a password in it.
  if (place === undefined) throw new CopyError('usage', `${option} needs sqlite:PATH or neo4j:bolt://HOST:PORT.`);
  return place;
}

function sqlitePlace(path: string): Place | undefined {
  if (path === '') return undefined;
  const full = resolve(path);
  return {
    name: `sqlite:${path}`,
    key: `sqlite ${existsSync(full) ? realpathSync(full) : full}`,
    openReader: () => openSqliteReader(full),
    openWriter: () => openSqliteWriter(full),
  };
}

/** `bolt://`, `neo4j://`, encrypted with `+s`; or host and port alone. Anything up to the last `@` is credentials. */
const NEO4J =
  /^(?:(?<scheme>(?:bolt|neo4j)(?:\+s|\+ssc)?):\/\/)?(?![\w+]+:\/\/)(?:(?<credentials>.*)@)?(?<host>[^\s/?#@]+)(?:\/(?<database>[^\s/?#@]*))?$/;

function neo4jPlace(rest: string, access: Access): Place | undefined {
  // `--from neo4j://host` is understood as well.
  const parts = NEO4J.exec(rest.startsWith('//') ? `neo4j:${rest}` : rest)?.groups;
  const host = parts?.['host'];
  if (host === undefined) return undefined;
  const url = `${parts?.['scheme'] ?? 'bolt'}://${host}`;
  const [user, password] = credentialsOf(parts?.['credentials']);
  const database = parts?.['database'] || access.database;
  const options = {
    url,
    user: user ?? access.user,
    password: password ?? access.password,
    database,
    // A copy has one connection to read, one to write, and a spare one.
    poolSize: 4,
  };
  return {
    name: `neo4j:${url}${database === 'neo4j' ? '' : `/${database}`}`,
    key: `neo4j ${url}/${database}`,
    openReader: () => openNeo4jReader(options),
    openWriter: () => openNeo4jWriter(options),
  };
}

function credentialsOf(text: string | undefined): [user?: string, password?: string] {
  if (text === undefined || text === '') return [];
  const colon = text.indexOf(':');
  if (colon < 0) return [decoded(text)];
  return [decoded(text.slice(0, colon)), decoded(text.slice(colon + 1))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
