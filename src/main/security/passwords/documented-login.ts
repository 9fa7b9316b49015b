/**
 * Where the password that is in the documentation is enough to log in: on the server's own machine. Everybody knows it, so a new
 * server on a network would be open until its owner has changed it.
 */
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { logger } from '../../../shared/log.js';
import { AddressSet } from '../../../shared/network.js';
import type { Config } from '../../config/index.js';
import type { GraphNode } from '../../graph/index.js';
import { textOf } from '../../schema/index.js';
import { DOCUMENTED } from './documented-password.js';
import { AccessError } from '../errors.js';

const log = logger('security');

/** Where a password came from; an `Exchange` is one. Its address is asked for only where it decides: to find it takes 5 µs. */
export interface LoginSource {
  readonly address: string;
  readonly remoteAddress: string;
  /** Value of a request header (name in lower case); empty when absent. */
  header(name: string): string;
}

/** Asked once: each request with that password looks at it. */
const OWN_NAME = hostname().toLowerCase();
/** Loopback, IPv4 inside IPv6 too. */
const OWN_MACHINE = new AddressSet(['127.0.0.0/8', '::1']);
/** Written by proxies, about those they speak for. */
const OF_PROXIES = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;
/** Headers that decide where a password came from. */
export const DECIDING_HEADERS = [...OF_PROXIES, 'host'] as const;
const REFUSED =
  'The documented initial password works only on the machine of the server until it is changed: change it there, for example with `svc user passwd`';

/** Whether a `Host` is an address, or a name that nobody else can have for this machine. */
function isOwnName(host: string): boolean {
  const name = host
    .replace(/:\d{1,5}$/, '')
    .replace(/^\[(.*)\]$/, '$1')
    .toLowerCase();
  return name === '' || name === 'localhost' || isIP(name) !== 0 || name === OWN_NAME;
}

export class DocumentedLogin {
  /** Nobody but this machine can reach the server, so that its peers' addresses tell nothing. */
  readonly #isClosed: boolean;
  /** The `Host` that was looked at last: most requests name the same. */
  #host = '';
  #isOwnHost = true;

  constructor(private readonly config: Config) {
    const host = config.get('application.host');
    this.#isClosed = host === 'localhost' || OWN_MACHINE.has(host);
  }

  /** Whether a password is the documented one and comes from where it is not enough. */
  isFromElsewhere(password: string, from: LoginSource): boolean {
    if (password !== DOCUMENTED || this.config.get('initialuser.documentedpassword.anywhere')) return false;
    return !this.#isOwnMachine(from);
  }

  /**
   * For a user whose password was right. Throws `AccessError` when they are an administrator with the documented password, from
   * elsewhere.
   */
  refuse(user: GraphNode, password: string, from: LoginSource): void {
    if (user.properties['isAdmin'] !== true || !this.isFromElsewhere(password, from)) return;
    const name = textOf(user, 'name') ?? user.id;
    const place = OWN_MACHINE.has(from.address)
      ? 'a proxy on this machine, which httpservice.trustedproxies does not name'
      : from.address;
    log.warn(
      `refused a login of '${name}' from ${place}: the documented initial password works only on this machine (loopback) until ` +
        `it is changed. Change it by 'svc user passwd ${name}' or by a request on this machine, or start a new database with ` +
        'initialuser.password. initialuser.documentedpassword.anywhere = true would permit it',
    );
    throw new AccessError(REFUSED, 401, { reason: 'documentedPassword' });
  }

  #isOwn(host: string): boolean {
    if (host === this.#host) return this.#isOwnHost;
    this.#isOwnHost = isOwnName(host);
    this.#host = host;
    return this.#isOwnHost;
  }

  /** A proxy on this machine that is not trusted hides where its clients are: what it sends is not from here. */
  #isOwnMachine(from: LoginSource): boolean {
    // Without these headers the client is the peer, whoever is trusted.
    const isDirect = OF_PROXIES.every((name) => from.header(name) === '');
    // A page of another site whose name leads to this machine is not from here, though its browser is.
    if (!this.#isOwn(from.header('host'))) return false;
    if (isDirect && this.#isClosed) return true;
    if (!OWN_MACHINE.has(from.address)) return false;
    if (isDirect) return true;
    // Without this header a proxy tells nobody whom it speaks for.
    if (from.header('x-forwarded-for') === '') return false;
    return new AddressSet(this.config.get('httpservice.trustedproxies')).has(from.remoteAddress);
  }
}
