const ABSOLUTE = /^https?:\/\/([^/?#]*)(.*)$/i;

/** The text that bytes mean which the library has read as Latin-1. */
export function utf8(text: string): string {
  return /[\u0080-\u00ff]/.test(text) ? Buffer.from(text, 'latin1').toString() : text;
}

/**
 * Path and query of a request target. Of a whole URL (RFC 9112, 3.2.2) the host has to be the one of the `Host` header. Undefined for what
 * is no resource of this server: `*`, other schemes, another host.
 */
export function splitTarget(
  target: string,
  headers: readonly string[],
): { readonly path: string; readonly query: string } | undefined {
  let origin = target;
  if (!target.startsWith('/')) {
    const [, authority, rest = ''] = ABSOLUTE.exec(target) ?? [];
    if (authority === undefined || authority !== headers[headers.indexOf('host') + 1]) return undefined;
    origin = rest.startsWith('/') ? rest : `/${rest}`;
  }
  const text = utf8(origin);
  const at = text.indexOf('?');
  return at < 0 ? { path: text, query: '' } : { path: text.slice(0, at), query: text.slice(at + 1) };
}
