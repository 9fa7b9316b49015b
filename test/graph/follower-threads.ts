/** Threads with followers of a graph, for tests. */
import { Worker } from 'node:worker_threads';
import type { FollowerOptions, Graph, ReadTransaction } from '../../src/main/graph/index.js';

/** A call of a transaction, by its name. */
export type Call = readonly [method: keyof ReadTransaction, ...about: unknown[]];

interface Answer {
  readonly serial: number;
  readonly answer?: unknown;
  readonly failure?: string;
}

export class FollowerThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, { resolve: (answer: unknown) => void; reject: (error: Error) => void }>();
  readonly #ready: Promise<unknown>;
  #serial = 0;

  constructor(graph: Graph, options: FollowerOptions = {}) {
    if (graph.seat === undefined) throw new Error('no seat');
    const seat = graph.seat();
    this.#worker = new Worker(new URL('../support/follower-thread.mjs', import.meta.url), {
      workerData: { seat, options },
      transferList: [seat.port],
    });
    this.#ready = this.#answer(0);
    this.#ready.catch(() => undefined);
    this.#worker.on('message', ({ serial, answer, failure }: Answer) => {
      const waiting = this.#waiting.get(serial);
      this.#waiting.delete(serial);
      if (failure === undefined) waiting?.resolve(answer);
      else waiting?.reject(new Error(failure));
    });
    const ended = (error: unknown): void => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the thread has ended', { cause: error }));
      this.#waiting.clear();
    };
    this.#worker.on('error', ended);
    this.#worker.on('exit', ended);
  }

  #answer(serial: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.set(serial, { resolve, reject });
    });
  }

  /** Has it do something; see test/support/follower-thread.mjs. */
  async do<T>(what: string, about: object = {}): Promise<T> {
    await this.#ready;
    const serial = ++this.#serial;
    const answer = this.#answer(serial);
    this.#worker.postMessage({ serial, what, about });
    return (await answer) as T;
  }

  calls(calls: readonly Call[], snapshot = true): Promise<unknown[]> {
    return this.do('calls', { calls, snapshot });
  }

  async close(): Promise<void> {
    await this.do('close');
    await this.#worker.terminate();
  }

  /** Ends it as it is. */
  async kill(): Promise<void> {
    await this.#worker.terminate();
  }
}

/** One read or write of a register, in nanoseconds; each value is written once. */
export interface Operation {
  readonly kind: 'read' | 'write';
  readonly begin: number;
  readonly end: number;
  readonly value: number;
}

/**
 * Why a history of one register whose values are written once each is not linearizable; undefined: it is. By Gibbons and Korach: a value is there for certain from the
 * first end of an operation with it to the last begin of one; no two values may be there at a time.
 */
export function unlinearizable(history: readonly Operation[]): string | undefined {
  const values = new Map<number, { first: number; last: number; written: number | undefined; readEnds: number }>();
  for (const { kind, begin, end, value } of history) {
    let of = values.get(value);
    if (of === undefined)
      values.set(value, (of = { first: Infinity, last: -Infinity, written: undefined, readEnds: Infinity }));
    of.first = Math.min(of.first, end);
    of.last = Math.max(of.last, begin);
    if (kind === 'write') of.written = begin;
    else of.readEnds = Math.min(of.readEnds, end);
  }
  const certain: { from: number; to: number; value: number }[] = [];
  const moments: { from: number; to: number; value: number }[] = [];
  for (const [value, { first, last, written, readEnds }] of values) {
    if (written === undefined) return `${String(value)} was read and never written`;
    if (readEnds < written) return `${String(value)} was read before it was written`;
    if (first < last) certain.push({ from: first, to: last, value });
    else moments.push({ from: last, to: first, value });
  }
  certain.sort((a, b) => a.from - b.from);
  for (const [i, one] of certain.entries()) {
    const next = certain[i + 1];
    if (next !== undefined && next.from < one.to)
      return `${String(one.value)} and ${String(next.value)} were there at a time`;
  }
  for (const { from, to, value } of moments) {
    const around = certain.find((one) => one.from < from && to < one.to);
    if (around !== undefined) return `${String(value)} was there while ${String(around.value)} was`;
  }
  return undefined;
}
