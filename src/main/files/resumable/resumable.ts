/**
 * Uploads that can be interrupted and resumed: the tus protocol 1.0.0 at `/svc/upload/tus` (tus.io). What is complete
 * becomes a file as one sent to `/svc/upload` does, by the same rules; the metadata are its fields.
 */
import { newId } from '../../graph/index.js';
import { HttpError, type Exchange, type Handler } from '../../http/index.js';
import type { Entered } from '../../request/index.js';
import { logger } from '../../../shared/log.js';
import type { FilesContext } from '../context.js';
import { mayUploadTo, publishNew } from '../upload/new-file.js';
import { UploadArrival } from '../upload/upload-arrival.js';
import { largestFile } from '../upload/upload-target.js';
import { PartialUploads, type PartialUpload } from './partial.js';
import {
  announcedChecksum,
  BODY_TYPE,
  bytesIn,
  CHECKSUM_MISMATCH,
  CHECKSUMS,
  EXTENSIONS,
  metadataIn,
  VERSION,
} from './protocol.js';

const log = logger('files.resumable');

const PATH = '/svc/upload/tus';
const ALLOW = 'DELETE,HEAD,OPTIONS,PATCH,POST';
const HOUR = 3_600_000;
/** After the start of the service. */
const FIRST_CLEARING = 2000;

/** Whether the path belongs to resumable uploads. */
export function isResumable(path: string): boolean {
  return path === PATH || path.startsWith(`${PATH}/`);
}

/** An upload that a request works on; others have to wait. */
interface Work {
  readonly ended: Promise<void>;
  /** The upload is to go. */
  cancelled: boolean;
}

/** One request, as of when it began. */
type Asked = Entered<undefined>;

export class Resumable {
  readonly #partial: PartialUploads;
  readonly #working = new Map<string, Work>();
  readonly #timers: NodeJS.Timeout[];

  constructor(
    private readonly context: FilesContext,
    folder: string,
  ) {
    this.#partial = new PartialUploads(folder);
    const clear = (): void => void this.#clear();
    this.#timers = [setTimeout(clear, FIRST_CLEARING).unref(), setInterval(clear, HOUR).unref()];
  }

  /** Answers `/svc/upload/tus` and below. */
  readonly handler: Handler = async (exchange) => {
    try {
      await this.#answer(exchange);
    } catch (error) {
      this.context.sendError(exchange, error);
    }
  };

  stop(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  async #answer(exchange: Exchange): Promise<void> {
    exchange.setHeader('Tus-Resumable', VERSION);
    exchange.setHeader('Cache-Control', 'no-store');
    // For clients whose surroundings know GET and POST only.
    const override = exchange.method === 'POST' ? exchange.header('x-http-method-override').toUpperCase() : '';
    const method = override || exchange.method;
    if (method === 'OPTIONS') {
      this.#describe(exchange);
      return;
    }
    if (exchange.header('tus-resumable') !== VERSION) {
      throw new HttpError(412, `This is tus ${VERSION}: say so in the header Tus-Resumable.`, {
        'Tus-Version': VERSION,
      });
    }
    const arrival = new UploadArrival(exchange, this.context);
    const asked = await this.context.requests.enter(arrival);
    const id = exchange.path.slice(PATH.length + 1);
    if (id === '') {
      if (method !== 'POST') throw notAllowed(method, 'OPTIONS,POST');
      await this.#create(asked, arrival);
      return;
    }
    switch (method) {
      case 'HEAD':
        return this.#tell(asked, arrival, id);
      case 'PATCH':
        return this.#append(asked, arrival, id);
      case 'DELETE':
        return this.#remove(asked, id);
      default:
        throw notAllowed(method, 'DELETE,HEAD,OPTIONS,PATCH');
    }
  }

