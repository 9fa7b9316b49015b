/** Files that come with the program, answered from memory: read once, compressed once, when they are first asked for; known by their content. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HttpError } from '../errors.js';
import type { Exchange } from '../exchange.js';
import { acceptsCoding } from '../response/compression.js';
import { PreparedHeaders } from '../response/response-head.js';

const compress = promisify(gzip);
const ALLOW = 'GET,HEAD,OPTIONS';
const TYPES: ReadonlyMap<string, string> = new Map([
  ['.js', 'text/javascript;charset=utf-8'],
  ['.css', 'text/css;charset=utf-8'],
  ['.html', 'text/html;charset=utf-8'],
  ['.svg', 'image/svg+xml'],
]);

interface KeptFile {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly tag: string;
  readonly headers: PreparedHeaders;
}

export interface KeptOptions {
  /** `Cache-Control` of a file by its path. */
  readonly caching: (path: string) => string;
  /** Further headers of a file by its path. */
  readonly headers?: (path: string) => Readonly<Record<string, string>>;
  /** `httpservice.gzip.enabled` */
  readonly packs: () => boolean;
}

/** By their paths below a folder; other names are not looked for anywhere. */
export class KeptFiles {
  readonly #kept = new Map<string, Promise<KeptFile>>();

  private constructor(
    private readonly folder: string,
    /** Types by path. */
    private readonly types: ReadonlyMap<string, string>,
    private readonly options: KeptOptions,
  ) {}

  /** Looks which scripts, styles, pages and pictures a folder of the program has. They are read when somebody asks for them. */
  static async open(folder: string, options: KeptOptions): Promise<KeptFiles> {
    const types = new Map<string, string>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const type = TYPES.get(extname(entry.name));
      if (!entry.isFile() || type === undefined) continue;
      types.set(relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'), type);
    }
    return new KeptFiles(folder, types, options);
  }

  /** Answers a request for a file. Throws `HttpError` 404, 405. */
  async answer(exchange: Exchange, path: string): Promise<void> {
    const type = this.types.get(path);
    const { method } = exchange;
    if (type === undefined) throw new HttpError(404, `There is no file at ${exchange.path}`);
    if (method === 'OPTIONS') {
      exchange.setHeader('Allow', ALLOW);
      exchange.end();
    } else if (method === 'GET' || method === 'HEAD') {
      const file = await this.#file(path, type);
      if (!exchange.responded) this.#send(exchange, file);
    } else throw new HttpError(405, `${method} not allowed on ${exchange.path}`, { Allow: ALLOW });
  }

  #file(path: string, type: string): Promise<KeptFile> {
    let file = this.#kept.get(path);
    if (file === undefined) {
      file = this.#read(path, type);
      this.#kept.set(path, file);
      // One that could not be read may be there the next time.
      file.catch(() => this.#kept.delete(path));
    }
    return file;
  }

  async #read(path: string, type: string): Promise<KeptFile> {
    const plain = await readFile(join(this.folder, path));
    // Weak: the same for both codings.
    const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    const headers = new PreparedHeaders({
      'Content-Type': type,
      'Cache-Control': this.options.caching(path),
      ETag: tag,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
      ...this.options.headers?.(path),
    });
    return { plain, packed: await compress(plain, { level: 9 }), tag, headers };
  }

  #send(exchange: Exchange, { plain, packed, tag, headers }: KeptFile): void {
    exchange.setHeaders(headers);
    const known = exchange.header('if-none-match').split(',');
    if (known.some((one) => one.trim() === tag || one.trim() === '*')) {
      exchange.status = 304;
      exchange.end();
      return;
    }
    if (!this.options.packs() || !acceptsCoding(exchange.header('accept-encoding'), 'gzip')) {
      exchange.end(plain, true);
      return;
    }
    exchange.setHeader('Content-Encoding', 'gzip');
    exchange.end(packed, true);
  }
}
