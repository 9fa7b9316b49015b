import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

/** Whether an address is one of these, or in one of these CIDR ranges. What is no address is in none. */
export function isInNetworks(address: string, networks: readonly string[]): boolean {
  if (networks.length === 0) return false;
  const parsed = parse(address);
  return parsed !== undefined && networks.some((network) => isIn(parsed, network));
}

function isIn(address: IPv4 | IPv6, network: string): boolean {
  const [base = '', length] = network.split('/');
  const parsed = parse(base);
  if (parsed === undefined || parsed.kind() !== address.kind()) return false;
  const bits = parsed.kind() === 'ipv4' ? 32 : 128;
  // Parsing makes IPv4 of a mapped address, whose first 96 bits are the same for all.
  const given = length === undefined ? bits : Number(length) - (bits === 32 && base.includes(':') ? 96 : 0);
  // A range of everything would switch the second factor off by a slip: it means its one address (docs/interface/security.md 5).
  const prefix = given > 0 && given <= bits ? given : bits;
  return address.match(parsed, prefix);
}

function parse(text: string): IPv4 | IPv6 | undefined {
  try {
    return ipaddr.process(text);
  } catch {
    return undefined;
  }
}
