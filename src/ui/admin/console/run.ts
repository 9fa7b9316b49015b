/** Runs a line of any mode, and tells what came of it. */
import { asRefusal, type RefusedError } from '../../common/request.js';
import { runLine, type Outcome } from '../server/console.js';
import { call, read } from '../server/rest.js';
import type { Command, Said } from './command.js';
import type { Mode } from './modes.js';
import { parseRest, sendRest, type RestAnswer, type RestFault } from './rest-line.js';
import { commandNamed, wordsOf } from './shell.js';

/** How a job of the server stands. */
export interface JobState {
  readonly status: string;
  readonly phase?: string | null;
  readonly processedObjects?: number | null;
  readonly exception?: { readonly message?: string } | null;
  readonly result?: unknown;
}

export type ShellFault = 'quotes' | 'unknown' | 'arguments';

export type Came =
  | { readonly kind: 'script'; readonly outcome: Outcome }
  | { readonly kind: 'rest'; readonly answer: RestAnswer }
  | { readonly kind: 'help'; readonly command: Command | undefined }
  | { readonly kind: 'said'; readonly said: Said }
  | { readonly kind: 'job'; readonly job: JobState; readonly milliseconds: number }
  | { readonly kind: 'unreadable'; readonly fault: RestFault | ShellFault; readonly word: string }
  | { readonly kind: 'refused'; readonly problem: RefusedError }
  /** Nobody waits for it any more. */
  | { readonly kind: 'left' };

const PAUSE_MS = 700;
const OVER: ReadonlySet<string> = new Set(['FINISHED', 'FAILED', 'ABORTED']);

/** Whether what was typed did what it says: then there is no need to type it again. */
export function wentWell(came: Came): boolean {
  if (came.kind === 'script') return came.outcome.error === undefined;
  if (came.kind === 'rest') return came.answer.isGood;
  if (came.kind === 'said') return came.said.isFault !== true;
  return came.kind === 'help' || (came.kind === 'job' && came.job.status === 'FINISHED');
}

/** Never rejects. `onJob`: how long work stands, while it goes on. */
export async function runAny(
  mode: Mode,
  line: string,
  signal: AbortSignal,
  onJob: (job: JobState) => void,
): Promise<Came> {
  try {
    if (mode === 'rest') return await rest(line, signal);
    if (mode === 'shell') return await shell(line, signal, onJob);
    return { kind: 'script', outcome: await runLine(mode, line, signal) };
  } catch (error) {
    if (signal.aborted) return { kind: 'left' };
    const problem = asRefusal(error);
    return { kind: 'refused', problem };
  }
}

async function rest(line: string, signal: AbortSignal): Promise<Came> {
  const parsed = parseRest(line);
  if (typeof parsed === 'string') return { kind: 'unreadable', fault: parsed, word: '' };
  return { kind: 'rest', answer: await sendRest(parsed, signal) };
}

async function shell(line: string, signal: AbortSignal, onJob: (job: JobState) => void): Promise<Came> {
  const words = wordsOf(line);
  if (words === undefined) return { kind: 'unreadable', fault: 'quotes', word: '' };
  const [name = '', ...args] = words;
  const command = commandNamed(name);
  if (command === undefined) return { kind: 'unreadable', fault: 'unknown', word: name };
  if (args.length < command.min || args.length > command.max)
    return { kind: 'unreadable', fault: 'arguments', word: command.usage };
  if (command.begin === undefined) {
    const about = args[0] === undefined ? undefined : commandNamed(args[0]);
    if (args[0] !== undefined && about === undefined) return { kind: 'unreadable', fault: 'unknown', word: args[0] };
    return { kind: 'help', command: about };
  }
  const began = performance.now();
  const work = await command.begin(args);
  if ('key' in work) return { kind: 'said', said: work };
  const [begun] =
    (await call<readonly { readonly jobId?: number }[]>(`maintenance/${work.maintenance}`, {
      ...work.input,
      background: true,
    })) ?? [];
  const job =
    begun?.jobId === undefined ? { status: 'FINISHED', result: begun } : await ended(begun.jobId, signal, onJob);
  return { kind: 'job', job, milliseconds: performance.now() - began };
}

/** Follows a job until it is over. The page may be left meanwhile: the work goes on. */
async function ended(id: number, signal: AbortSignal, onJob: (job: JobState) => void): Promise<JobState> {
  for (;;) {
    const job = await read<JobState>(`jobs/${String(id)}`);
    if (OVER.has(job.status)) return job;
    onJob(job);
    signal.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
