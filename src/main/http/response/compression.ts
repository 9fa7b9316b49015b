/** Smaller answers fit one network packet anyway; compressing them costs more than it saves. */
export const COMPRESS_FROM = 1024;

const COMPRESSIBLE =
  /^(?:text\/(?!event-stream)|application\/(?:json|javascript|xml|[\w.+-]*\+(?:json|xml))|image\/svg\+xml)/i;

/** `text/event-stream` is left out: each event has to leave at once. */
export function compressible(contentType: string | undefined): boolean {
  return contentType !== undefined && COMPRESSIBLE.test(contentType);
}

/** RFC 9110, 12.5.3: the client takes gzip. */
export function acceptsGzip(acceptEncoding: string): boolean {
  return acceptsCoding(acceptEncoding, 'gzip');
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
