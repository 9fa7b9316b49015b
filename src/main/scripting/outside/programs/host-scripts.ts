/** Programs of the server that scripts run (docs/interface/script-runtime.md 8.8, `exec`): those that settings name, and no others. */
import { realpath, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { logger } from '../../../../shared/log.js';
import { runProgram } from '../../../../shared/process-groups.js';
import type { Config } from '../../../config/index.js';
import { ScriptError } from '../../language/errors.js';
import { Slots } from '../http/slots.js';
import type { HostCall, HostEnd, Programs } from '../../run/programs.js';
import { visibleVariable } from './secrets.js';

const log = logger('scripting.exec');
const MB = 1024 * 1024;
const MOST_PARAMETERS = 1000;
const LONGEST_PARAMETERS = 128 * 1024;
/** What is kept of a program's complaints, for the log. */
const MOST_COMPLAINTS = 2000;

export class HostScripts implements Programs {
  readonly #slots: Slots;

  constructor(private readonly config: Config) {
    this.#slots = new Slots(() => config.get('scripts.maxprocesses'));
  }

  /**
   * What a program writes, as it comes; whoever stops reading ends it. `ended` is told how it ended, before the last. Throws
   * `ScriptError` 422 when there is no such program, when it takes too long or writes too much, and 503 when too many run.
   */
  async *output(call: HostCall, ended: (end: HostEnd) => void): AsyncGenerator<Buffer, void> {
    checkParameters(call);
    const path = await this.#pathOf(call.key);
    const release = await this.#slots.take(WAITING, call.signal);
    logCall(call, path);
    const { signal, stop } = this.#ending(call);
    try {
      const { complaints, ...end } = yield* runProgram({
        path,
        args: call.parameters.map(({ value }) => value),
        env: environment(),
        folder: this.#folder,
        signal,
        complaints: MOST_COMPLAINTS,
        unstarted: ({ code, message }) =>
          new ScriptError(422, `The program of the setting ${call.key} cannot be run: ${code ?? message}.`),
      });
      if (end.code !== 0) {
        const how = String(end.code ?? end.killedBy);
        log.warn(`${call.key} ended with ${how}: ${complaints.slice(0, MOST_COMPLAINTS).trim()}`);
      }
      ended(end);
    } finally {
      stop();
      release();
    }
  }

  get #folder(): string {
    return resolve(this.config.path('base.path'), this.config.get('scripts.path'));
  }

  /** Ends a program, with a `ScriptError` that says why, when it takes too long or is given up; `stop` is to be called when it has ended. */
  #ending({ key, signal }: HostCall): { readonly signal: AbortSignal; readonly stop: () => void } {
    const control = new AbortController();
    const end = (why: string): void => control.abort(new ScriptError(422, `The program of the setting ${key} ${why}.`));
    const seconds = this.config.get('scripts.timeout');
    const late = (): void => end(`took longer than ${String(seconds)} s (scripts.timeout)`);
    const timer = setTimeout(late, seconds * 1000);
    const aborted = (): void => {
      end(`was ended: ${signal.reason instanceof Error ? signal.reason.message : 'it was given up'}`);
    };
    signal.addEventListener('abort', aborted);
    if (signal.aborted) aborted();
    return {
      signal: control.signal,
      stop: () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', aborted);
      },
    };
  }

  /** The program that a setting names. */
  async #pathOf(key: string): Promise<string> {
    const named = [...this.config.dynamic()].find(([name]) => name === key || name.toLowerCase() === key.toLowerCase());
    const value = named?.[1].trim() ?? '';
    if (value === '')
      throw new ScriptError(422, `No setting ${key.slice(0, 200)} names a program that exec() may run.`);
    const refuse = (why: string): ScriptError => {
      log.error(`the program of the setting ${key} is not run: ${why}`);
      return new ScriptError(422, `The program of the setting ${key.slice(0, 200)} is not run: ${why}.`);
    };
    const names = value.split('/').filter((one) => one !== '' && one !== '.');
    if (names.includes('..') && !this.config.get('scripts.path.allowpathtraversal')) {
      throw refuse('its path leads upwards (scripts.path.allowpathtraversal)');
    }
    try {
      const folder = await realpath(this.#folder);
      const path = join(folder, ...names);
      if ((await realpath(path)) !== path && !this.config.get('scripts.path.allowsymboliclinks')) {
        throw refuse('it is reached by a symbolic link (scripts.path.allowsymboliclinks)');
      }
      if (!(await stat(path)).isFile()) throw refuse('it is no file');
      return path;
    } catch (error) {
      if (error instanceof ScriptError) throw error;
      throw refuse(`it cannot be found in the folder of scripts.path (${(error as NodeJS.ErrnoException).code ?? ''})`);
    }
  }

  /** Bytes that are taken of what a program writes into a text. */
  get most(): number {
    return this.config.get('scripts.maxoutput') * MB;
  }
}

/** Time that a program waits for others to end, ms. */
const WAITING = 60_000;

function checkParameters({ parameters }: HostCall): void {
  const length = parameters.reduce((sum, { value }) => sum + value.length, 0);
  if (parameters.length > MOST_PARAMETERS || length > LONGEST_PARAMETERS) {
    throw new ScriptError(422, 'A program is given too many parameters, or too long ones.');
  }
  if (parameters.some(({ value }) => value.includes('\0'))) {
    throw new ScriptError(422, 'A parameter of a program has a character that none can have.');
  }
}

function logCall({ parameters, logging }: HostCall, path: string): void {
  if (logging === 0) return;
  const shown = parameters.map(({ value, masked }) => (masked ? '***' : JSON.stringify(value)));
  log.info(logging === 1 ? path : [path, ...shown].join(' '));
}

/** What of the server's environment programs get: everything but secrets. */
function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name, value = '']) => visibleVariable(name, value) === value),
  );
}
