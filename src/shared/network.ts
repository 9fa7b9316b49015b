/** Addresses and ranges of addresses, as settings and proxies write them. */
import ipaddr from 'ipaddr.js';

type Address = ipaddr.IPv4 | ipaddr.IPv6;
type Range = [Address, number];

const MAX_REMEMBERED = 1000;

/** Addresses and CIDR ranges. IPv4 written inside IPv6 is IPv4. */
export class AddressSet {
  private readonly ranges: readonly Range[];
  private readonly remembered = new Map<string, boolean>();

  /** Entries that are no addresses are left out; `config/checks.ts` refuses them where they are settings. */
  constructor(entries: readonly string[]) {
    this.ranges = entries.flatMap((entry) => {
      const range = parseRange(entry);
      return range === undefined ? [] : [range];
    });
  }

  get empty(): boolean {
    return this.ranges.length === 0;
  }

  has(address: string): boolean {
    if (this.ranges.length === 0) return false;
    let known = this.remembered.get(address);
    if (known === undefined) {
      known = this.matches(address);
      if (this.remembered.size >= MAX_REMEMBERED) this.remembered.clear();
      this.remembered.set(address, known);
    }
    return known;
  }

  private matches(text: string): boolean {
    const address = parseAddress(text);
    if (address === undefined) return false;
    return this.ranges.some(([network, bits]) => network.kind() === address.kind() && within(address, network, bits));
  }
}

/** The address by which one client is counted: who has IPv6 has a whole /64 to choose from. */
export function clientKey(address: string): string {
  if (!address.includes(':')) return address;
  const parsed = parseAddress(address);
  if (!(parsed instanceof ipaddr.IPv6)) return parsed?.toString() ?? address;
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}

/** An address, IPv4 inside IPv6 as IPv4; undefined when the text is none. */
export function parseAddress(text: string): Address | undefined {
  // The library takes `1`, `0x7f.1` and zones for addresses too.
  if (!/^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f:.]*:[\da-f:.]*)$/i.test(text) || !ipaddr.isValid(text)) return undefined;
  return ipaddr.process(text);
}

function parseRange(text: string): Range | undefined {
  const [base = '', length, ...rest] = text.split('/');
  if (rest.length > 0 || (length !== undefined && !/^\d{1,3}$/.test(length))) return undefined;
  const address = parseAddress(base);
  if (address === undefined) return undefined;
  const bits = address.kind() === 'ipv4' ? 32 : 128;
  // `::ffff:10.0.0.0/104` is `10.0.0.0/8`.
  const mapped = bits === 32 && base.includes(':') ? 96 : 0;
  const wanted = length === undefined ? bits : Number(length) - mapped;
  return wanted < 0 || wanted > bits ? undefined : [address, wanted];
}

function within(address: Address, network: Address, bits: number): boolean {
  if (address instanceof ipaddr.IPv4) return network instanceof ipaddr.IPv4 && address.match(network, bits);
  return network instanceof ipaddr.IPv6 && address.match(network, bits);
}
