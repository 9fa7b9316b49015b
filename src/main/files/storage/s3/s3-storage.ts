/**
 * Content in a bucket of S3 or of a server that speaks its protocol (docs/interface/files.md 9.2): `<configuration>/<file>.<key>`, so that
 * configurations may share a bucket; content that other programs wrote lies at `<file>`.
 */
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
} from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { logger } from '../../../../shared/log.js';
import { ContentMissing, FilesError } from '../../errors.js';
import type { StorageDefinition, StorageParts } from '../definition.js';
import { endpointOf } from './s3-endpoint.js';
import { call, described, isMissing, Watch } from './s3-calls.js';
import { S3Writer, type Bucket } from './s3-writer.js';
import {
  CONTENT_KEY,
  FILE_ID,
  type ByteRange,
  type ContentAbout,
  type ContentId,
  type ContentWriter,
  type Storage,
  type StoredContent,
} from '../storage.js';

const log = logger('files.s3');

/** A download whose connection broke goes on where it was, this often without getting any further. */
const RESUMES = 3;
const CONNECTIONS = 512;

export class S3Storage implements Storage {
  readonly #bucket: Bucket;

  constructor(
    readonly name: string,
    client: S3Client,
    bucket: string,
    private readonly timeout: () => number,
  ) {
    this.#bucket = { client, name: bucket, timeout, uploads: new Set() };
  }

  async write(id: ContentId, about?: ContentAbout): Promise<ContentWriter> {
    return new S3Writer(this.#bucket, this.keyOf(id), about?.path);
  }

  async *read(id: ContentId, range: ByteRange, signal?: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const { to } = range;
    let at = range.from;
    for (let failures = 0; at < to;) {
      const body = await this.#open(id, { from: at, to }, signal);
      const before = at;
      try {
        for await (const piece of timely(body, this.timeout(), signal)) {
          const wanted = piece.length > to - at ? piece.subarray(0, to - at) : piece;
          at += wanted.length;
          yield wanted;
        }
        if (at < to) throw new Error('the answer was shorter than it said');
      } catch (error) {
        signal?.throwIfAborted();
        failures = at > before ? 1 : failures + 1;
        if (failures >= RESUMES)
          throw described(error, 'read the content', error instanceof Error && error.name === 'SilenceError');
        log.debug(`the content of file ${id.file} goes on after ${String(at)} bytes`);
      } finally {
        body.destroy();
      }
    }
  }

  async remove(id: ContentId): Promise<void> {
    const { client, name } = this.#bucket;
    await call({ what: 'remove the content', timeout: this.timeout() }, (signal) =>
      client.send(new DeleteObjectCommand({ Bucket: name, Key: this.keyOf(id) }), { abortSignal: signal }),
    ).catch((error: unknown) => {
      if (!isMissing(error)) throw error;
    });
  }

  async *list(): AsyncGenerator<StoredContent, void, undefined> {
    const { client, name } = this.#bucket;
    const Prefix = `${this.name}/`;
    let token: string | undefined;
    do {
      const page = new ListObjectsV2Command({ Bucket: name, Prefix, ContinuationToken: token });
      const { Contents: objects, NextContinuationToken } = await this.#listing((signal) =>
        client.send(page, { abortSignal: signal }),
      );
      for (const { Key = '', LastModified } of objects ?? []) {
        const [file = '', key = '', ...more] = Key.slice(Prefix.length).split('.');
        if (more.length > 0 || !FILE_ID.test(file) || key === '' || !CONTENT_KEY.test(key)) continue;
        yield { file, key, modified: LastModified?.getTime() ?? Date.now() };
      }
      token = NextContinuationToken;
    } while (token !== undefined);
  }

