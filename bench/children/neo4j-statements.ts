/**
 * The baseline on Neo4j: neo4j-driver alone, with the defaults of its makers, sending statements and reading their
 * records. As many sessions as the server has connections, each with one statement at a time.
 */
import neo4j, { type Driver, type Session } from 'neo4j-driver';
import { serve } from '../child.js';
import { type Neo4jTarget, plainDriver, type PlainStatement } from '../neo4j.js';
import { Rows } from './neo4j-rows.js';

/** Either reads, each a list of statements that go one after the other, or rows to write. */
export type StatementsOrder = {
  readonly target: Neo4jTarget;
  readonly sessions: number;
  readonly seconds: number;
  readonly warm: number;
} & ({ readonly reads: readonly (readonly PlainStatement[])[] } | { readonly type: string; readonly rows: number });

export interface StatementsResult {
  /** Reads, or statements that write, a second after the warm part. */
  readonly rate: number;
  /** All of them, those of the warm part too. */
  readonly done: number;
  /** What a statement writes; empty when it reads. */
  readonly note: string;
}

/** Requests of a session. */
const RENEWED = 100;

let driver: Driver | undefined;

serve<StatementsOrder, StatementsResult>(async (order) => {
  const { target, sessions, seconds, warm } = order;
  // One connection a session: none waits for another's.
  driver ??= plainDriver(target, sessions);
  const { database } = target;
  const reads = 'reads' in order ? order.reads.map((statements) => statements.map(prepared)) : [];
  const rows = 'reads' in order ? undefined : await Rows.load(driver, database, order.type);
  const begin = performance.now() + warm * 1000;
  const until = begin + seconds * 1000;
  let [done, counted] = [0, 0];
  const one = async (session: Session, statements: readonly PlainStatement[]): Promise<void> => {
    for (const { text, params } of statements) {
      const { records } = await session.run(text, params);
      if (records[0]?.get(0) === undefined) throw new Error('a statement of the baseline found nothing');
    }
  };
  const worker = async (_: unknown, at: number): Promise<void> => {
    let session = plainSession(driver as Driver, database, rows === undefined);
    for (let [i, used] = [at, 1]; performance.now() < until; i += sessions, used++) {
      // A session keeps all its results.
      if (used % RENEWED === 0) {
        await session.close();
        session = plainSession(driver as Driver, database, rows === undefined);
      }
      if (rows === undefined) await one(session, reads[i % reads.length] ?? []);
      else await one(session, [rows.statement('rows' in order ? order.rows : 0)]);
      done++;
      const now = performance.now();
      if (now >= begin && now < until) counted++;
    }
    await session.close();
  };
  await Promise.all(Array.from({ length: sessions }, worker));
  return { rate: counted / seconds, done, note: rows?.note ?? '' };
});

/** With the driver's own integers, which it need not make of ours then. */
function prepared({ text, params }: PlainStatement): PlainStatement {
  const ready = Object.entries(params).map(([name, value]) => [
    name,
    typeof value === 'bigint' ? neo4j.int(value) : value,
  ]);
  return { text, params: Object.fromEntries(ready) as PlainStatement['params'] };
}

function plainSession(from: Driver, database: string, reads: boolean): Session {
  return from.session({ database, defaultAccessMode: reads ? 'READ' : 'WRITE' });
}
