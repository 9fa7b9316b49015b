/** When what a script waits for is given up. */
import { ScriptError } from '../../language/errors.js';
import type { Config } from '../../../config/index.js';

/** Longer timers of Node fire at once. */
const LONGEST_TIMER = 2 ** 31 - 1;

/** What a run of scripts says of how long it may take, and for whom it works. */
export interface Bounded {
  /** By the clock of `performance.now()`. */
  readonly begun: number;
  readonly parts: { readonly config: Pick<Config, 'get'> };
  readonly options: {
    readonly request?: { readonly exchange: { readonly signal: AbortSignal } } | undefined;
    readonly signal?: AbortSignal | undefined;
  };
}

/**
 * Aborted, with a `ScriptError` whose message is a reason to be put into a sentence, when the client of the run's
 * request has gone, when `time` (ms) is over, or when the run has taken longer than a run of scripts may
 * (`application.scripting.js.timeout.total`). `stop` has to be called when nothing waits any more.
 */
export function waitingSignal(
  run: Bounded,
  time?: number,
): { readonly signal: AbortSignal; readonly stop: () => void } {
  const control = new AbortController();
  const total = run.parts.config.get('application.scripting.js.timeout.total');
  const left = run.begun + total - performance.now();
  const request = run.options.request?.exchange.signal;
  const given = run.options.signal;
  const gone = (): void => control.abort(new ScriptError(422, 'the client of this script has gone away'));
  const ended = (): void => control.abort(new ScriptError(422, 'the job of this script was ended'));
  const late = (): void => {
    const ofRun = `the script took more than ${String(total)} ms (application.scripting.js.timeout.total)`;
    const why = time !== undefined && time < left ? `it took longer than ${String(time / 1000)} s` : ofRun;
    control.abort(new ScriptError(422, why));
  };
  const timer = setTimeout(late, Math.max(0, Math.min(left, time ?? left, LONGEST_TIMER)));
  request?.addEventListener('abort', gone);
  if (request?.aborted === true) gone();
  given?.addEventListener('abort', ended);
  if (given?.aborted === true) ended();
  return {
    signal: control.signal,
    stop: () => {
      clearTimeout(timer);
      request?.removeEventListener('abort', gone);
      given?.removeEventListener('abort', ended);
    },
  };
}
