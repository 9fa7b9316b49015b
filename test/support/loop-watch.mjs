/**
 * Loaded before a server (`--import`): says `loop held up for N ms` for each time its main thread computed for more than LOOP_LIMIT ms
 * without going back to its event loop. The thread's own time counts, not that in which others had the processor; but beside others a
 * processor is slower, so the limit is twice that of 50 ms which a server has to itself.
 */
import { openSync, readSync } from 'node:fs';

const file = openSync(`/proc/self/task/${String(process.pid)}/schedstat`, 'r');
const buffer = Buffer.alloc(64);
const limit = Number(process.env['LOOP_LIMIT'] ?? 100);

function computed() {
  const length = readSync(file, buffer, 0, buffer.length, 0);
  return Number(buffer.toString('latin1', 0, length).split(' ')[0]) / 1e6;
}

let last = computed();
setInterval(() => {
  const now = computed();
  if (now - last > limit) console.log(`loop held up for ${(now - last).toFixed(0)} ms`);
  last = now;
}, 2).unref();
