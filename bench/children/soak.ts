/** The clients of a soak, in a process of their own: told a number of requests, they send so many more. */
import { serve } from '../child.js';
import { soakClients, Traffic, type SoakClient } from '../soak/clients.js';
import type { World } from '../soak/world.js';

export interface SoakOrder {
  readonly url: string;
  readonly world: World;
  readonly clients: number;
  readonly requests: number;
}

export interface SoakResult {
  /** Requests so far. */
  readonly answers: number;
  /** Answers that were not those expected, by request and status. */
  readonly unexpected: Readonly<Record<string, number>>;
}

let running: { readonly traffic: Traffic; readonly clients: readonly SoakClient[] } | undefined;

serve<SoakOrder, SoakResult>(async ({ url, world, clients, requests }) => {
  if (running === undefined) {
    const traffic = new Traffic(url, world);
    running = { traffic, clients: soakClients(traffic, clients) };
  }
  await running.traffic.run(running.clients, requests);
  const { answers, unexpected } = running.traffic;
  return { answers, unexpected };
});
