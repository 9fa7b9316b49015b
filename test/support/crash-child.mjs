/*
 * Writes to a graph as fast as it can until it is killed. Each write creates two nodes of one pair and a relationship
 * between them; the pair's number goes to standard output once the write was acknowledged.
 * Arguments: directory, first number, and `thread` to have all that can be written by the writer's thread: ids are new ones then.
 */
import { writeSync } from 'node:fs';
import { newId, openSqliteGraph } from '../../dist/src/main/graph/index.js';

const [path, first] = [process.argv[2], Number(process.argv[3])];
const thread = process.argv[4] === 'thread';
const graph = await openSqliteGraph({ path, ...(thread ? { threadFrom: 0 } : {}) });
await graph.setIndexes([{ trait: 'Pair', types: ['Left', 'Right'], key: 'n', unique: false }]);
let next = first;
writeSync(1, 'ready\n');

/** Synchronous on purpose: what is printed must have left the process before the kill. The pipe is full while its reader does not get the processor. */
function tell(line) {
  for (;;) {
    try {
      writeSync(1, line);
      return;
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

async function writer() {
  for (;;) {
    const n = next++;
    const [l, r, p] = ['l', 'r', 'p'].map((kind) => (thread ? newId() : kind + n));
    const text = 'x'.repeat((n * 37) % 2000);
    await graph
      .write(async (tx) => {
        await tx.createNode({ id: l, type: 'Left', properties: { n, text } });
        // Some transactions stay open over turns of the loop, some fail half way.
        if (n % 7 === 0) await new Promise((resolve) => setImmediate(resolve));
        await tx.createNode({ id: r, type: 'Right', properties: { n, text } });
        if (n % 11 === 0) throw new Error('on purpose');
        await tx.createRelationship({
          id: p,
          type: 'LeftPAIRRight',
          relType: 'PAIR',
          sourceId: l,
          targetId: r,
          properties: { n },
        });
      })
      .then(
        () => tell(`${n}\n`),
        (error) => {
          if (error.message !== 'on purpose') throw error;
        },
      );
  }
}

await Promise.all(Array.from({ length: 32 }, writer));
