/** What scripts of a request have set for its calls to other servers (docs/interface/script-runtime.md 5.2). */
import { checkHeader } from '../../../http/index.js';
import { ScriptError } from '../../language/errors.js';
import type { RunOptions, ScriptRun } from '../../run/run.js';

const MOST_HEADERS = 200;
const LONGEST_VALUE = 16 * 1024;
/** They say how a request is sent, which scripts do not decide. */
const FRAMING: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'http2-settings', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
]);
/** Letters outside of Latin-1 have no byte in a header. */
const BEYOND_BYTES = /[^\0-\xff]/;

export class OutboundState {
  /** By name in small letters. */
  private readonly set = new Map<string, readonly [name: string, value: string]>();
  checksCertificates = true;

  /** Headers of all following calls, value by name. */
  get headers(): Map<string, string> {
    return new Map(this.set.values());
  }

  /** Throws `ScriptError` 422 for what cannot be sent. Null takes the header away. */
  addHeader(name: string, value: string | null): void {
    const lower = name.toLowerCase();
    if (value === null) {
      this.set.delete(lower);
      return;
    }
    checkRequestHeader(name, value);
    if (!this.set.has(lower) && this.set.size >= MOST_HEADERS) {
      throw new ScriptError(422, `A script may set ${String(MOST_HEADERS)} headers.`);
    }
    this.set.set(lower, [name, value]);
  }

  clearHeaders(): void {
    this.set.clear();
  }
}

/** Throws `ScriptError` 422 for a header that cannot be sent with a request. */
export function checkRequestHeader(name: string, value: string): void {
  let problem = FRAMING.has(name.toLowerCase()) ? 'it belongs to the connection' : checkHeader(name, value);
  if (problem === undefined && value.length > LONGEST_VALUE) problem = 'its value is too long';
  if (problem === undefined && BEYOND_BYTES.test(value)) problem = 'its value has characters that headers cannot have';
  if (problem !== undefined) {
    throw new ScriptError(422, `The header ${name.slice(0, 100)} cannot be sent: ${problem}.`);
  }
}

/** Runs of one request (`doInNewTransaction`) have their options in common. */
const states = new WeakMap<RunOptions, OutboundState>();

export function outboundState({ options }: ScriptRun): OutboundState {
  let state = states.get(options);
  if (state === undefined) {
    state = new OutboundState();
    states.set(options, state);
  }
  return state;
}
