/** How many calls are open at a time. Who comes when there are too many waits in line. */
import { ScriptError } from '../../language/errors.js';

interface Waiting {
  readonly go: () => void;
}

export class Slots {
  private open = 0;
  private readonly line = new Set<Waiting>();

  /** `most` is asked for each time: it may change. */
  constructor(private readonly most: () => number) {}

  /**
   * Resolves with what gives the slot back, which may be called again. Throws `ScriptError` 503 when none became free within
   * `time` ms (0: waits for ever), and what the signal was aborted with.
   */
  async take(time: number, signal: AbortSignal): Promise<() => void> {
    if (this.open >= this.most() || this.line.size > 0) await this.wait(time, signal);
    else this.open++;
    let isOpen = true;
    return () => {
      if (!isOpen) return;
      isOpen = false;
      this.open--;
      this.next();
    };
  }

  private wait(time: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
        this.line.delete(one);
      };
      const one: Waiting = {
        go: () => {
          end();
          resolve();
        },
      };
      const aborted = (): void => {
        end();
        reject(signal.reason as Error);
      };
      const late = (): void => {
        end();
        reject(new ScriptError(503, 'too many calls are open; try again later'));
      };
      const timer = time === 0 ? undefined : setTimeout(late, time);
      this.line.add(one);
      signal.addEventListener('abort', aborted);
    });
  }

  private next(): void {
    for (const one of this.line) {
      if (this.open >= this.most()) return;
      this.open++;
      one.go();
    }
  }
}
