/** Content on its way into a bucket: in parts while it arrives, or whole when it is small. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import { logger } from '../../../../shared/log.js';
import { FilesError } from '../../errors.js';
import { PartBuffer } from './part-buffer.js';
import { call, isMissing } from './s3-calls.js';
import type { ContentWriter } from '../storage.js';

const log = logger('files.s3');

/** Size of the first parts. There are 10,000 at most, so that later ones grow. */
const PART = 8 * 1024 * 1024;
const SAME_SIZE = 1000;
/** Parts of one content that are on their way at the same time. */
const AT_ONCE = 2;
/** Servers put the parts together before they answer: that may take so many times longer than other requests. */
const COMPLETING = 4;
/** Metadata is limited to 2 KB in all. */
const PATH_LENGTH = 1024;

/** Milliseconds that an upload which has failed waits until what it left is removed. */
const PATIENCE = 2000;

/** What writers and readers of one bucket share. */
export interface Bucket {
  readonly client: S3Client;
  readonly name: string;
  /** Milliseconds that the server may be silent. */
  readonly timeout: () => number;
  /** Ids of uploads in parts that are going on here. */
  readonly uploads: Set<string>;
}

export class S3Writer implements ContentWriter {
  #part = new PartBuffer();
  #size = 0;
  #upload: Promise<string> | undefined;
  #uploadId: string | undefined;
  readonly #parts: CompletedPart[] = [];
  readonly #onTheWay = new Set<Promise<void>>();
  readonly #end = new AbortController();
  #failure: unknown;
  #finished = false;

  constructor(
    private readonly bucket: Bucket,
    private readonly key: string,
    private readonly path: string | undefined,
  ) {}

  async write(chunk: Buffer): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      this.#check();
      const room = PART * 2 ** Math.floor(this.#parts.length / SAME_SIZE) - this.#part.size;
      const piece = chunk.subarray(at, at + room);
      await this.#part.add(piece);
      at += piece.length;
      if (piece.length === room) await this.#send();
    }
    this.#size += chunk.length;
  }

  async finish(): Promise<void> {
    if (this.#parts.length === 0) await this.#putWhole();
    else {
      if (this.#part.size > 0) await this.#send();
      while (this.#onTheWay.size > 0) await Promise.race(this.#onTheWay);
      this.#check();
      await this.#complete();
    }
    this.#finished = true;
  }

  async discard(): Promise<void> {
    this.#end.abort(new FilesError(500, 'The upload was given up.'));
    await Promise.all(this.#onTheWay);
    await this.#part.release();
    // A server that does not answer would hold up whoever is to be told so.
    await Promise.race([this.#cleanUp(), sleep(PATIENCE, undefined, { ref: false })]);
  }

  async #cleanUp(): Promise<void> {
    const { client, name, uploads } = this.bucket;
    const where = { Bucket: name, Key: this.key };
    try {
      if (this.#finished) {
        await this.#call('remove the content', (abortSignal) =>
          client.send(new DeleteObjectCommand(where), { abortSignal }),
        );
      } else if (this.#upload !== undefined) {
        const UploadId = await this.#upload.catch(() => undefined);
        if (UploadId === undefined) return;
        await this.#call('end an upload', (abortSignal) =>
          client.send(new AbortMultipartUploadCommand({ ...where, UploadId }), { abortSignal }),
        );
      }
    } catch (error) {
      if (!isMissing(error)) log.warn(`what was uploaded to ${this.key} is left to the sweep`, error);
    } finally {
      if (this.#uploadId !== undefined) uploads.delete(this.#uploadId);
    }
  }

  /** The part that is full leaves; waits while enough are on their way. */
  async #send(): Promise<void> {
    const part = this.#part;
    this.#part = new PartBuffer();
    const number = this.#parts.length + 1;
    this.#parts.push({ PartNumber: number });
    const sending = this.#sendPart(part, number)
      .catch((error: unknown) => {
        this.#failure ??= error;
      })
      .finally(async () => {
        this.#onTheWay.delete(sending);
        await part.release();
      });
    this.#onTheWay.add(sending);
    while (this.#onTheWay.size >= AT_ONCE) await Promise.race(this.#onTheWay);
  }

  async #sendPart(part: PartBuffer, number: number): Promise<void> {
    this.#upload ??= this.#begin();
    const UploadId = await this.#upload;
    const input = {
      Bucket: this.bucket.name,
      Key: this.key,
      UploadId,
      PartNumber: number,
      ContentLength: part.size,
      ContentMD5: part.md5(),
    };
    const { ETag } = await this.#call('store the content', (abortSignal, alive) =>
      this.bucket.client.send(new UploadPartCommand({ ...input, Body: part.body(alive) }), { abortSignal }),
    );
    this.#parts[number - 1] = { PartNumber: number, ETag };
  }

  async #begin(): Promise<string> {
    const command = new CreateMultipartUploadCommand({ Bucket: this.bucket.name, Key: this.key, ...this.#metadata() });
    const { UploadId = '' } = await this.#call('store the content', (abortSignal) =>
      this.bucket.client.send(command, { abortSignal }),
    );
    this.#uploadId = UploadId;
    this.bucket.uploads.add(UploadId);
    return UploadId;
  }

  async #putWhole(): Promise<void> {
    const part = this.#part;
    try {
      const input = {
        Bucket: this.bucket.name,
        Key: this.key,
        ContentLength: part.size,
        ContentMD5: part.md5(),
        ...this.#metadata(),
      };
      await this.#call('store the content', (abortSignal, alive) =>
        this.bucket.client.send(new PutObjectCommand({ ...input, Body: part.body(alive) }), { abortSignal }),
      );
    } finally {
      await part.release();
    }
  }

  async #complete(): Promise<void> {
    const { client, name, uploads } = this.bucket;
    const UploadId = this.#uploadId ?? '';
    const where = { Bucket: name, Key: this.key };
    const command = new CompleteMultipartUploadCommand({ ...where, UploadId, MultipartUpload: { Parts: this.#parts } });
    const work = async (abortSignal: AbortSignal, alive: () => void, attempt: number): Promise<void> => {
      try {
        await client.send(command, { abortSignal });
      } catch (error) {
        // The answer to the first attempt may have been lost after it had succeeded.
        if (attempt === 1 || !isMissing(error)) throw error;
        alive();
        const { ContentLength } = await client.send(new HeadObjectCommand(where), { abortSignal });
        if (ContentLength !== this.#size) throw error;
      }
    };
    await this.#call('store the content', work, COMPLETING);
    uploads.delete(UploadId);
  }

  #metadata(): { Metadata?: Record<string, string> } {
    // Headers hold no other characters; `encodeURI` fails for half a surrogate pair.
    const path = encodeURI((this.path ?? '').toWellFormed());
    return path === '' || path.length > PATH_LENGTH ? {} : { Metadata: { path } };
  }

  #call<T>(
    what: string,
    work: (signal: AbortSignal, alive: () => void, attempt: number) => Promise<T>,
    patience = 1,
  ): Promise<T> {
    // What cleans up goes on after the end.
    const signal = this.#end.signal.aborted ? undefined : this.#end.signal;
    return call({ what, timeout: this.bucket.timeout() * patience, signal }, work).catch((error: unknown) => {
      if (what !== 'store the content' || !isMissing(error)) throw error;
      throw new FilesError(502, 'The storage of the file does not know the upload any more; try again later.');
    });
  }

  #check(): void {
    if (this.#failure !== undefined) throw this.#failure as Error;
    this.#end.signal.throwIfAborted();
  }
}
