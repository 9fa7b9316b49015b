/** Work in the background that its user can look at, pause and end (docs/interface/imports.md 4). */
import { MOST_TOLD, type Actor, type ErrorToken } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';

export type JobStatus =
  'QUEUED' | 'RUNNING' | 'WAIT_PAUSE' | 'PAUSED' | 'WAIT_ABORT' | 'FINISHED' | 'ABORTED' | 'FAILED';

/** What is to be done; the queue makes a job of it. */
export interface JobWork {
  /** What kind of work, as clients see it: `CSV`, `XML`, ... */
  readonly jobtype: string;
  /** What its user calls it. */
  readonly name?: string;
  /** Of each kind of lane one job runs at a time; absent: that of imports. */
  readonly lane?: string;
  /** Who asked for it. The work is done with his rights as they are when it is done; see `rightsNow`. */
  readonly actor: Actor;
  /** What it works on, for those who look. */
  readonly file?: { readonly id?: string; readonly path: string; readonly size?: number };
  /**
   * Does it; what it returns is the job's `result`. What it throws makes the job failed, and `JobAborted`, which
   * `checkpoint` throws, makes it aborted: what was committed until then stays.
   */
  run(job: JobControl): Promise<JsonValue | undefined>;
  /**
   * Comes after it, also when it has failed, not when it was aborted. `info` is what clients are about to see of the job. What it
   * throws makes the job failed.
   */
  after?: ((info: JsonObject, signal: AbortSignal) => Promise<void>) | undefined;
}

/** What one more piece of the work came to. */
export interface ChunkCounts {
  /** Objects looked at: rows, elements, files. */
  readonly objects: number;
  readonly created?: number;
  readonly ignored?: number;
}

/** How the work and its job speak with each other. */
export interface JobControl {
  readonly id: number;
  /** Aborted when the work is to end. */
  readonly signal: AbortSignal;
  /** To be awaited between pieces of the work: rests while the job is paused, throws `JobAborted` when it is to end. */
  checkpoint(): Promise<void>;
  /** A piece is done. */
  chunk(counts: ChunkCounts): void;
  /** What is done from now on, in a few words, and how many objects that will be; absent: nobody knows. */
  phase(name: string, total?: number): void;
  /** Objects that were left out before they came to a piece. */
  ignored(objects: number): void;
  /** Something went wrong that does not end the work; the first ones are shown with the job. */
  problem(message: string): void;
  /** Something that whoever follows the job should know now. The caller bounds how many there are. */
  note(kind: 'WARNING' | 'INFO', title: string, message: string): void;
}

/** The job was ended before its work was done. */
export class JobAborted extends Error {
  override readonly name = 'JobAborted';
}

/** What was wrong with a script of the work: for the log, for scripts that look at the job, and for who may see the source. */
export interface ScriptProblem {
  readonly message: string;
  /** Title, line and column of the script. */
  readonly place: string;
}

/** Why a job failed, told to its user. */
export class JobError extends Error {
  override readonly name = 'JobError';
  constructor(
    message: string,
    readonly tokens: readonly ErrorToken[] = [],
    options?: ErrorOptions,
    readonly script?: ScriptProblem,
  ) {
    super(message, options);
  }
}

/** Why a job has failed. */
export interface JobException {
  readonly message: string;
  readonly tokens: readonly ErrorToken[];
  readonly script?: ScriptProblem | undefined;
}

/** A part of the work, of which it is known how far it is. */
interface Phase {
  readonly name: string;
  readonly total: number | undefined;
  readonly since: number;
  /** Which one of the job's it is. */
  readonly number: number;
  done: number;
}

/** Problems of one job that are kept. */
const MOST_PROBLEMS = 20;
/** Phases that a job remembers. */
const MOST_PHASES = 200;
const LONGEST = 1000;

/** One piece of work in the queue, from then on until it is forgotten. Only the queue changes it. */
export class Job {
  status: JobStatus = 'QUEUED';
  /** Its work has begun. */
  begun = false;
  /** Where it stands among those that wait. */
  turn = 0;
  readonly queuedAt = Date.now();
  startedAt: number | undefined;
  endedAt: number | undefined;
  readonly controller = new AbortController();
  /** Wakes the work that rests. */
  rest: { readonly wake: () => void; readonly end: (error: Error) => void } | undefined;
  result: JsonValue | undefined;
  exception: JobException | undefined;
  readonly ended: Promise<void>;
  chunks = 0;
  objects = 0;
  created = 0;
  ignored = 0;
  phase: Phase | undefined;
  /** What has been done, one after the other, with the times at which it began; the last ones. */
  readonly #phases: { readonly phase: string; readonly begun: number }[] = [];
  problemCount = 0;
  readonly problems: string[] = [];
  #end: () => void = () => undefined;

