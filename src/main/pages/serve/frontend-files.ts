/** The scripts that pages load from the service, from memory (docs/interface/pages.md 7.4). */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { frontendFolder } from '../../../shared/frontend-folder.js';
import { acceptsCoding, HttpError, PreparedHeaders, type Exchange, type Handler } from '../../http/index.js';

const compress = promisify(gzip);
const BASE = '/svc/js/frontend/';
const ALLOW = 'GET,HEAD,OPTIONS';

interface Script {
  readonly plain: Buffer;
  readonly packed: Buffer;
  readonly tag: string;
  readonly headers: PreparedHeaders;
}

/** Whether a path is that of such a script, or would be. */
export function isFrontend(path: string): boolean {
  return path.startsWith(BASE);
}

export interface FrontendParts {
  /** `httpservice.gzip.enabled` */
  readonly packs: () => boolean;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

/** Reads all scripts, and answers their paths from then on; other names are not looked for anywhere. */
export async function serveFrontend({ packs, sendError }: FrontendParts): Promise<Handler> {
  const scripts = await readScripts();
  return (exchange) => {
    const script = scripts.get(exchange.path.slice(BASE.length));
    const { method } = exchange;
    if (script === undefined) sendError(exchange, new HttpError(404, `There is no script at ${exchange.path}`));
    else if (method === 'OPTIONS') {
      exchange.setHeader('Allow', ALLOW);
      exchange.end();
    } else if (method === 'GET' || method === 'HEAD') send(exchange, script, packs());
    else sendError(exchange, new HttpError(405, `${method} not allowed on ${exchange.path}`, { Allow: ALLOW }));
  };
}

function send(exchange: Exchange, { plain, packed, tag, headers }: Script, packs: boolean): void {
  exchange.setHeaders(headers);
  const known = exchange.header('if-none-match').split(',');
  if (known.some((one) => one.trim() === tag || one.trim() === '*')) {
    exchange.status = 304;
    exchange.end();
    return;
  }
  if (!packs || !acceptsCoding(exchange.header('accept-encoding'), 'gzip')) {
    exchange.end(plain, true);
    return;
  }
  exchange.setHeader('Content-Encoding', 'gzip');
  exchange.end(packed, true);
}

/** By their paths below the base. */
async function readScripts(): Promise<ReadonlyMap<string, Script>> {
  const folder = fileURLToPath(frontendFolder());
  const scripts = new Map<string, Script>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.js')) continue;
    const path = `${entry.parentPath}${sep}${entry.name}`;
    const plain = await readFile(path);
    // Weak: the same for both codings.
    const tag = `W/"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`;
    const headers = new PreparedHeaders({
      'Content-Type': 'text/javascript;charset=utf-8',
      'Cache-Control': 'max-age=0',
      ETag: tag,
      Vary: 'Accept-Encoding',
      'X-Content-Type-Options': 'nosniff',
    });
    scripts.set(relative(folder, path).split(sep).join('/'), { plain, packed: await compress(plain), tag, headers });
  }
  return scripts;
}
