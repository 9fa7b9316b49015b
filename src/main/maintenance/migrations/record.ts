/**
 * What the database says of its migrations: the version of its data, the steps that are done, and where one that did not come to its
 * end has got to. The first two are a note of the database; a position is written within the transaction it belongs to, by a journal.
 */
import { GraphError, type DatabaseNotes, type Graph, type Journal } from '../../graph/index.js';
import type { MigrationStep } from './step.js';
import { isBefore, lastOf } from './version.js';

/** The name of the note, and of the journal. */
const NAME = 'migrations';
/** The version of data that no step has changed yet. */
const FIRST = '0.1.0';
/** Records of the journal that are read at once. */
const PAGE = 1000;

interface Stored {
  /** Of the data. */
  readonly version: string;
  /** When each step was done, by name. */
  readonly done: Readonly<Record<string, string>>;
}

/** A record of the journal; without position: the step is done. */
interface Reached {
  readonly step: string;
  readonly position?: string;
}

/** The version that data have when all these steps are done: that of the last one that changes something. */
export function dataVersion(steps: readonly MigrationStep[]): string {
  return lastOf([FIRST, ...steps.filter(({ kind }) => kind === 'change').map(({ version }) => version)]);
}

/**
 * Refuses data of a newer version than these steps lead to: nobody here knows what they mean. Throws `GraphError` `too_new`. To be called
 * before anything of the database is looked at, the schema included.
 */
export async function refuseNewer(graph: Graph, steps: readonly MigrationStep[]): Promise<void> {
  const { version } = await storedIn(graph.notes);
  const ours = dataVersion(steps);
  if (!isBefore(ours, version)) return;
  throw new GraphError(
    'too_new',
    `The data of the database have version ${version}; this program knows data up to version ${ours}: start svc ${version} or newer, or restore the backup from before its update.`,
  );
}

async function storedIn(notes: DatabaseNotes): Promise<Stored> {
  const text = await notes.get(NAME);
  if (text === undefined) return { version: FIRST, done: {} };
  return JSON.parse(text) as Stored;
}

export class MigrationRecord {
  readonly #journal: Journal;
  /** What the transaction that is about to end has reached; it is known by the reason it gives. */
  #reaching: { readonly reason: string; readonly reached: Reached } | undefined;

  /** Once a graph. */
  constructor(private readonly graph: Graph) {
    this.#journal = graph.journal(NAME, ({ origin }) =>
      this.#reaching !== undefined && origin.reason === this.#reaching.reason
        ? [JSON.stringify(this.#reaching.reached)]
        : [],
    );
  }

  /** Steps that change something and are not done, in their order. */
  async pending(steps: readonly MigrationStep[]): Promise<readonly MigrationStep[]> {
    const { done } = await storedIn(this.graph.notes);
    const reached = await this.#reached();
    return steps.filter(({ kind, name }) => kind === 'change' && !(name in done) && reached.get(name) !== null);
  }

  /** Notes the steps that came to their end when nobody could say so any more: their records may go from here on. */
  async settle(): Promise<void> {
    const { done } = await storedIn(this.graph.notes);
    for (const [name, position] of await this.#reached())
      if (position === null && !(name in done)) await this.#note(name);
  }

  /** Where a step has got to; undefined: nowhere. */
  async position(step: MigrationStep): Promise<string | undefined> {
    return (await this.#reached()).get(step.name) ?? undefined;
  }

  /**
   * What comes now makes the data those of `version`, even if it does not come to its end: programs from before must not serve them
   * from here on.
   */
  async begin(version: string): Promise<void> {
    const stored = await storedIn(this.graph.notes);
    if (isBefore(stored.version, version)) await this.graph.notes.set(NAME, JSON.stringify({ ...stored, version }));
  }

  /** Does `work`, whose one transaction gives `reason`, so that the position is written with it. */
  async reaching<T>(
    step: MigrationStep,
    position: string | undefined,
    reason: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const before = await this.#last();
    this.#reaching = { reason, reached: { step: step.name, ...(position === undefined ? {} : { position }) } };
    let value: T;
    try {
      value = await work();
    } finally {
      this.#reaching = undefined;
    }
    // A piece that has changed nothing has written no position, and the one before still counts.
    if (before > 0 && (await this.#last()) > before) await this.#journal.remove(before);
    return value;
  }

  /** A step is done. */
  async finish(step: MigrationStep): Promise<void> {
    await this.#note(step.name);
    const last = await this.#last();
    if (last > 0) await this.#journal.remove(last);
  }

  async #note(name: string): Promise<void> {
    const stored = await storedIn(this.graph.notes);
    const done = { ...stored.done, [name]: new Date().toISOString() };
    await this.graph.notes.set(NAME, JSON.stringify({ ...stored, done }));
  }

  /** By step: its position, null when it is done. */
  async #reached(): Promise<ReadonlyMap<string, string | null>> {
    const reached = new Map<string, string | null>();
    for (const { text } of await this.#journal.read(0, PAGE)) {
      const { step, position = null } = JSON.parse(text) as Reached;
      reached.set(step, position);
    }
    return reached;
  }

  /** Position in the journal of its last record; 0: it is empty. */
  async #last(): Promise<number> {
    return (await this.#journal.read(0, PAGE)).at(-1)?.position ?? 0;
  }
}
