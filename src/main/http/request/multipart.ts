/** `multipart/form-data` as it arrives (RFC 7578): fields are handed over whole, files as streams, in the sender's order. */
import { Dicer } from '@fastify/busboy';
import type { Readable } from 'node:stream';
import { HttpError } from '../errors.js';
import type { Exchange } from '../exchange.js';
import {
  MOST_HEADERS,
  boundaryOf,
  decoded,
  problemOf,
  partHeadOf,
  type PartHead,
  type PartHeader,
} from './part-head.js';

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

/** Longer ones are against the rule (RFC 2046, 5.1.1: 70), and looking for them takes longer. */
const LONGEST_BOUNDARY = 200;
/** Characters of a name that a message quotes. */
const QUOTED = 100;

/**
 * Reads a request's body to its end; what lies behind the last boundary does not count (RFC 2046, 5.1.1). `body`: what there is of it,
 * when somebody stands between. Throws `HttpError` 400 for what is no such body, 413 beyond the limits, and what the reader throws.
 */
export async function readMultipart(
  exchange: Exchange,
  limits: MultipartLimits,
  reader: MultipartReader,
  body = exchange.bodyStream(),
): Promise<void> {
  const parser = parserFor(exchange);
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
  const stopped = (): boolean => failure !== undefined;
  const fields = new Fields(limits, reader, stopped, fail);
  const files = new Files(limits.filesAtOnce);
  const readFile = async (
    part: Readable,
    { name, filename = '', contentType }: PartHead,
    before: Promise<void>,
  ): Promise<void> => {
    try {
      await before;
      if (!stopped()) await reader.file({ field: name, filename, contentType, bytes: part });
    } catch (error) {
      fail(error === part.errored ? new HttpError(400, 'The body ends in the middle of a file.') : error);
    } finally {
      part.resume();
    }
  };
  const open = new Set<Readable>();
  let parts = 0;
  let hasHead = true;
  parser.on('part', (part) => {
    part.on('error', () => undefined);
    part.on('close', () => open.delete(part));
    open.add(part);
    if (!hasHead) fail(headless());
    hasHead = false;
    if (++parts > limits.parts) fail(new HttpError(413, `The body has more than ${String(limits.parts)} parts.`));
    part.once('header', (header) => {
      hasHead = true;
      const problem = problemOf(header as PartHeader);
      if (problem !== undefined) fail(new HttpError(400, `The head of a part of the body ${problem}.`));
      const head = stopped() ? undefined : partHeadOf(header as PartHeader);
      if (head === undefined) part.resume();
      else if (head.filename === undefined) fields.add(head, part);
      else {
        const before = fields.all;
        files.add(() => readFile(part, head, before));
      }
    });
  });
  let isOver = false;
  parser.on('finish', () => {
    isOver = true;
    // It may owe us a word on the chunk that it ended in.
    wake?.();
    finish();
  });
  parser.on('error', (error) => {
    fail(new HttpError(400, `The body is not valid multipart/form-data: ${error.message}.`));
  });
  try {
    let size = 0;
    for await (const chunk of body) {
      size += chunk.length;
      if (size > limits.bodySize) fail(tooLarge(limits.bodySize));
      if (stopped()) break;
      if (isOver || written(parser, chunk) || stopped()) continue;
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
    if (!hasHead) fail(headless());
  }
  if (!stopped()) await fields.all;
  // Those who still read a file are told before anybody goes on.
  if (stopped()) {
    parser.destroy();
    for (const part of open) part.destroy(failure);
  }
  await files.done();
  if (failure !== undefined) throw failure;
}

/** Fields, whose values are handed over in their order when all of each has come. */
class Fields {
  /** Resolves when those that have begun until now are handed over. */
  all = Promise.resolve();
  #size = 0;

  constructor(
    private readonly limits: MultipartLimits,
    private readonly reader: MultipartReader,
    private readonly stopped: () => boolean,
    private readonly fail: (error: unknown) => void,
  ) {}

  add(head: PartHead, part: Readable): void {
    const value = this.#valueOf(head, part);
    this.all = this.all.then(async () => {
      const bytes = await value;
      if (!this.stopped()) this.#handOver(head, bytes);
    });
  }

  #valueOf({ name }: PartHead, part: Readable): Promise<Buffer> {
    const pieces: Buffer[] = [];
    const { fieldSize } = this.limits;
    let size = 0;
    part.on('data', (piece: Buffer) => {
      size += piece.length;
      if (size <= fieldSize) pieces.push(piece);
      else this.fail(new HttpError(413, `The field ${quoted(name)} is larger than ${String(fieldSize)} bytes.`));
    });
    return new Promise((resolve) => {
      part.once('close', () => {
        resolve(Buffer.concat(pieces));
      });
    });
  }

  #handOver({ name, charset }: PartHead, bytes: Buffer): void {
    const { fieldsSize } = this.limits;
    const value = decoded(bytes, charset);
    this.#size += name.length + (value?.length ?? 0);
    if (name === '') this.fail(new HttpError(400, 'A part of the body has no name.'));
    else if (value === undefined)
      this.fail(new HttpError(400, `The charset of field ${quoted(name)} is not supported.`));
    else if (this.#size > fieldsSize)
      this.fail(new HttpError(413, `The fields are larger than ${String(fieldsSize)} characters together.`));
    else {
      try {
        this.reader.field(name, value);
      } catch (error) {
        this.fail(error);
      }
    }
  }
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

/** Whether the parser takes more at once. Throws `HttpError` 400 for what it cannot read. */
function written(parser: Dicer, chunk: Buffer): boolean {
  try {
    return parser.write(chunk);
  } catch {
    // Boundaries that follow each other behind the last one.
    throw new HttpError(400, 'The body is not valid multipart/form-data.');
  }
}

function parserFor(exchange: Exchange): Dicer {
  const type = exchange.header('content-type');
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new HttpError(400, 'The request is not multipart/form-data.');
  const encoding = exchange.header('content-encoding').toLowerCase();
  if (encoding !== '' && encoding !== 'identity') {
    throw new HttpError(415, `Content-Encoding ${quoted(encoding)} is not supported in uploads.`);
  }
  const boundary = boundaryOf(type);
  if (boundary === undefined) throw new HttpError(400, 'The request is not multipart/form-data: it names no boundary.');
  if (boundary.length > LONGEST_BOUNDARY) {
    throw new HttpError(400, `The boundary of the request is longer than ${String(LONGEST_BOUNDARY)} characters.`);
  }
  return new Dicer({ boundary, maxHeaderPairs: MOST_HEADERS + 1 });
}

function headless(): HttpError {
  return new HttpError(400, 'A part of the body has no head.');
}

function tooLarge(limit: number): HttpError {
  return new HttpError(413, `The request is larger than ${String(limit)} bytes.`);
}

function quoted(text: string): string {
  return JSON.stringify(text.slice(0, QUOTED));
}
