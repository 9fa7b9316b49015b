/** A maintenance command on a running server, with its progress for whoever waits. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, JsonValue } from '../../shared/json/index.js';
import type { JobView, RunningServer } from './running-server.js';

/** Milliseconds between two looks at a job: at first, and later. */
const FIRST_LOOK = 50;
const LATER_LOOK = 1000;
/** Milliseconds between two lines of progress where they do not replace each other. */
const BETWEEN_LINES = 10_000;

/** Where lines go: those about the work, not its result. */
export interface Display {
  write(text: string): void;
  /** A line replaces the one before it. */
  readonly isTTY: boolean;
}

/** What came of it. */
export interface Outcome {
  /** `FINISHED`, `FAILED` or `ABORTED`, as a job. */
  readonly status: string;
  readonly result: JsonValue;
  readonly problems: readonly string[];
  /** Why it has failed. */
  readonly message?: string;
}

/**
 * Runs a command and waits for its end. `interrupted` is aborted when nobody wants to go on: its job is ended then, which leaves what was done. Throws
 * `RemoteError`.
 */
export async function runShown(
  server: RunningServer,
  command: string,
  input: JsonObject,
  { display, interrupted }: { readonly display: Display; readonly interrupted: AbortSignal },
): Promise<Outcome> {
  const results = await server.maintenance(command, { ...input, background: true });
  const [first] = results;
  const id = typeof first === 'object' && first !== null && !Array.isArray(first) ? first['jobId'] : undefined;
  if (typeof id !== 'number') return { status: 'FINISHED', result: [...results], problems: [] };
  const progress = new Progress(display);
  let aborting: Promise<void> | undefined;
  for (let pause = FIRST_LOOK; ; pause = Math.min(LATER_LOOK, pause * 2)) {
    const job = await server.job(id);
    if (job.ended !== null) {
      progress.end();
      const { processedObjects, duration } = job;
      display.write(`${command}: ${String(processedObjects)} objects in ${(duration / 1000).toFixed(1)} s\n`);
      return outcomeOf(job);
    }
    if (interrupted.aborted && aborting === undefined) {
      progress.end();
      display.write(`ending job ${String(id)} ...\n`);
      // It may have ended just now, which the next look tells.
      aborting = server.abort(id).catch(() => undefined);
      await aborting;
    }
    progress.show(job);
    await sleep(pause, undefined, { signal: aborting === undefined ? interrupted : undefined }).catch(() => undefined);
  }
}

function outcomeOf({ status, result = null, problems, problemCount, exception }: JobView): Outcome {
  const more = problemCount - problems.length;
  return {
    status,
    result,
    problems: more > 0 ? [...problems, `and ${String(more)} more; see the log of the server`] : problems,
    ...(exception === undefined ? {} : { message: exception.message }),
  };
}

/** Lines about a job. */
class Progress {
  private shown = '';
  private at = -Infinity;

  constructor(private readonly display: Display) {}

  show(job: JobView): void {
    const line = lineOf(job);
    if (line === this.shown) return;
    const now = performance.now();
    if (this.display.isTTY) this.display.write(`\r\u001b[K${line}`);
    else if (now - this.at < BETWEEN_LINES) return;
    else this.display.write(`${line}\n`);
    this.shown = line;
    this.at = now;
  }

  /** Other lines follow. */
  end(): void {
    if (this.display.isTTY && this.shown !== '') this.display.write('\r\u001b[K');
    this.shown = '';
  }
}

/** `setting properties of Task: 12000 of 50000 objects, 8000 a second, 5 s left` */
export function lineOf(job: JobView): string {
  const { status, phase, phaseObjects, phaseTotal = null, timeLeft = null, objectsPerSecond, processedObjects } = job;
  if (status === 'QUEUED') return 'waiting for another command to end';
  if (status === 'PAUSED') return 'paused';
  const done = String(phaseObjects ?? processedObjects) + (phaseTotal === null ? '' : ` of ${String(phaseTotal)}`);
  const rate = objectsPerSecond > 0 ? `, ${String(objectsPerSecond)} a second` : '';
  const left = timeLeft === null ? '' : `, ${String(Math.ceil(timeLeft / 1000))} s left`;
  return `${phase === undefined ? '' : `${phase}: `}${done} objects${rate}${left}`;
}
