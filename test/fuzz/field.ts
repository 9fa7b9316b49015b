/** Clients of one server, or of several on one database, one of which is killed and started again. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TestServer } from '../support/server.js';
import { CLIENTS, type Field } from './histories.js';
import type { Random } from './random.js';

export interface Play {
  readonly random: Random;
  /** Clients are spread over them; the last one is killed, and what is started in its place takes its place here. */
  readonly servers: TestServer[];
  readonly seconds: number;
  readonly kills: number;
  /** Seconds beyond those until clients have had enough. */
  readonly patience?: number;
  start(folder: string): Promise<TestServer>;
}

export function fieldOf({ random, servers, seconds, kills, patience = 0, start }: Play): Field {
  const at = (i: number): TestServer => {
    const server = servers[i % servers.length];
    if (server === undefined) throw new Error('there is no server');
    return server;
  };
  const last = servers.length - 1;
  return {
    random,
    admin: () => at(0).admin,
    run: async (client, enough = () => true) => {
      let over = false;
      /** Set while the last server is away: its clients wait for it. */
      let back: Promise<void> | undefined;
      const clients = Array.from({ length: CLIENTS }, async (_, number) => {
        for (let turn = 0; !over; turn++) {
          if (number % servers.length === last) await back;
          await client(at(number).admin, number, turn);
        }
      });
      const failing = Promise.all(clients).finally(() => {
        over = true;
      });
      // What fails is told at the end.
      failing.catch(() => undefined);
      for (let kill = 0; kill <= kills; kill++) {
        await sleep((seconds * 1000 * (0.5 + random.next())) / (kills + 1));
        if (kill === kills) break;
        let done = (): void => undefined;
        back = new Promise((resolve) => (done = resolve));
        await at(last).end('SIGKILL');
        servers[last] = await start(at(last).folder);
        back = undefined;
        done();
      }
      for (let waited = 0; !over && !enough() && waited < patience; waited++) await sleep(1000);
      over = true;
      await failing;
    },
  };
}
