/** Files at their virtual path and by UUID (contract, Upload 3; files.md 4). */
import type { GraphNode } from '../graph/index.js';
import { HttpError, type Exchange, type Handler } from '../http/index.js';
import { readable, type Actor, type ObjectAccess } from '../schema/index.js';
import { isActive } from './content-type.js';
import { placeOfContent, sizeOf } from './content.js';
import { conditionOf, rangeHolds, type Validators } from './conditions.js';
import type { FilesContext } from './context.js';
import { attachment } from './disposition.js';
import { rangesOf } from './ranges.js';
import { SmallFiles } from './small-files.js';
import type { ByteRange } from './storage/storage.js';

const METHODS = 'GET,HEAD,OPTIONS';
const BASE64_PIECE = 3 * 64 * 1024;
const MB = 1024 * 1024;

/** Handler of all paths that belong to no other room. */
export function createServe(context: FilesContext): Handler {
  const small = new SmallFiles(context.config.get('application.filesystem.cache.size') * MB);
  return async (exchange) => {
    try {
      await serve(context, small, exchange);
    } catch (error) {
      context.sendError(exchange, error);
    }
  };
}

async function serve(context: FilesContext, small: SmallFiles, exchange: Exchange): Promise<void> {
  const { method } = exchange;
  if (method === 'OPTIONS') {
    exchange.setHeader('Allow', METHODS);
    exchange.end();
    return;
  }
  // A form may be sent to a file: it is answered like any other request for it.
  if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
    throw new HttpError(405, `${method} not allowed on files`, { Allow: METHODS });
  }
  const path = decodedPath(exchange.path);
  const authenticated = context.security.authentication.authenticate(exchange);
  const actor = authenticated instanceof Promise ? await authenticated : authenticated;
  const rules = context.security.objectAccess.of(actor);
  const access = rules instanceof Promise ? await rules : rules;
  const file = await find(context, path, actor, access);
  if (file === undefined) throw new HttpError(404, `There is no file at ${path}.`);
  await send(context, small, exchange, file);
}

/** `/svc/html` is the long form of every path. Throws `HttpError` 400 for what is no path. */
function decodedPath(path: string): string {
  let decoded: string;
  try {
    decoded = path.includes('%') ? decodeURIComponent(path) : path;
  } catch {
    throw new HttpError(400, 'The path has a broken percent escape.');
  }
  if (decoded.includes('\0')) throw new HttpError(400, 'The path has a character that no path has.');
  return decoded.startsWith('/svc/html/') ? decoded.slice('/svc/html'.length) : decoded;
}

/** The file at a path, when it and every folder above may be read; or the one with this UUID. */
async function find(
  context: FilesContext,
  path: string,
  actor: Actor,
  access: ObjectAccess,
): Promise<GraphNode | undefined> {
  const { graph, schemas, tree, write } = context;
  // A path is one: no slash at its end, none doubled, and dots are names that nothing has.
  if (path.endsWith('/') || path.includes('//')) return undefined;
  const isFile = (node: GraphNode | undefined): node is GraphNode =>
    node !== undefined && schemas.schema.typeOf(node).hasTrait('File') && node.properties['hidden'] !== true;
  const known = tree.known(path);
  if (known !== undefined && access.rule('read') === undefined) {
    const file = known.at(-1);
    return isFile(file) ? file : undefined;
  }
  return graph.read(async (tx) => {
    const chain = known ?? (await tree.find(tx, path));
    if (chain !== undefined) {
      const file = chain.at(-1);
      if (!isFile(file)) return undefined;
      return (await readable(tx, access, chain)).length === chain.length ? file : undefined;
    }
    const id = path.slice(1);
    if (!write().idPattern.test(id)) return undefined;
    const node = await tx.node(id);
    return isFile(node) && (await readable(tx, access, [node])).length > 0 ? node : undefined;
  });
}

