/** Calls that go straight to an address that was checked. */
import { connect as netConnect, isIP } from 'node:net';
import { connect as tlsConnect } from 'node:tls';
import type { buildConnector } from 'undici';
import type { Route, RoutedCall } from './route.js';

/**
 * A client for one call. Names are resolved for the connection itself, by `Targets.lookup`: what is checked is what is connected to,
 * whatever a name leads to later. `connected` is called when the connection stands.
 */
export async function directRoute(call: RoutedCall, connected: () => void): Promise<Route> {
  // Many modules, which most servers need late or never.
  const { Client } = await import('undici');
  const { origin } = call.url;
  const dispatcher = new Client(origin, { connect: connectorFor(call), allowH2: false });
  dispatcher.on('connect', connected);
  return { dispatcher, origin, headers: call.headers };
}

function connectorFor({ targets, checksCertificates, signal }: RoutedCall): buildConnector.connector {
  return ({ hostname, protocol, port, servername }, callback) => {
    const isSecure = protocol === 'https:';
    const to = { host: hostname, port: Number(port === '' ? (isSecure ? 443 : 80) : port), lookup: targets.lookup };
    // The name of the header Host, as the client has it; certificates of addresses are checked by the address.
    const name = servername ?? '';
    const socket = isSecure
      ? tlsConnect({
          ...to,
          ...(name !== '' ? { servername: name } : isIP(hostname) === 0 ? { servername: hostname } : {}),
          rejectUnauthorized: checksCertificates,
          ALPNProtocols: ['http/1.1'],
        })
      : netConnect(to);
    const stop = (): void => {
      socket.destroy(signal.reason as Error);
    };
    const settled = (): void => {
      signal.removeEventListener('abort', stop);
      socket.off('error', failed);
    };
    const failed = (error: Error): void => {
      settled();
      callback(error, null);
    };
    socket.setNoDelay(true);
    socket.on('error', failed);
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      settled();
      callback(null, socket);
    });
    signal.addEventListener('abort', stop);
  };
}
