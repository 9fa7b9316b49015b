/** Sends requests for a while and counts the answers. */
import autocannon, { type Client, type Request } from 'autocannon';
import { serve } from '../child.js';
import type { LoadOrder, LoadResult } from './load-order.js';
import { loadByWrk } from './wrk.js';

async function loadByAutocannon(order: LoadOrder): Promise<LoadResult> {
  const latencies: number[] = [];
  let answers = 0;
  let refused = 0;
  let firstRefused = '';
  let next = 0;
  let ready = 0;
  let begin = Infinity;
  let until = Infinity;
  const share = (client: Client): void => {
    const own: Request[] = [];
    for (let i = next++; i < order.requests.length; i += order.connections) {
      const { path, body, method = order.method } = order.requests[i] ?? { path: '/' };
      own.push({ method, path, headers: { ...order.headers }, ...(body === undefined ? {} : { body }) });
    }
    client.setRequests(own);
    // Preparing tens of thousands of requests keeps this process busy, for seconds where others want the processor too;
    // answers that it could not look at meanwhile were not late.
    if (++ready === order.connections) {
      begin = performance.now() + order.warm * 1000;
      until = begin + order.seconds * 1000;
    }
    client.on('response', (status, _bytes, milliseconds) => {
      answers++;
      if (status >= 300) {
        refused++;
        firstRefused ||= String(status);
      }
      const now = performance.now();
      if (now >= begin && now < until) latencies.push(milliseconds);
    });
  };
  const result = await autocannon({
    url: order.url,
    connections: order.connections,
    // Its clock ticks in tenths of a second and stops at a tick: some more, then only what lies between counts.
    duration: order.warm + order.seconds + 0.3,
    sampleInt: 100,
    // Longer than any pause that is worth measuring.
    timeout: 60,
    setupClient: share,
  });
  if (refused > 0 || result.errors > 0) {
    throw new Error(
      `${String(refused)} of ${String(answers)} requests refused (${firstRefused}), ${String(result.errors)} connections lost`,
    );
  }
  if (latencies.length === 0) throw new Error('no answer in time');
  latencies.sort((a, b) => a - b);
  const at = (share: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? 0;
  return { rate: latencies.length / order.seconds, answers, p50: at(0.5), p99: at(0.99) };
}

serve<LoadOrder, LoadResult>((order) => (order.tool === 'wrk' ? loadByWrk(order) : loadByAutocannon(order)));
