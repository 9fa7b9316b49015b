/** The jobs of this instance: those that wait, one of each lane that runs, and the last ones that have ended. */
import { GraphError } from '../../graph/index.js';
import { HttpError } from '../../http/index.js';
import { SchemaError, type Actor } from '../../schema/index.js';
import { AccessError } from '../../security/index.js';
import { logger } from '../../../shared/log.js';
import { FilesError } from '../errors.js';
import { Job, JobAborted, JobError, type JobControl, type JobException, type JobStatus, type JobWork } from './job.js';
import type { JobNews, JobNotices } from './notices.js';

const log = logger('files.jobs');

/** Jobs that have not ended, of one user and of all. */
const MOST_OF_ONE = 100;
const MOST = 1000;
/** Jobs that have ended and are still shown. */
const HISTORY = 100;
/** Between two log lines about the progress of a job, milliseconds. */
const QUIET = 2000;

/** What can be done with a job. */
export type JobAction = 'pause' | 'resume' | 'abort' | 'cancel' | 'cancelAllAfter';
export const JOB_ACTIONS: readonly JobAction[] = ['pause', 'resume', 'abort', 'cancel', 'cancelAllAfter'];

export class JobQueue {
  /** Set when the rooms are put together. */
  notices: Pick<JobNotices, 'tell' | 'note'> | undefined;
  /** In the order of their ids. */
  readonly #jobs = new Map<number, Job>();
  /** The job that runs, by lane. */
  readonly #running = new Map<string, Job>();
  #lastId = 0;
  #turns = 0;
  #stopping = false;

