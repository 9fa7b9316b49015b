/**
 * Calls to other servers (docs/interface/script-runtime.md 5): redirects, credentials, limits. Everything that is waited for ends with the signal of
 * the call; nothing of it happens on the event loop for long.
 */
import type { Config } from '../../../config/index.js';
import { ScriptError } from '../../language/errors.js';
import { isUnpacked, readBody } from './answer-body.js';
import { exchange, type Answer, type OutboundBody } from './exchange.js';
import { failureOf } from './failures.js';
import { proxyOf } from './proxy.js';
import { Slots } from './slots.js';
import { Targets, urlOf } from './targets.js';

export interface Credentials {
  readonly username: string;
  readonly password: string;
  /** They are sent at once; otherwise when the server asks for them. */
  readonly preemptive: boolean;
}

export interface OutboundCall {
  readonly method: string;
  readonly url: URL;
  /** Value by name. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: OutboundBody | undefined;
  readonly credentials: Credentials | undefined;
  readonly followsRedirects: boolean;
  /** Until the connection stands (ms); undefined: as the settings say. */
  readonly connectTime: number | undefined;
  readonly checksCertificates: boolean;
  /** Bytes of the answer, where that is less than the settings permit. */
  readonly most?: number;
  /** Calls lead to public addresses alone, unless `application.httphelper.urlwhitelist` says which URLs may be called. */
  readonly publicOnly?: boolean;
}

export interface OutboundAnswer {
  /** Where it came from, behind all redirects. */
  readonly url: URL;
  readonly status: number;
  /** Values of a header that came several times stand on lines of their own. */
  readonly headers: ReadonlyMap<string, string>;
  readonly contentType: string;
  readonly pieces: readonly Buffer[];
}

const SETTING = ' (application.httphelper.maxanswersize)';
const MOST_REDIRECTS = 20;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
/** Headers that say who one is, or may: they do not follow to another server. */
const SECRET = /auth|cookie|token|secret|passw|session|credential|api-?key|^x-user$/i;
/** What the interface cannot send twice (contract, Scripting functions named by the interface). */
const NOT_PREEMPTIVE =
  'A File as request body is streamed: with credentials, preemptive authentication is required (set "preemptive" to true).';

const instances = new WeakMap<object, Slots>();

/** How many calls are open, of this server. */
export function slotsOf(config: Config): Slots {
  let slots = instances.get(config);
  if (slots === undefined) {
    slots = new Slots(() => config.get('application.httphelper.maxcalls'));
    instances.set(config, slots);
  }
  return slots;
}

/** What is sent next: changes from redirect to redirect. */
interface Step {
  readonly method: string;
  readonly url: URL;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: OutboundBody | undefined;
  readonly credentials: Credentials | undefined;
}

/**
 * Calls another server. Statuses of errors are answers like others. Throws `ScriptError`: 422 when there is no answer, or the call
 * is not permitted, 503 when too many are open.
 */
export function callOut(call: OutboundCall, config: Config, signal: AbortSignal): Promise<OutboundAnswer> {
  return calling(call, config, signal, (step, response) => read(step, response, config, signal, call.most));
}

/**
 * Calls a URL whose answer may be large: `take` gets the bytes as they arrive, at most `call.most` of them. Throws as `callOut` does, for a
 * status that is no success, and for an answer that is packed, which was not asked for.
 */
export function download(
  call: OutboundCall & { readonly most: number },
  config: Config,
  signal: AbortSignal,
  take: (bytes: AsyncIterable<Buffer>) => Promise<void>,
): Promise<void> {
  const plain = { ...call, headers: new Map([...call.headers, ['Accept-Encoding', 'identity']]) };
  return calling(plain, config, signal, async ({ method, url }, response) => {
    try {
      if (response.status < 200 || response.status > 299)
        throw new ScriptError(422, `it answers ${String(response.status)}`);
      if ((response.header('content-encoding') ?? 'identity') !== 'identity')
        throw new ScriptError(422, 'its answer is packed');
      await take(atMost(response.body, call.most));
    } catch (error) {
      throw failureOf(error, method, url, signal);
    } finally {
      response.body.destroy();
    }
  });
}

async function* atMost(body: AsyncIterable<Buffer>, most: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const piece of body) {
    size += piece.length;
    if (size > most) throw new ScriptError(422, `its answer is larger than ${String(most)} bytes`);
    yield piece;
  }
}

/** Calls a URL, and all that it leads on to; `end` gets the last answer. */
async function calling<T>(
  call: OutboundCall,
  config: Config,
  signal: AbortSignal,
  end: (step: Step, response: Answer) => Promise<T>,
): Promise<T> {
  let step: Step = withoutUserInfo(call);
  if (step.body?.isStreamed === true && step.credentials?.preemptive === false) {
    throw new ScriptError(422, NOT_PREEMPTIVE);
  }
  const release = await slotFor(step, config, signal);
  try {
    for (let redirects = 0; ; redirects++) {
      const response = await answered(step, call, config, signal);
      const location = call.followsRedirects ? locationOf(response) : undefined;
      if (location === undefined) return await end(step, response);
      response.body.destroy();
      if (redirects === MOST_REDIRECTS) {
        const why = new ScriptError(422, `it leads on more than ${String(MOST_REDIRECTS)} times`);
        throw failureOf(why, step.method, step.url, signal);
      }
      step = redirected(step, response.status, location);
    }
  } finally {
    release();
  }
}

