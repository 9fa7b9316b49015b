/**
 * Copies a database: nodes, then relationships, batch by batch, each with the mark of how far the copy is; then reads
 * both sides and compares. The target is not served by any engine until the comparison has succeeded.
 */
import { BULK_KINDS, type BulkKind, type BulkReader, type BulkWriter } from '../graph/index.js';
import { ahead } from './ahead.js';
import { Checksum } from './checksum.js';
import { CopyError, onSide } from './errors.js';
import { Mark } from './mark.js';
import type { Place } from './places.js';
import { grouped, type Reporter } from './progress.js';
import { traitsIn } from './traits.js';
import { checksumsOf, difference } from './verify.js';

export interface CopyOptions {
  readonly from: Place;
  readonly to: Place;
  /** Goes on with a copy that was interrupted; begins one in an empty target. */
  readonly resume?: boolean;
  /** Removes everything in the target first. */
  readonly overwrite?: boolean;
  readonly reporter: Reporter;
  /** Ends the copy after the batch at hand; it can be resumed. */
  readonly signal?: AbortSignal;
}

export type CopyResult = Readonly<Record<BulkKind, number>>;

const WRITTEN_MEANWHILE = 'was written to while it was copied: stop all servers on it and';
const GO_ON = 'Run the same command with --resume to go on.';
const ANEW = 'begin anew with --overwrite.';

/** Throws `CopyError`. */
export async function copyGraph(options: CopyOptions): Promise<CopyResult> {
  const { from, to } = options;
  if (from.key === to.key) throw new CopyError('usage', 'The source and the target are the same database.');
  const source = await onSide(`source ${from.name}`, () => from.openReader());
  try {
    const target = await onSide(`target ${to.name}`, () => to.openWriter());
    try {
      return await new Copy(options, source, target).run();
    } finally {
      await target.close();
    }
  } finally {
    await source.close();
  }
}

class Copy {
  readonly #sides: { readonly source: string; readonly target: string };
  /** Behind the errors of databases once there is something to go on from. */
  #advice = '';

  constructor(
    private readonly options: CopyOptions,
    private readonly source: BulkReader,
    private readonly target: BulkWriter,
  ) {
    this.#sides = { source: `source ${options.from.name}`, target: `target ${options.to.name}` };
  }

  async run(): Promise<CopyResult> {
    const { source, target } = this;
    const { reporter } = this.options;
    if (source.identity === target.identity) {
      throw new CopyError('usage', 'The source and the target are the same database.');
    }
    const mark = await this.#begin();
    this.#advice = ` ${GO_ON}`;
    const counts = await this.#onSource(() => source.counts());
    const totals = { nodes: total(counts.nodes), relationships: total(counts.relationships) };
    while (mark.kind !== undefined) await this.#copy(mark, mark.kind, totals[mark.kind]);
    await this.#unchanged(mark, WRITTEN_MEANWHILE);
    await this.#verify(mark, 2 * (totals.nodes + totals.relationships));
    await this.#onTarget(async () => target.setTraits?.(traitsIn));
    const belongings = await this.#onSource(() => source.belongings());
    await this.#onTarget(() => target.finish(mark.next, belongings));
    reporter.end();
    return { nodes: mark.checksums.nodes.count, relationships: mark.checksums.relationships.count };
  }

