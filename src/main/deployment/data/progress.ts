/**
 * How far a data import is: written with each of its batches, as a part of the same transaction, so that the same import goes on behind the last
 * one that is there (docs/interface/deployment.md 4.4).
 */
import type { Graph, Journal } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';

const log = logger('deployment.data');
const NAME = 'deployment.data';
/** Records that are read at once; an import leaves few, as it removes them on its way. */
const SOME = 1000;
/** Batches after which older records are removed. */
const TIDY = 100;

/** What is counted, over all runs of an import. */
export interface DataCounts {
  created: number;
  replaced: number;
  relationships: number;
  /** Relationships whose ends are not there. */
  failed: number;
}

export interface Mark {
  /** Which import it is of: its files, as they were. */
  readonly import: string;
  /** The file that is being read, and how many of its entries are done. */
  readonly file: string;
  readonly done: number;
  readonly counts: DataCounts;
}

export class ImportProgress {
  readonly #journal: Journal;
  /** What the transaction with this reason notes. */
  readonly #notes = new Map<string, Mark>();
  #sinceTidy = 0;

  constructor(graph: Graph) {
    this.#journal = graph.journal(NAME, ({ origin: { reason = '' } }) => {
      const mark = this.#notes.get(reason);
      return mark === undefined ? [] : [JSON.stringify(mark)];
    });
  }

  /** How far an import had come that did not end; undefined: it begins. What is there of another one is forgotten. */
  async begin(name: string): Promise<Mark | undefined> {
    const last = await this.#last();
    if (last === undefined) return undefined;
    const mark = JSON.parse(last.text) as Mark;
    if (mark.import === name) return mark;
    log.info('a data import that did not end is not gone on with: another one begins');
    await this.#journal.remove(last.position);
    return undefined;
  }

  /** Runs a transaction whose origin has this reason; the mark is written with it. */
  async noting<T>(reason: string, mark: Mark, work: () => Promise<T>): Promise<T> {
    this.#notes.set(reason, mark);
    try {
      return await work();
    } finally {
      this.#notes.delete(reason);
      if (++this.#sinceTidy >= TIDY) await this.#tidy();
    }
  }

  /** The import has ended. */
  async end(): Promise<void> {
    const last = await this.#last();
    if (last !== undefined) await this.#journal.remove(last.position);
  }

  async #tidy(): Promise<void> {
    this.#sinceTidy = 0;
    const last = await this.#last();
    if (last !== undefined) await this.#journal.remove(last.position - 1);
  }

  async #last(): Promise<{ readonly position: number; readonly text: string } | undefined> {
    let last: { readonly position: number; readonly text: string } | undefined;
    for (;;) {
      const records = await this.#journal.read(last?.position ?? 0, SOME);
      last = records.at(-1) ?? last;
      if (records.length < SOME) return last;
    }
  }
}
