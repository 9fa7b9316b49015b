/*
 * Makes hubs and deletes them again, each in one transaction that computes beside others and is written in pieces, until it is killed. What
 * was acknowledged goes to standard output: `made <id>`, `deleted <id>`. Arguments: directory, relationships of a hub.
 */
import { writeSync } from 'node:fs';
import { newId, openSqliteGraph } from '../../dist/src/main/graph/index.js';

const [path, links] = [process.argv[2], Number(process.argv[3])];
const graph = await openSqliteGraph({ path, threadFrom: 0, largeFrom: 50 });
writeSync(1, 'ready\n');

async function committed(work) {
  const tx = graph.open({ locking: 'last' });
  try {
    await work(tx);
    await tx.commit();
  } catch (error) {
    await tx.rollBack();
    throw error;
  }
}

const things = Array.from({ length: links }, () => newId());
await committed(async (tx) => {
  for (const id of things) await tx.createNode({ id, type: 'Thing', properties: {} });
});
for (;;) {
  const hub = newId();
  await committed(async (tx) => {
    await tx.createNode({ id: hub, type: 'Hub', properties: {} });
    for (const targetId of things)
      await tx.createRelationship({
        id: newId(),
        type: 'HAS',
        relType: 'HAS',
        sourceId: hub,
        targetId,
        properties: {},
      });
  });
  writeSync(1, `made ${hub}\n`);
  await committed((tx) => tx.deleteNode(hub));
  writeSync(1, `deleted ${hub}\n`);
}
