import type { Exchange, Handler } from '../exchange.js';
import { hostName } from '../request/host.js';

export interface RedirectOptions {
  /** Where clients of ours find HTTPS; undefined when only proxies offer it. */
  readonly securePort: () => number | undefined;
  /** `application.baseurl.override`: its host goes before the one a client names. */
  readonly baseUrl: () => string;
}

/** Answers plain requests with a redirect to HTTPS (`httpservice.force.https`); hands on all others. */
export function forceHttps(handler: Handler, options: RedirectOptions): Handler {
  return (exchange) => (exchange.secure ? handler(exchange) : redirect(exchange, options));
}

function redirect(exchange: Exchange, options: RedirectOptions): void {
  const host = secureHost(exchange, options);
  if (host === undefined) {
    exchange.status = 400;
    exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
    exchange.end('{\n  "code": 400,\n  "message": "The Host header is no host name.",\n  "errors": []\n}\n');
    return;
  }
  const query = exchange.query === '' ? '' : `?${exchange.query}`;
  exchange.status = 302;
  exchange.setHeader('Location', `https://${host}${escaped(exchange.path)}${escaped(query)}`);
  exchange.end();
}

/** Host and port of the target; undefined when the client's `Host` is none. */
function secureHost(exchange: Exchange, { securePort, baseUrl }: RedirectOptions): string | undefined {
  const base = baseUrl();
  if (base !== '') {
    const url = new URL(base);
    return url.protocol === 'https:' ? url.host : withPort(url.hostname, securePort());
  }
  const host = exchange.header('host');
  const name = hostName(host);
  if (name === undefined) return undefined;
  // Whoever came through a proxy cannot reach our own port.
  return withPort(name, exchange.address === exchange.remoteAddress ? securePort() : undefined);
}

function withPort(host: string, port: number | undefined): string {
  return port === undefined || port === 443 ? host : `${host}:${String(port)}`;
}

/** What a client has sent raw that a URL may not hold. */
function escaped(text: string): string {
  return text.replace(/[^\x21-\x7e]|["<>\\^`{|}]/gu, (char) => {
    return Array.from(Buffer.from(char), (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}
