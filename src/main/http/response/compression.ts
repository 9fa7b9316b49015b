import type { ResponseHead } from './response-head.js';

/** Smaller answers fit one network packet anyway; compressing them costs more than it saves. */
export const COMPRESS_FROM = 1024;

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|[\w.+-]*\+(?:json|xml))|image\/svg\+xml)/i;

/** `text/event-stream` is left out: each event has to leave at once. */
export function compressible(contentType: string | undefined): boolean {
  return contentType !== undefined && COMPRESSIBLE.test(contentType);
}

/** Whether a response is to be compressed for a client that accepts this; where it could be, its head says that it depends on that. */
export function isToCompress(status: number, head: ResponseHead, acceptEncoding: () => string): boolean {
  if (status === 204 || status === 304 || status === 206) return false;
  if (head.get('content-encoding') !== undefined || !compressible(head.get('content-type'))) return false;
  head.vary('Accept-Encoding');
  return acceptsCoding(acceptEncoding(), 'gzip');
}

/** The head of a response says that its body is compressed. */
export function tellCompressed(head: ResponseHead): void {
  head.set('Content-Encoding', 'gzip');
  head.weaken();
}

/** RFC 9110, 12.5.3: the client takes this content coding (in lower case). */
export function acceptsCoding(acceptEncoding: string, wanted: string): boolean {
  if (acceptEncoding === '') return false;
  let any = false;
  for (const part of acceptEncoding.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((text) => text.trim());
    if (coding !== wanted && coding !== `x-${wanted}` && coding !== '*') continue;
    const quality = parameters.find((parameter) => parameter.startsWith('q='));
    const taken = quality === undefined || Number.parseFloat(quality.slice(2)) > 0;
    if (coding !== '*') return taken;
    any = taken;
  }
  return any;
}
