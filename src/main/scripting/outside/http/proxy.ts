/** The proxy that calls go through when the settings name one (docs/interface/script-runtime.md 5.3). */
import { isIP } from 'node:net';
import type { Config } from '../../../config/index.js';
import type { Route, RoutedCall } from './route.js';

export interface Proxy {
  readonly url: URL;
  /** For a proxy that asks for a user. */
  readonly authorization: string | undefined;
}

const PROXY_AUTHORIZATION = /^proxy-authorization$/i;

/** The proxy of the settings; undefined: there is none. */
export function proxyOf(config: Pick<Config, 'get'>): Proxy | undefined {
  const text = config.get('application.proxy.http.url').trim();
  if (text === '') return undefined;
  const url = new URL(text.includes('://') ? text : `http://${text}`);
  const port = config.get('application.proxy.http.port');
  if (port !== 0) url.port = String(port);
  const username = config.get('application.proxy.http.username');
  const password = config.get('application.proxy.http.password');
  const authorization =
    username === '' ? undefined : `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`;
  return { url, authorization };
}

/**
 * How a call goes through a proxy: over a tunnel, and in plain text for URLs of http as long as all addresses are permitted. Where
 * some are not, names are resolved here, and the tunnel leads to the address that was checked. `connected` is called when the
 * connection to the other server stands, or in plain text to the proxy.
 */
export async function routeThrough(proxy: Proxy, call: RoutedCall, connected: () => void): Promise<Route> {
  const { url, targets, headers, connectTime, checksCertificates } = call;
  const host = bare(url.hostname);
  const origin = new URL(url.origin);
  if (targets.blocksAddresses) {
    const address = await targets.addressOf(host);
    origin.hostname = isIP(address) === 6 ? `[${address}]` : address;
  }
  // What a script sets for the proxy is for nobody else.
  const all = Object.entries(headers);
  const sent = all.filter(([name]) => !PROXY_AUTHORIZATION.test(name));
  const token = proxy.authorization ?? all.find(([name]) => PROXY_AUTHORIZATION.test(name))?.[1];
  const { Client, ProxyAgent } = await import('undici');
  const dispatcher = new ProxyAgent({
    uri: proxy.url.href,
    ...(token === undefined ? {} : { token }),
    proxyTunnel: url.protocol === 'https:' || targets.blocksAddresses,
    proxyTls: { timeout: connectTime },
    requestTls: {
      rejectUnauthorized: checksCertificates,
      timeout: connectTime,
      ...(isIP(host) === 0 ? { servername: host } : {}),
    },
    allowH2: false,
    factory: (to, options) => new Client(to, options).on('connect', connected),
  });
  return { dispatcher, origin: origin.origin, headers: { Host: url.host, ...Object.fromEntries(sent) } };
}

/** Without the brackets of addresses of IPv6. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
