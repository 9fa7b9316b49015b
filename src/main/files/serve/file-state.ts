/** What of a response depends on the file alone: made once for each state of a file, however often it is asked for. */
import type { GraphNode } from '../../graph/index.js';
import { compressible, PreparedHeaders } from '../../http/index.js';
import { isActive } from '../content/content-type.js';
import type { Validators } from './conditions.js';
import { placeOfContent, sizeOf } from '../content/place.js';

/** Smaller text is not compressed (docs/interface/files.md 5.7). */
const COMPRESS_FROM = 256;

export interface FileState {
  /** The object whose content is sent. */
  readonly stored: GraphNode;
  /** Names the content; another content has another name. */
  readonly content: string;
  readonly size: number;
  readonly validators: Validators;
  /** `Content-Type` */
  readonly type: string;
  /** Worth compressing on its way. */
  readonly compressible: boolean;
  /** Headers of the stored bytes. */
  readonly whole: PreparedHeaders;
  /** Headers of the bytes compressed with gzip on their way. */
  readonly packed: PreparedHeaders;
  /** Headers of a 304 in place of either. */
  readonly unchanged: PreparedHeaders;
  readonly packedUnchanged: PreparedHeaders;
  /** Value of `Expires`; absent: it has none. */
  readonly expires: ((now: number) => string) | undefined;
}

const states = new WeakMap<GraphNode, FileState>();

/** The state of a file as it was read. */
export function stateOf(file: GraphNode): FileState {
  let state = states.get(file);
  if (state === undefined) states.set(file, (state = makeState(file, file, '')));
  return state;
}

/** The state of `file` when `stored` holds its content in this coding (`Content-Encoding`). */
export function makeState(file: GraphNode, stored: GraphNode, coding: string): FileState {
  const claimed = typeof file.properties['contentType'] === 'string' ? file.properties['contentType'] : '';
  const type = headerType(claimed);
  const validators = validatorsOf(stored);
  const size = sizeOf(stored);
  const { key, store } = placeOfContent(stored);
  const packable = coding === '' && size >= COMPRESS_FROM && compressible(type);
  const unchanged = {
    ETag: validators.etag,
    'Last-Modified': new Date(validators.modified).toUTCString(),
    'Cache-Control': cacheControl(file),
    ...(coding === '' && !packable ? {} : { Vary: 'Accept-Encoding' }),
  };
  const about = {
    'Content-Type': type,
    'X-Content-Type-Options': 'nosniff',
    // What users have uploaded must not act with the session of whoever looks at it.
    ...(file.properties['sandboxed'] === true && isActive(claimed) ? { 'Content-Security-Policy': 'sandbox' } : {}),
  };
  const packed = { ...unchanged, ETag: `W/${validators.etag}` };
  return {
    stored,
    content: `${stored.id} ${key} ${store}`,
    size,
    validators,
    type,
    compressible: packable,
    whole: new PreparedHeaders({
      ...about,
      ...(coding === '' ? {} : { 'Content-Encoding': coding }),
      'Accept-Ranges': 'bytes',
      ...unchanged,
    }),
    packed: new PreparedHeaders({ ...about, 'Content-Encoding': 'gzip', ...packed }),
    unchanged: new PreparedHeaders(unchanged),
    packedUnchanged: new PreparedHeaders(packed),
    expires: expiring(file),
  };
}

/** A content type that can be in a header; stored ones may be anything. */
function headerType(type: string): string {
  if (type === '' || /[^ -~]/.test(type)) return 'application/octet-stream';
  return /^(?:text\/|application\/javascript)/i.test(type) && !/charset=/i.test(type) ? `${type};charset=utf-8` : type;
}

/**
 * By checksum and size: the same after a restart, on every instance, and for every copy. The date is never one to come
 * (RFC 9110, 8.8.2.1), so it is cut, not rounded.
 */
function validatorsOf({ properties }: GraphNode): Validators {
  const { checksum, size, version, lastModifiedDate, fileModificationDate } = properties;
  const modified = typeof lastModifiedDate === 'number' ? lastModifiedDate : Number(fileModificationDate ?? 0);
  const content =
    typeof checksum === 'number' || typeof checksum === 'bigint'
      ? BigInt.asUintN(64, BigInt(checksum)).toString(16)
      : `${String(version)}-${String(fileModificationDate ?? modified)}`;
  return { etag: `"${content}-${String(size ?? 0)}"`, modified: Math.floor(modified / 1000) * 1000 };
}

function cacheSeconds({ properties }: GraphNode): number | undefined {
  const { dontCache, cacheForSeconds } = properties;
  return dontCache === true || typeof cacheForSeconds !== 'number' ? undefined : Math.max(0, cacheForSeconds);
}

function cacheControl(file: GraphNode): string {
  if (file.properties['dontCache'] === true) {
    return 'private, no-cache, no-store, max-age=0, s-maxage=0, must-revalidate, proxy-revalidate';
  }
  const seconds = cacheSeconds(file);
  const { visibleToPublicUsers, enableBasicAuth, isTemplate } = file.properties;
  // A cache that many share must not hand on what not everybody may see: of a template this is its source.
  const shared = visibleToPublicUsers === true && enableBasicAuth !== true && isTemplate !== true;
  if (seconds === undefined) return `${shared ? '' : 'private, '}no-cache, must-revalidate, proxy-revalidate`;
  return shared ? `max-age=${String(seconds)}, s-maxage=${String(seconds)}` : `private, max-age=${String(seconds)}`;
}

function expiring(file: GraphNode): ((now: number) => string) | undefined {
  const seconds = cacheSeconds(file);
  if (seconds === undefined) return undefined;
  let written = -1;
  let text = '';
  return (now) => {
    const second = Math.floor(now / 1000);
    if (second !== written) {
      written = second;
      text = new Date((second + seconds) * 1000).toUTCString();
    }
    return text;
  };
}
