/**
 * A real S3 server (s3rver) in a folder of its own, behind a door that can fail, hang break off and fall silent in the middle. The door also knows
 * the two requests that s3rver lacks: ending an upload in parts and listing such uploads.
 */
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import S3rver from 's3rver';
import type { Client } from './client.js';

export const BUCKET = 'bucket-of-tests';
export const S3_PROVIDER = 'org.svc.storage.providers.s3.GenericS3BucketStorageProvider';

/** What the door does with a request. */
export type Mood = 'open' | 'error' | 'hang' | 'break' | 'stall';

export class S3Server {
  /** Asked for each request. */
  mood: (method: string, url: string) => Mood = () => 'open';
  /** Method and path of what was asked. */
  readonly asked: string[] = [];
  readonly #hanging = new Set<ServerResponse>();

  private constructor(
    readonly folder: string,
    private readonly behind: S3rver,
    private readonly port: number,
    private readonly door: Server,
  ) {
    door.on('request', (req: IncomingMessage, res: ServerResponse) => {
      void this.#answer(req, res);
    });
  }

  static async start(): Promise<S3Server> {
    const folder = await mkdtemp(join(tmpdir(), 'svc-s3-'));
    const options = { port: 0, address: '127.0.0.1', silent: true, directory: folder, vhostBuckets: false };
    const behind = new S3rver({ ...options, configureBuckets: [{ name: BUCKET }] });
    const { port } = await behind.run();
    const door = createServer({ requestTimeout: 0 });
    await new Promise<void>((resolve) => door.listen(0, '127.0.0.1', resolve));
    return new S3Server(folder, behind, port, door);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.door.address() as AddressInfo).port)}`;
  }

  /** Entries of a configuration that leads here. */
  get entries(): { name: string; value: string }[] {
    const entries = { bucketName: BUCKET, accessKey: 'S3RVER', secretKey: 'S3RVER', endpoint: this.url };
    return Object.entries(entries).map(([name, value]) => ({ name, value }));
  }

  /** Creates a folder whose content lies here; returns the ids of folder and configuration. */
  async folderFor(admin: Client, name: string): Promise<{ folder: string; configuration: string }> {
    const configuration = await admin.create('StorageConfiguration', {
      name: `storage of ${name}`,
      provider: S3_PROVIDER,
      entries: this.entries,
    });
    return { folder: await admin.create('Folder', { name, storageConfiguration: configuration }), configuration };
  }

  /** Keys of all objects. */
  async objects(): Promise<string[]> {
    let found: string[];
    try {
      found = await readdir(join(this.folder, BUCKET), { recursive: true });
    } catch (error) {
      // A folder went away between being found and being read.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      return this.objects();
    }
    return found.filter((name) => name.endsWith('._S3rver_object')).map((name) => name.slice(0, -15));
  }

  /** What is kept beside an object. */
  async metadata(key: string): Promise<Record<string, string>> {
    const text = await readFile(join(this.folder, BUCKET, `${key}._S3rver_metadata.json`), 'utf8');
    return JSON.parse(text) as Record<string, string>;
  }

  /** Puts an object there once more, under another key, as nobody but the server itself can. */
  async duplicate(key: string, as: string): Promise<void> {
    const folder = join(this.folder, BUCKET, dirname(key));
    for (const name of await readdir(folder)) {
      if (!name.startsWith(basename(key))) continue;
      await cp(join(folder, name), join(folder, name.replace(basename(key), basename(as))));
    }
  }

  /** Bytes of an object. */
  content(key: string): Promise<Buffer> {
    return readFile(join(this.folder, BUCKET, `${key}._S3rver_object`));
  }

  /** Ids of uploads in parts that have not ended. */
  async uploads(): Promise<string[]> {
    const folder = join(this.folder, BUCKET, '._S3rver_uploads');
    return existsSync(folder) ? readdir(folder) : [];
  }

  async stop(): Promise<void> {
    for (const response of this.#hanging) response.destroy();
    this.door.closeAllConnections();
    await new Promise((resolve) => this.door.close(resolve));
    await this.behind.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url = '' } = req;
    this.asked.push(`${method} ${url}`);
    const mood = this.mood(method, url);
    if (mood === 'hang') {
      this.#hanging.add(res);
      req.resume();
      return;
    }
    if (mood === 'error') {
      req.resume();
      req.on('end', () => res.writeHead(500).end('<Error><Code>InternalError</Code></Error>'));
      return;
    }
    const query = new URL(url, this.url).searchParams;
    const upload = query.get('uploadId');
    if (method === 'DELETE' && upload !== null) {
      await rm(join(this.folder, BUCKET, '._S3rver_uploads', upload), { recursive: true, force: true });
      res.writeHead(204).end();
    } else if (method === 'GET' && query.has('uploads')) res.end(await this.#listOfUploads());
    else this.#pass(req, res, mood);
  }

  async #listOfUploads(): Promise<string> {
    const uploads = await Promise.all(
      (await this.uploads()).map(async (id) => {
        const folder = join(this.folder, BUCKET, '._S3rver_uploads', id);
        const time = (await stat(join(folder, 'key'))).mtime.toISOString();
        const key = await readFile(join(folder, 'key'), 'utf8');
        return `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${time}</Initiated></Upload>`;
      }),
    );
    return `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${uploads.join('')}</ListMultipartUploadsResult>`;
  }

  #pass(req: IncomingMessage, res: ServerResponse, mood: Mood): void {
    const { method, url, headers } = req;
    const on = request({ host: '127.0.0.1', port: this.port, method, path: url, headers }, (answer) => {
      res.writeHead(answer.statusCode ?? 500, answer.headers);
      if (mood === 'break' || mood === 'stall') {
        answer.once('data', (piece: Buffer) => {
          res.write(piece, () => {
            if (mood === 'break') res.destroy();
            else this.#hanging.add(res);
            answer.destroy();
          });
        });
      } else answer.pipe(res);
    });
    on.on('error', () => res.destroy());
    res.on('close', () => on.destroy());
    req.pipe(on);
  }
}
