/**
 * Ending work early: time limits and cancelling. One clock looks after everything that is waited for: a timer and a
 * listener for each statement cost more than a tenth of a short read.
 */
import { aborted, timedOut } from './errors.js';

/** What ends a statement early. */
export interface Limits {
  /** Milliseconds since 1970. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** Asked instead of the signal, which may cost something to make. */
  readonly cancelled?: (() => boolean) | undefined;
}

/** The deadline of what has none. */
export const FAR = 8.64e15;
/** The server ends a statement itself; this much later we no longer wait for it to say so. */
const GRACE = 1000;
/** Milliseconds between two looks at what is waited for. */
const TICK = 20;

interface Waiting {
  readonly limits: Limits;
  stop(reason: Error): void;
}

const waiting = new Set<Waiting>();
let clock: NodeJS.Timeout | undefined;

function look(): void {
  if (waiting.size === 0) {
    clearInterval(clock);
    clock = undefined;
    return;
  }
  const now = Date.now();
  for (const one of waiting) {
    if (isCancelled(one.limits)) one.stop(aborted());
    else if (now > one.limits.deadline + GRACE) one.stop(timedOut());
  }
}

/** Whether nobody wants the result any more. */
export function isCancelled({ signal, cancelled }: Limits): boolean {
  return cancelled === undefined ? signal?.aborted === true : cancelled();
}

/** Milliseconds for the server; 0 means none. */
export function serverTimeout({ deadline }: Limits): number {
  return deadline === FAR ? 0 : Math.max(1, Math.ceil(deadline - Date.now()));
}

/** The result of `work`, or the reason why nobody waits for it any more. */
export function within<T>(work: PromiseLike<T>, limits: Limits): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const one: Waiting = {
      limits,
      stop: (reason) => {
        waiting.delete(one);
        reject(reason);
      },
    };
    work.then(
      (value) => {
        waiting.delete(one);
        resolve(value);
      },
      (error: unknown) => {
        one.stop(error instanceof Error ? error : new Error(String(error)));
      },
    );
    if (isCancelled(limits)) {
      one.stop(aborted());
      return;
    }
    waiting.add(one);
    // It ends nothing but waiting, so it need not keep the process.
    clock ??= setInterval(look, TICK).unref();
  });
}
