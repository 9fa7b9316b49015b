/** The timers of a run (`timer`; docs/interface/script-runtime.md 6.3). Times are milliseconds. */

/** Timers that one run may have. */
const MOST = 1000;

interface Timer {
  /** Of the times before the last start. */
  elapsed: number;
  /** When it was started last; undefined while it stands. */
  since: number | undefined;
}

export class Timers {
  private readonly timers = new Map<string, Timer>();

  constructor(private readonly now: () => number = () => performance.now()) {}

  /** Starts a timer, or lets one go on that stands. False: there are too many. */
  start(name: string): boolean {
    const timer = this.timers.get(name) ?? { elapsed: 0, since: undefined };
    if (!this.timers.has(name) && this.timers.size >= MOST) return false;
    timer.since ??= this.now();
    this.timers.set(name, timer);
    return true;
  }

  /** The time that it has run, pauses not counted; undefined: there is no such timer. */
  get(name: string): number | undefined {
    const timer = this.timers.get(name);
    return timer === undefined ? undefined : timer.elapsed + this.running(timer);
  }

  /** Stops it; answers the time since its last start. */
  pause(name: string): number | undefined {
    const timer = this.timers.get(name);
    if (timer === undefined) return undefined;
    const time = this.running(timer);
    timer.elapsed += time;
    timer.since = undefined;
    return time;
  }

  /** Takes it away; answers its time altogether. */
  clear(name: string): number | undefined {
    const time = this.get(name);
    this.timers.delete(name);
    return time;
  }

  private running(timer: Timer): number {
    return timer.since === undefined ? 0 : this.now() - timer.since;
  }
}
