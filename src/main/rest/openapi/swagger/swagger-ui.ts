/**
 * Swagger UI beside the document: the files of the package, and a page of our own that loads them. All of it is public, it
 * holds no data; the document it shows is not.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { Exchange } from '../../../http/index.js';
import { PAGE, SCRIPT, STYLE } from './swagger-ui-page.js';

/** Nothing from elsewhere, no script in the page. Swagger UI sets styles of elements and has pictures in its style sheet. */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HTML = 'text/html;charset=utf-8';
const CSS = 'text/css;charset=utf-8';
const JAVASCRIPT = 'text/javascript;charset=utf-8';

interface Asset {
  readonly type: string;
  readonly content: () => Promise<Uint8Array> | Uint8Array;
  /** Files of the package change with its version only. */
  readonly lasting: boolean;
}

const own = (type: string, text: string): Asset => {
  const bytes = Buffer.from(text);
  return { type, content: () => bytes, lasting: false };
};

/** A file of the package, read at its first use and kept. */
function packaged(name: string, type: string): Asset {
  let bytes: Promise<Uint8Array> | undefined;
  const read = (): Promise<Uint8Array> => {
    bytes ??= readFile(join(packageFolder(), name)).catch((error: unknown) => {
      bytes = undefined;
      throw error;
    });
    return bytes;
  };
  return { type, content: read, lasting: true };
}

function packageFolder(): string {
  // The package's main module would load the whole program into the server.
  const absolutePath = createRequire(import.meta.url)('swagger-ui-dist/absolute-path.js') as () => string;
  return absolutePath();
}

/** Everything there is below the page; other names are not looked for anywhere. */
const ASSETS: ReadonlyMap<string, Asset> = new Map([
  ['', own(HTML, PAGE)],
  ['index.html', own(HTML, PAGE)],
  ['start.js', own(JAVASCRIPT, SCRIPT)],
  ['page.css', own(CSS, STYLE)],
  ['swagger-ui-bundle.js', packaged('swagger-ui-bundle.js', JAVASCRIPT)],
  ['swagger-ui.css', packaged('swagger-ui.css', CSS)],
  ['favicon-16x16.png', packaged('favicon-16x16.png', 'image/png')],
  ['favicon-32x32.png', packaged('favicon-32x32.png', 'image/png')],
]);

/** Answers a path below the page's; false when there is nothing of that name. */
export async function sendAsset(exchange: Exchange, name: string): Promise<boolean> {
  const asset = ASSETS.get(name);
  if (asset === undefined) return false;
  const content = await asset.content();
  if (exchange.aborted) return true;
  exchange.setHeader('Content-Type', asset.type);
  exchange.setHeader('Cache-Control', asset.lasting ? 'public, max-age=86400' : 'no-cache');
  exchange.setHeader('Content-Security-Policy', CONTENT_SECURITY_POLICY);
  exchange.setHeader('X-Content-Type-Options', 'nosniff');
  exchange.setHeader('Referrer-Policy', 'no-referrer');
  exchange.end(content);
  return true;
}
