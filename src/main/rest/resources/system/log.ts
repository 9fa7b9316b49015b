/** `/log`: events written, and questions about them (docs/interface/analytics.md). */
import { asked, COUNT_MARK, LOG_EVENT, type Asked, type Form, type NewEvent } from '../../../analytics/index.js';
import type { ReadTransaction, SortKey } from '../../../graph/index.js';
import type { ResponseStream } from '../../../http/index.js';
import type { Actor } from '../../../schema/index.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { arrayLimit, Envelope, NobodyThere, sendEntities, sendValue } from '../../answer/envelope.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';
import { pageOf, sortKeys, window, type Page } from '../../query/query.js';

const FIELDS = ['subject', 'object', 'action', 'message'] as const;
/** The server sets it; clients may send what they have read. */
const TIMESTAMP = 'timestamp';

export const resolveLog: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'log') return undefined;
  return { signature: 'log', allow: ['GET', 'OPTIONS', 'POST'], verbs: { GET: answer, POST: log } };
};

async function log(request: RestRequest): Promise<void> {
  const { body, services, settings, actor, exchange, parameters } = request;
  if (parameters.filters.some(([name, value]) => name === 'initialize' && value !== 'false')) {
    await initialize(request);
    return;
  }
  for (const [name] of parameters.filters)
    throw new RestError(400, `POST to the analytics log knows no parameter ${name}.`);
  if (body.objects.length === 0) throw incomplete(FIELDS);
  const events = body.objects.map(eventIn);
  const nodes = await services.analytics.log(events, { options: settings.write, origin: originOf(actor) });
  exchange.status = 201;
  await services.graph.read((tx) => sendEntities(request, tx, nodes, undefined));
}

/** Reads files of the server, so it is for administrators. */
async function initialize(request: RestRequest): Promise<void> {
  const { actor, exchange, services, settings } = request;
  if (!actor.isAdmin) throw new RestError(403, 'Only administrators may import old log files.');
  const { files, events, left } = await services.analytics.importOldLogs(settings.write, () => exchange.aborted);
  await sendValue(request, [{ files, events, left }], 1);
}

function originOf({ id, name }: Actor): { door: 'rest'; userId?: string; userName?: string } {
  return id === undefined ? { door: 'rest' } : { door: 'rest', userId: id, userName: name };
}

/** Throws `RestError` 422 for an event that lacks something, or has something that is not of an event. */
function eventIn(input: JsonObject): NewEvent {
  const missing = FIELDS.filter((field) => (input[field] ?? null) === null);
  if (missing.length > 0) throw incomplete(missing);
  const more = Object.keys(input).find((key) => key !== TIMESTAMP && !(FIELDS as readonly string[]).includes(key));
  if (more !== undefined) {
    throw new RestError(422, `An event has subject, object, action and message, and no ${more}.`, [
      { type: LOG_EVENT, property: more, token: 'unknown_property' },
    ]);
  }
  const { subject = null, object = null, action = null, message = null } = input;
  return { subject, object, action, message };
}

function incomplete(missing: readonly string[]): RestError {
  return new RestError(
    422,
    'Log entry must consist of at least ‛subjectId‛, ‛objectId‛, ‛action‛ and ‛message‛',
    missing.map((property) => ({ type: 'LogFile', property, token: 'must_not_be_empty' })),
  );
}

async function answer(request: RestRequest): Promise<void> {
  const { exchange, schema, access, settings, services, parameters } = request;
  const form = formOf(exchange.header('accept'));
  const page = pageOf(parameters);
  const what = asked(parameters.filters, {
    schema,
    access,
    zone: services.analytics.zone,
    indent: settings.indent,
    form,
    page: pageFor(request, page, form),
    sort: sortOf(request),
  });
  // Answers are made by one thread: nothing is read twice, so nothing has to be of one state with it.
  await services.graph.read((tx) => send(request, tx, what, page), {
    signal: exchange.signal,
    cancelled: () => exchange.aborted,
  });
}

