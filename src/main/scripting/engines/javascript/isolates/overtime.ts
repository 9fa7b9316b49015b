import type { Limit } from '../failures.js';
import type { Limits } from './isolates.js';
import type { Room } from './room.js';

/** How often a run is looked after (ms). */
const WATCH = 250;

/** Ends an isolate that takes too long, whatever it is doing. */
export class Overtime {
  limit: Limit | undefined;
  readonly promise: Promise<never>;
  private readonly timer: NodeJS.Timeout;
  private isStopped = false;
  private begun: number;

  /** `locate`: has a script that is alive say where it is, before it is ended. */
  constructor(room: Room, limits: Limits, locate: () => Promise<void>) {
    this.begun = performance.now();
    const cpu = room.cpuTime;
    let reject: (error: Error) => void = () => undefined;
    this.promise = new Promise<never>((_, rejects) => (reject = rejects));
    this.promise.catch(() => undefined);
    const look = (): void => {
      if (performance.now() - this.begun >= limits.total) this.limit = 'total';
      // The isolate's own timer comes first; promises run without one, and V8 cannot always be interrupted.
      else if (room.cpuTime - cpu > limits.cpu + WATCH) this.limit = 'cpu';
      if (this.limit === undefined) return;
      clearInterval(this.timer);
      void (this.limit === 'total' ? locate() : Promise.resolve()).then(() => {
        if (this.isStopped) return;
        room.discard();
        reject(new Error(this.limit));
      });
    };
    this.timer = setInterval(look, Math.min(WATCH, limits.total));
  }

  /** What it waits for is not its own matter. */
  pause(): void {
    this.begun = Infinity;
  }

  /** Its whole time begins anew. */
  goOn(): void {
    this.begun = performance.now();
  }

  stop(): void {
    this.isStopped = true;
    clearInterval(this.timer);
  }
}
