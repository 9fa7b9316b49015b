/** What functions for calls make of their arguments, and of the answer (docs/interface/script-runtime.md 5.1). */
import { fromJsonText } from '../../run/function/from-json.js';
import { indexOf, isOff, isOn, LONGEST_TEXT } from '../../run/function/arguments.js';
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import { waitingSignal } from '../../run/limits/signals.js';
import { textOf } from '../../language/text.js';
import { isMap, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { charsetOf, textIn } from './answer-body.js';
import { callOut, type Credentials, type OutboundAnswer } from './client.js';
import type { OutboundBody } from './exchange.js';
import { checkRequestHeader, outboundState } from './state.js';
import { urlOf } from './targets.js';

/** What becomes of the body of an answer. */
export type BodyKind = 'text' | 'json' | 'bytes';

/** A call as its function was asked for it. */
export interface Asked {
  readonly method: string;
  readonly url: ScriptValue;
  readonly body?: OutboundBody | undefined;
  readonly followsRedirects: boolean;
  readonly username?: ScriptValue | undefined;
  readonly password?: ScriptValue | undefined;
  /** Last argument of the function: `username`, `password`, `preemptive`, `headers`, `redirects`, `timeout`. */
  readonly options?: ScriptMap | undefined;
  /** Seconds of `timeout` bound the whole call, not the connection alone. */
  readonly boundsAll?: boolean;
}

const NO_OPTIONS: ScriptMap = new Map();
const TOO_LONG = `The body of an answer is a text of more than ${String(LONGEST_TEXT)} characters: ask for bytes.`;

/** Options stand behind all other arguments, wherever these end. */
export function withOptions(args: readonly ScriptValue[], from: number): [ScriptValue[], ScriptMap | undefined] {
  const last = args.at(-1) ?? null;
  return args.length > from && isMap(last) ? [args.slice(0, -1), last] : [[...args], undefined];
}

/** Makes the call. Throws `ScriptError`. */
export async function ask(asked: Asked, context: ScriptContext): Promise<OutboundAnswer> {
  const { run } = context;
  const options = asked.options ?? NO_OPTIONS;
  const time = timeIn(options);
  const redirects = options.get('redirects');
  const state = outboundState(run);
  run.transaction.reachesOut(`another server (${asked.method})`);
  const { signal, stop } = waitingSignal(run, asked.boundsAll === true ? time : undefined);
  try {
    return await callOut(
      {
        method: asked.method,
        url: urlOf(textOf(asked.url, context)),
        headers: headersOf(state.headers, options.get('headers') ?? null, context),
        body: asked.body,
        credentials: credentialsOf(asked, options, context),
        followsRedirects: isOn(redirects) || (asked.followsRedirects && !isOff(redirects)),
        connectTime: time,
        checksCertificates: state.checksCertificates,
      },
      run.parts.config,
      signal,
    );
  } finally {
    stop();
  }
}

/** Milliseconds of the option `timeout`, which is in seconds; undefined: there is none. */
function timeIn(options: ScriptMap): number | undefined {
  const timeout = options.get('timeout') ?? null;
  if (timeout === null) return undefined;
  const seconds = indexOf(timeout);
  if (seconds === undefined || seconds < 0 || seconds > 86_400) {
    throw new ScriptError(422, 'The option timeout of a call is a number of seconds, at most 86400.');
  }
  return seconds === 0 ? undefined : seconds * 1000;
}

function headersOf(set: Map<string, string>, more: ScriptValue, context: ScriptContext): ReadonlyMap<string, string> {
  if (more === null) return set;
  if (!isMap(more)) throw new ScriptError(422, 'The option headers of a call is an object with names and values.');
  for (const [name, value] of more) {
    for (const known of set.keys()) if (known.toLowerCase() === name.toLowerCase()) set.delete(known);
    if (value === null) continue;
    const text = textOf(value, context);
    checkRequestHeader(name, text);
    set.set(name, text);
  }
  return set;
}

function credentialsOf(asked: Asked, options: ScriptMap, context: ScriptContext): Credentials | undefined {
  const username = options.get('username') ?? asked.username ?? null;
  const password = options.get('password') ?? asked.password ?? null;
  if (username === null || username === '') return undefined;
  return {
    username: textOf(username, context),
    password: textOf(password, context),
    preemptive: isOn(options.get('preemptive')),
  };
}

/**
 * Charsets for answers that name none: `expected` comes before what the kind of the answer says, `otherwise` behind it.
 */
export interface Charsets {
  readonly expected?: string | undefined;
  readonly otherwise?: string | undefined;
}

/** What calls answer: `status`, `success` (2xx), `headers`, `body`. */
export async function resultOf(
  answer: OutboundAnswer,
  kind: BodyKind,
  charsets: Charsets,
  context: ScriptContext,
): Promise<ScriptMap> {
  return new Map<string, ScriptValue>([
    ['status', BigInt(answer.status)],
    ['success', isSuccess(answer)],
    ['headers', new Map(answer.headers)],
    ['body', await bodyIn(answer, kind, charsets, context)],
  ]);
}

export function isSuccess({ status }: OutboundAnswer): boolean {
  return status >= 200 && status < 300;
}

async function bodyIn(
  { pieces, contentType }: OutboundAnswer,
  kind: BodyKind,
  charsets: Charsets,
  context: ScriptContext,
): Promise<ScriptValue> {
  if (kind === 'bytes') return Buffer.concat(pieces);
  const tried = [
    charsetOf(contentType),
    charsets.expected,
    // JSON is UTF-8 (RFC 8259, 8.1).
    /^[^;]*[/+]json\s*(?:;|$)/i.test(contentType) ? 'utf-8' : undefined,
    charsets.otherwise,
    context.run.parts.config.get('application.httphelper.charset'),
  ];
  const text = await textIn(
    tried.filter((one) => one !== undefined),
    pieces,
  );
  if (text.length > LONGEST_TEXT) throw new ScriptError(422, TOO_LONG);
  return kind === 'json' ? fromJsonText(text, context) : text;
}

export const OCTETS = /^\s*application\/octet-stream\s*(?:;|$)/i;
export { charsetOf };
