/** The proxy that calls go through when the settings name one (docs/interface/script-runtime.md 5.3). */
import { request as httpRequest, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type Socket } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { Config } from '../../../config/index.js';
import { ScriptError } from '../../language/errors.js';
import type { Targets } from './targets.js';

export interface Proxy {
  readonly url: URL;
  /** For a proxy that asks for a user. */
  readonly authorization: string | undefined;
}

/** What a call through a proxy differs in. */
export interface Route {
  readonly options: RequestOptions;
  /** The request itself goes over TLS; with a tunnel, TLS is in the connection. */
  readonly isSecure: boolean;
}

interface Call {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly targets: Targets;
  readonly connectTime: number;
  readonly checksCertificates: boolean;
  readonly signal: AbortSignal;
}

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
 * some are not, names are resolved here, and the tunnel leads to the address that was checked.
 */
export async function routeThrough(proxy: Proxy, call: Call): Promise<Route> {
  const { url, targets, headers } = call;
  const isSecure = url.protocol === 'https:';
  if (!isSecure && !targets.blocksAddresses) {
    return {
      isSecure: proxy.url.protocol === 'https:',
      options: {
        ...addressOf(proxy),
        path: withoutFragment(url),
        headers: { Host: url.host, ...headers, ...authorized(proxy) },
        agent: false,
      },
    };
  }
  const host = bare(url.hostname);
  const address = targets.blocksAddresses ? await targets.addressOf(host) : host;
  const socket = await tunnel(proxy, address, url.port === '' ? (isSecure ? 443 : 80) : Number(url.port), call);
  const options = {
    socket,
    rejectUnauthorized: call.checksCertificates,
    ...(isIP(host) === 0 ? { servername: host } : {}),
  };
  return {
    isSecure,
    options: {
      ...urlOptions(url),
      headers,
      createConnection: () => (isSecure ? tlsConnect({ ...options, host }) : socket),
    },
  };
}

function tunnel(proxy: Proxy, address: string, port: number, { connectTime, signal }: Call): Promise<Socket> {
  const target = `${isIP(address) === 6 ? `[${address}]` : address}:${String(port)}`;
  return new Promise((resolve, reject) => {
    const sent = (proxy.url.protocol === 'https:' ? httpsRequest : httpRequest)({
      ...addressOf(proxy),
      method: 'CONNECT',
      path: target,
      headers: { Host: target, ...authorized(proxy) },
      agent: false,
      signal,
    });
    const timer =
      connectTime === 0
        ? undefined
        : setTimeout(() => {
            sent.destroy(new ScriptError(422, `the proxy made no connection within ${String(connectTime / 1000)} s`));
          }, connectTime);
    const refused = (status: number | undefined): void => {
      reject(new ScriptError(422, `the proxy answers with status ${String(status)}`));
      sent.destroy();
    };
    sent.on('connect', (response, socket, head) => {
      if (response.statusCode !== 200) {
        socket.destroy();
        refused(response.statusCode);
        return;
      }
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    sent.on('response', (response) => refused(response.statusCode));
    sent.on('error', reject);
    sent.on('close', () => clearTimeout(timer));
    sent.end();
  });
}

function addressOf({ url }: Proxy): RequestOptions {
  return {
    protocol: url.protocol,
    hostname: bare(url.hostname),
    ...(url.port === '' ? {} : { port: Number(url.port) }),
  };
}

function urlOptions(url: URL): RequestOptions {
  const { protocol, hostname, port, pathname, search } = url;
  return {
    protocol,
    hostname: bare(hostname),
    path: pathname + search,
    ...(port === '' ? {} : { port: Number(port) }),
  };
}

function authorized({ authorization }: Proxy): Record<string, string> {
  return authorization === undefined ? {} : { 'Proxy-Authorization': authorization };
}

function withoutFragment(url: URL): string {
  return url.href.split('#')[0] ?? '';
}

/** Without the brackets of addresses of IPv6. */
function bare(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}
