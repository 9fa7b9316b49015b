import ivm from 'isolated-vm';

/** For threads to end at exit (ms). */
const LAST_WAIT = 50;
const open = new Set<ivm.Isolate>();

/**
 * An isolate that does not keep the process from ending: Node waits at exit for the threads of all isolates, and one that
 * computes without end, or waits for an answer of the loop, would let it wait for ever.
 */
export function openIsolate(options: ivm.IsolateOptions): ivm.Isolate {
  if (!isListening) {
    isListening = true;
    process.once('exit', endAll);
  }
  for (const one of open) if (one.isDisposed) open.delete(one);
  const isolate = new ivm.Isolate(options);
  open.add(isolate);
  return isolate;
}
let isListening = false;

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
