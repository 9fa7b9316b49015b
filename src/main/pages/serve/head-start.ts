/** When what there is of a page leaves before the rest (docs/design/pages.md 5). */
import { performance, type EventLoopUtilization } from 'node:perf_hooks';

/** Milliseconds after which it does, when the rest takes longer. */
const HEAD_START = 5;
/** Part of its time that a loop with much to do is busy: pages wait for their turn there, and a head by itself would be one more thing to do. */
const BUSY = 0.9;
/** Milliseconds that a page waits there at most. */
const LATEST = 50;
/** Milliseconds: the load is not measured over less. */
const SPAN = 2;

let measured: { readonly at: number; readonly from: EventLoopUtilization; isBusy: boolean } | undefined;

function isLoopBusy(): boolean {
  const now = performance.now();
  if (measured !== undefined && now - measured.at < SPAN) return measured.isBusy;
  const from = performance.eventLoopUtilization();
  const { utilization } = measured === undefined ? from : performance.eventLoopUtilization(from, measured.from);
  measured = { at: now, from, isBusy: utilization > BUSY };
  return measured.isBusy;
}

/** Calls `late` once when a page has not come to its end soon, until the answer is called. */
export function whenLate(late: () => void): () => void {
  const begun = performance.now();
  const look = (): void => {
    // Where the processor is busy, too, timers come late: what counts is the time that has passed.
    if (performance.now() - begun < LATEST && isLoopBusy()) timer = setTimeout(look, HEAD_START);
    else late();
  };
  let timer = setTimeout(look, HEAD_START);
  return () => {
    clearTimeout(timer);
  };
}
