/** Which pages are served under which host (contract, Site and Page; Site matching). */

/** What a request calls the server by. */
export interface Host {
  /** In small letters. */
  readonly name: string;
  readonly port: number;
}

export interface Site {
  readonly id: string;
  /** In small letters; empty: it matches no request. */
  readonly hostname: string;
  /** Undefined: any. */
  readonly port: number | undefined;
}

export function matches({ hostname, port }: Site, host: Host): boolean {
  return hostname !== '' && hostname === host.name && (port === undefined || port === host.port);
}

/** A page without sites is served where no site claims the host, one with sites where one of them matches. */
export function isServed(own: readonly Site[], all: readonly Site[], host: Host): boolean {
  return own.length === 0 ? !all.some((site) => matches(site, host)) : own.some((site) => matches(site, host));
}

const HOST = /^(\[[0-9a-f:.]+\]|[^:]*)(?::(\d{1,5}))?$/i;

/** From the header `Host`; undefined: it is none. */
export function hostOf(header: string, defaultPort: number): Host {
  const [, name = '', port] = HOST.exec(header) ?? [];
  return { name: name.toLowerCase().replace(/\.$/, ''), port: port === undefined ? defaultPort : Number(port) };
}
