/** Headers of pages (docs/interface/pages.md 2.10). */
import { PreparedHeaders, type Exchange } from '../../http/index.js';
import type { GraphNode } from '../../graph/index.js';

const HTML = 'text/html;charset=utf-8';

export function contentTypeOf({ properties }: GraphNode): string {
  const { contentType } = properties;
  if (typeof contentType !== 'string' || contentType.trim() === '' || contentType === 'text/html') return HTML;
  // Stored ones may be anything, and a header may not.
  if (/[^ -~]/.test(contentType)) return HTML;
  // It is always UTF-8. Browsers that are told, or guess, something else find markup where there is none.
  const [type = ''] = contentType.split(';');
  return /html|charset/i.test(contentType) ? `${type.trim()};charset=utf-8` : contentType;
}

const PRIVATE = {
  'Cache-Control': 'private, max-age=0, s-maxage=0, no-cache, no-store, must-revalidate',
  Pragma: 'no-cache, no-store',
  Expires: 'Thu, 01 Jan 1970 00:00:00 GMT',
} as const;

const prepared = new Map<string, PreparedHeaders>();
/** Content types that are in use. */
const MOST = 100;

/** Of what is for whoever asked alone. */
export function privateHeaders(contentType: string): PreparedHeaders {
  let headers = prepared.get(contentType);
  if (headers === undefined) {
    if (prepared.size >= MOST) prepared.clear();
    prepared.set(contentType, (headers = new PreparedHeaders({ 'Content-Type': contentType, ...PRIVATE })));
  }
  return headers;
}

/** Of sources, in which nothing is made harmless: a browser that shows one runs nothing of it. */
export function sourceHeaders(contentType: string): PreparedHeaders {
  return new PreparedHeaders({ 'Content-Type': contentType, ...PRIVATE, 'Content-Security-Policy': 'sandbox' });
}

/** Of a page that is the same for all who are not logged in, without its dates. */
export function sharedHeaders(page: GraphNode): PreparedHeaders {
  const { cacheForSeconds } = page.properties;
  const seconds = typeof cacheForSeconds === 'number' ? Math.max(0, cacheForSeconds) : undefined;
  return new PreparedHeaders({
    'Content-Type': contentTypeOf(page),
    'Cache-Control':
      seconds === undefined
        ? 'no-cache, must-revalidate, proxy-revalidate'
        : `max-age=${String(seconds)}, s-maxage=${String(seconds)}`,
  });
}

/**
 * Since when the page is as it is (`goodFrom`, ms), unless that is still to come; and until when a copy is good.
 * `madeAt`: of one that was made before (ms).
 */
export function setDates(exchange: Exchange, { properties }: GraphNode, goodFrom: number, madeAt?: number): void {
  const now = Date.now();
  if (madeAt !== undefined) exchange.setHeader('Age', String(Math.floor((now - madeAt) / 1000)));
  if (goodFrom <= now) exchange.setHeader('Last-Modified', new Date(goodFrom).toUTCString());
  const { cacheForSeconds } = properties;
  if (typeof cacheForSeconds !== 'number') return;
  exchange.setHeader('Expires', new Date((madeAt ?? now) + Math.max(0, cacheForSeconds) * 1000).toUTCString());
}

/** The same as headers that stay as they are; undefined: they differ from one answer to the next. */
export function datesOf({ properties }: GraphNode, goodFrom: number): Readonly<Record<string, string>> | undefined {
  if (goodFrom > Date.now() || typeof properties['cacheForSeconds'] === 'number') return undefined;
  return { 'Last-Modified': new Date(goodFrom).toUTCString() };
}

/** The client's copy is of what the page is. */
export function isUnchanged(exchange: Exchange, goodFrom: number): boolean {
  const since = exchange.header('if-modified-since');
  if (since === '') return false;
  const date = Date.parse(since);
  return !Number.isNaN(date) && goodFrom <= date;
}
