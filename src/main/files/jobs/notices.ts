/**
 * What those who listen hear of jobs while they go on (docs/interface/live.md 10): the user of a job, and administrators, who are those
 * that see it. Of its progress they are told at a bounded rate, whatever the work does.
 */
import type { Live } from '../../live/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Job } from './job.js';

/** Name of the event. */
const EVENT = 'GENERIC_MESSAGE';
/** Milliseconds between two messages about the progress of one job. */
const INTERVAL = 250;
const LONGEST = 2000;

/** What has become of a job. `CHUNK`: it has come further. */
export type JobNews =
  'QUEUED' | 'BEGIN' | 'CHUNK' | 'WAIT_PAUSE' | 'PAUSED' | 'RESUMED' | 'WAIT_ABORT' | 'ABORTED' | 'END' | 'FAILED';

/** What its messages are called, where that is not the kind of work; `fails`: that it has failed. */
interface Family {
  readonly type: string;
  readonly fails: string;
  /** What progress is called. */
  readonly progress: string;
}
const FILE_IMPORT = { type: 'FILE_IMPORT_STATUS', fails: 'FILE_IMPORT_EXCEPTION', progress: 'CHUNK' };

function familyOf({ work: { jobtype, name } }: Job): Family | undefined {
  // Scripts that are put off are many and short; their users ask for them by `jobInfo`.
  if (jobtype === 'SCRIPT') return undefined;
  if (jobtype === 'CSV' || jobtype === 'XML') return FILE_IMPORT;
  const type = name === 'analyzeSchema' ? 'SCHEMA_ANALYZE' : jobtype;
  return { type: `${type}_STATUS`, fails: 'WARNING', progress: 'PROGRESS' };
}

export class JobNotices {
  /** When the progress of a job was told last, and the message that waits. */
  readonly #told = new Map<Job, { at: number; timer: NodeJS.Timeout | undefined }>();

  constructor(
    private readonly live: Pick<Live, 'send' | 'isHeard'>,
    /** Which one does the work: each counts its jobs by itself. */
    private readonly instance: string,
  ) {}

  /** Something has become of a job. */
  tell(job: Job, news: JobNews): void {
    const family = familyOf(job);
    if (family === undefined) return;
    if (news === 'CHUNK') {
      this.#progress(job, family);
      return;
    }
    if (news !== 'RESUMED' && news !== 'BEGIN' && news !== 'QUEUED') this.#quiet(job, job.isOver);
    if (news === 'FAILED') this.#send(job, failure(job, family));
    else this.#send(job, { type: family.type, subtype: news, ...(news === 'END' ? ended(job) : started(job)) });
  }

  /** Something that whoever follows the job should know. */
  note(job: Job, type: 'WARNING' | 'INFO', title: string, message: string): void {
    this.#send(job, { type, title, message: message.slice(0, LONGEST) });
  }

  #progress(job: Job, family: Family): void {
    if (!this.live.isHeard) return;
    const told = this.#told.get(job) ?? { at: -INTERVAL, timer: undefined };
    this.#told.set(job, told);
    if (told.timer !== undefined) return;
    const send = (): void => {
      told.timer = undefined;
      told.at = performance.now();
      this.#send(job, { type: family.type, subtype: family.progress, ...progressOf(job) });
    };
    const wait = told.at + INTERVAL - performance.now();
    if (wait <= 0) send();
    else told.timer = setTimeout(send, wait).unref();
  }

  /** What waits to be told of its progress is not true any more. */
  #quiet(job: Job, isOver: boolean): void {
    const told = this.#told.get(job);
    if (told === undefined) return;
    clearTimeout(told.timer);
    told.timer = undefined;
    if (isOver) this.#told.delete(job);
  }

  #send(job: Job, message: JsonObject): void {
    if (!this.live.isHeard) return;
    const { id, work } = job;
    const { actor } = work;
    const name = work.name === undefined ? {} : { jobName: work.name };
    const of = { instance: this.instance, jobId: id, jobtype: work.jobtype, username: actor.name };
    // As `Job.isSeenBy` says it of one user.
    const recipients = { ids: actor.id === undefined ? [] : [actor.id], administrators: true };
    this.live.send(EVENT, JSON.stringify({ ...message, ...of, ...name }), recipients);
  }
}

/** Where its work comes from, or leads to. */
function placeOf({ work: { file, jobtype } }: Job): JsonObject {
  if (file === undefined) return {};
  const key = jobtype.endsWith('_IMPORT') ? 'source' : jobtype.endsWith('_EXPORT') ? 'target' : 'filepath';
  return { [key]: file.path };
}

function started(job: Job): JsonObject {
  return { start: job.startedAt ?? null, ...placeOf(job) };
}

function ended(job: Job): JsonObject {
  return { ...started(job), end: job.endedAt ?? null, duration: durationOf(job), ...countsOf(job) };
}

function failure(job: Job, { fails }: Family): JsonObject {
  const { work, exception } = job;
  const what = work.name ?? work.jobtype;
  const message = (exception?.message ?? '').slice(0, LONGEST);
  return { type: fails, title: `${what} has failed`, message, status: job.status, ...ended(job) };
}

function durationOf({ startedAt, endedAt = Date.now() }: Job): string {
  return `${((endedAt - (startedAt ?? endedAt)) / 1000).toFixed(2)}s`;
}

function countsOf({ chunks, objects, created, ignored, rate }: Job): JsonObject {
  const counts = { objectsCreated: created, objectsIgnored: ignored, objectsPerSecond: rate };
  return { currentChunkNo: chunks, processedObjects: objects, ...counts };
}

function progressOf(job: Job): JsonObject {
  const counts = { ...countsOf(job), duration: durationOf(job) };
  const { phase, id, timeLeft = null } = job;
  if (phase === undefined) return { message: `${String(job.objects)} objects`, ...counts };
  const { name, total, done, number } = phase;
  const of = total === undefined ? `(${String(done)})` : `(${String(done)} / ${String(total)})`;
  const data = { messageId: `${String(id)}-${String(number)}`, progress: of, timeLeft };
  return { message: name, data, ...counts };
}