  /** Puts work at the end of its lane. Throws `FilesError` 503 and 429 when too much waits. */
  submit(work: JobWork): Job {
    if (this.#stopping) throw new FilesError(503, 'The server stops and begins no more jobs.');
    const open = [...this.#jobs.values()].filter((job) => !job.isOver);
    if (open.length >= MOST) throw new FilesError(503, 'Too many jobs wait; try again later.', { 'Retry-After': '60' });
    if (open.filter((job) => job.isOf(work.actor)).length >= MOST_OF_ONE) {
      throw new FilesError(429, `You have ${String(MOST_OF_ONE)} jobs that have not ended; try again later.`, {
        'Retry-After': '60',
      });
    }
    const job = new Job(++this.#lastId, work);
    job.turn = ++this.#turns;
    this.#jobs.set(job.id, job);
    this.#tell(job, 'QUEUED', 'is queued');
    this.#next(job.lane);
    return job;
  }

  /** Whether a job of a lane has not ended. */
  isBusy(lane: string): boolean {
    return [...this.#jobs.values()].some((job) => job.lane === lane && !job.isOver);
  }

  /** Jobs that somebody may see: administrators all, others their own. */
  list(actor: Actor): Job[] {
    return [...this.#jobs.values()].filter((job) => job.isSeenBy(actor));
  }

  /** Throws `FilesError` 404, also for jobs of others. */
  get(id: number, actor: Actor): Job {
    const job = this.#jobs.get(id);
    if (job?.isSeenBy(actor) !== true) throw new FilesError(404, `There is no job ${String(id)}.`);
    return job;
  }

  /** Does something with a job that the actor may see. Throws `FilesError` 422 when the job is past that. */
  act(id: number, action: JobAction, actor: Actor): void {
    if (action === 'cancelAllAfter') {
      this.get(id, actor);
      for (const job of this.list(actor)) if (job.id > id && !job.begun && !job.isOver) this.#drop(job);
      return;
    }
    const job = this.get(id, actor);
    if (!this.#try(job, action)) {
      const hint = action === 'cancel' && !job.isOver ? '; end it with abort' : '';
      throw new FilesError(422, `Job ${String(id)} is ${job.status}: ${action} does not apply${hint}.`);
    }
  }

  /** Ends all jobs; resolves when none is at work any more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    const open = [...this.#jobs.values()].filter((job) => !job.isOver);
    for (const job of open) this.#try(job, 'abort');
    await Promise.all(open.map((job) => job.ended));
  }

  #try(job: Job, action: Exclude<JobAction, 'cancelAllAfter'>): boolean {
    const { status } = job;
    switch (action) {
      case 'pause':
        if (status !== 'QUEUED' && status !== 'RUNNING') return false;
        job.status = status === 'QUEUED' ? 'PAUSED' : 'WAIT_PAUSE';
        this.notices?.tell(job, job.status);
        return true;
      case 'resume':
        if (status !== 'PAUSED' && status !== 'WAIT_PAUSE') return false;
        job.status = status === 'PAUSED' ? 'QUEUED' : 'RUNNING';
        if (status === 'PAUSED') job.turn = ++this.#turns;
        this.#next(job.lane);
        return true;
      case 'cancel':
        if (job.begun || job.isOver) return false;
        this.#drop(job);
        return true;
      case 'abort':
        if (job.isOver || status === 'WAIT_ABORT') return false;
        if (!job.begun) {
          this.#drop(job);
          return true;
        }
        job.status = 'WAIT_ABORT';
        this.notices?.tell(job, 'WAIT_ABORT');
        job.controller.abort(new JobAborted('The job was aborted.'));
        job.rest?.end(new JobAborted('The job was aborted.'));
        job.rest = undefined;
        return true;
    }
  }

  /** Ends a job that has not begun. */
  #drop(job: Job): void {
    job.finish('ABORTED');
    this.#tell(job, 'ABORTED', 'was cancelled');
    this.#forgetOld();
  }

  /** Lets the next one of a lane go on, when the lane is free. */
  #next(lane: string): void {
    if (this.#running.has(lane)) return;
    let next: Job | undefined;
    for (const job of this.#jobs.values()) {
      if (job.status === 'QUEUED' && job.lane === lane && job.turn < (next?.turn ?? Infinity)) next = job;
    }
    if (next === undefined) return;
    this.#running.set(lane, next);
    next.status = 'RUNNING';
    if (next.begun) {
      next.rest?.wake();
      next.rest = undefined;
      this.#tell(next, 'RESUMED', 'goes on');
    } else void this.#run(next);
  }

  #leave(job: Job): void {
    if (this.#running.get(job.lane) !== job) return;
    this.#running.delete(job.lane);
    this.#next(job.lane);
  }

  async #run(job: Job): Promise<void> {
    job.begun = true;
    job.startedAt = Date.now();
    this.#tell(job, 'BEGIN', 'begins');
    try {
      await this.#work(job);
      job.finish('FINISHED');
      this.#tell(job, 'END', `has ended after ${took(job)}: ${counts(job)}`);
    } catch (error) {
      // What breaks off because the job was aborted says so in its own words.
      if (error instanceof JobAborted || job.controller.signal.aborted) {
        job.finish('ABORTED');
        this.#tell(job, 'ABORTED', `was aborted: ${counts(job)}`);
      } else {
        job.exception ??= described(error);
        job.finish('FAILED');
        const { message, script } = job.exception;
        const why = script === undefined ? message : `${script.place}: ${script.message}`;
        log.warn(`${nameOf(job)} has failed after ${took(job)}: ${counts(job)}: ${why}`, unexpected(error));
        this.notices?.tell(job, 'FAILED');
      }
    }
    this.#leave(job);
    this.#forgetOld();
  }

  /** The work, and what comes after it. */
  async #work(job: Job): Promise<void> {
    const { work, controller } = job;
    const after = (status: JobStatus): Promise<void> | undefined =>
      work.after?.({ ...job.info(true), status }, controller.signal);
    try {
      const result = await work.run(this.#control(job));
      if (result !== undefined) job.result = result;
    } catch (error) {
      if (error instanceof JobAborted || controller.signal.aborted || work.after === undefined) throw error;
      job.exception = described(error);
      await after('FAILED')?.catch((second: unknown) => {
        log.warn(`what comes after ${nameOf(job)} has failed`, second);
        job.addProblem(described(second).message);
      });
      throw error;
    }
    await after('FINISHED');
  }

  #control(job: Job): JobControl {
    let told = performance.now();
    return {
      id: job.id,
      signal: job.controller.signal,
      checkpoint: async () => {
        job.controller.signal.throwIfAborted();
        if (job.status !== 'WAIT_PAUSE') return;
        job.status = 'PAUSED';
        this.#tell(job, 'PAUSED', `is paused: ${counts(job)}`);
        const resting = new Promise<void>((wake, end) => (job.rest = { wake, end }));
        // A job that rests does not hold up the others.
        this.#leave(job);
        await resting;
      },
      chunk: ({ objects, created = 0, ignored = 0 }) => {
        job.chunks++;
        job.add(objects);
        job.created += created;
        job.ignored += ignored;
        this.notices?.tell(job, 'CHUNK');
        if (performance.now() - told < QUIET) return;
        told = performance.now();
        logged(job, `${counts(job)}${progress(job)}`);
      },
      phase: (name, total) => {
        job.enter(name, total);
        told = performance.now();
        this.#tell(job, 'CHUNK', total === undefined ? name : `${name}: ${String(total)} objects`);
      },
      ignored: (objects) => {
        job.add(objects);
        job.ignored += objects;
      },
      problem: (message) => {
        job.addProblem(message);
      },
      note: (kind, title, message) => {
        this.notices?.note(job, kind, title, message);
      },
    };
  }

  #tell(job: Job, news: JobNews, what: string): void {
    logged(job, what);
    this.notices?.tell(job, news);
  }

  #forgetOld(): void {
    const over = [...this.#jobs.values()].filter((job) => job.isOver);
    over.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
    for (const job of over.slice(0, Math.max(0, over.length - HISTORY))) this.#jobs.delete(job.id);
  }
}

function nameOf({ id, work }: Job): string {
  const what = work.file?.path ?? work.name;
  return `job ${String(id)} (${work.jobtype}${what === undefined ? '' : ` ${what}`}, ${work.actor.name})`;
}

function took({ startedAt = 0, endedAt = 0 }: Job): string {
  return `${String(endedAt - startedAt)} ms`;
}

function counts({ chunks, objects, created, ignored, problemCount }: Job): string {
  const problems = problemCount === 0 ? '' : `, ${String(problemCount)} problems`;
  return `${String(chunks)} chunks, ${String(objects)} objects, ${String(created)} created, ${String(ignored)} ignored${problems}`;
}

/** How far the phase is. */
function progress({ phase, timeLeft }: Job): string {
  if (phase === undefined) return '';
  const { name, total, done } = phase;
  const of = total === undefined ? '' : ` of ${String(total)}`;
  const left = timeLeft === undefined ? '' : `, ${String(Math.round(timeLeft / 1000))} s left`;
  return `; ${name}: ${String(done)}${of}${left}`;
}

function logged(job: Job, what: string): void {
  log.info(`${nameOf(job)} ${what}`);
}

/** Whether the message is meant for clients. */
function isKnown(error: unknown): error is Error {
  return [JobError, SchemaError, FilesError, HttpError, AccessError, GraphError].some((kind) => error instanceof kind);
}

function described(error: unknown): JobException {
  if (!isKnown(error)) return { message: 'The job failed because of an error in the server; see its log.', tokens: [] };
  const tokens = error instanceof SchemaError || error instanceof JobError ? error.tokens : [];
  return { message: error.message, tokens, ...(error instanceof JobError && { script: error.script }) };
}

/** What the log has to say beyond the message. */
function unexpected(error: unknown): unknown {
  return isKnown(error) ? error.cause : error;
}
