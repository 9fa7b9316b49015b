/** The thread that appends to the files of the changelog (docs/design/changelog.md). Its own times decide when; the loop says what, and what is wanted at once. */
import { mkdirSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import { Appender, type PositionedText } from '../../main/events/changelog/files/appender.js';
import { sweep } from '../../main/events/changelog/files/sweep.js';
import { setThreadPriority } from '../../shared/thread-priority.js';

/** What the thread is started with. */
export interface AppendStart {
  /** Absolute. */
  readonly folder: string;
  /** Time of the first record that may be in files already. */
  readonly since: number;
}

/** What is posted to the thread. */
export type AppendJob =
  /** `again`: they may be in files already. */
  | { readonly records: readonly PositionedText[]; readonly again: boolean }
  /** Has what waits for these files written, and answers with the number. */
  | { readonly show: number; readonly paths: readonly string[] }
  /** Has everything on the disk, and answers with the number. */
  | { readonly settle: number }
  /** Bytes from which on a file is put aside; 0: never. */
  | { readonly longest: number }
  /** Removes what is older, milliseconds since 1970. */
  | { readonly sweep: number };

/** What it posts. */
export type AppendMessage =
  /** Characters that wait, and the position up to which all is on the disk. */
  | { readonly waiting: number; readonly synced: number }
  | { readonly done: number; readonly problem?: string }
  /** Files of which something was removed. */
  | { readonly swept: number }
  /** The disk refuses; it is tried again. */
  | { readonly problem: string };

/** Milliseconds between two times of writing, unless much waits; between two syncs; after the disk has refused. */
const BETWEEN = 200;
const BETWEEN_SYNCS = 5000;
const AFTER_PROBLEM = 2000;
/** Characters that are much. */
const MUCH = 16 * 1024 * 1024;
/** Of this thread, beside the loop; when much waits it is none. */
const NICE = 5;
/** Milliseconds of writing, and files that are swept, after which jobs are looked at. */
const SLICE = 10;
const SOME = 50;

const { folder, since } = workerData as AppendStart;
const appender = new Appender(folder, since);
const settling: number[] = [];
let lastWrite = 0;
let lastSync = performance.now();
let timer: NodeJS.Timeout | undefined;
let writing = false;
let syncing = false;
let nice = 0;

function post(message: AppendMessage): void {
  parentPort?.postMessage(message);
}

function tell(): void {
  post({ waiting: appender.size, synced: appender.synced });
}

/** What waits for the disk is in nobody's way, unless it becomes too much. */
function giveWay(): void {
  const wanted = appender.size > MUCH ? 0 : NICE;
  if (wanted === nice) return;
  nice = wanted;
  setThreadPriority(wanted);
}

/** Does now, or when it is time, what is to be done next. */
function plan(): void {
  giveWay();
  if (writing) return;
  clearTimeout(timer);
  const now = performance.now();
  if (!appender.isEmpty) {
    const due = settling.length > 0 || appender.size > MUCH ? now : lastWrite + BETWEEN;
    if (due <= now) write();
    else timer = setTimeout(plan, due - now);
  } else if (settling.length > 0 || appender.isDirty) {
    const due = settling.length > 0 ? now : lastSync + BETWEEN_SYNCS;
    if (syncing) return;
    if (due <= now) void sync();
    else timer = setTimeout(plan, due - now);
  }
}

function write(): void {
  writing = true;
  let all: boolean;
  try {
    all = appender.writeSome(SLICE);
  } catch (error) {
    refused(error);
    return;
  }
  if (!all) {
    setImmediate(write);
    return;
  }
  writing = false;
  lastWrite = performance.now();
  tell();
  plan();
}

/** What comes meanwhile is written beside it. */
async function sync(): Promise<void> {
  if (syncing) return;
  syncing = true;
  const settled = settling.splice(0);
  try {
    await appender.sync();
    for (const done of settled) post({ done });
  } catch (error) {
    settling.push(...settled);
    refused(error);
  }
  syncing = false;
  lastSync = performance.now();
  tell();
  plan();
}

function refused(error: unknown): void {
  const problem = error instanceof Error ? error.message : String(error);
  post({ problem });
  for (const done of settling.splice(0)) post({ done, problem });
  writing = true;
  setTimeout(() => {
    writing = false;
    plan();
  }, AFTER_PROBLEM);
}

let sweeping: ReturnType<typeof sweep> | undefined;

function startSweep(before: number): void {
  if (sweeping !== undefined) return;
  sweeping = sweep(folder, before);
  setImmediate(sweepSome);
}

/** Between other work. */
function sweepSome(): void {
  try {
    for (let i = 0; i < SOME; i++) {
      const step = sweeping?.next();
      if (step?.done !== true) continue;
      post({ swept: step.value });
      sweeping = undefined;
      break;
    }
  } catch (error) {
    post({ problem: error instanceof Error ? error.message : String(error) });
    sweeping = undefined;
  }
  appender.forget();
  if (sweeping !== undefined) setImmediate(sweepSome);
}

mkdirSync(folder, { recursive: true });
parentPort?.on('message', (job: AppendJob) => {
  if ('records' in job) appender.take(job.records, job.again);
  else if ('settle' in job) settling.push(job.settle);
  else if ('longest' in job) appender.longest = job.longest;
  else if ('sweep' in job) startSweep(job.sweep);
  else {
    try {
      appender.show(job.paths);
      post({ done: job.show });
    } catch (error) {
      post({ done: job.show, problem: error instanceof Error ? error.message : String(error) });
    }
  }
  plan();
});
