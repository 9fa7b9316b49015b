/** Which of the addresses of this machine a client has reached, where the library does not say it. */
import { createSocket } from 'node:dgram';
import { isIP, isIPv6 } from 'node:net';

/** Stands for all addresses of the machine. */
const ANY: ReadonlySet<string> = new Set(['', '0.0.0.0', '::']);
/** No packet is sent: the port only has to be one. */
const DISCARD = 9;

/**
 * The address that a server, which listens on `host`, is reached at by a peer: `host` itself where it is one address, else the one that
 * the system would send an answer to the peer from. It is the one that the request arrived at unless the machine has several
 * addresses in the peer's network, or a packet filter changes them. Empty when nobody knows.
 */
export function localAddressTowards(peer: string, host: string): Promise<string> {
  if (!ANY.has(host) && isIP(host) !== 0) return Promise.resolve(host);
  if (isIP(peer) === 0) return Promise.resolve('');
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(peer) ? 'udp6' : 'udp4');
    const done = (address: string): void => {
      socket.close();
      resolve(address);
    };
    socket.once('error', () => {
      done('');
    });
    // Where there is no way to the peer it is called with the error.
    socket.connect(DISCARD, peer, (error?: Error) => {
      done(error === undefined || error === null ? socket.address().address : '');
    });
  });
}
