/** The threads of this process: the loop, and the workers that there are. */
import { performance, type EventLoopUtilization } from 'node:perf_hooks';
import type { Worker } from 'node:worker_threads';

/** One as it is now. */
export interface ThreadView {
  readonly id: number;
  readonly name: string;
  /** Seconds in which it had something to do. */
  readonly cpuTime: number;
  /** Part of the time since the last look, 0 to 1. */
  readonly busy: number;
}

interface Watched {
  readonly worker: Worker;
  last: EventLoopUtilization;
}

/** To be made before the first worker is started: Node tells of each only once. */
export class Threads {
  readonly #workers = new Map<number, Watched>();
  #main = performance.eventLoopUtilization();

  constructor() {
    process.on('worker', (worker) => {
      // Its number is gone once it has ended.
      const { threadId } = worker;
      this.#workers.set(threadId, { worker, last: worker.performance.eventLoopUtilization() });
      worker.once('exit', () => this.#workers.delete(threadId));
    });
  }

  list(): ThreadView[] {
    const loop = view(0, 'main', performance.eventLoopUtilization(), this.#main);
    this.#main = performance.eventLoopUtilization();
    const views = [...this.#workers].map(([id, watched]) => {
      const now = watched.worker.performance.eventLoopUtilization();
      const one = view(id, nameOf(watched.worker, id), now, watched.last);
      watched.last = now;
      return one;
    });
    return [loop, ...views];
  }
}

function view(id: number, name: string, now: EventLoopUtilization, last: EventLoopUtilization): ThreadView {
  const { utilization } = performance.eventLoopUtilization(now, last);
  return { id, name, cpuTime: now.active / 1000, busy: Number.isFinite(utilization) ? utilization : 0 };
}

function nameOf(worker: Worker, id: number): string {
  const { threadName } = worker as { readonly threadName?: string | null };
  return `${threadName || 'worker'} ${String(id)}`;
}
