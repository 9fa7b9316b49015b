/** Digests of nodes that are read over a network: they stream through the loop to a thread. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import type { Piscina } from 'piscina';
import { GraphError, type NodeQuery, type ReadTransaction } from '../graph/index.js';
import type { Digest, DigestedQuery } from '../../shared/digest.js';
import { workerFile } from '../../shared/worker-path.js';
import { workerPool } from '../../shared/worker-pool.js';
import type { StreamAnswer, StreamBatch, StreamJob } from '../../workers/analytics/digest-stream.js';

const MOST_THREADS = 2;

export class StreamedDigests {
  #pool: Piscina | undefined;

  /** As `ReadTransaction.digest`. */
  async run(
    tx: ReadTransaction,
    queries: readonly DigestedQuery<NodeQuery>[],
    digest: Digest,
    take: (text: string) => Promise<void> | undefined,
  ): Promise<void> {
    const { port1: port, port2 } = new MessageChannel();
    const stopped = new Int32Array(new SharedArrayBuffer(4));
    const job: StreamJob = { digest, port: port2, stopped };
    const answers = new Answers(port, this.#workers().run(job, { transferList: [port2] }));
    try {
      for (const [query, { query: one, only }] of queries.entries()) {
        for await (const nodes of tx.stream(only === undefined ? one : unsorted(one))) {
          const batch: StreamBatch = { query, nodes: nodes.map(({ id, properties }) => [id, properties]) };
          port.postMessage(batch);
          const { text } = await answers.next();
          if (text !== '') await take(text);
        }
      }
      port.postMessage('end' satisfies StreamBatch);
      let answer = await answers.next();
      for (; !answer.last; answer = await answers.next()) await take(answer.text);
      if (answer.text !== '') await take(answer.text);
    } finally {
      Atomics.store(stopped, 0, 1);
      port.close();
    }
  }

  #workers(): Piscina {
    this.#pool ??= workerPool({
      filename: workerFile('analytics/digest-stream'),
      minThreads: 0,
      maxThreads: MOST_THREADS,
      idleTimeout: 30_000,
      concurrentTasksPerWorker: 1,
    });
    return this.#pool;
  }

  async stop(): Promise<void> {
    await this.#pool?.destroy();
    this.#pool = undefined;
  }
}

/** Sorting only serves an index. */
function unsorted({ sort: _, ...query }: NodeQuery): NodeQuery {
  return query;
}

/** The thread's end of a digest: what it answers, in order. */
class Answers {
  readonly #come: StreamAnswer[] = [];
  #next: ((answer: StreamAnswer | undefined) => void) | undefined;
  #over = false;
  #failure: unknown;

  constructor(port: MessagePort, running: Promise<unknown>) {
    port.on('message', (answer: StreamAnswer) => {
      if (this.#next === undefined) this.#come.push(answer);
      else this.#next(answer);
    });
    const over = (failure?: unknown): void => {
      this.#over = true;
      this.#failure = failure;
      // What was posted before the end may come behind it.
      setImmediate(() => this.#next?.(undefined));
    };
    running.then(() => {
      over();
    }, over);
  }

  /** Throws `GraphError`. */
  async next(): Promise<Extract<StreamAnswer, { text: string }>> {
    const answer =
      this.#come.shift() ??
      (await new Promise<StreamAnswer | undefined>((resolve) => {
        this.#next = resolve;
        if (this.#over) setImmediate(resolve, undefined);
      }));
    this.#next = undefined;
    if (answer === undefined) {
      throw new GraphError('unavailable', 'The thread that makes the answer has ended.', undefined, {
        cause: this.#failure,
      });
    }
    if ('problem' in answer) throw new GraphError('invalid_query', answer.problem);
    return answer;
  }
}