  /** Parts of uploads that were never finished cost as much as objects, and no list shows them. */
  async clear(before: number): Promise<void> {
    const { client, name, uploads } = this.#bucket;
    let marker: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | undefined = {};
    while (marker !== undefined) {
      const page: ListMultipartUploadsCommandOutput = await this.#listing((abortSignal) =>
        client.send(new ListMultipartUploadsCommand({ Bucket: name, Prefix: `${this.name}/`, ...marker }), {
          abortSignal,
        }),
      );
      for (const { Key, UploadId = '', Initiated } of page.Uploads ?? []) {
        if (uploads.has(UploadId) || (Initiated?.getTime() ?? Date.now()) >= before) continue;
        const end = new AbortMultipartUploadCommand({ Bucket: name, Key, UploadId });
        await this.#listing((abortSignal) => client.send(end, { abortSignal }));
      }
      marker =
        page.IsTruncated === true
          ? { KeyMarker: page.NextKeyMarker, UploadIdMarker: page.NextUploadIdMarker }
          : undefined;
    }
  }

  close(): void {
    // Idle connections end; those in use have their own.
    setTimeout(() => {
      this.#bucket.client.destroy();
    }, 3_600_000).unref();
  }

  /** The name of a content in the bucket. */
  keyOf({ file, key }: ContentId): string {
    if (!FILE_ID.test(file) || !CONTENT_KEY.test(key)) {
      throw new FilesError(500, 'The id of the file cannot be the name of an object.');
    }
    return key === '' ? file : `${this.name}/${file}.${key}`;
  }

  #listing<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return call({ what: 'list the storage', timeout: this.timeout() }, work);
  }

  async #open(id: ContentId, { from, to }: ByteRange, signal: AbortSignal | undefined): Promise<Readable> {
    const Range = `bytes=${String(from)}-${String(to - 1)}`;
    const { client, name } = this.#bucket;
    try {
      return await call({ what: 'read the content', timeout: this.timeout(), signal }, async (inner) => {
        const command = new GetObjectCommand({ Bucket: name, Key: this.keyOf(id), Range });
        const { Body, ContentRange } = await client.send(command, { abortSignal: inner });
        const body = Body as Readable;
        if (from > 0 && ContentRange?.startsWith(`bytes ${String(from)}-`) !== true) {
          body.destroy();
          throw new FilesError(502, 'The storage of the file does not know ranges.');
        }
        return body;
      });
    } catch (error) {
      if (error instanceof Error && error.name === 'InvalidRange') {
        throw new FilesError(500, `The content of file ${id.file} is shorter than it should be.`);
      }
      if (!isMissing(error)) throw error;
      log.error(`the content of file ${id.file} is missing: ${this.keyOf(id)}`);
      throw new ContentMissing(id.file);
    }
  }
}

/** The pieces of a body; a server that stops sending is given up. The time a reader takes does not count. */
async function* timely(body: Readable, timeout: number, signal: AbortSignal | undefined): AsyncGenerator<Buffer> {
  const pieces = (body as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
  for (;;) {
    const watch = new Watch(timeout, signal);
    const ended = new Promise<never>((_, reject) => {
      watch.signal.addEventListener('abort', () => {
        body.destroy();
        reject(watch.signal.reason as Error);
      });
    });
    ended.catch(() => undefined);
    try {
      const next = await Promise.race([pieces.next(), ended]);
      if (next.done === true) return;
      watch.end();
      yield next.value;
    } finally {
      watch.end();
    }
  }
}

/** The storage that a definition without problems describes. */
export function createS3Storage(definition: StorageDefinition, { timeout }: StorageParts): Storage {
  return new S3Storage(definition.id, clientFor(definition), definition.entries.get('bucketName') ?? '', timeout);
}

function clientFor({ entries }: StorageDefinition): S3Client {
  const endpoint = endpointOf(entries.get('endpoint') ?? '');
  return new S3Client({
    region: entries.get('region') ?? 'us-east-1',
    // Never those of the machine: they are not the administrator's of this application to use.
    credentials: {
      accessKeyId: entries.get('accessKey') ?? '',
      secretAccessKey: entries.get('secretKey') ?? '',
    },
    ...(endpoint === undefined ? {} : { endpoint: endpoint.href, forcePathStyle: true }),
    // Attempts are counted in `call`, which knows whether the bytes can be had again.
    maxAttempts: 1,
    // Servers other than Amazon's do not know these; parts carry a Content-MD5.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      httpAgent: { maxSockets: CONNECTIONS, keepAlive: true },
      httpsAgent: { maxSockets: CONNECTIONS, keepAlive: true },
    },
  });
}
