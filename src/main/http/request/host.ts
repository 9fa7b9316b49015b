/** A host as a URL may have it: name, IPv4, IPv6 in brackets; then a port. Nothing else gets into a `Location`. */
const HOST = /^([A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?=[A-Za-z0-9_-]))*\.?|\[[0-9A-Fa-f:.]{2,45}\])(?::\d{1,5})?$/;
const MAX_HOST = 255;
const MAX_REMEMBERED = 1000;
const remembered = new Set<string>();

/** The name in a `Host` header, without its port; undefined when it is none. */
export function hostName(host: string): string | undefined {
  return host.length > MAX_HOST ? undefined : HOST.exec(host)?.[1];
}

/** Whether a `Host` header is a host, with or without a port. */
export function isHost(host: string): boolean {
  if (remembered.has(host)) return true;
  if (hostName(host) === undefined) return false;
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.add(host);
  return true;
}
