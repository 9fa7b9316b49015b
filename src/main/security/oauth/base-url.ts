/** URLs of this server as browsers see them. */
import type { Exchange } from '../../http/index.js';

/** A host name, IPv4 or bracketed IPv6 address, with or without a port: nothing that could end the host of a URL. */
const HOST = /^(?:[a-z0-9](?:[a-z0-9._-]{0,252})|\[[0-9a-f:.]{2,45}\])(?::\d{1,5})?$/i;

/**
 * Base of this server's URLs: `application.baseurl.override`, else what the request names. undefined when its `Host`
 * is none.
 */
export function baseUrl(exchange: Exchange, override: string): URL | undefined {
  if (override !== '') return new URL(override);
  const host = exchange.header('host');
  if (!HOST.test(host)) return undefined;
  try {
    return new URL(`${exchange.scheme}://${host}/`);
  } catch {
    return undefined;
  }
}

/** A setting that holds a path of this server or an absolute URL, as a URL. */
export function absolute(place: string, base: URL): URL {
  if (!place.startsWith('/')) return new URL(place);
  // The override may have a path: the place is below it.
  return new URL(`${base.origin}${base.pathname.replace(/\/+$/, '')}${place}`);
}
