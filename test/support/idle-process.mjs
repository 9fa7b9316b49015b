// A process that makes garbage, and tells how many bytes of its heap are in use (of what is built): started by test/serving/idle-memory.test.ts.
import { Session } from 'node:inspector/promises';
import { getHeapStatistics } from 'node:v8';
import { giveMemoryOfThreadBackWhenIdle } from '../../dist/src/main/idle-memory.js';

giveMemoryOfThreadBackWhenIdle();
const used = () => getHeapStatistics().used_heap_size;
const before = used();
let kept;
process.on('message', async (asked) => {
  if (asked === 'fill') {
    kept = Array.from({ length: 1_000_000 }, (_, i) => ({ i, text: `text ${String(i)}` }));
    // A collection that V8 has begun while it allocated would find what is forgotten next.
    const session = new Session();
    session.connect();
    await session.post('HeapProfiler.collectGarbage');
    session.disconnect();
  }
  if (asked === 'forget') kept = undefined;
  process.send({ more: used() - before, kept: kept?.length ?? 0 });
});
