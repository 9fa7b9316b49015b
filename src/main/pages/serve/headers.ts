/** Headers of pages (docs/interface/pages.md 2.10). */
import { PreparedHeaders, type Exchange } from '../../http/index.js';
import type { GraphNode } from '../../graph/index.js';

const HTML = 'text/html;charset=utf-8';

export function contentTypeOf({ properties }: GraphNode): string {
  const { contentType } = properties;
  if (typeof contentType !== 'string' || contentType.trim() === '' || contentType === 'text/html') return HTML;
  // Stored ones may be anything, and a header may not.
  return /[^ -~]/.test(contentType) ? HTML : contentType;
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

/** Milliseconds, in whole seconds; undefined: it was never changed. */
export function modifiedAt({ properties }: GraphNode): number | undefined {
  const { lastModifiedDate } = properties;
  return typeof lastModifiedDate === 'number' ? Math.floor(lastModifiedDate / 1000) * 1000 : undefined;
}

/** Of a page that is the same for all who are not logged in. */
export function sharedHeaders(page: GraphNode): PreparedHeaders {
  const { cacheForSeconds } = page.properties;
  const modified = modifiedAt(page);
  const seconds = typeof cacheForSeconds === 'number' ? Math.max(0, cacheForSeconds) : undefined;
  return new PreparedHeaders({
    'Content-Type': contentTypeOf(page),
    'Cache-Control':
      seconds === undefined
        ? 'no-cache, must-revalidate, proxy-revalidate'
        : `max-age=${String(seconds)}, s-maxage=${String(seconds)}`,
    ...(modified === undefined ? {} : { 'Last-Modified': new Date(modified).toUTCString() }),
  });
}

/** Says until when a copy is good. */
export function setExpires(exchange: Exchange, { properties }: GraphNode): void {
  const { cacheForSeconds } = properties;
  if (typeof cacheForSeconds !== 'number') return;
  exchange.setHeader('Expires', new Date(Date.now() + Math.max(0, cacheForSeconds) * 1000).toUTCString());
}

/** The client's copy is as new as the page. */
export function isUnchanged(exchange: Exchange, page: GraphNode): boolean {
  const since = exchange.header('if-modified-since');
  if (since === '') return false;
  const date = Date.parse(since);
  const modified = modifiedAt(page);
  return modified !== undefined && !Number.isNaN(date) && modified <= date;
}
