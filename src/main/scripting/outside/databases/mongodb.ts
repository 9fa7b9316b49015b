/** MongoDB's driver, for one call of a script; loaded with the first. */
import { connect, isIP } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { connect as connectSecurely } from 'node:tls';
import { MongoClient, type Collection } from 'mongodb';
import { ScriptError } from '../../language/errors.js';
import { LONGEST_TEXT } from '../../run/function/arguments.js';
import type { ScriptMap } from '../../language/values.js';
import { countValues, mapOfBytes, READING } from './bson.js';
import { relayed } from './mongodb-relay.js';
import type { MongoUrl } from './mongodb-url.js';
import { MOST_ROWS, Rows, tooLarge, type Connected } from './target.js';

export { bsonOf, documentOf, documentsOf, READING, valueOf } from './bson.js';

/** Values that are read in one turn of the loop, and of all documents together. */
const A_TURN = 5000;
const MOST_VALUES = 500_000;
const EMPTY: ScriptMap = new Map();
const ADVICE = 'ask for less, by limit() for example';

/** An option of all that a server is asked for: it gives up then, too. */
export interface TimeLimit {
  readonly maxTimeMS: number;
}

/** Connects to a server, and works with a collection. `most`: bytes of all its answers. */
export function mongoCollection<T>(
  { auth, tls }: MongoUrl,
  database: string,
  name: string,
  work: (collection: Collection, limit: TimeLimit) => Promise<T>,
  most: number,
): Connected<T> {
  return ({ host, address, port }, signal, time) => {
    const place = { host: address, port };
    const socketTo = () => {
      if (tls === undefined) return connect(place);
      return connectSecurely({
        ...place,
        ...(isIP(host) === 0 ? { servername: host } : {}),
        rejectUnauthorized: tls.checked,
        ...(tls.named ? {} : { checkServerIdentity: () => undefined }),
      });
    };
    return relayed(socketTo, signal, most, async (path, over, fail) => {
      const client = new MongoClient(`mongodb://${encodeURIComponent(path)}/`, {
        // Other servers that this one names would be checked by nobody.
        directConnection: true,
        ...(auth === undefined
          ? {}
          : {
              auth: { username: auth.username, password: auth.password },
              authSource: auth.source,
              authMechanism: auth.mechanism,
            }),
        appName: 'svc',
        maxPoolSize: 1,
        retryReads: false,
        retryWrites: false,
        serverMonitoringMode: 'poll',
        connectTimeoutMS: time,
        serverSelectionTimeoutMS: time,
      });
      // It would try again, until the time is over.
      client.on('serverHeartbeatFailed', ({ failure }) => {
        fail(named(failure));
      });
      // Errors would name the socket.
      const named = (error: unknown): Error => {
        if (error instanceof ScriptError) return error;
        const message = error instanceof Error ? error.message : String(error);
        return new Error(message.replaceAll(path, `${host}:${String(port)}`), { cause: error });
      };
      const end = (): Promise<void> => client.close().catch(ignored);
      over.addEventListener('abort', () => void end());
      try {
        return await work(client.db(database).collection(name), { maxTimeMS: time });
      } catch (error) {
        throw named(error);
      } finally {
        // Ends the session on the server.
        await end();
      }
    });
  };
}

function ignored(): void {
  // What it was closed for is told already.
}

/** Values of one answer. Throws `ScriptError` 422 for too many. */
export function checkCount(values: readonly unknown[]): readonly unknown[] {
  if (values.length > MOST_ROWS) throw tooLarge(ADVICE);
  return values;
}

/** What a cursor of documents is asked for. */
interface Cursor {
  [Symbol.asyncIterator](): AsyncIterator<unknown>;
}

/** Options for cursors whose documents come as bytes: their size is known before they are read. */
export const READING_BYTES = { ...READING, raw: true } as const;

/** Documents of a cursor with `READING_BYTES`, all or the first. Throws `ScriptError` 422 beyond the limits. */
export async function documentsIn(cursor: Cursor, most = Infinity): Promise<readonly ScriptMap[]> {
  const rows = new Rows(ADVICE);
  let values = 0;
  let turnAt = A_TURN;
  for await (const bytes of { [Symbol.asyncIterator]: () => cursor[Symbol.asyncIterator]() }) {
    if (!(bytes instanceof Uint8Array)) throw new ScriptError(422, 'the server sent something else than documents.');
    const isLong = bytes.length > LONGEST_TEXT;
    if (!isLong) values += 1 + countValues(bytes, MOST_VALUES);
    if (values > MOST_VALUES) throw tooLarge(ADVICE);
    rows.add(isLong ? EMPTY : mapOfBytes(bytes), bytes.length);
    if (rows.all.length >= most) break;
    if (values < turnAt) continue;
    turnAt = values + A_TURN;
    await turn();
  }
  return rows.all;
}
