/** A server that lets its callers wait: `/?ms=500` for that time, `/` until the bench lets them go. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '../child.js';

/** `release`: all that wait get their answers. */
export type SlowOrder = 'start' | 'count' | 'release';

const held = new Set<ServerResponse>();
const server = createServer((request, response) => {
  const ms = new URL(request.url ?? '/', 'http://localhost').searchParams.get('ms');
  held.add(response);
  if (ms !== null) setTimeout(() => answer(response), Number(ms));
});

function answer(response: ServerResponse): void {
  held.delete(response);
  response.end('slow');
}

/** Answers the port for `start`, and otherwise how many wait. */
serve<SlowOrder, number>((order) => {
  if (order === 'release') for (const one of held) answer(one);
  if (order !== 'start') return held.size;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      resolve((server.address() as AddressInfo).port);
    });
  });
});
