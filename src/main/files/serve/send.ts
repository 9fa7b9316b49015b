/** Sends the content of a file: the whole, parts of it, or as text (docs/interface/files.md 5.3 to 5.7). */
import { randomBytes } from 'node:crypto';
import type { Exchange, PreparedHeaders } from '../../http/index.js';
import { acceptedCodings, packed } from './coding.js';
import { conditionOf, rangeHolds } from './conditions.js';
import type { Contents } from '../content/content.js';
import { attachment } from './disposition.js';
import type { FileState } from './file-state.js';
import { rangesOf } from './ranges.js';
import type { SmallFiles } from '../content/small-files.js';
import type { ByteRange } from '../storage/storage.js';

const BASE64_PIECE = 3 * 64 * 1024;

/** What sending needs. */
export interface Sender {
  readonly contents: Contents;
  readonly small: SmallFiles;
  /** Text may be compressed on its way (`httpservice.gzip.enabled`). */
  readonly gzip: boolean;
}

/** Answers a request for a file that may be read by whoever asks. Headers are set when nothing can fail any more. */
export function send(sender: Sender, exchange: Exchange, state: FileState): void | Promise<void> {
  // Of other methods a range means nothing (RFC 9110, 14.2).
  const asked = exchange.method === 'GET' ? exchange.header('range') : '';
  const parameters = exchange.query === '' ? undefined : new URLSearchParams(exchange.query);
  const asText = parameters?.has('_as-data-url') === true;
  const pack =
    sender.gzip &&
    state.compressible &&
    asked === '' &&
    !asText &&
    acceptedCodings(exchange.header('accept-encoding')).gzip;
  const condition = conditionOf(exchange, state.validators);
  if (condition === 304) {
    exchange.status = 304;
    head(exchange, state, pack ? state.packedUnchanged : state.unchanged);
    exchange.end();
    return;
  }
  if (condition === 412) {
    exchange.status = 412;
    exchange.setHeader('ETag', state.validators.etag);
    exchange.end();
    return;
  }
  const filename = parameters?.get('_filename') ?? '';
  const disposition = filename === '' ? undefined : attachment(filename);
  if (asText) return sendText(sender, exchange, state, disposition);
  const ranges = asked !== '' && rangeHolds(exchange, state.validators) ? rangesOf(asked, state.size) : undefined;
  if (ranges === undefined) return sendWhole(sender, exchange, state, pack, disposition);
  const [first] = ranges;
  if (first === undefined) {
    exchange.setHeader('Content-Range', `bytes */${String(state.size)}`);
    exchange.status = 416;
    exchange.end();
    return;
  }
  if (ranges.length > 1) return sendRanges(sender, exchange, state, ranges, disposition);
  const begin = (): void => {
    exchange.status = 206;
    head(exchange, state, state.whole, disposition);
    exchange.setHeader('Content-Range', contentRange(first, state.size));
  };
  return stream(exchange, sender.contents.stream(state.stored, first, exchange.signal), first.to - first.from, begin);
}

function head(exchange: Exchange, state: FileState, headers: PreparedHeaders, disposition?: string): void {
  exchange.setHeaders(headers);
  if (state.expires !== undefined) exchange.setHeader('Expires', state.expires(Date.now()));
  if (disposition !== undefined) exchange.setHeader('Content-Disposition', disposition);
}

function sendWhole(
  { contents, small }: Sender,
  exchange: Exchange,
  state: FileState,
  pack: boolean,
  disposition: string | undefined,
): void | Promise<void> {
  const { size, stored } = state;
  if (exchange.method === 'HEAD') {
    head(exchange, state, pack ? state.packed : state.whole, disposition);
    if (!pack) {
      exchange.setHeader('Content-Length', String(size));
      exchange.end();
      return;
    }
    // How long it will be is known when it has been made.
    return exchange.startStream().end();
  }
  if (size === 0) {
    head(exchange, state, state.whole, disposition);
    exchange.end();
    return;
  }
  if (size > small.largest) {
    const begin = (): void => {
      head(exchange, state, state.whole, disposition);
    };
    return stream(exchange, contents.stream(stored, { from: 0, to: size }, exchange.signal), size, begin);
  }
  const finish = (content: Buffer): void => {
    head(exchange, state, pack ? state.packed : state.whole, disposition);
    exchange.end(content, true);
  };
  const name = pack ? `${state.content} gzip` : state.content;
  const ready = small.get(name);
  if (ready !== undefined) {
    finish(ready);
    return;
  }
  const load = (): Promise<Buffer> => contents.readWhole(stored);
  const plain = (): Promise<Buffer> => small.load(state.content, load);
  return (pack ? small.load(name, async () => packed(await plain())) : plain()).then(finish);
}

/** `begin` sets the headers, when there is something to send. */
async function stream(
  exchange: Exchange,
  bytes: AsyncIterable<Buffer>,
  length: number,
  begin: () => void,
): Promise<void> {
  // The first piece before the head: what cannot be read is an error, not a broken answer.
  let out;
  for await (const piece of bytes) {
    if (out === undefined) {
      begin();
      out = exchange.startStream(length);
    }
    await out.write(piece);
    if (exchange.aborted) return;
  }
  await out?.end();
}

function sendRanges(
  { contents }: Sender,
  exchange: Exchange,
  state: FileState,
  ranges: readonly ByteRange[],
  disposition: string | undefined,
): Promise<void> {
  const boundary = randomBytes(16).toString('hex');
  const heads = ranges.map((range) =>
    Buffer.from(
      `\r\n--${boundary}\r\nContent-Type: ${state.type}\r\nContent-Range: ${contentRange(range, state.size)}\r\n\r\n`,
    ),
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const length = ranges.reduce((sum, { from, to }, i) => sum + to - from + (heads[i]?.length ?? 0), end.length);
  const parts = async function* (): AsyncGenerator<Buffer> {
    for (const [i, range] of ranges.entries()) {
      yield heads[i] ?? end;
      yield* contents.stream(state.stored, range, exchange.signal);
    }
    yield end;
  };
  return stream(exchange, parts(), length, () => {
    exchange.status = 206;
    head(exchange, state, state.whole, disposition);
    exchange.setHeader('Content-Type', `multipart/byteranges; boundary=${boundary}`);
  });
}

function contentRange({ from, to }: ByteRange, size: number): string {
  return `bytes ${String(from)}-${String(to - 1)}/${String(size)}`;
}

/** `_as-data-url`: the content as base64 on one line (docs/interface/files.md 5.3). */
async function sendText(
  { contents }: Sender,
  exchange: Exchange,
  state: FileState,
  disposition: string | undefined,
): Promise<void> {
  const length = Math.ceil(state.size / 3) * 4;
  const begin = (): void => {
    head(exchange, state, state.unchanged, disposition);
    exchange.setHeader('Content-Type', 'text/plain');
    exchange.setHeader('X-Content-Type-Options', 'nosniff');
    // It may be compressed on its way.
    exchange.vary('Accept-Encoding');
  };
  if (exchange.method === 'HEAD' || length === 0) {
    begin();
    exchange.setHeader('Content-Length', String(length));
    exchange.end();
    return;
  }
  const encoded = async function* (): AsyncGenerator<Buffer> {
    let rest: Buffer = Buffer.alloc(0);
    for await (const piece of contents.read(state.stored, { from: 0, to: state.size }, exchange.signal)) {
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
  return stream(exchange, encoded(), length, begin);
}
