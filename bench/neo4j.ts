/** The Neo4j database the bench measures on: where it is, and that it holds nothing of anybody else's. */
import { readdir, readFile, readlink } from 'node:fs/promises';
import neo4j, { type Driver } from 'neo4j-driver';
import { OptionError } from './options.js';
import type { ServerSettings } from './server-process.js';

/** What a process needs to connect. */
export interface Neo4jTarget {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly database: string;
}

/** In Cypher, sent by the driver alone. */
export interface PlainStatement {
  readonly text: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** From the environment, as the tests take it. Throws `OptionError`. */
export function neo4jTarget(): Neo4jTarget {
  const { NEO4J_URL: url, NEO4J_USER: user = 'neo4j', NEO4J_PASSWORD: password = 'svc-test-secret' } = process.env;
  if (url === undefined || url === '') {
    throw new OptionError('--driver neo4j needs NEO4J_URL (test/support/neo4j.sh starts a server and prints it).');
  }
  return { url, user, password, database: 'neo4j' };
}

/** The lines of svc.conf that put the server on it. */
export function neo4jSettings(): ServerSettings {
  const { url, user, password, database } = neo4jTarget();
  return {
    'database.driver': 'neo4j',
    'database.connection.url': url,
    'database.connection.username': user,
    'database.connection.password': password,
    'database.connection.databasename': database,
  };
}

/** The process of the server, where it is on this machine and `/proc` tells it. */
export async function neo4jPid(): Promise<number | undefined> {
  const { hostname, port } = new URL(neo4jTarget().url);
  if (hostname !== '127.0.0.1' && hostname !== 'localhost') return undefined;
  const wanted = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
  const inodes = new Set<string>();
  for (const table of ['tcp', 'tcp6']) {
    for (const line of (await readFile(`/proc/net/${table}`, 'utf8').catch(() => '')).split('\n')) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      if (state === '0A' && local.endsWith(wanted) && inode !== undefined) inodes.add(`socket:[${inode}]`);
    }
  }
  for (const pid of (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name))) {
    for (const fd of await readdir(`/proc/${pid}/fd`).catch(() => [])) {
      if (inodes.has(await readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''))) return Number(pid);
    }
  }
  return undefined;
}

/** A plain driver with the defaults of its makers, but for what a bench may not do: tell them about its use. */
export function plainDriver({ url, user, password }: Neo4jTarget, connections = 100): Driver {
  return neo4j.driver(url, neo4j.auth.basic(user, password), {
    telemetryDisabled: true,
    maxConnectionPoolSize: connections,
  });
}

async function withDriver<T>(work: (run: (text: string) => Promise<unknown[][]>) => Promise<T>): Promise<T> {
  const target = neo4jTarget();
  const driver = plainDriver(target);
  const session = driver.session({ database: target.database });
  try {
    return await work(async (text) => (await session.run(text)).records.map((row) => [...row.values()]));
  } finally {
    await session.close();
    await driver.close();
  }
}

/** Throws `OptionError` when there are nodes. */
export async function requireEmpty(): Promise<void> {
  const [row] = await withDriver((run) => run('MATCH (n) RETURN n LIMIT 1'));
  if (row !== undefined) {
    throw new OptionError('The Neo4j database is not empty. --wipe deletes EVERYTHING in it before the bench.');
  }
}

/** What the engine knows of values that are missing (src/main/graph/neo4j/gaps.ts) when there are none. */
export async function lockState(): Promise<[since: bigint, gaps: bigint]> {
  const [row] = await withDriver((run) =>
    run("MATCH (m:_svc_meta {name: 'writer'}) RETURN toString(m.seq), toString(coalesce(m.gaps, 0))"),
  );
  return [BigInt(String(row?.[0])), BigInt(String(row?.[1]))];
}

/** Deletes all nodes, relationships, constraints and indexes. */
export async function emptyDatabase(): Promise<void> {
  await withDriver(async (run) => {
    // Relationships first: an administrator with 200,000 of them is too much for one transaction of deleting nodes.
    await run('MATCH ()-[r]->() CALL { WITH r DELETE r } IN TRANSACTIONS OF 5000 ROWS');
    await run('MATCH (n) CALL { WITH n DELETE n } IN TRANSACTIONS OF 5000 ROWS');
    for (const kind of ['CONSTRAINT', 'INDEX']) {
      for (const [name] of await run(`SHOW ${kind} YIELD name, type WHERE type <> 'LOOKUP' RETURN name`)) {
        await run(`DROP ${kind} \`${String(name)}\` IF EXISTS`);
      }
    }
  });
}
