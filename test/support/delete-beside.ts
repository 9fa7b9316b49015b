import type { Graph, WriteTransaction } from '../../src/main/graph/index.js';
import { GraphError } from '../../src/main/graph/index.js';

/** Does work beside other writers, and again when they have come in between, as requests do. */
export async function deleteBeside(graph: Graph, work: (tx: WriteTransaction) => Promise<void>): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const tx = graph.open({ locking: attempt < 5 ? 'last' : 'now' });
    try {
      await work(tx);
      await tx.commit();
      return;
    } catch (error) {
      await tx.rollBack();
      if (!(error instanceof GraphError) || error.code !== 'conflict') throw error;
      await tx.conflictSeen();
    }
  }
}
