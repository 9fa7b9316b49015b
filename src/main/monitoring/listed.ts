/** Who may see what the service says of itself: addresses of a setting (docs/interface/monitoring.md 1). */
import type { Exchange } from '../http/index.js';

/** Headers of proxies that hand on requests of others. */
const HANDED_ON = ['x-forwarded-for', 'forwarded'] as const;

/**
 * Whether a request comes from an address on a list, which are compared as texts. One that a proxy has handed on is its client's, as far as that
 * proxy is trusted; else it may be anybody's, and is on no list.
 */
export function isListed(exchange: Exchange, list: string): boolean {
  const { address, remoteAddress } = exchange;
  if (address === remoteAddress && HANDED_ON.some((name) => exchange.header(name) !== '')) return false;
  return list
    .split(/[\s,]+/)
    .some((one) => one === address || (one.toLowerCase() === 'localhost' && /^(?:127\.0\.0\.1|::1)$/.test(address)));
}
