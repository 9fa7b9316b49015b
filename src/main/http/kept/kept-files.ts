/** Files that come with the program, answered from memory: read once, compressed once, known by their content. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, relative, sep } from 'node:path';
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
  private constructor(
    private readonly files: ReadonlyMap<string, KeptFile>,
    private readonly options: KeptOptions,
  ) {}

  /** Reads all scripts, styles, pages and pictures of a folder of the program. */
  static async read(folder: string, options: KeptOptions): Promise<KeptFiles> {
    const files = new Map<string, KeptFile>();
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const type = TYPES.get(extname(entry.name));
      if (!entry.isFile() || type === undefined) continue;
      const place = `${entry.parentPath}${sep}${entry.name}`;
      const path = relative(folder, place).split(sep).join('/');
      const plain = await readFile(place);
      // Weak: the same for both codings.
      const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
      const headers = new PreparedHeaders({
        'Content-Type': type,
        'Cache-Control': options.caching(path),
        ETag: tag,
        Vary: 'Accept-Encoding',
        'X-Content-Type-Options': 'nosniff',
        ...options.headers?.(path),
      });
      files.set(path, { plain, packed: await compress(plain, { level: 9 }), tag, headers });
    }
    return new KeptFiles(files, options);
  }

  has(path: string): boolean {
    return this.files.has(path);
  }

  /** The text of a file, for tests and policies. */
  text(path: string): string | undefined {
    return this.files.get(path)?.plain.toString();
  }

  /** Answers a request for a file. Throws `HttpError` 404, 405. */
  answer(exchange: Exchange, path: string): void {
    const file = this.files.get(path);
    const { method } = exchange;
    if (file === undefined) throw new HttpError(404, `There is no file at ${exchange.path}`);
    if (method === 'OPTIONS') {
      exchange.setHeader('Allow', ALLOW);
      exchange.end();
    } else if (method === 'GET' || method === 'HEAD') this.#send(exchange, file);
    else throw new HttpError(405, `${method} not allowed on ${exchange.path}`, { Allow: ALLOW });
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