async function send(context: FilesContext, small: SmallFiles, exchange: Exchange, file: GraphNode): Promise<void> {
  const { properties } = file;
  if (properties['isTemplate'] === true) {
    throw new HttpError(501, 'The content of this file is to be evaluated, which this version cannot do yet.');
  }
  const parameters = exchange.query === '' ? undefined : new URLSearchParams(exchange.query);
  const size = sizeOf(file);
  const validators = validatorsOf(file);
  exchange.setHeader('ETag', validators.etag);
  exchange.setHeader('Last-Modified', new Date(validators.modified).toUTCString());
  cacheHeaders(exchange, file);
  const condition = conditionOf(exchange, validators);
  if (condition !== 200) {
    exchange.status = condition;
    if (condition === 304) exchange.setHeader('Vary', 'Accept-Encoding');
    exchange.end();
    return;
  }
  const type = typeof properties['contentType'] === 'string' ? properties['contentType'] : '';
  const filename = parameters?.get('_filename');
  if (filename !== undefined && filename !== null && filename !== '') {
    exchange.setHeader('Content-Disposition', attachment(filename));
  }
  if (parameters?.has('_as-data-url') === true) {
    await sendBase64(context, exchange, file, size);
    return;
  }
  exchange.setHeader('Content-Type', headerType(type));
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
  exchange.setHeader('Accept-Ranges', 'bytes');
  // What users have uploaded must not act with the session of whoever looks at it.
  if (properties['sandboxed'] === true && isActive(type)) exchange.setHeader('Content-Security-Policy', 'sandbox');
  const asked = exchange.header('range');
  const ranges = asked !== '' && rangeHolds(exchange, validators) ? rangesOf(asked, size) : undefined;
  if (ranges === undefined) await sendWhole(context, small, exchange, file, size);
  else if (ranges.length === 0) {
    exchange.setHeader('Content-Range', `bytes */${String(size)}`);
    exchange.status = 416;
    exchange.end();
  } else await sendRanges(context, exchange, file, size, ranges, headerType(type));
}

/** A content type that can be in a header; stored ones may be anything. */
function headerType(type: string): string {
  if (type === '' || /[^ -~]/.test(type)) return 'application/octet-stream';
  return /^(?:text\/|application\/javascript)/i.test(type) && !/charset=/i.test(type) ? `${type};charset=utf-8` : type;
}

/** By checksum and size: the same after a restart, on every instance, and for every copy. */
function validatorsOf({ properties }: GraphNode): Validators {
  const { checksum, size, version, lastModifiedDate, fileModificationDate } = properties;
  const modified = typeof lastModifiedDate === 'number' ? lastModifiedDate : Number(fileModificationDate ?? 0);
  const content =
    typeof checksum === 'number' || typeof checksum === 'bigint'
      ? BigInt.asUintN(64, BigInt(checksum)).toString(16)
      : `${String(version)}-${String(fileModificationDate ?? modified)}`;
  return { etag: `"${content}-${String(size ?? 0)}"`, modified: Math.round(modified / 1000) * 1000 };
}

function cacheHeaders(exchange: Exchange, { properties }: GraphNode): void {
  const { dontCache, cacheForSeconds } = properties;
  if (dontCache === true) {
    exchange.setHeader(
      'Cache-Control',
      'private, no-cache, no-store, max-age=0, s-maxage=0, must-revalidate, proxy-revalidate',
    );
  } else if (typeof cacheForSeconds === 'number') {
    const seconds = String(Math.max(0, cacheForSeconds));
    exchange.setHeader('Cache-Control', `max-age=${seconds}, s-maxage=${seconds}`);
    exchange.setHeader('Expires', new Date(Date.now() + Math.max(0, cacheForSeconds) * 1000).toUTCString());
  } else exchange.setHeader('Cache-Control', 'no-cache, must-revalidate, proxy-revalidate');
}

