/**
 * Gives memory back when nothing happens. V8 collects garbage while it allocates: a server that has just got through a burst
 * of large requests and is idle would keep all they left for hours.
 */
import { Session } from 'node:inspector';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const LOOK_MS = 3000;
/** So many bytes more than are known to be in use may be garbage: worth collecting. */
const GARBAGE = 64 * 1024 * 1024;
/** The same of a front-end thread, which has less of everything, and of which there may be several. */
const GARBAGE_OF_THREAD = 16 * 1024 * 1024;
/** Busier than this (share of the time), the server collects by itself, and a pause would be felt. */
const IDLE = 0.05;

/**
 * Looks every few seconds; ends with the process. To be called once by the main thread, before anything else. A collection takes as long as what is
 * in use is large: 45 ms with 800,000 objects.
 */
export function giveMemoryBackWhenIdle(): void {
  collectWhenIdle(collector(), GARBAGE);
}

/** The same of a front-end thread (docs/design/threads.md), at any time. */
export function giveMemoryOfThreadBackWhenIdle(): void {
  collectWhenIdle(collectThread, GARBAGE_OF_THREAD);
}

function collectWhenIdle(collect: () => void, garbage: number): void {
  let needed = inUse();
  let before = performance.eventLoopUtilization();
  setInterval(() => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    before = now;
    const used = inUse();
    needed = Math.min(needed, used);
    if (utilization > IDLE || used - needed < garbage) return;
    collect();
    needed = inUse();
  }, LOOK_MS).unref();
}

/** Bytes of the heap and of the buffers that its objects hold, garbage or not. */
function inUse(): number {
  const { used_heap_size: heap, external_memory: buffers } = getHeapStatistics();
  return heap + buffers;
}

/** All garbage of the thread that asks. Flags are of the process, and other threads may be making isolates for scripts of users. */
function collectThread(): void {
  const session = new Session();
  session.connect();
  session.post('HeapProfiler.collectGarbage', () => {
    // V8 holds a lock while it calls this, which it takes again to end the session.
    setImmediate(() => {
      session.disconnect();
    });
  });
}

/**
 * V8's collection of all garbage. To be asked for before there are isolates for scripts of users: in what is made while the
 * flag is set, they would find it, too.
 */
function collector(): () => void {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc') as () => void;
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
