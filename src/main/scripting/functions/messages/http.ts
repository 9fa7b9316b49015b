/** Calls to other servers (docs/interface/script-runtime.md 5). */
import type { ScriptContext } from '../../run/run.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { ask, charsetOf, isSuccess, OCTETS, resultOf, withOptions, type BodyKind } from '../../outside/http/asking.js';
import { bodyOf } from '../../outside/http/bodies.js';
import { multipartBody } from '../../outside/http/multipart.js';
import { outboundState } from '../../outside/http/state.js';
import { textOf } from '../../language/text.js';
import { isMap, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { isOff, isOn, LONGEST_TEXT, misused, optionalText } from '../../run/function/arguments.js';

const OPTIONS =
  'Options may stand last: {username, password, preemptive, headers, redirects, timeout}; timeout is in seconds, for the connection.';
const FETCH_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

const get: ScriptFunction = {
  name: 'GET',
  signature: 'GET(url [, contentType [, selector | username, password]] [, options])',
  meaning:
    'Calls a URL; answers status, success, headers and body. The body is text in the charset of the answer, else of ' +
    'contentType; bytes for application/octet-stream. With the contentType text/html and a CSS selector it is the outer HTML of the ' +
    `element that matches, empty when none does; when several match, a list of theirs is answered instead. ${OPTIONS}`,
  example: "GET('https://example.com/items').body",
  min: 1,
  max: 5,
  async run(args, context) {
    const [[url = null, type = null, username, password], options] = withOptions(args, 1);
    if (url === null) return misused(this, 'needs a URL', context);
    const contentType = optionalText(type, '', context);
    const asked = { method: 'GET', url, followsRedirects: true, options };
    if (username !== undefined && username !== null && password === undefined) {
      if (!HTML.test(contentType)) {
        return misused(this, 'needs a password with the user, or the type text/html with a selector', context);
      }
      const page = await resultOf(await ask(asked, context), 'text', { expected: charsetOf(contentType) }, context);
      return selected(page, textOf(username, context), context);
    }
    const answer = await ask({ ...asked, username, password }, context);
    return resultOf(answer, OCTETS.test(contentType) ? 'bytes' : 'text', { expected: charsetOf(contentType) }, context);
  },
};

const HTML = /^\s*text\/html\s*(?:;|$)/i;
const MOST_SELECTED = 10_000;

/** An answer with what a selector finds in its body; of several elements a list. */
async function selected(answer: ScriptMap, selector: string, context: ScriptContext): Promise<ScriptValue> {
  const html = answer.get('body');
  const job = { html: typeof html === 'string' ? html : '', selector, most: MOST_SELECTED, longest: LONGEST_TEXT };
  const outcome = await context.run.parts.threads.run<string[]>('html/select', job, 'GET()', context);
  if ('problem' in outcome) throw new ScriptError(422, `The selector of GET() cannot be used: ${outcome.problem}.`);
  const [first = '', ...others] = outcome.value;
  return others.length > 0 ? outcome.value : new Map([...answer, ['body', first]]);
}

const head: ScriptFunction = {
  name: 'HEAD',
  signature: 'HEAD(url [, username, password] [, options])',
  meaning: `Asks for the headers of a URL; answers status (a text), success and headers. Redirects are not followed. ${OPTIONS}`,
  example: "HEAD('https://example.com/items').status",
  min: 1,
  max: 4,
  async run(args, context) {
    const [[url = null, username, password], options] = withOptions(args, 1);
    if (url === null) return misused(this, 'needs a URL', context);
    const asked = { method: 'HEAD', url, followsRedirects: false, username, password, options };
    const answer = await ask(asked, context);
    return new Map<string, ScriptValue>([
      ['status', String(answer.status)],
      ['success', isSuccess(answer)],
      ['headers', new Map(answer.headers)],
    ]);
  },
};

const BODY =
  'A File is streamed as it is stored, bytes are sent as they are, all else as text; its Content-Type is that of the File or ' +
  'text/plain unless `addHeader` sets another. A File with credentials needs preemptive: true.';

function sending(
  method: 'POST' | 'PUT' | 'PATCH',
  followsRedirects: boolean,
  kindOf: (contentType: string) => BodyKind,
  body: string,
): ScriptFunction {
  return {
    name: method,
    signature: `${method}(url, body [, contentType = "application/json" [, charset = "UTF-8" [, username, password]]] [, options])`,
    meaning: `Sends a ${method} request; answers status, success, headers and body. ${body} ${BODY} ${OPTIONS}`,
    example: `${method}('https://example.com/items', toJson(this))`,
    min: 2,
    max: 7,
    async run(args, context) {
      const [[url = null, content = null, type = null, set = null, username, password], options] = withOptions(args, 2);
      if (url === null) return misused(this, 'needs a URL', context);
      const contentType = optionalText(type, 'application/json', context);
      const charset = optionalText(set, 'UTF-8', context);
      const answer = await ask(
        { method, url, body: await bodyOf(content, charset, context), followsRedirects, username, password, options },
        context,
      );
      const charsets = { expected: charsetOf(contentType), otherwise: set === null ? undefined : charset };
      return resultOf(answer, kindOf(contentType), charsets, context);
    },
  };
}

const textOrBytes = (contentType: string): BodyKind => (OCTETS.test(contentType) ? 'bytes' : 'text');
const textOrJson = (contentType: string): BodyKind => (contentType === 'application/json' ? 'json' : 'text');
const AS_JSON = 'The body comes parsed, as by `fromJson`, when contentType is application/json, else as text.';

const post = sending(
  'POST',
  false,
  textOrBytes,
  'The body comes as text, for contentType application/octet-stream as bytes. Redirects are followed with redirects: true.',
);
const put = sending('PUT', true, textOrJson, AS_JSON);
const patch = sending('PATCH', true, textOrJson, AS_JSON);

const remove: ScriptFunction = {
  name: 'DELETE',
  signature: 'DELETE(url [, contentType = "application/json" [, username, password]] [, options])',
  meaning: `Sends a DELETE request; answers status, success, headers and body. ${AS_JSON} ${OPTIONS}`,
  example: "DELETE('https://example.com/items/1').status",
  min: 1,
  max: 5,
  async run(args, context) {
    const [[url = null, type = null, username, password], options] = withOptions(args, 1);
    if (url === null) return misused(this, 'needs a URL', context);
    const contentType = optionalText(type, 'application/json', context);
    const answer = await ask({ method: 'DELETE', url, followsRedirects: true, username, password, options }, context);
    return resultOf(answer, textOrJson(contentType), { expected: charsetOf(contentType) }, context);
  },
};

const postMultiPart: ScriptFunction = {
  name: 'POSTMultiPart',
  signature: 'POSTMultiPart(url, parts [, responseContentType] [, options])',
  meaning:
    'Sends a form with a part for each entry: texts, Files with their names and content types, all files of a Folder, each element ' +
    `of a list; null has none. Answers status, success, headers and body. Files with credentials need preemptive: true. ${OPTIONS}`,
  example: "{ $.POSTMultiPart('https://example.com/upload', { title: 'Report', file: $.this }).status }",
  min: 2,
  max: 4,
  async run(args, context) {
    const [[url = null, parts = null, type = null], options] = withOptions(args, 2);
    if (url === null || !isMap(parts)) return misused(this, 'needs a URL and an object with the parts', context);
    const contentType = optionalText(type, '', context);
    const answer = await ask(
      { method: 'POST', url, body: await multipartBody(parts, context), followsRedirects: false, options },
      context,
    );
    return resultOf(answer, textOrBytes(contentType), { expected: charsetOf(contentType) }, context);
  },
};

const fetching: ScriptFunction = {
  name: 'FETCH',
  signature: 'FETCH(url [, options])',
  meaning:
    'Calls a URL as the options say: {method = "GET", headers, body, contentType, charset = "UTF-8", username, password, preemptive, ' +
    'redirects = true, timeout, responseType}. contentType and charset are those of the body that is sent; timeout bounds the whole ' +
    'call, in seconds; responseType is text, json (parsed as by `fromJson`) or bytes. Answers status, success, headers and body. ' +
    'A File as body is streamed as it is stored, and needs preemptive: true with credentials.',
  example:
    "{ $.FETCH('https://example.com/items', { method: 'PUT', body: '[]', contentType: 'application/json' }).success }",
  since: '7.0',
  min: 1,
  max: 2,
  async run([url = null, options = null], context) {
    if (url === null || (options !== null && !isMap(options))) {
      return misused(this, 'needs a URL and an object with the options', context);
    }
    return fetched(url, options ?? new Map<string, ScriptValue>(), context);
  },
};

async function fetched(url: ScriptValue, options: ScriptMap, context: ScriptContext): Promise<ScriptValue> {
  const method = optionalText(options.get('method'), 'GET', context).toUpperCase();
  if (!FETCH_METHODS.has(method)) {
    throw new ScriptError(422, `FETCH() can send ${[...FETCH_METHODS].join(', ')}, not ${method.slice(0, 40)}.`);
  }
  const kind = optionalText(options.get('responseType'), 'text', context);
  if (kind !== 'text' && kind !== 'json' && kind !== 'bytes') {
    throw new ScriptError(422, 'The option responseType of FETCH() is text, json or bytes.');
  }
  const content = options.get('body') ?? null;
  const charset = optionalText(options.get('charset'), 'UTF-8', context);
  const made = content === null ? undefined : await bodyOf(content, charset, context);
  const type = options.get('contentType') ?? null;
  const body = made === undefined || type === null ? made : { ...made, type: headerText(type, context) };
  const answer = await ask({ method, url, body, followsRedirects: true, options, boundsAll: true }, context);
  return resultOf(answer, kind, {}, context);
}

function headerText(value: ScriptValue, context: ScriptContext): string {
  const text = textOf(value, context);
  // It becomes a header as it is.
  if (!/^[\t\x20-\x7e]{1,1000}$/.test(text)) throw new ScriptError(422, 'The option contentType cannot be sent.');
  return text;
}

const addHeader: ScriptFunction = {
  name: 'addHeader',
  signature: 'addHeader(name, value)',
  meaning:
    'Sends a header with all following calls of this request; null takes it away. One of the same name is replaced.',
  example: "addHeader('Content-Type', 'application/json') // ",
  min: 2,
  max: 2,
  run: ([name = null, value = null], context) => {
    if (name === null) return '';
    outboundState(context.run).addHeader(textOf(name, context), value === null ? null : textOf(value, context));
    return '';
  },
};

const clearHeaders: ScriptFunction = {
  name: 'clearHeaders',
  signature: 'clearHeaders()',
  meaning: 'Takes away all headers that `addHeader` set.',
  example: 'clearHeaders() // ',
  max: 0,
  run: (_args, context) => {
    outboundState(context.run).clearHeaders();
    return '';
  },
};

const validateCertificates: ScriptFunction = {
  name: 'validateCertificates',
  signature: 'validateCertificates(on)',
  meaning: 'With false, the following calls of this request accept any certificate for any host.',
  example: 'validateCertificates(true) // ',
  min: 1,
  max: 1,
  run(args, context) {
    const [on] = args;
    if (!isOn(on) && !isOff(on)) return misused(this, 'needs true or false', context);
    outboundState(context.run).checksCertificates = isOn(on);
    return '';
  },
};

export const http: FunctionCategory = {
  title: 'HTTP',
  functions: [
    ...[get, head, post, put, patch, remove, postMultiPart, fetching],
    ...[addHeader, clearHeaders, validateCertificates],
  ],
};
