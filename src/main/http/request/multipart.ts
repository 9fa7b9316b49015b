/** `multipart/form-data` as it arrives (RFC 7578): fields are handed over whole, files as streams, in the sender's order. */
import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { searchNatively } from './boundary-search.js';
import { HttpError } from '../errors.js';
import type { Exchange } from '../exchange.js';

/** A part with a file name. */
export interface FilePart {
  /** Name of the form's field. */
  readonly field: string;
  /** As the client sent it, with any path; empty when it sent none. */
  readonly filename: string;
  /** As the client sent it, without parameters; empty when it said nothing. */
  readonly contentType: string;
  /** The bytes; to be read to the end, or the rest of the body does not come. */
  readonly bytes: AsyncIterable<Buffer>;
}

export interface MultipartLimits {
  /** Bytes of the whole body. */
  readonly bodySize: number;
  /** Bytes of one field's value. */
  readonly fieldSize: number;
  /** Characters of all fields together. */
  readonly fieldsSize: number;
  /** Parts of either kind. */
  readonly parts: number;
  /** Files that are read at the same time; small ones arrive many at once. */
  readonly filesAtOnce: number;
}

export interface MultipartReader {
  field(name: string, value: string): void;
  /** Called in the sender's order; a later file may begin before this one is done with. */
  file(part: FilePart): Promise<void>;
}

/** Characters of a name that a message quotes. */
const QUOTED = 100;

/**
 * Reads a request's body to its end. `body`: what there is of it, when somebody stands between. Throws `HttpError` 400 for
 * what is no such body, 413 beyond the limits, and what the reader throws.
 */
export async function readMultipart(
  exchange: Exchange,
  limits: MultipartLimits,
  reader: MultipartReader,
  body = exchange.bodyStream(),
): Promise<void> {
  const parser = parserFor(exchange, limits);
  if (Number(exchange.header('content-length')) > limits.bodySize) throw tooLarge(limits.bodySize);
  let failure: Error | undefined;
  let wake: (() => void) | undefined;
  let finish: () => void = () => undefined;
  const ended = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const fail = (error: unknown): void => {
    failure ??= error instanceof Error ? error : new Error(String(error));
    // A parser whose file nobody reads to its end never comes to one.
    wake?.();
    finish();
  };
  // The parser goes on with the rest of a chunk behind the last boundary, and waits for ever for a file that begins there.
  const isOver = (): boolean => {
    const over = (parser as busboy.Busboy & { readonly _complete?: boolean })._complete === true;
    if (over) fail(new HttpError(400, 'The body has parts behind its end.'));
    return over;
  };
  let fieldsSize = 0;
  parser.on('field', (name: string | undefined, value: string | undefined, { valueTruncated }) => {
    if (isOver()) return;
    fieldsSize += (name?.length ?? 0) + (value?.length ?? 0);
    if (name === undefined) fail(new HttpError(400, 'A part of the body has no name.'));
    else if (value === undefined) fail(new HttpError(400, `The charset of field ${quoted(name)} is not supported.`));
    else if (valueTruncated)
      fail(new HttpError(413, `The field ${quoted(name)} is larger than ${String(limits.fieldSize)} bytes.`));
    else if (fieldsSize > limits.fieldsSize)
      fail(new HttpError(413, `The fields are larger than ${String(limits.fieldsSize)} characters together.`));
    else reader.field(name, value);
  });
  const files = new Files(limits.filesAtOnce);
  parser.on('file', (field: string | undefined, stream: Readable, info) => {
    stream.on('error', () => undefined);
    if (isOver()) return;
    // The parser leaves a file name away that is empty, whatever its types say.
    const filename = info.filename ?? '';
    files.add(async () => {
      try {
        if (failure === undefined)
          await reader.file({ field: field ?? '', filename, contentType: claimedType(info), bytes: stream });
      } catch (error) {
        fail(error === stream.errored ? new HttpError(400, 'The body ends in the middle of a file.') : error);
      } finally {
        stream.resume();
      }
    });
  });
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(event, () => {
      fail(new HttpError(413, `The body has more than ${String(limits.parts)} parts.`));
    });
  }
  parser.on('close', finish);
  parser.on('error', (error) => {
    fail(new HttpError(400, `The body is not valid multipart/form-data: ${(error as Error).message}.`));
  });
  const stopped = (): boolean => failure !== undefined;
  try {
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limits.bodySize) fail(tooLarge(limits.bodySize));
      if (stopped()) break;
      if (parser.write(chunk) || stopped()) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        parser.once('drain', resolve);
      });
      wake = undefined;
    }
  } catch (error) {
    fail(error);
  }
  if (!stopped()) {
    parser.end();
    await ended;
  }
  // Those who still read a file are told before anybody goes on.
  if (stopped()) parser.destroy(failure);
  await files.done();
  if (failure !== undefined) throw failure;
}

/** Files that are read, a few at once, in their order. */
class Files {
  readonly #running = new Set<Promise<void>>();
  readonly #waiting: (() => Promise<void>)[] = [];

  constructor(private readonly most: number) {}

  /** `read` must not reject. */
  add(read: () => Promise<void>): void {
    this.#waiting.push(read);
    this.#next();
  }

  async done(): Promise<void> {
    while (this.#running.size > 0) await Promise.race(this.#running);
  }

  #next(): void {
    if (this.#running.size >= this.most) return;
    const read = this.#waiting.shift();
    if (read === undefined) return;
    const running = read().finally(() => {
      this.#running.delete(running);
      this.#next();
    });
    this.#running.add(running);
  }
}

function parserFor(exchange: Exchange, { fieldSize, parts }: MultipartLimits): busboy.Busboy {
  const type = exchange.header('content-type');
  // The parser would read other forms, too.
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new HttpError(400, 'The request is not multipart/form-data.');
  const encoding = exchange.header('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    throw new HttpError(415, `Content-Encoding ${quoted(encoding)} is not supported in uploads.`);
  }
  try {
    const parser = busboy({
      headers: { 'content-type': type },
      defParamCharset: 'utf8',
      preservePath: true,
      // The parser says so with the last part that is allowed, not with the first that is not.
      limits: { fieldSize, fields: parts, files: parts, parts: parts + 1 },
    });
    searchNatively(parser);
    return parser;
  } catch (error) {
    throw new HttpError(400, `The request is not multipart/form-data: ${(error as Error).message}.`);
  }
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The request is larger than ${String(limit)} bytes.`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, QUOTED));
}

/** The parser says `application/octet-stream` where the client says nothing, which says as much. */
function claimedType({ mimeType }: busboy.FileInfo): string {
  return mimeType === 'application/octet-stream' ? '' : mimeType;
}
