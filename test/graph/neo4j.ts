/** Neo4j graphs for tests: each begins with an empty database, so only one test may use it at a time. */
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import neo4j, { type Session } from 'neo4j-driver';
import { openNeo4jGraph, type Neo4jOptions } from '../../src/main/graph/index.js';
import type { Opened } from './conformance.js';

/**
 * The server of this process: NEO4J_URL, or NEO4J_URL_2 where there is a second one. Test files run two at a time then, each
 * with a database that is its own while it runs.
 */
export const neo4jUrl =
  process.env['VITEST_POOL_ID'] === '2' && process.env['NEO4J_URL_2'] !== undefined
    ? process.env['NEO4J_URL_2']
    : process.env['NEO4J_URL'];

/** Statements that go on beside requests: what instances tell each other, and how indexes are made. */
export const BESIDE = /(?<!\{ )(MATCH|MERGE) \(\w+:_svc_|SHOW |CREATE |DROP |_svc_long_\S+ IS NULL AND CASE/;

export function neo4jOptions(): Neo4jOptions {
  return {
    url: neo4jUrl ?? '',
    user: process.env['NEO4J_USER'] ?? 'neo4j',
    password: process.env['NEO4J_PASSWORD'] ?? 'svc-test-secret',
    database: 'neo4j',
  };
}

/** Runs a statement as any client of the database could. */
export async function cypher<T>(text: string, params: Record<string, unknown> = {}): Promise<T[]> {
  const { url, user, password } = neo4jOptions();
  const driver = neo4j.driver(url, neo4j.auth.basic(user, password), { telemetryDisabled: true, useBigInt: true });
  try {
    const { records } = await driver.executeQuery(text, params, { database: 'neo4j' });
    return records.map((one) => one.toObject() as T);
  } finally {
    await driver.close();
  }
}

/** Removes everything: nodes, constraints, indexes. */
export async function wipe(): Promise<void> {
  await alone(async (session) => {
    await deleteAll(session);
    for (const kind of ['CONSTRAINT', 'INDEX']) {
      const { records } = await session.run(`SHOW ${kind} YIELD name, type WHERE type <> 'LOOKUP' RETURN name`);
      const names = records.map((record) => String(record.get('name')));
      // Each change of the schema of its own takes longer than all of them together.
      await session.executeWrite(async (tx) => {
        for (const name of names) await tx.run(`DROP ${kind} \`${name}\` IF EXISTS`);
      });
    }
  });
}

/**
 * Removes all nodes. Constraints and indexes stay for the next service, which needs mostly the same: else it would make
 * them again, and Neo4j would plan all statements anew, which takes seconds.
 */
export async function wipeNodes(): Promise<void> {
  await alone(deleteAll);
}

/** Each statement has a transaction of its own: one for all takes memory for all that it deletes. */
async function deleteAll(session: Session): Promise<void> {
  for (const some of ['()-[r]->() WITH r LIMIT 20000 DELETE r', '(n) WITH n LIMIT 10000 DETACH DELETE n']) {
    let deleted;
    do {
      const { records } = await session.run(`MATCH ${some} RETURN count(*) AS deleted`);
      deleted = Number(records[0]?.get('deleted'));
    } while (deleted > 0);
  }
}

async function alone(work: (session: Session) => Promise<unknown>): Promise<void> {
  const { url, user, password } = neo4jOptions();
  const driver = neo4j.driver(url, neo4j.auth.basic(user, password), { telemetryDisabled: true });
  const session = driver.session({ database: 'neo4j' });
  try {
    await work(session);
  } finally {
    await session.close();
    await driver.close();
  }
}

export async function openEmpty(options: Partial<Neo4jOptions> = {}): Promise<Opened> {
  await wipeNodes();
  const graph = await openNeo4jGraph({ ...neo4jOptions(), ...options });
  return { graph, remove: () => graph.close() };
}

/** The message that commits, as it is sent (Bolt): a chunk of two bytes, a structure without fields. */
export const COMMIT_SENT = '\x00\x02\xb0\x12\x00\x00';

/** A way to the database that can be cut. */
export interface Line {
  readonly url: string;
  /** Connections that were refused since it was cut. */
  readonly refused: number;
  /** Lets requests through once more, but cuts every connection instead of passing on an answer, to one that holds `asked`. */
  loseNextAnswer(asked?: string): void;
  /** Passes nothing on any more, without closing anything: a network that loses every packet. */
  silence(): void;
  /** Cuts all connections and refuses new ones until `mend`. */
  cut(): void;
  mend(): void;
  close(): Promise<void>;
}

/** `turn` hears what is sent between two answers on a connection: each time is a round trip. */
export async function openLine(turn?: (sent: string) => void): Promise<Line> {
  const target = new URL(neo4jUrl ?? '');
  const sockets = new Set<Socket>();
  let losing: string | undefined;
  let [down, silent] = [false, false];
  let refused = 0;
  const destroy = (): void => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  const server = createServer((client) => {
    if (down) {
      refused++;
      client.destroy();
      return;
    }
    const upstream = connect(Number(target.port), target.hostname);
    sockets.add(client).add(upstream);
    // Small messages go at once, as they do without a line between: else each round trip may cost 40 ms.
    client.setNoDelay(true);
    upstream.setNoDelay(true);
    let sent = '';
    client.on('data', (data) => {
      if (silent) return;
      sent += data.toString('latin1');
      upstream.write(data);
    });
    upstream.on('data', (data) => {
      if (silent) return;
      if (sent !== '') turn?.(sent);
      const loses = losing !== undefined && sent.includes(losing);
      sent = '';
      if (!loses) client.write(data);
      else {
        losing = undefined;
        destroy();
      }
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      one.on('error', () => other.destroy());
      one.on('close', () => other.destroy());
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `bolt://127.0.0.1:${String((server.address() as AddressInfo).port)}`,
    get refused() {
      return refused;
    },
    loseNextAnswer: (asked = '') => {
      losing = asked;
    },
    cut: () => {
      refused = 0;
      down = true;
      destroy();
    },
    silence: () => {
      silent = true;
    },
    mend: () => {
      // What was lost on a silent connection never comes.
      if (silent) destroy();
      silent = false;
      down = false;
    },
    close: async () => {
      destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
