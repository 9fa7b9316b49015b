/**
 * Has the content of files worked on in the background, by one instance of all: what waits is in the database (`processingState`), so that nothing
 * is forgotten whatever ends (docs/design/media.md 3).
 */
import {
  changesOf,
  type Change,
  type ChangeKind,
  type GraphNode,
  type Predicate,
  type PropertyChanges,
} from '../../graph/index.js';
import { ALLOW_ALL, FAILED, QUEUED, RUNNING, SYSTEM, typesOf } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { longWork, WorkError } from '../../../shared/work/index.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { contentName } from './content-name.js';
import type { Step, StepRun } from './step.js';
import { stepsFor } from './table.js';

const log = logger('media');

/** Files that are read together from the database. */
const PAGE = 100;
/** Milliseconds until what found no place, or met an error of the database, is tried again. */
const AGAIN = 5000;
/** Milliseconds between two states of progress that are committed. */
const PROGRESS = 2000;
const LONGEST = 500;

/** What does not wait for each other: a conversion of hours holds up nothing that takes seconds. */
const NO_CONVERSION: Predicate = { op: 'isNull', key: 'conversionVersion' };
const LANES: readonly Predicate[] = [NO_CONVERSION, { op: 'not', term: NO_CONVERSION }];

interface Running {
  readonly lane: Predicate;
  readonly control: AbortController;
  readonly done: Promise<void>;
}

