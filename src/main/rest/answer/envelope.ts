/** The result envelope (contract, Result envelope; docs/interface/lists.md 2.1). */
import type { GraphEntity, ReadTransaction } from '../../graph/index.js';
import type { ResponseStream } from '../../http/index.js';
import type { JsonValue } from '../../../shared/json/index.js';
import { jsonText, JsonOut, Renderer, type RenderOptions, type Sink } from '../../schema/index.js';
import { memoryOf, type RestRequest } from '../context.js';
import { explain, explains } from '../read.js';
import { closingOf, JSON_HEADERS, openingOf, type Totals } from './frame.js';
import { HTML_LIMIT, htmlPage } from './html.js';

/** No client reads deeper than this; a chain of objects must not fill memory. */
const MAX_DEPTH = 256;

/** Ends the work on an answer that nobody waits for any more: the client is gone, or it asked for the headers alone. */
export class NobodyThere extends Error {
  override readonly name = 'NobodyThere';
}

/** Characters of an answer up to which it is sent as a whole. */
const WHOLE = 128 * 1024;

/** Characters that wait until all is read, where it may have to be read again. */
const MOST_WAITING = 1024 * 1024;

/** What a long list keeps while it leaves in pieces, beside large objects: the objects that were read ahead, and the text of some. */
const AHEAD_BYTES = 1024 * 1024;
/** What zlib keeps for an answer that it compresses on its way. */
const GZIP_BYTES = 256 * 1024;

/** Elements of one array beyond which nothing is written (docs/interface/lists.md 1.8); infinite without the soft limit. */
export function arrayLimit(request: Pick<RestRequest, 'parameters' | 'settings'>): number {
  if (request.parameters.has('disableSoftLimit')) return Number.POSITIVE_INFINITY;
  return Math.max(request.settings.softLimit, request.parameters.integer('pageSize', 0));
}

/** How this request wants objects written. */
export function renderOptions(
  request: Pick<RestRequest, 'settings' | 'parameters' | 'schema' | 'access' | 'actor' | 'view'> & {
    readonly missing?: RestRequest['missing'];
    readonly exchange: Pick<RestRequest['exchange'], 'header'>;
  },
  tx: ReadTransaction,
): RenderOptions {
  const { settings, parameters, exchange } = request;
  const nulls = parameters.text('serializeNulls');
  const accept = exchange.header('accept');
  const only = accept === '' ? undefined : /;\s*properties=([0-9a-zA-Z_,-]+)$/.exec(accept)?.[1];
  const range = exchange.header('range');
  return {
    schema: request.schema,
    tx,
    access: request.access,
    actor: request.actor,
    // Administrators may pick any property, whatever the view (docs/interface/lists.md 2.4).
    view: only !== undefined && request.actor.isAdmin ? 'all' : request.view,
    missing: request.missing,
    nestingDepth: Math.min(MAX_DEPTH, Math.max(0, parameters.integer('outputNestingDepth', settings.outputDepth))),
    reductionDepth: parameters.integer('outputReductionDepth', settings.reductionDepth),
    reduceRepeated: settings.reduceRepeated,
    serializeNulls: nulls === undefined || nulls.toLowerCase() !== 'false',
    arrayLimit: arrayLimit(request),
    ...(only === undefined ? {} : { onlyKeys: new Set(only.split(',')) }),
    ...(range === '' ? {} : { slices: parseSlices(range) }),
  };
}

/** `tasks=0-10;members=5-8`, end exclusive; what cannot be read is left out. */
function parseSlices(header: string): Map<string, { from: number; to: number }> {
  const slices = new Map<string, { from: number; to: number }>();
  for (const part of header.split(';')) {
    const match = /^\s*(\w[\w-]*)=(\d{1,9})-(\d{1,9})(\/\w+)?\s*$/.exec(part);
    if (match?.[1] !== undefined) slices.set(match[1], { from: Number(match[2]), to: Number(match[3]) });
  }
  return slices;
}

