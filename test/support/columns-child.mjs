/* Writes, changes and deletes events while columns are made of them, until it is killed. Argument: the directory. */
import { writeSync } from 'node:fs';
import { newId, openSqliteGraph } from '../../dist/src/main/graph/index.js';

const graph = await openSqliteGraph({ path: process.argv[2] });
const texts = ['action', 'subject', 'object', 'message'];
await graph.columns.set({ types: ['LogEvent', 'ShopEvent'], number: 'timestamp', texts }, 50);
writeSync(1, 'ready\n');

const pick = (list) => list[Math.floor(Math.random() * list.length)];
const event = () => ({
  timestamp: 1.7e12 + Math.floor(Math.random() * 1e9),
  action: pick(['VIEW', 'CLICK']),
  subject: pick(['a', 'b']),
  object: 'o',
  message: pick(['ref=1;x', 'amount=2;x']),
});

async function writer() {
  const own = [];
  for (;;) {
    await graph.write(async (tx) => {
      for (let i = 0; i < 5; i++)
        own.push((await tx.createNode({ id: newId(), type: 'LogEvent', properties: event() })).id);
      if (own.length < 40) return;
      await tx.updateNode(pick(own), event());
      await tx.deleteNode(own.splice(Math.floor(Math.random() * own.length), 1)[0]);
    });
  }
}

await Promise.all(Array.from({ length: 8 }, writer));
