/** Queries to databases that are not the service's own (docs/interface/script-runtime.md 8.6). */
import { foreignCypher, type CypherValue } from '../../../graph/index.js';
import { parseJdbcUrl } from '../../outside/databases/jdbc-url.js';
import { mysql } from '../../outside/databases/mysql.js';
import { postgresql } from '../../outside/databases/postgresql.js';
import { withDatabase } from '../../outside/databases/target.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { isMap, type ScriptValue } from '../../language/values.js';
import { ignoring, misused, optionalText } from '../../run/function/arguments.js';
import { statementOf } from './cypher.js';
import { bson, mongodb } from './mongodb.js';

const BOLT_PORT = 7687;
const LONGEST_QUERY = 1_000_000;

const remoteCypher: ScriptFunction = {
  name: 'remoteCypher',
  signature: 'remoteCypher(url, user, password, query [, map])',
  meaning:
    'Rows of a statement in Cypher on another Neo4j server (`bolt://`, encrypted `bolt+s://`, with any certificate `bolt+ssc://`; ' +
    '`neo4j://` means that one server), as `cypher` answers them, with maps for nodes and relationships. Which servers may be asked ' +
    'say the settings for calls (`application.httphelper.urlwhitelist`, `.blockedaddresses`). At most 10,000 rows.',
  example: "remoteCypher('bolt://db.example.com', 'reader', 'secret', 'MATCH (n:City) RETURN n LIMIT 3')",
  min: 4,
  max: 5,
  async run([url, user = null, password = null, query, map = null], context) {
    if (typeof url !== 'string' || typeof query !== 'string' || (map !== null && !isMap(map))) {
      return misused(this, 'needs a URL, a user, a password, a query, and perhaps a map', context);
    }
    const target = boltUrl(url);
    const statement = statementOf(query, map === null ? [] : [...map]);
    const name = optionalText(user, '', context);
    const secret = optionalText(password, '', context);
    const result = await withDatabase(target, BOLT_PORT, shown(target), context, (to, signal, time) => {
      // By name only where the certificate has to be that of the name: it is compared before anything is sent.
      const isNamed = target.protocol === 'bolt+s:';
      const host = isNamed ? to.host : to.address;
      const address = `${target.protocol}//${host.includes(':') ? `[${host}]` : host}:${String(to.port)}`;
      const credentials = { ...(name === '' ? {} : { user: name }), password: secret };
      return foreignCypher({ url: address, ...credentials }, statement, time, signal);
    });
    const [only = ''] = result.columns;
    return result.rows.map((row) => {
      const values = row.map(plain);
      if (values.length !== 1) return values;
      const [value = null] = values;
      return isMap(value) || Array.isArray(value) ? value : new Map([[only, value]]);
    });
  },
};

/** Throws `ScriptError` 422. */
function boltUrl(text: string): URL {
  const match = /^(?:bolt|neo4j)(\+s|\+ssc)?:(\/\/.*)$/s.exec(text.trim());
  try {
    if (match !== null) return new URL(`bolt${match[1] ?? ''}:${match[2] ?? ''}`);
  } catch {
    // Falls through to the one answer.
  }
  throw new ScriptError(422, 'remoteCypher() needs a URL that begins with bolt:// and a host.');
}

function plain(value: CypherValue): ScriptValue {
  if (value === null || typeof value !== 'object' || value instanceof Date || value instanceof Uint8Array) return value;
  if (value instanceof Map)
    return new Map([...(value as ReadonlyMap<string, CypherValue>)].map(([k, v]) => [k, plain(v)]));
  return Array.isArray(value) ? (value as readonly CypherValue[]).map(plain) : null;
}

/** Where a query goes, without user and password. */
function shown({ protocol, host }: URL): string {
  return `${protocol}//${host.slice(0, 255)}`;
}

const jdbc: ScriptFunction = {
  name: 'jdbc',
  signature: 'jdbc(url, sql [, user, password])',
  meaning:
    'Rows of a query as maps, on a server of PostgreSQL (`jdbc:postgresql://`), MySQL or MariaDB (`jdbc:mysql://`, `jdbc:mariadb://`); ' +
    'user and password may stand in the URL instead. `ssl=true` encrypts and checks the certificate, `sslmode=require` encrypts. ' +
    'Databases in files (`jdbc:sqlite:`) are refused. Which servers may be asked say the settings for calls ' +
    '(`application.httphelper.urlwhitelist`, `.blockedaddresses`). At most 10,000 rows; failures are 422.',
  example: "jdbc('jdbc:postgresql://db.example.com/shop', 'SELECT id, name FROM product LIMIT 3', 'reader', 'secret')",
  min: 2,
  max: 4,
  async run([url, sql, user = null, password = null], context) {
    if (typeof url !== 'string' || typeof sql !== 'string') return misused(this, 'needs a URL and a query', context);
    if (sql.length > LONGEST_QUERY) throw new ScriptError(422, 'The query is too long.');
    const parsed = parseJdbcUrl(url, optionalText(user, '', context), optionalText(password, '', context));
    ignoring(this, parsed.unknown, context);
    const work = parsed.kind === 'postgresql' ? postgresql(parsed, sql) : mysql(parsed, sql);
    return [...(await withDatabase(parsed.url, parsed.port, shown(parsed.url), context, work))];
  },
};

export const otherDatabases: FunctionCategory = {
  title: 'Other databases',
  functions: [remoteCypher, jdbc, mongodb, bson],
};