async function sendWhole(
  { contents }: FilesContext,
  small: SmallFiles,
  exchange: Exchange,
  file: GraphNode,
  size: number,
): Promise<void> {
  if (exchange.method === 'HEAD') {
    exchange.setHeader('Content-Length', String(size));
    exchange.end();
  } else if (size === 0) exchange.end();
  else if (size <= small.largest) {
    const { key, store } = placeOfContent(file);
    const name = `${file.id} ${key} ${store}`;
    let content = small.get(name);
    if (content === undefined) small.set(name, (content = await contents.readWhole(file)));
    exchange.end(content);
  } else await stream(exchange, contents.read(file, { from: 0, to: size }, exchange.signal), size);
}

async function stream(exchange: Exchange, bytes: AsyncIterable<Buffer>, length: number): Promise<void> {
  // The first piece before the head: what cannot be read is an error, not a broken answer.
  let out;
  for await (const piece of bytes) {
    out ??= exchange.startStream(length);
    await out.write(piece);
    if (exchange.aborted) return;
  }
  await out?.end();
}

async function sendRanges(
  { contents }: FilesContext,
  exchange: Exchange,
  file: GraphNode,
  size: number,
  ranges: readonly ByteRange[],
  type: string,
): Promise<void> {
  exchange.status = 206;
  const [first] = ranges;
  if (first === undefined) return;
  if (ranges.length === 1) {
    exchange.setHeader('Content-Range', contentRange(first, size));
    if (exchange.method === 'HEAD') {
      exchange.setHeader('Content-Length', String(first.to - first.from));
      exchange.end();
    } else await stream(exchange, contents.read(file, first, exchange.signal), first.to - first.from);
    return;
  }
  const boundary = `${file.id}${Date.now().toString(36)}`;
  exchange.setHeader('Content-Type', `multipart/byteranges; boundary=${boundary}`);
  const heads = ranges.map((range) =>
    Buffer.from(`\r\n--${boundary}\r\nContent-Type: ${type}\r\nContent-Range: ${contentRange(range, size)}\r\n\r\n`),
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = ranges.reduce((sum, { from, to }, i) => sum + to - from + (heads[i]?.length ?? 0), end.length);
  if (exchange.method === 'HEAD') {
    exchange.setHeader('Content-Length', String(length));
    exchange.end();
    return;
  }
  const parts = async function* (): AsyncGenerator<Buffer> {
    for (const [i, range] of ranges.entries()) {
      yield heads[i] ?? end;
      yield* contents.read(file, range, exchange.signal);
    }
    yield end;
  };
  await stream(exchange, parts(), length);
}

function contentRange({ from, to }: ByteRange, size: number): string {
  return `bytes ${String(from)}-${String(to - 1)}/${String(size)}`;
}

/** `_as-data-url`: the content as base64 on one line (files.md 4.4). */
async function sendBase64(
  { contents }: FilesContext,
  exchange: Exchange,
  file: GraphNode,
  size: number,
): Promise<void> {
  exchange.setHeader('Content-Type', 'text/plain');
  const length = Math.ceil(size / 3) * 4;
  if (exchange.method === 'HEAD' || size === 0) {
    exchange.setHeader('Content-Length', String(length));
    exchange.end();
    return;
  }
  const encoded = async function* (): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const piece of contents.read(file, { from: 0, to: size }, exchange.signal)) {
      const bytes = rest.length === 0 ? piece : Buffer.concat([rest, piece]);
      // Whole groups of three bytes: only the last group is padded.
      const whole = bytes.length - (bytes.length % 3);
      for (let at = 0; at < whole; at += BASE64_PIECE) {
        yield Buffer.from(bytes.toString('base64', at, Math.min(whole, at + BASE64_PIECE)), 'latin1');
      }
      rest = bytes.subarray(whole);
    }
    if (rest.length > 0) yield Buffer.from(rest.toString('base64'), 'latin1');
  };
  await stream(exchange, encoded(), length);
}
