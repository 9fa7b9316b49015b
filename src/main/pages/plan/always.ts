import type { Awaitable } from '../../scripting/index.js';

/** Does `last` behind work, however that ends. */
export function always<T>(work: () => Awaitable<T>, last: () => void): Awaitable<T> {
  let isLater = false;
  try {
    const done = work();
    isLater = done instanceof Promise;
    return done instanceof Promise ? done.finally(last) : done;
  } finally {
    if (!isLater) last();
  }
}
