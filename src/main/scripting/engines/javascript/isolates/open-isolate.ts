import type ivm from 'isolated-vm';
import { library } from './library.js';
import { logger } from '../../../../../shared/log.js';

const log = logger('scripting.javascript');

/** For threads to end at exit (ms). */
const LAST_WAIT = 50;
const open = new Set<ivm.Isolate>();
let isListening = false;
let hasLostOne = false;

/**
 * An isolate with a heap of `memoryLimit` MB that does not keep the process from ending: Node waits at exit for the threads of all
 * isolates, and one that computes without end, or waits for an answer of the loop, would let it wait for ever.
 */
export function openIsolate(memoryLimit: number): ivm.Isolate {
  if (!isListening) {
    isListening = true;
    process.once('exit', endAll);
  }
  for (const one of open) if (one.isDisposed) open.delete(one);
  const isolate = new library.Isolate({ memoryLimit, onCatastrophicError });
  open.add(isolate);
  return isolate;
}

/** By now only those are open that are idle, or used when the process ends all of a sudden. */
function endAll(): void {
  const left = [...open].filter((one) => !one.isDisposed);
  for (const one of left) {
    try {
      one.dispose();
    } catch {
      // It has ended by itself.
    }
  }
  // A thread that still works on that while the process takes itself apart would crash it.
  if (left.length > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, LAST_WAIT);
}

/** V8 has lost control over an isolate. The others go on, but its memory and perhaps its thread are lost. */
function onCatastrophicError(message: string): void {
  log.error(`an isolate of JavaScript could not be ended (${message}): its memory is lost until the next start`);
  if (hasLostOne) return;
  hasLostOne = true;
  // Node would wait for its thread for ever. Behind the others that have to do something at exit; everything is stored by then.
  process.once('exit', () => process.kill(process.pid, 'SIGKILL'));
}
