/**
 * Removes content that belongs to no file: what a crash left behind, or what could not be removed when it had to go. Looks at
 * everything that lies in the storages and asks the graph for it; done by the coordinator, slowly, in the background. What goes is kept
 * for a while: put aside, or left where it is for that time. Nothing goes while the database and the content may not belong together.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Graph } from '../../graph/index.js';
import type { SchemaService } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import type { Belonging } from './belonging.js';
import type { Contents } from '../content/content.js';
import type { FirstSeen } from './first-seen.js';
import { placeOfContent, samePlace } from '../content/place.js';
import type { Storage, StoredContent } from '../storage/storage.js';
import type { Storages } from '../storage/table.js';

const log = logger('files.sweep');

/** Contents that the graph is asked for together. */
const BATCH = 500;
/** Milliseconds between two of these questions. */
const PAUSE = 20;
/** Contents without a file that one run removes; the next goes on. */
const MOST = 100_000;
/** Below this number of contents nothing is suspicious. */
const FEW = 100;
/** Uploads in parts may take this many times the age of other leftovers. */
const PARTS = 24;

export interface SweepParts {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly contents: Contents;
  readonly storages: Storages;
  /** Milliseconds until the first run (0: never), between runs, and that leftovers are kept. */
  readonly delay: () => number;
  readonly interval: () => number;
  readonly age: () => number;
  /** Milliseconds that swept contents are kept. */
  readonly kept: () => number;
  readonly belonging: Pick<Belonging, 'agrees'>;
  readonly firstSeen: FirstSeen;
}

/** What a run has seen in one storage. */
export interface Swept {
  readonly seen: number;
  readonly removed: number;
  /** Without a file, and left where they are. */
  readonly left: number;
}

export class Sweep {
  #run: Promise<void> = Promise.resolve();

  constructor(private readonly parts: SweepParts) {}

  /** Runs now and then until the signal ends it. */
  begin(signal: AbortSignal): void {
    const { delay, interval } = this.parts;
    if (delay() === 0) return;
    const run = async (): Promise<void> => {
      await sleep(delay(), undefined, { signal, ref: false });
      for (;;) {
        await this.everything(signal);
        await sleep(interval(), undefined, { signal, ref: false });
      }
    };
    this.#run = run().catch((error: unknown) => {
      if (!signal.aborted) log.error('content without a file is not looked for any more', error);
    });
  }

  /** Resolves when nothing is being removed any more; the signal must have ended. */
  stop(): Promise<void> {
    return this.#run;
  }

  /** One run over all storages. */
  async everything(signal: AbortSignal): Promise<void> {
    for (const name of await this.parts.storages.names()) {
      signal.throwIfAborted();
      if (await this.#isThisMachine(name)) continue;
      const where = name === '' ? 'the storage of this machine' : `storage ${name}`;
      try {
        const { seen, removed, left } = await this.one(name, signal);
        const rest = left === 0 ? '' : `, ${String(left)} without a file were left`;
        log.info(`${where}: ${String(seen)} contents, ${String(removed)} without a file removed${rest}`);
      } catch (error) {
        signal.throwIfAborted();
        log.warn(`${where} could not be looked through`, error);
      }
    }
  }

  /** Whether a configuration names this machine's own storage: files keep no name of it, and it is looked through already. */
  async #isThisMachine(name: string): Promise<boolean> {
    const { storages } = this.parts;
    return name !== '' && (await storages.nameOf(name).catch(() => name)) === '';
  }

  /** One run over one storage. */
  async one(name: string, signal: AbortSignal): Promise<Swept> {
    const storage = await this.parts.storages.get(name);
    if (!(await this.parts.belonging.agrees())) {
      log.error('the content in files.path and the database do not belong together for sure: nothing is removed');
      return { seen: 0, removed: 0, left: 0 };
    }
    const before = Date.now() - this.parts.age();
    const rubbish: StoredContent[] = [];
    let seen = 0;
    for await (const batch of batches(storage.list())) {
      signal.throwIfAborted();
      seen += batch.length;
      const old = batch.filter(({ modified }) => modified <= before);
      rubbish.push(...(await this.#unnamed(name, old)).slice(0, MOST - rubbish.length));
      if (rubbish.length >= MOST) break;
      await sleep(PAUSE, undefined, { signal });
    }
    if (seen >= FEW && rubbish.length > seen / 2) {
      log.error(
        `more than half of the ${String(seen)} contents belong to no file, so that none is removed: ` +
          'does this database belong to this storage?',
      );
      return { seen, removed: 0, left: rubbish.length };
    }
    const removed = await this.#remove(name, storage, await this.#due(name, storage, rubbish), signal);
    await storage.trash?.empty(Date.now() - this.parts.kept()).catch((error: unknown) => {
      log.warn('content that was put aside could not be removed', error);
    });
    await storage.clear?.(Date.now() - this.parts.age() * PARTS).catch((error: unknown) => {
      log.debug(`uploads that were never finished could not be looked for: ${String(error)}`);
    });
    return { seen, removed, left: rubbish.length - removed };
  }

  /** Where contents cannot be put aside they wait where they are. */
  async #due(name: string, storage: Storage, rubbish: readonly StoredContent[]): Promise<readonly StoredContent[]> {
    const kept = this.parts.kept();
    if (storage.trash !== undefined || kept === 0) return rubbish;
    return this.parts.firstSeen.before(name, rubbish, Date.now() - kept);
  }

  async #remove(
    name: string,
    storage: Storage,
    rubbish: readonly StoredContent[],
    signal: AbortSignal,
  ): Promise<number> {
    let removed = 0;
    for (let at = 0; at < rubbish.length; at += BATCH) {
      // Asked again, right before: finding it may be long ago.
      for (const content of await this.#unnamed(name, rubbish.slice(at, at + BATCH))) {
        signal.throwIfAborted();
        try {
          if (storage.trash === undefined || this.parts.kept() === 0) await storage.remove(content);
          else await storage.trash.put(content);
          removed++;
        } catch (error) {
          log.warn(`the content of what was file ${content.file} could not be removed`, error);
        }
      }
      await sleep(PAUSE, undefined, { signal });
    }
    return removed;
  }

  /** Those of these contents that no file has, nor will have: keys are never used again. */
  async #unnamed(store: string, contents: readonly StoredContent[]): Promise<StoredContent[]> {
    if (contents.length === 0) return [];
    const { graph, schemas } = this.parts;
    // Pending ones first: what is published meanwhile is in the graph before it stops being pending.
    const free = contents.filter(({ file, key }) => !this.parts.contents.isPending({ file, key, store }));
    const nodes = await graph.read((tx) => tx.nodes(free.map(({ file }) => file)));
    return free.filter(({ file, key }, i) => {
      const node = nodes[i];
      if (node === undefined || !schemas.schema.typeOf(node).hasTrait('File')) return true;
      return !samePlace(placeOfContent(node), { file, key, store });
    });
  }
}

async function* batches<T>(items: AsyncIterable<T>): AsyncGenerator<T[]> {
  let batch: T[] = [];
  for await (const item of items) {
    batch.push(item);
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}