  /** The mark to go on from. */
  async #begin(): Promise<Mark> {
    const { source, target } = this;
    const { from, to, resume = false, overwrite = false, reporter } = this.options;
    if (overwrite) await this.#clear();
    const text = await this.#onTarget(() => target.mark());
    if (text === undefined) {
      if (!(await this.#onTarget(() => target.isEmpty()))) {
        const why = resume ? 'holds data and no unfinished copy' : 'is not empty';
        throw new CopyError('not_empty', `The target ${to.name} ${why}; --overwrite removes everything in it first.`);
      }
      const mark = new Mark(from.name, source.identity, await this.#onSource(() => source.revision()));
      await this.#onTarget(() => target.begin(mark.toText()));
      return mark;
    }
    const mark = Mark.parse(text);
    if (mark === undefined) throw new CopyError('not_empty', `A copy of another version is in the target; ${ANEW}`);
    if (!resume) {
      const what = `The target ${to.name} holds an unfinished copy of ${mark.source}`;
      throw new CopyError('not_empty', `${what}: go on with --resume, or ${ANEW}`);
    }
    if (mark.identity !== source.identity) {
      throw new CopyError('source_changed', `The unfinished copy in the target is of ${mark.source}, another source.`);
    }
    await this.#unchanged(mark, 'has been written to or served since the copy began:');
    reporter.note(`going on behind ${grouped(mark.copied)} nodes and relationships`);
    return mark;
  }

  async #clear(): Promise<void> {
    const { reporter } = this.options;
    reporter.phase('emptying', undefined);
    let before = 0;
    await this.#onTarget(() =>
      this.target.clear((count) => {
        reporter.advance(count - before);
        before = count;
        this.#interrupted('Interrupted while the target was emptied; run the same command again.');
      }),
    );
  }

  async #copy(mark: Mark, kind: BulkKind, count: number): Promise<void> {
    const { source, target } = this;
    const { reporter } = this.options;
    const checksum = mark.checksums[kind];
    reporter.phase(kind, count, checksum.count);
    const batches = ahead(source.read(kind, mark.cursor));
    try {
      for (;;) {
        this.#interrupted(`Interrupted after ${grouped(mark.copied)} nodes and relationships. ${GO_ON}`);
        const result = await this.#onSource(() => batches.next());
        if (result.done === true) break;
        const { items, cursor } = result.value;
        for (const item of items) {
          checksum.add(item);
          mark.next = Math.max(mark.next, item.position + 1);
        }
        mark.cursor = cursor;
        await this.#onTarget(() => target.write(items, mark.toText()));
        reporter.advance(items.length);
      }
    } finally {
      await batches.return(undefined);
    }
    if (checksum.count !== count) {
      await this.#unchanged(mark, WRITTEN_MEANWHILE);
      const read = `${grouped(checksum.count)} of ${grouped(count)} ${kind} could be read`;
      throw new CopyError('differs', `${this.#sides.source}: ${read}.`);
    }
    mark.nextKind();
    await this.#onTarget(() => target.setMark(mark.toText()));
  }

  async #unchanged(mark: Mark, problem: string): Promise<void> {
    if ((await this.#onSource(() => this.source.revision())) === mark.revision) return;
    throw new CopyError('source_changed', `The source ${this.options.from.name} ${problem} ${ANEW}`);
  }

  async #verify(mark: Mark, count: number): Promise<void> {
    const { source, target } = this;
    const { reporter, from } = this.options;
    reporter.phase('verifying', count);
    const step = (read: number): void => {
      reporter.advance(read);
      this.#interrupted(`All is copied, but not verified. ${GO_ON}`);
    };
    const [there, here] = await bothSettled(
      this.#onSource(() => checksumsOf(source, step)),
      this.#onTarget(() => checksumsOf(target, step)),
    );
    const problem = difference(there, here);
    if (problem === undefined) return;
    const changed = BULK_KINDS.some((kind) => {
      const now = new Checksum();
      for (const one of there[kind].values()) now.include(one);
      return !now.equals(mark.checksums[kind]);
    });
    if (changed) {
      throw new CopyError('source_changed', `The source ${from.name} changed while it was copied: ${problem}; ${ANEW}`);
    }
    throw new CopyError('differs', `The copy is not the same as the source: ${problem}; ${ANEW}`);
  }

  #interrupted(message: string): void {
    if (this.options.signal?.aborted === true) throw new CopyError('interrupted', message);
  }

  #onSource<T>(work: () => Promise<T>): Promise<T> {
    return onSide(this.#sides.source, work, this.#advice);
  }

  #onTarget<T>(work: () => Promise<T>): Promise<T> {
    return onSide(this.#sides.target, work, this.#advice);
  }
}

function total(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const count of counts.values()) sum += count;
  return sum;
}

/** Both results; an error of one is thrown only when the other has ended too, so that both can be closed. */
async function bothSettled<T>(a: Promise<T>, b: Promise<T>): Promise<[T, T]> {
  const [one, other] = await Promise.allSettled([a, b]);
  if (one.status === 'rejected') throw one.reason;
  if (other.status === 'rejected') throw other.reason;
  return [one.value, other.value];
}
