import { connect } from 'node:net';
import { optionalFor } from '../optional.js';
import type { ScriptMap, ScriptValue } from '../../language/values.js';
import type { JdbcUrl } from './jdbc-url.js';
import { cellOf, Rows, type Connected } from './target.js';
import { watched } from './watched.js';

const INTEGERS: ReadonlySet<string> = new Set(['TINY', 'SHORT', 'INT24', 'LONG', 'LONGLONG', 'YEAR']);
const NUMBERS: ReadonlySet<string> = new Set(['FLOAT', 'DOUBLE', 'DECIMAL', 'NEWDECIMAL']);

/** Runs a query on a MySQL or MariaDB server; its rows as maps. */
export function mysql({ database, user, password, tls }: JdbcUrl, sql: string): Connected<readonly ScriptMap[]> {
  return async ({ host, address, port }, signal, time) => {
    const { default: driver } = await optionalFor('jdbc()', () => import('mysql2'));
    const socket = connect({ host: address, port });
    const rows = new Rows();
    return watched(socket, signal, async (failed) => {
      const connection = driver.createConnection({
        // For the certificate; the connection is the one below.
        host,
        stream: socket,
        user,
        password,
        ...(database === '' ? {} : { database }),
        ...(tls === undefined ? {} : { ssl: { rejectUnauthorized: tls.checked, verifyIdentity: tls.checked } }),
        connectTimeout: time,
        timezone: 'Z',
        // The server must not ask for files of this machine.
        flags: ['-LOCAL_FILES'],
        typeCast: (field, next) => {
          if (INTEGERS.has(field.type)) return integer(field.string(), field.type === 'TINY' && field.length === 1);
          if (!NUMBERS.has(field.type)) return next();
          const text = field.string();
          return text === null ? null : Number(text);
        },
      });
      connection.on('error', failed);
      await new Promise<void>((resolve, reject) => {
        const query = connection.query(sql);
        query.on('result', (row: unknown) => {
          try {
            // What a statement that answers no rows did.
            if (isRow(row)) rows.add(new Map(Object.keys(row).map((key) => [key, cellOf(row[key])])));
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

function integer(text: string | null, isBoolean: boolean): ScriptValue {
  if (text === null) return null;
  return isBoolean ? text !== '0' : BigInt(text);
}

function isRow(row: unknown): row is Record<string, unknown> {
  return typeof row === 'object' && row !== null && row.constructor.name !== 'ResultSetHeader';
}