  constructor(
    readonly id: number,
    readonly work: JobWork,
  ) {
    this.ended = new Promise((resolve) => (this.#end = resolve));
  }

  get lane(): string {
    return this.work.lane ?? 'import';
  }

  get isOver(): boolean {
    return this.endedAt !== undefined;
  }

  /** Whether it is the work of this user. */
  isOf(actor: Actor): boolean {
    return actor.id !== undefined && this.work.actor.id === actor.id;
  }

  /** Who sees it: administrators see all, others their own. */
  isSeenBy(actor: Actor): boolean {
    return actor.isAdmin || this.isOf(actor);
  }

  /** Something else is done from now on. */
  enter(name: string, total?: number): void {
    this.phase = { name, total, since: Date.now(), number: (this.phase?.number ?? 0) + 1, done: 0 };
    this.#phases.push({ phase: name, begun: this.phase.since });
    if (this.#phases.length > MOST_PHASES) this.#phases.shift();
  }

  /** Its phases, for who looks at this job alone. */
  phases(): JsonObject[] {
    return this.#phases.map(({ phase, begun }) => ({ phase, begun: new Date(begun).toISOString() }));
  }

  /** Nothing comes after this. */
  finish(status: 'FINISHED' | 'ABORTED' | 'FAILED'): void {
    this.status = status;
    this.endedAt = Date.now();
    this.#end();
  }

  /** Objects were looked at. */
  add(objects: number): void {
    this.objects += objects;
    if (this.phase !== undefined) this.phase.done += objects;
  }

  /** Milliseconds until the end of the phase, by what it took so far; undefined: nobody can say. */
  get timeLeft(): number | undefined {
    const { phase } = this;
    if (phase?.total === undefined || this.isOver || phase.done === 0) return undefined;
    const left = Math.max(0, phase.total - phase.done);
    return Math.round((left * (Date.now() - phase.since)) / phase.done);
  }

  /** Milliseconds of work until now. */
  get duration(): number {
    return this.startedAt === undefined ? 0 : (this.endedAt ?? Date.now()) - this.startedAt;
  }

  /** Objects a second. */
  get rate(): number {
    const { duration } = this;
    return duration === 0 ? 0 : Math.round((this.objects * 1000) / duration);
  }

  addProblem(message: string): void {
    this.problemCount++;
    if (this.problems.length < MOST_PROBLEMS) this.problems.push(message.slice(0, LONGEST));
  }

  private progress(): JsonObject {
    const { phase } = this;
    if (phase === undefined) return {};
    const { name, total = null, done } = phase;
    return { phase: name, phaseObjects: done, phaseTotal: total, timeLeft: this.timeLeft ?? null };
  }

  /** What clients see of it. `seesScripts`: also what was wrong with its scripts, and where. */
  info(seesScripts: boolean): JsonObject {
    const { work, startedAt, endedAt, exception, duration } = this;
    const script = seesScripts ? exception?.script : undefined;
    const time = (at: number | undefined): string | null => (at === undefined ? null : new Date(at).toISOString());
    return {
      jobId: this.id,
      jobtype: work.jobtype,
      username: work.actor.name,
      ...(work.name === undefined ? {} : { jobName: work.name }),
      status: this.status,
      fileUuid: work.file?.id ?? null,
      filepath: work.file?.path ?? null,
      filesize: work.file?.size ?? null,
      processedChunks: this.chunks,
      processedObjects: this.objects,
      objectsCreated: this.created,
      objectsIgnored: this.ignored,
      problemCount: this.problemCount,
      problems: [...this.problems],
      queued: time(this.queuedAt),
      started: time(startedAt),
      ended: time(endedAt),
      duration,
      ...this.progress(),
      objectsPerSecond: this.rate,
      ...(this.result === undefined ? {} : { result: this.result }),
      ...(exception === undefined
        ? {}
        : {
            exception: {
              message: script?.message ?? exception.message,
              // What the service was doing is for its log.
              cause: null,
              stacktrace: script === undefined ? null : `at ${script.place}`,
              errors: plain(exception.tokens.slice(0, MOST_TOLD)),
            },
          }),
    };
  }
}

/** Tokens may hold anything that was sent, and 64-bit integers. */
function plain(tokens: readonly ErrorToken[]): JsonValue {
  const text = JSON.stringify(tokens, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return JSON.parse(text) as JsonValue;
}