/** Builds one envelope; text leaves in pieces when the result is large. */
export class Envelope implements Sink {
  readonly out: JsonOut;
  /** What is written is a long list, which is read ahead of what leaves. */
  readsAhead = false;
  private stream: ResponseStream | undefined;
  /** Pieces that may have to be made again. */
  private waiting: string[] = [];
  private waitingLength = 0;
  private allRead = false;
  private readonly separator: string;

  /** `bare`: without the envelope, for methods with a raw result; to be ended by `endBare`. */
  constructor(
    private readonly request: RestRequest,
    bare = false,
  ) {
    const indent = request.settings.indent && !request.parameters.has('parallelizeJsonOutput');
    this.out = new JsonOut(indent, this, request.settings.outputTimeout);
    this.separator = indent ? ': ' : ':';
    if (!bare) this.out.text = openingOf(indent);
  }

  /** For `JsonOut`. */
  async write(text: string): Promise<void> {
    if (text === '') return;
    const { exchange } = this.request;
    if (exchange.aborted) throw new NobodyThere();
    if (this.waits(text)) return;
    if (this.stream === undefined) {
      this.request.missing?.confirm();
      await this.request.reading?.confirm?.();
    }
    this.stream ??= this.open();
    if (exchange.method === 'HEAD') {
      await this.stream.end();
      throw new NobodyThere();
    }
    const before = this.waiting;
    this.waiting = [];
    for (const piece of before) {
      await this.stream.write(piece);
      memoryOf(this.request).leaveBytes(piece.length);
    }
    await this.stream.write(text);
  }

  /** Keeps a piece as long as others may have to be read that are of the same state. */
  private waits(text: string): boolean {
    const { request } = this;
    if (this.stream !== undefined || this.allRead || request.exchange.method === 'HEAD') return false;
    this.waitingLength += text.length;
    const mayBeAgain = request.reading?.confirm !== undefined || request.missing?.some === true;
    if (!mayBeAgain || this.waitingLength > MOST_WAITING) return false;
    memoryOf(request).keepBytes(text.length);
    this.waiting.push(text);
    return true;
  }

  /** For `JsonOut`. */
  keeps(what: GraphEntity | number): void {
    const memory = memoryOf(this.request);
    if (typeof what === 'number') memory.keepBytes(what);
    else memory.keep(what);
  }

  /** For `JsonOut`. */
  leaves(what: GraphEntity | number): void {
    const memory = memoryOf(this.request);
    if (typeof what === 'number') memory.leaveBytes(what);
    else memory.leave(what);
  }

  /** Sends what was written without an envelope around it. */
  async endBare(): Promise<void> {
    this.out.text += '\n';
    await this.send();
  }

  /** Appends a key with JSON text as its value. */
  key(name: string, json: string): void {
    this.out.text += `,${this.out.newline(1)}"${name}"${this.separator}${json}`;
  }

  /** Ends the envelope and sends it. `queryTime` is left out for anything but GET. */
  async end(
    rendered: number,
    queryTime: number | undefined,
    totals: Totals | undefined,
    page?: { page: number; size: number },
  ): Promise<void> {
    const written = performance.now();
    const { out, request } = this;
    const { softLimit } = request.settings;
    const isCut = rendered === softLimit && !request.parameters.has('disableSoftLimit');
    out.text += closingOf(out.indent, {
      page,
      queryTime,
      softLimit: isCut ? softLimit : undefined,
      totals,
      // What is left.
      serializationTime: Math.max(0, written - request.startedAt - (queryTime ?? 0) - (totals?.countTime ?? 0)),
    });
    await this.send();
  }

