/** `multipart/form-data` as it arrives (RFC 7578): fields are handed over whole, files as streams, in the sender's order. */
import busboy from 'busboy';
import type { Readable } from 'node:stream';
import { HttpError } from './errors.js';
import type { Exchange } from './exchange.js';

/** A part with a file name. */
export interface FilePart {
  /** Name of the form's field. */
  readonly field: string;
  /** As the client sent it, with any path. */
  readonly filename: string;
  /** As the client sent it, with parameters; empty when it said nothing. */
  readonly contentType: string;
  /** The bytes; to be read to the end, or the rest of the body does not come. */
  readonly bytes: AsyncIterable<Buffer>;
}

export interface MultipartLimits {
  /** Bytes of the whole body. */
  readonly bodySize: number;
  /** Bytes of one field's value. */
  readonly fieldSize: number;
  /** Parts of either kind. */
  readonly parts: number;
}

export interface MultipartReader {
  field(name: string, value: string): void;
  /** The body goes on when it resolves. */
  file(part: FilePart): Promise<void>;
}

/** Names of parts longer than this are cut by the parser; nobody has such fields. */
const NAME_SIZE = 200;
const HEADERS_PER_PART = 50;

/**
 * Reads a request's body to its end. Throws `HttpError` 400 for what is no such body, 413 beyond the limits, and what the
 * reader throws.
 */
export async function readMultipart(
  exchange: Exchange,
  limits: MultipartLimits,
  reader: MultipartReader,
): Promise<void> {
  const parser = parserFor(exchange, limits);
  let failure: unknown;
  let wake: (() => void) | undefined;
  const files = new Set<Promise<void>>();
  const fail = (error: unknown): void => {
    failure ??= error;
    wake?.();
  };
  parser.on('field', (name: string | undefined, value, { nameTruncated, valueTruncated }) => {
    if (name === undefined) fail(new HttpError(400, 'A part of the body has no name.'));
    else if (nameTruncated || valueTruncated)
      fail(
        new HttpError(413, `The field ${name.slice(0, NAME_SIZE)} is larger than ${String(limits.fieldSize)} bytes.`),
      );
    else reader.field(name, value);
  });
  parser.on('file', (field: string | undefined, stream: Readable, info) => {
    const part: FilePart = {
      field: field ?? '',
      // The parser leaves a file name away that is empty.
      filename: info.filename ?? '',
      contentType: claimedType(info),
      bytes: stream,
    };
    const reading = reader
      .file(part)
      .catch(fail)
      .finally(() => {
        files.delete(reading);
        stream.resume();
      });
    files.add(reading);
    stream.on('error', () => undefined);
  });
  for (const event of ['partsLimit', 'filesLimit', 'fieldsLimit'] as const) {
    parser.on(event, () => {
      fail(new HttpError(413, `The body has more than ${String(limits.parts)} parts.`));
    });
  }
  const ended = new Promise<void>((resolve) => {
    parser.on('close', resolve);
    parser.on('error', (error) => {
      fail(new HttpError(400, `The body is not valid multipart/form-data: ${(error as Error).message}.`));
      resolve();
    });
  });
  try {
    let size = 0;
    for await (const chunk of exchange.bodyStream()) {
      size += chunk.length;
      if (size > limits.bodySize)
        fail(new HttpError(413, `The request is larger than ${String(limits.bodySize)} bytes.`));
      if (failure !== undefined) break;
      if (parser.write(chunk)) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
        parser.once('drain', resolve);
      });
      wake = undefined;
    }
  } catch (error) {
    fail(error);
  }
  if (failure === undefined) {
    parser.end();
    await ended;
  }
  // Those who still read a file are told before anybody goes on.
  if (failure !== undefined) parser.destroy(failure instanceof Error ? failure : undefined);
  await Promise.all(files);
  if (failure !== undefined) throw failure as Error;
}

function parserFor(exchange: Exchange, { fieldSize, parts }: MultipartLimits): busboy.Busboy {
  try {
    return busboy({
      headers: { 'content-type': exchange.header('content-type') },
      defParamCharset: 'utf8',
      preservePath: true,
      limits: {
        fieldNameSize: NAME_SIZE,
        fieldSize,
        fields: parts,
        files: parts,
        parts,
        headerPairs: HEADERS_PER_PART,
      },
    });
  } catch (error) {
    throw new HttpError(400, `The request is not multipart/form-data: ${(error as Error).message}.`);
  }
}

/** The parser says `application/octet-stream` where the client says nothing, which says as much. */
function claimedType({ mimeType }: busboy.FileInfo): string {
  return mimeType === 'application/octet-stream' ? '' : mimeType;
}
