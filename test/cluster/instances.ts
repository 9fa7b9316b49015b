/** Several servers on one empty Neo4j, each reached by a line of its own that can be cut. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Line, openLine, wipeNodes } from '../graph/neo4j.js';
import { TestServer } from '../support/server.js';

export const SECOND = 1000;

export interface Instance {
  readonly server: TestServer;
  /** Its way to the database. */
  readonly line: Line;
}

export interface ClusterState {
  readonly coordinator: string | null;
  readonly members: readonly {
    readonly name: string;
    readonly pid: number;
    readonly port: number;
    readonly coordinator: boolean;
    readonly self: boolean;
    readonly alive: boolean;
    readonly lastHeartbeat: string;
  }[];
}

/** What an instance says of the cluster. */
export async function stateAt({ server }: Instance): Promise<ClusterState> {
  const { body } = await server.admin.get('/_cluster');
  return (body as { result: ClusterState }).result;
}

/** Starts `count` instances one after the other; `close` ends those that are left. */
export async function startInstances(
  count: number,
  settings: Record<string, string | number> = {},
): Promise<{ instances: Instance[]; close: () => Promise<void> }> {
  await wipeNodes();
  const instances: Instance[] = [];
  const folders: string[] = [];
  for (let i = 0; i < count; i++) {
    const line = await openLine();
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    folders.push(folder);
    const server = await TestServer.start({
      folder,
      settings: { 'database.connection.url': line.url, ...settings },
      environment: { REPLICA: String(i) },
    });
    instances.push({ server, line });
  }
  const close = async (): Promise<void> => {
    for (const { server, line } of instances) {
      line.mend();
      await server.end();
      await line.close();
    }
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  };
  return { instances, close };
}

/** Waits until it is so; how long that took, in milliseconds. */
export async function seen(isSo: () => Promise<boolean>): Promise<number> {
  const since = performance.now();
  while (!(await isSo())) {
    if (performance.now() - since > 60 * SECOND) throw new Error('it was never seen');
    await sleep(10);
  }
  return performance.now() - since;
}

/**
 * Runs rounds until three took less than a second, nine at most; returns the third shortest time. Those that fall together with
 * other work of the machine take longer.
 */
export async function typical(round: (n: number) => Promise<number>): Promise<number> {
  const all: number[] = [];
  for (let n = 0; n < 9 && all.filter((one) => one < SECOND).length < 3; n++) all.push(await round(n));
  return all.sort((a, b) => a - b)[2] ?? NaN;
}