/** Resolves when there are not too many other calls, with what is to be called at the end. */
async function slotFor({ method, url }: Step, config: Config, signal: AbortSignal): Promise<() => void> {
  try {
    signal.throwIfAborted();
    const time = config.get('application.httphelper.timeouts.connectionrequest') * 1000;
    return await slotsOf(config).take(time, signal);
  } catch (error) {
    throw failureOf(error, method, url, signal);
  }
}

/** User and password of the URL itself are credentials like others; those that were given come first. */
function withoutUserInfo({ method, url, headers, body, credentials }: OutboundCall): Step {
  if (url.username === '' && url.password === '') return { method, url, headers, body, credentials };
  const bare = new URL(url);
  bare.username = '';
  bare.password = '';
  const own = { username: decoded(url.username), password: decoded(url.password), preemptive: false };
  return { method, url: bare, headers, body, credentials: credentials ?? own };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Sends a request, and once more with credentials when the server asks for them. */
async function answered(step: Step, call: OutboundCall, config: Config, signal: AbortSignal): Promise<Answer> {
  const targets = Targets.of(config, call.publicOnly);
  targets.check(step.url);
  const { credentials } = step;
  const send = async (authorization: string | undefined): Promise<Answer> => {
    try {
      return await exchange({
        method: step.method,
        url: step.url,
        headers: headersOf(step, authorization, config),
        body: step.body,
        targets,
        proxy: proxyOf(config),
        connectTime: call.connectTime ?? config.get('application.httphelper.timeouts.connect') * 1000,
        silence: config.get('application.httphelper.timeouts.socket') * 1000,
        checksCertificates: call.checksCertificates,
        signal,
      });
    } catch (error) {
      throw failureOf(error, step.method, step.url, signal);
    }
  };
  const response = await send(credentials?.preemptive === true ? basic(credentials) : undefined);
  if (response.status !== 401 || credentials === undefined || credentials.preemptive) return response;
  if (!/(?:^|,)\s*basic(?:\s|,|$)/i.test(response.header('www-authenticate') ?? '')) return response;
  response.body.destroy();
  return send(basic(credentials));
}

function basic({ username, password }: Credentials): string {
  return `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
}

function headersOf(step: Step, authorization: string | undefined, config: Config): Record<string, string> {
  const { body, headers } = step;
  const all = new Map<string, readonly [name: string, value: string]>();
  const set = (name: string, value: string): unknown => all.set(name.toLowerCase(), [name, value]);
  set('Accept', '*/*');
  set('Accept-Encoding', 'gzip, br');
  const agent = config.get('application.httphelper.useragent').trim();
  if (agent !== '') set('User-Agent', agent);
  if (body !== undefined) set('Content-Type', body.type);
  for (const [name, value] of headers) set(name, value);
  if (authorization !== undefined) set('Authorization', authorization);
  if (body !== undefined) set('Content-Length', String(body.size));
  set('Connection', 'close');
  return Object.fromEntries(all.values());
}

/** Where an answer leads on; undefined: nowhere. */
function locationOf(answer: Answer): string | undefined {
  return REDIRECTS.has(answer.status) ? answer.header('location') : undefined;
}

/** What is sent to where an answer leads on (RFC 9110, 15.4). Throws `ScriptError` 422 when that is no URL. */
function redirected(step: Step, status: number, location: string): Step {
  // Node reads header values byte by byte; servers send UTF-8.
  const url = urlOf(Buffer.from(location, 'latin1').toString('utf8'), step.url);
  url.username = '';
  url.password = '';
  const asGet = status === 303 ? step.method !== 'HEAD' : status < 303 && step.method === 'POST';
  const leaves = url.origin !== step.url.origin;
  const kept = [...step.headers].filter(
    ([name]) => !(leaves && (SECRET.test(name) || /^host$/i.test(name))) && !(asGet && /^content-/i.test(name)),
  );
  return {
    method: asGet ? 'GET' : step.method,
    url,
    headers: new Map(kept),
    body: asGet ? undefined : step.body,
    credentials: leaves ? undefined : step.credentials,
  };
}

async function read(
  { method, url }: Step,
  response: Answer,
  config: Config,
  signal: AbortSignal,
  most = Infinity,
): Promise<OutboundAnswer> {
  const permitted = config.get('application.httphelper.maxanswersize') * 1024 * 1024;
  const unpacked = method !== 'HEAD' && isUnpacked(response);
  try {
    const pieces =
      method === 'HEAD'
        ? []
        : await (most < permitted ? readBody(response, most) : readBody(response, permitted, SETTING));
    return {
      url,
      status: response.status,
      headers: headersIn(response, unpacked),
      contentType: response.header('content-type') ?? '',
      pieces,
    };
  } catch (error) {
    throw failureOf(error, method, url, signal);
  } finally {
    response.body.destroy();
  }
}

function headersIn({ rawHeaders }: Answer, unpacked: boolean): Map<string, string> {
  const names = new Map<string, string>();
  const headers = new Map<string, string>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const [name = '', value = ''] = rawHeaders.slice(i, i + 2);
    const lower = name.toLowerCase();
    if (unpacked && (lower === 'content-encoding' || lower === 'content-length')) continue;
    const known = names.get(lower);
    const before = known === undefined ? undefined : headers.get(known);
    if (known === undefined) names.set(lower, name);
    headers.set(known ?? name, before === undefined ? value : `${before}\n${value}`);
  }
  return headers;
}