export class Processing {
  /** What is being worked on, by id of the file. */
  readonly #running = new Map<string, Running>();
  /** Content that could not be worked on now, by id of the file. */
  readonly #later = new Set<string>();
  #signal: AbortSignal | undefined;
  #looking: Promise<void> | undefined;
  #lookAgain = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly context: MediaContext) {
    const { graph } = context;
    graph.onCommit((changes) => {
      if (this.#signal === undefined) return;
      if (changesOf(changes, mayQueue, isQueued).length > 0) this.#wake();
    });
    graph.watch({
      concerns: isQueued,
      changed: () => {
        if (this.#signal !== undefined) this.#wake();
      },
    });
  }

  /** Works until the signal ends it; begins with what waits. */
  begin(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener('abort', () => {
      if (this.#signal === signal) this.#signal = undefined;
      clearTimeout(this.#timer);
      for (const { control } of this.#running.values()) control.abort();
    });
    this.#wake();
  }

  /** Ends work on a file here that nobody wants any more, which the database says already. */
  drop(id: string): void {
    this.#running.get(id)?.control.abort();
  }

  /** Resolves when nothing is being worked on. What was, is queued still. */
  async stop(): Promise<void> {
    this.#signal = undefined;
    clearTimeout(this.#timer);
    for (const { control } of this.#running.values()) control.abort();
    await this.#looking;
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  /** Looks for what waits: after the commit that this follows from, and once however often it is asked for. */
  #wake(): void {
    this.#lookAgain = true;
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
  }

  async #look(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#lookAgain && this.#signal !== undefined) {
      this.#lookAgain = false;
      try {
        for (const lane of LANES) {
          for (const file of await this.#waiting(lane)) {
            if (this.#isFull(lane)) break;
            this.#begin(file, lane);
          }
        }
      } catch (error) {
        log.warn('what waits to be worked on could not be found; trying again later', error);
        this.#tryLater();
      }
    }
  }

  /** Files whose content waits, and those that another instance, or this one before it was started anew, did not finish. */
  async #waiting(lane: Predicate): Promise<GraphNode[]> {
    const { graph, schemas } = this.context;
    if (this.#isFull(lane)) return [];
    const types = typesOf(schemas.schema, 'File');
    const found: GraphNode[] = [];
    for (const state of [RUNNING, QUEUED]) {
      const where: Predicate = { op: 'and', terms: [{ op: 'equals', key: 'processingState', value: state }, lane] };
      const limit = PAGE + this.#running.size + this.#later.size;
      found.push(...(await graph.read((tx) => tx.find({ kind: 'nodes', trait: 'File', ...types, where, limit }))));
      if (found.length > PAGE) break;
    }
    return found.filter(({ id }) => !this.#running.has(id) && !this.#later.has(id));
  }

  #isFull(lane: Predicate): boolean {
    return [...this.#running.values()].filter((one) => one.lane === lane).length >= longWork().places;
  }

  #begin(file: GraphNode, lane: Predicate): void {
    const control = new AbortController();
    const done = this.#process(file, control)
      .catch((error: unknown) => {
        log.warn(`file ${file.id} is worked on later`, error);
        this.#later.add(file.id);
        this.#tryLater();
      })
      .finally(() => {
        this.#running.delete(file.id);
        this.#wake();
      });
    this.#running.set(file.id, { lane, control, done });
  }

  #tryLater(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#later.clear();
      if (this.#signal !== undefined) this.#wake();
    }, AGAIN).unref();
  }

  /** All steps that want the file, one after the other. Throws what has nothing to do with its content. */
  async #process(file: GraphNode, control: AbortController): Promise<void> {
    const { schemas, attempts } = this.context;
    const { signal } = control;
    const type = schemas.schema.typeOf(file);
    const steps = stepsFor(file, (name) => type.hasTrait(name), this.context);
    let changes: PropertyChanges = { processingState: null, processingMessage: null, processingProgress: null };
    if (steps.length > 0 && !(await this.#write(file, { processingState: RUNNING }))) return;
    const progress = new Progress((percent) => this.#write(file, { processingProgress: percent }), control);
    try {
      await attempts.run(contentName(file), async (died) => {
        for (const step of steps) {
          const run: StepRun = { file, type, signal, died, progress: (percent) => progress.show(percent) };
          changes = { ...changes, ...(await this.#step(step, run)) };
        }
      });
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof WorkError && (error.code === 'busy' || error.code === 'gone')) throw error;
      changes = { ...changes, processingState: FAILED, processingMessage: messageOf(error, file) };
    } finally {
      await progress.end();
    }
    await this.#write(file, changes);
  }

  async #step(step: Step, run: StepRun): Promise<PropertyChanges> {
    const begun = performance.now();
    const changes = await step.run(run, this.context);
    log.debug(`${step.name} of file ${run.file.id}: ${(performance.now() - begun).toFixed(0)} ms`);
    return changes;
  }

  /** Writes how far it is, or what became of it, if the file still has this content and that is still wanted; false: not so. */
  #write(file: GraphNode, changes: PropertyChanges): Promise<boolean> {
    const { schemas, write } = this.context;
    const options = { ...write(), door: 'system', reason: 'content is processed' } as const;
    return schemas.write(SYSTEM, ALLOW_ALL, options, async (objects) => {
      const now = await objects.tx.node(file.id);
      if (now?.properties['version'] !== file.properties['version']) return false;
      // Somebody has ended it meanwhile.
      if (now?.properties['processingState'] !== QUEUED && now?.properties['processingState'] !== RUNNING) return false;
      await objects.tx.updateNode(file.id, changes);
      objects.touch(file.id);
      return true;
    });
  }
}

/** Shows how far work is, not too often, one commit at a time; ends the work when the file has other content. */
class Progress {
  #shown = -1;
  #at = 0;
  #writing: Promise<void> | undefined;

  constructor(
    private readonly write: (percent: number) => Promise<boolean>,
    private readonly control: AbortController,
  ) {}

  show(percent: number): void {
    const whole = Math.max(0, Math.min(100, Math.floor(percent)));
    if (whole <= this.#shown || this.#writing !== undefined || performance.now() - this.#at < PROGRESS) return;
    this.#shown = whole;
    this.#at = performance.now();
    this.#writing = this.write(whole)
      .then((isCurrent) => {
        if (!isCurrent) this.control.abort();
      })
      .catch((error: unknown) => {
        log.warn('progress could not be written', error);
      })
      .finally(() => {
        this.#writing = undefined;
      });
  }

  async end(): Promise<void> {
    await this.#writing;
  }
}

function mayQueue({ kind, verb, key }: ChangeKind): boolean {
  return kind === 'node' && (verb === 'create' || (verb === 'change' && key === 'processingState'));
}

function isQueued(change: Change): boolean {
  const { entity } = change;
  if (entity.kind !== 'node' || change.verb === 'delete') return false;
  if (change.verb === 'change' && change.key !== 'processingState') return false;
  return entity.properties['processingState'] === QUEUED;
}

function messageOf(error: unknown, file: GraphNode): string {
  if (error instanceof MediaError || error instanceof WorkError) return error.message.slice(0, LONGEST);
  log.warn(`the content of file ${file.id} could not be processed`, error);
  return 'The content could not be processed; the log of the server says why.';
}
