import { Socket } from 'node:net';
import { ScriptError } from '../../language/errors.js';
import { optionalFor } from '../optional.js';
import type { ScriptMap } from '../../language/values.js';
import type { JdbcUrl } from './jdbc-url.js';
import { cellOf, Rows, type Connected } from './target.js';
import { watched } from './watched.js';

/** Types of PostgreSQL by their numbers in its catalogue. */
const INTEGERS: readonly number[] = [20, 21, 23, 26];
const NUMERIC = 1700;

/** Runs a query on a PostgreSQL server; its rows as maps. */
export function postgresql({ database, user, password, tls }: JdbcUrl, sql: string): Connected<readonly ScriptMap[]> {
  return async ({ host, address, port }, signal, time) => {
    if (user === '') throw new ScriptError(422, 'jdbc() needs a user for PostgreSQL, in its URL or as an argument.');
    const { default: pg } = await optionalFor('jdbc()', () => import('pg'));
    const socket = new Socket();
    const rows = new Rows();
    const client = new pg.Client({
      host: address,
      port,
      user,
      // What is empty the library looks for in the environment of the server: its secrets are not for others.
      password: () => password,
      database: database === '' ? user : database,
      application_name: 'svc',
      stream: () => socket,
      ssl: tls === undefined ? false : { servername: host, rejectUnauthorized: tls.checked },
      connectionTimeoutMillis: time,
      statement_timeout: time,
      types: {
        getTypeParser: (type: number, format?: 'text' | 'binary'): ((text: string) => unknown) => {
          if (INTEGERS.includes(type)) return BigInt;
          return type === NUMERIC ? Number : (pg.types.getTypeParser(type, format) as (text: string) => unknown);
        },
      },
    });
    return watched(socket, signal, async (failed) => {
      client.on('error', failed);
      await client.connect();
      await new Promise<void>((resolve, reject) => {
        const query = client.query(new pg.Query<Record<string, unknown>>(sql));
        query.on('row', (row) => {
          try {
            rows.add(new Map(Object.keys(row).map((key) => [key, cellOf(row[key])])));
          } catch (error) {
            reject(error instanceof Error ? error : new Error(String(error)));
            socket.destroy();
          }
        });
        query.on('error', reject);
        query.on('end', () => {
          resolve();
        });
      });
      return rows.all;
    });
  };
}