function send(request: RestRequest, tx: ReadTransaction, what: Asked, page: Page | undefined): Promise<void> {
  const { question } = what;
  if (question.kind !== 'listing') return sendOne(request, tx, what);
  return question.form === 'json' ? sendEvents(request, tx, what, page) : sendPlain(request, tx, what, question.form);
}

async function sendOne(request: RestRequest, tx: ReadTransaction, what: Asked): Promise<void> {
  const envelope = new Envelope(request);
  const { out } = envelope;
  out.text += '[';
  await request.services.analytics.answer(tx, what, (text) => {
    out.text += text;
    return out.due ? out.pause() : undefined;
  });
  out.text += `${out.newline(1)}]`;
  const time = performance.now() - request.startedAt;
  await envelope.end(1, time, { count: { count: 1, exact: true }, countTime: 0 });
}

async function sendEvents(
  request: RestRequest,
  tx: ReadTransaction,
  what: Asked,
  page: Page | undefined,
): Promise<void> {
  const envelope = new Envelope(request);
  const { out } = envelope;
  let tail: string | undefined;
  out.text += '[';
  await request.services.analytics.answer(tx, what, (text) => {
    const at = tail === undefined ? text.indexOf(COUNT_MARK) : 0;
    out.text += at < 0 ? text : tail === undefined ? text.slice(0, at) : '';
    if (at >= 0) tail = (tail ?? '') + text.slice(at);
    return out.due ? out.pause() : undefined;
  });
  const [written = 0, found = 0] = (tail?.slice(COUNT_MARK.length) ?? '').split(' ').map(Number);
  out.text += written === 0 ? ']' : `${out.newline(1)}]`;
  const time = performance.now() - request.startedAt;
  const most = arrayLimit(request);
  const count =
    what.counted === undefined
      ? { count: found, exact: true }
      : await tx.count(
          what.counted,
          Number.isFinite(most) && !request.parameters.has('forceResultCount') ? most : undefined,
        );
  await envelope.end(written, time, { count, countTime: performance.now() - request.startedAt - time }, page);
}

const TYPES = { csv: 'text/csv;charset=utf-8', ndjson: 'application/x-ndjson;charset=utf-8' };

async function sendPlain(
  { exchange, services }: RestRequest,
  tx: ReadTransaction,
  what: Asked,
  form: keyof typeof TYPES,
): Promise<void> {
  let stream: ResponseStream | undefined;
  const begin = (): ResponseStream => {
    exchange.setHeader('Content-Type', TYPES[form]);
    exchange.setHeader('Content-Disposition', `attachment; filename="events.${form}"`);
    return exchange.startStream();
  };
  if (exchange.method === 'HEAD') {
    await begin().end();
    return;
  }
  await services.analytics.answer(tx, what, (text) => {
    if (exchange.aborted) throw new NobodyThere();
    return (stream ??= begin()).write(text);
  });
  await (stream ?? begin()).end();
}

/** Of the kinds that a client accepts, the first that events have. */
function formOf(accept: string): Form {
  for (const kind of accept.toLowerCase().split(',')) {
    const name = kind.split(';')[0]?.trim();
    if (name === 'text/csv') return 'csv';
    if (name === 'application/x-ndjson' || name === 'application/ndjson') return 'ndjson';
    if (name === 'application/json' || name === '*/*' || name === 'text/html') return 'json';
  }
  return 'json';
}

/** Files of events are whole unless a page is asked for; lists end at the soft limit. */
function pageFor(request: RestRequest, page: Page | undefined, form: Form): { offset: number; limit: number } {
  const format = request.parameters.filters.find(([name]) => name === '_format')?.[1] ?? form;
  if (page === undefined && format !== 'json') return { offset: 0, limit: Infinity };
  const { offset, limit = Infinity } = window(request, page);
  return { offset, limit };
}

/** By time, unless `_sort` says otherwise. */
function sortOf(request: RestRequest): readonly SortKey[] {
  const { parameters, schema } = request;
  const type = schema.type(LOG_EVENT);
  if (type !== undefined && parameters.has('sort')) return sortKeys(request, type);
  return parameters.text('order') === 'desc' ? [{ key: 'timestamp', descending: true }] : [];
}
