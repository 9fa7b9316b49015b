/** Case 34: what a small POST costs more that a front-end thread hands over to the main thread. */
import { Child } from '../child.js';
import type { HandedOverPorts } from '../children/handed-over.js';
import type { Context } from '../context.js';
import { rateResult, type Result } from '../result.js';
import { postOne } from './requests.js';

/** The thread's own work and the way there and back; on one processor it would be a third. */
const GOAL = 0.5;

/** Both by one process: its processor time is that of both threads. */
export async function handOver(context: Context): Promise<Result[]> {
  const results: Result[] = [];
  for (const transport of ['uws', 'node'] as const) {
    const child = new Child<'uws' | 'node', HandedOverPorts>('handed-over');
    try {
      const ports = await child.call(transport);
      const at = (port: number): { url: string; pid: number } => ({
        url: `http://127.0.0.1:${String(port)}`,
        pid: child.pid,
      });
      const [direct, thread] = [at(ports.direct), at(ports.thread)];
      const requests = postOne();
      await context.warm(direct, requests);
      await context.warm(thread, requests);
      const figures = await context.compare(
        () => context.rate(direct, requests),
        () => context.rate(thread, requests),
      );
      results.push(
        rateResult(
          {
            case: 34,
            title: `threads: handed over (${transport})`,
            unit: 'requests/s',
            baselineTitle: 'the same, accepted by the main thread',
            note: 'a POST of an object that is read and made nothing of; processor time of both threads',
          },
          figures,
          GOAL,
        ),
      );
    } finally {
      await child.end();
    }
  }
  return results;
}
