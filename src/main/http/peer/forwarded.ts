import { parseAddress, type AddressSet } from '../../../shared/network.js';

/** Who sent a request, as far as it can be believed. */
export interface Origin {
  readonly address: string;
  readonly secure: boolean;
}

/**
 * The client behind trusted proxies: of `X-Forwarded-For` the right-most address that is not a trusted proxy's, since
 * everything left of it is the client's own claim. An entry that is no address ends the search, and the proxy that
 * passed it on counts as the client. Of `X-Forwarded-Proto` the right-most word counts, which the peer itself wrote.
 */
export function originOf(peer: string, secure: boolean, proxies: AddressSet, header: (name: string) => string): Origin {
  if (!proxies.has(peer)) return { address: peer, secure };
  let address = peer;
  const hops = header('x-forwarded-for').split(',');
  for (let hop = hops.pop(); hop !== undefined; hop = hops.pop()) {
    const parsed = parseHop(hop.trim());
    if (parsed === undefined) break;
    address = parsed;
    if (!proxies.has(parsed)) break;
  }
  const proto = header('x-forwarded-proto').split(',').pop()?.trim().toLowerCase();
  return { address, secure: proto === 'https' || (proto !== 'http' && secure) };
}

/** `1.2.3.4`, `1.2.3.4:5`, `::1`, `[::1]`, `[::1]:5`. */
function parseHop(text: string): string | undefined {
  const bare = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(text)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(text)?.[1] ?? text;
  return parseAddress(bare)?.toString();
}
