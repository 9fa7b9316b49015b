/** Other databases that scripts talk to: where connections may lead, how long they last, how much comes back (docs/interface/script-runtime.md 5.3, 8.6). */
import { performance } from 'node:perf_hooks';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { LONGEST_TEXT } from '../../run/function/arguments.js';
import { slotsOf } from '../http/client.js';
import { Targets } from '../http/targets.js';
import { waitingSignal } from '../../run/limits/signals.js';
import type { ScriptMap, ScriptValue } from '../../language/values.js';

/** Rows of the largest result. */
export const MOST_ROWS = 10_000;

export interface DatabaseTarget {
  /** As it was given: certificates are for it. */
  readonly host: string;
  /** What it was resolved to, and checked. */
  readonly address: string;
  readonly port: number;
}

/** Work of a connection: `time` is how many ms are left for it. */
export type Connected<T> = (target: DatabaseTarget, signal: AbortSignal, time: number) => Promise<T>;

/**
 * Connects to another database for a script: to an address that the rules for calls permit, while not too many calls are open, and no
 * longer than the script may take. Throws `ScriptError` 422 that names `shown`, which holds no password, and what went wrong.
 */
export async function withDatabase<T>(
  url: URL,
  port: number,
  shown: string,
  { run }: ScriptContext,
  work: Connected<T>,
): Promise<T> {
  const { config } = run.parts;
  run.transaction.reachesOut(`another database (${shown})`);
  const seconds = config.get('application.httphelper.timeouts.socket');
  const { signal, stop } = waitingSignal(run, seconds === 0 ? undefined : seconds * 1000);
  const left = run.begun + config.get('application.scripting.js.timeout.total') - performance.now();
  const time = Math.max(1, Math.floor(seconds === 0 ? left : Math.min(left, seconds * 1000)));
  try {
    const release = await slotsOf(config).take(
      config.get('application.httphelper.timeouts.connectionrequest') * 1000,
      signal,
    );
    try {
      const host = url.hostname.replace(/^\[|\]$/g, '');
      if (host === '') throw new ScriptError(422, 'the URL names no host');
      const targets = Targets.of(config);
      targets.checkTarget(url);
      const address = await targets.addressOf(host);
      return await aborting(
        work({ host, address, port: url.port === '' ? port : Number(url.port) }, signal, time),
        signal,
      );
    } finally {
      release();
    }
  } catch (error) {
    const reason: unknown = signal.aborted ? signal.reason : error;
    const status = reason instanceof ScriptError ? reason.status : 422;
    throw new ScriptError(status, `The query to ${shown} failed: ${reasonOf(reason)}`, [], { cause: error });
  } finally {
    stop();
  }
}

/** The result of work, or the reason why nobody waits for it any more. */
function aborting<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    work.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}

/** One sentence of an error of a driver, which names neither user nor password. */
function reasonOf(error: unknown): string {
  const one: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const [line = ''] = (one instanceof Error ? one.message : String(one)).split('\n');
  return /[.!?]$/.test(line) ? line.slice(0, 500) : `${line.slice(0, 500)}.`;
}

/** Rows of a result, with a limit. */
export class Rows {
  readonly all: ScriptMap[] = [];
  private size = 0;

  constructor(
    /** What to do about a result that is too large. */
    private readonly advice = 'let the query end with LIMIT',
  ) {}

  /** `size`: of all that is in it. Throws `ScriptError` 422 beyond the limits. */
  add(row: ScriptMap, size = sizeOfRow(row)): void {
    this.size += size;
    if (this.all.length === MOST_ROWS || this.size > LONGEST_TEXT) {
      throw tooLarge(this.advice);
    }
    this.all.push(row);
  }
}

export function tooLarge(advice: string): ScriptError {
  return new ScriptError(
    422,
    `The result has more than ${String(MOST_ROWS)} rows, or ${String(LONGEST_TEXT)} characters: ${advice}.`,
  );
}

function sizeOfRow(row: ScriptMap): number {
  let size = 0;
  for (const value of row.values()) {
    size += typeof value === 'string' || value instanceof Uint8Array ? value.length + 1 : 1;
  }
  return size;
}

/** A value as a driver reads it. */
export function cellOf(value: unknown): ScriptValue {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number') return value;
  if (typeof value === 'bigint' || value instanceof Uint8Array) return value;
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value;
  // Documents (JSON), points, intervals.
  return Array.isArray(value) ? value.map(cellOf) : JSON.stringify(value);
}