  #describe(exchange: Exchange): void {
    exchange.setHeader('Allow', ALLOW);
    exchange.setHeader('Tus-Version', VERSION);
    exchange.setHeader('Tus-Extension', EXTENSIONS);
    exchange.setHeader('Tus-Max-Size', String(this.#limit));
    exchange.setHeader('Tus-Checksum-Algorithm', CHECKSUMS);
    exchange.status = 204;
    exchange.end();
  }

  async #create(asked: Asked, arrival: UploadArrival): Promise<void> {
    const { exchange, actor, access } = asked;
    const length = bytesIn(exchange, 'Upload-Length');
    if (length === undefined) throw new HttpError(400, 'Upload-Length must say how many bytes the file will have.');
    this.#mustFit(length);
    const type = exchange.header('content-type');
    const sent = bytesIn(exchange, 'Content-Length');
    const hasBody = type === BODY_TYPE && sent !== 0;
    if (!hasBody && (sent ?? 0) > 0) throw new HttpError(415, `The content type of a body must be ${BODY_TYPE}.`);
    const announced = announcedChecksum(exchange);
    const metadata = exchange.header('upload-metadata');
    // Before the bytes: nobody sends gigabytes to be refused.
    const fields = metadataIn(metadata);
    await mayUploadTo(this.context, actor, access, fields, fields.get('filename'));
    const upload = await this.#partial.create(
      actor.id,
      { length, metadata, file: newId(this.context.write().compactIds) },
      this.context.config.get('uploadservlet.resumable.maxopen'),
    );
    try {
      await this.#exclusively(upload, async (work) => {
        if (hasBody) await this.#receive(asked, upload, work, announced);
        if (upload.complete) await this.#complete(asked, arrival, upload);
      });
    } catch (error) {
      // Its client has not been told where it is, and could neither go on with it nor remove it.
      await upload.remove();
      throw error;
    }
    exchange.setHeader('Location', `${PATH}/${upload.id}`);
    exchange.setHeader('Upload-Expires', this.#expires);
    if (hasBody || upload.done) exchange.setHeader('Upload-Offset', String(upload.offset));
    exchange.status = 201;
    exchange.end();
  }

  async #tell(asked: Asked, arrival: UploadArrival, id: string): Promise<void> {
    const { exchange } = asked;
    const upload = await this.#find(asked, id);
    // A client takes an upload that has all its bytes for done. When it is not, an error came in between.
    if (upload.complete) await this.#exclusively(upload, () => this.#complete(asked, arrival, upload));
    exchange.setHeader('Upload-Offset', String(upload.offset));
    exchange.setHeader('Upload-Length', String(upload.about.length));
    if (upload.about.metadata !== '') exchange.setHeader('Upload-Metadata', upload.about.metadata);
    exchange.setHeader('Upload-Expires', new Date(upload.touched + this.#kept).toUTCString());
    exchange.end();
  }

  async #append(asked: Asked, arrival: UploadArrival, id: string): Promise<void> {
    const { exchange } = asked;
    if (exchange.header('content-type') !== BODY_TYPE) {
      throw new HttpError(415, `The content type of PATCH must be ${BODY_TYPE}.`);
    }
    const offset = bytesIn(exchange, 'Upload-Offset');
    if (offset === undefined) throw new HttpError(400, 'Upload-Offset must say which byte comes next.');
    const announced = announcedChecksum(exchange);
    const found = await this.#find(asked, id);
    await this.#exclusively(found, async (work) => {
      // Again: another request may have ended between the look and now.
      const upload = await this.#find(asked, id);
      if (offset !== upload.offset) {
        throw new HttpError(409, `The next byte of this upload is ${String(upload.offset)}, not ${String(offset)}.`);
      }
      this.#mustFit(upload.about.length);
      if (!upload.done && !upload.complete) await this.#receive(asked, upload, work, announced);
      else if ((bytesIn(exchange, 'Content-Length') ?? 0) > 0) throw tooLarge(upload);
      if (upload.complete) await this.#complete(asked, arrival, upload);
      exchange.setHeader('Upload-Offset', String(upload.offset));
      exchange.setHeader('Upload-Expires', this.#expires);
    });
    exchange.status = 204;
    exchange.end();
  }

  async #remove(asked: Asked, id: string): Promise<void> {
    const upload = await this.#find(asked, id);
    for (let work = this.#working.get(id); work !== undefined; work = this.#working.get(id)) {
      work.cancelled = true;
      await work.ended;
    }
    await upload.remove();
    asked.exchange.status = 204;
    asked.exchange.end();
  }

  async #receive(
    { exchange }: Asked,
    upload: PartialUpload,
    work: Work,
    announced: ReturnType<typeof announcedChecksum>,
  ): Promise<void> {
    if (upload.offset + (bytesIn(exchange, 'Content-Length') ?? 0) > upload.about.length) throw tooLarge(upload);
    const bytes = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of exchange.bodyStream()) {
        if (work.cancelled) throw new HttpError(410, 'The upload was removed.');
        announced?.hash.update(chunk);
        yield chunk;
      }
    };
    const accepted = await upload.append(
      bytes(),
      announced === undefined ? undefined : () => announced.hash.digest().equals(announced.expected),
    );
    if (!accepted) throw new HttpError(CHECKSUM_MISMATCH, 'The bytes do not have the checksum that was announced.');
  }

  /** Makes a file of an upload that has all its bytes, unless that has happened. */
  async #complete(asked: Asked, arrival: UploadArrival, upload: PartialUpload): Promise<void> {
    const { graph, contents, requests } = this.context;
    const { file, length, metadata } = upload.about;
    if (!upload.done) {
      // A crash may have come between the commit and what remembers it.
      const there = await graph.read((tx) => tx.node(file));
      if (there === undefined) {
        const fields = metadataIn(metadata);
        const { actor, access } = await requests.again(arrival, asked);
        await publishNew(this.context, actor, access, {
          filename: fields.get('filename') ?? fields.get('name') ?? file,
          claimed: fields.get('filetype') ?? '',
          fields: without(fields, 'filename', 'filetype'),
          receive: (options) => contents.adopt(file, upload.dataPath, { limit: length, ...options }),
        });
      }
      await upload.finish();
      log.debug(`upload ${upload.id} has become file ${file}`);
    }
    asked.exchange.setHeader('Svc-File-Id', file);
  }

  /** The upload as its owner sees it. Throws `HttpError` 404 and 410. */
  async #find({ actor }: Asked, id: string): Promise<PartialUpload> {
    const upload = await this.#partial.find(actor.id, id);
    if (upload === undefined) throw new HttpError(404, 'There is no such upload, or it has ended.');
    if (upload.touched + this.#kept < Date.now() && !this.#working.has(id)) {
      await upload.remove();
      throw new HttpError(410, 'The upload has expired.');
    }
    return upload;
  }

  /** Runs `work` while no other request works on the upload. Throws `HttpError` 423. */
  async #exclusively(upload: PartialUpload, run: (work: Work) => Promise<void>): Promise<void> {
    if (this.#working.has(upload.id)) {
      throw new HttpError(423, 'Another request is working on this upload.', { 'Retry-After': '1' });
    }
    let end: () => void = () => undefined;
    const work: Work = { ended: new Promise((resolve) => (end = resolve)), cancelled: false };
    this.#working.set(upload.id, work);
    try {
      await run(work);
    } finally {
      this.#working.delete(upload.id);
      end();
    }
  }

  #mustFit(length: number): void {
    if (length > this.#limit) throw new HttpError(413, `Files may have ${String(this.#limit)} bytes.`);
  }

  get #limit(): number {
    return largestFile(this.context.config);
  }

  /** Milliseconds for which an upload is kept that nobody goes on with. */
  get #kept(): number {
    return this.context.config.get('uploadservlet.resumable.expiry') * HOUR;
  }

  get #expires(): string {
    return new Date(Date.now() + this.#kept).toUTCString();
  }

  async #clear(): Promise<void> {
    try {
      const count = await this.#partial.expire(Date.now() - this.#kept, (id) => this.#working.has(id));
      if (count > 0) log.info(`removed ${String(count)} uploads that nobody went on with`);
    } catch (error) {
      log.warn('uploads that have expired could not be removed', error);
    }
  }
}

function without(fields: Map<string, string>, ...names: string[]): Map<string, string> {
  return new Map([...fields].filter(([name]) => !names.includes(name)));
}

function notAllowed(method: string, allow: string): HttpError {
  return new HttpError(405, `${method} not allowed here`, { Allow: allow });
}

function tooLarge({ about }: PartialUpload): HttpError {
  return new HttpError(413, `The upload is larger than the ${String(about.length)} bytes it was to have.`);
}
