/** Work in the background on the server (docs/interface/imports.md 4). */
import { call, read } from './rest.js';

export interface Job {
  readonly jobId: number;
  readonly jobtype: string;
  readonly jobName?: string | null;
  readonly username?: string | null;
  readonly filepath?: string | null;
  readonly status: string;
  readonly processedObjects?: number;
  readonly phase?: string | null;
  readonly phaseObjects?: number | null;
  readonly phaseTotal?: number | null;
  /** Of one job that is asked for by itself. */
  readonly phases?: readonly { readonly phase: string; readonly begun: string }[];
  /** ms; null: not known. */
  readonly timeLeft?: number | null;
  readonly problemCount?: number;
  readonly problems?: readonly string[];
  readonly started?: string | null;
  readonly ended?: string | null;
  readonly duration?: number | null;
  /** What came of it; of deployments `notes`, their warnings, and `refused`, why they were not begun. */
  readonly result?: unknown;
  readonly exception?: { readonly message?: string } | null;
}

export const loadJobs = (): Promise<readonly Job[]> => read<readonly Job[]>('jobs');

export const loadJob = (id: number): Promise<Job> => read<Job>(`jobs/${String(id)}`);

/** `pause`, `resume`, `abort`, `cancel`. Throws `RefusedError` 422 for what does not apply. */
export async function actOn(id: number, action: string): Promise<void> {
  await call(`jobs/${String(id)}/${action}`);
}

const OVER: ReadonlySet<string> = new Set(['FINISHED', 'FAILED', 'ABORTED']);

export const isOver = ({ status }: Job): boolean => OVER.has(status);

/** Lines of the log of a job that has ended, as far as it tells: warnings, what was left out, what failed. */
export function notesOf({ result, problems = [], exception }: Job): readonly string[] {
  const { notes, refused } = (typeof result === 'object' && result !== null ? result : {}) as {
    readonly notes?: unknown;
    readonly refused?: unknown;
  };
  const told = Array.isArray(notes) ? notes.map(textOf) : [];
  return [
    ...told,
    ...problems.map(textOf),
    ...(typeof refused === 'string' && !told.some((text) => text.includes(refused)) ? [refused] : []),
    ...(exception?.message === undefined ? [] : [exception.message]),
  ];
}

function textOf(note: unknown): string {
  if (typeof note === 'string') return note;
  const { title, message } = (note ?? {}) as { readonly title?: string; readonly message?: string };
  return [title, message].filter((text) => typeof text === 'string').join(': ') || JSON.stringify(note);
}

/** Whether it has ended, but not as it should. */
export const wentWrong = (job: Job): boolean =>
  job.status === 'FAILED' || (typeof job.result === 'object' && job.result !== null && 'refused' in job.result);