  private async send(): Promise<void> {
    const { exchange } = this.request;
    const { out } = this;
    if (exchange.aborted) return;
    if (this.stream === undefined) this.request.missing?.confirm();
    const confirming = this.stream === undefined ? this.request.reading?.confirm?.() : undefined;
    if (confirming !== undefined) await confirming;
    this.allRead = true;
    if (this.stream === undefined && this.waiting.length === 0 && out.whole) {
      if (
        exchange.method === 'GET' &&
        out.text.length < HTML_LIMIT &&
        exchange.header('accept').includes('text/html')
      ) {
        exchange.setHeader('Content-Type', 'text/html;charset=utf-8');
        exchange.end(await htmlPage(exchange.path, out.text));
        return;
      }
      if (out.text.length <= WHOLE) {
        exchange.setHeaders(JSON_HEADERS);
        exchange.end(out.text);
        return;
      }
    }
    // It is kept until the client has taken the last piece.
    const { length } = out.text;
    if (length > WHOLE) memoryOf(this.request).keepBytes(length);
    await out.flush();
    await this.stream?.end();
  }

  private open(): ResponseStream {
    const { exchange } = this.request;
    const packs = exchange.header('accept-encoding').includes('gzip');
    memoryOf(this.request).keepBytes((this.readsAhead ? AHEAD_BYTES : 0) + (packs ? GZIP_BYTES : 0));
    exchange.setHeaders(JSON_HEADERS);
    return exchange.startStream();
  }
}

/** Sends one object, or a list that is there already, in the view of the URL. */
export async function sendEntities(
  request: RestRequest,
  tx: ReadTransaction,
  result: GraphEntity | readonly GraphEntity[],
  queryTime: number | undefined,
): Promise<void> {
  const envelope = new Envelope(request);
  const renderer = new Renderer(envelope.out, renderOptions(request, tx));
  const list = Array.isArray(result) ? (result as readonly GraphEntity[]) : undefined;
  if (explains(request)) await explain(request, tx, list ?? [result as GraphEntity]);
  let count = 1;
  if (list !== undefined) count = await renderer.list([list], 1);
  else {
    const entity = result as GraphEntity;
    if (renderer.isPlain(entity)) renderer.rootSync(entity, 1);
    else await renderer.root(entity, 1);
  }
  await envelope.end(list === undefined ? -1 : count, queryTime, { count: { count, exact: true }, countTime: 0 });
}

/** Sends a plain value as the result. */
export async function sendValue(
  request: RestRequest,
  result: JsonValue,
  count: number,
  queryTime?: number,
): Promise<void> {
  const envelope = new Envelope(request);
  envelope.out.text += prettyJson(result, envelope.out, 1);
  await envelope.end(-1, queryTime, { count: { count, exact: true }, countTime: 0 });
}

/** Sends the empty result of a write; the facts count it as one (docs/interface/lists.md 2.2). */
export async function sendEmpty(request: RestRequest): Promise<void> {
  const envelope = new Envelope(request);
  envelope.out.text += '[]';
  await envelope.end(-1, undefined, { count: { count: 1, exact: true }, countTime: 0 });
}

/** Sends an empty result that counts as none. */
export async function sendNone(request: RestRequest): Promise<void> {
  const envelope = new Envelope(request);
  envelope.out.text += '[]';
  await envelope.end(-1, undefined, { count: { count: 0, exact: true }, countTime: 0 });
}

function prettyJson(value: JsonValue, out: JsonOut, level: number): string {
  if (value === null || typeof value !== 'object') return jsonText(value);
  const nl = out.newline(level + 1);
  const end = out.newline(level);
  if (Array.isArray(value)) {
    return value.length === 0 ? '[]' : `[${value.map((v) => nl + prettyJson(v, out, level + 1)).join(',')}${end}]`;
  }
  const keys = Object.keys(value);
  const colon = out.indent ? ': ' : ':';
  return keys.length === 0
    ? '{}'
    : `{${keys.map((k) => nl + JSON.stringify(k) + colon + prettyJson(value[k] ?? null, out, level + 1)).join(',')}${end}}`;
}
