/**
 * Where calls of scripts may lead (docs/interface/script-runtime.md 5.3): which URLs, and which addresses their hosts may have. Addresses are checked
 * after names are resolved, and the connection goes to the address that was checked.
 */
import { lookup as resolve, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import { RE2JS, RE2JSException } from 're2js';
import { logger } from '../../../../shared/log.js';
import { AddressSet, parseAddress } from '../../../../shared/network.js';
import type { Config } from '../../../config/index.js';
import { ScriptError } from '../../language/errors.js';

const log = logger('scripting.http');
const LONGEST_URL = 64 * 1024;
/** Settings whose rules are kept. */
const MOST_KNOWN = 8;

/** What `private` stands for in `application.httphelper.blockedaddresses`: all that is not public (IANA's registries). */
const PRIVATE: readonly string[] = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '224.0.0.0/3'],
  ...['::/96', '64:ff9b:1::/48', '100::/64', '2001:db8::/32', 'fc00::/7', 'fe80::/9', 'ff00::/8'],
];

/** The rules of one text of each setting. */
export class Targets {
  private readonly patterns: readonly RE2JS[] | undefined;
  private readonly blocked: AddressSet;
  /** Some addresses are not permitted. */
  readonly blocksAddresses: boolean;

  private constructor(allowed: string, blocked: string) {
    this.patterns = mayCallAll(allowed) ? undefined : patternsIn(allowed).flatMap(compiled);
    const words = blocked.split(/[\s,]+/).filter((word) => word !== '');
    this.blocksAddresses = words.length > 0;
    this.blocked = new AddressSet(words.flatMap((word) => (word.toLowerCase() === 'private' ? PRIVATE : [word])));
  }

  private static readonly known = new Map<string, Targets>();

  /** The rules of the settings as they are now; `publicOnly` as in `OutboundCall`. */
  static of(config: Pick<Config, 'get'>, publicOnly = false): Targets {
    const allowed = config.get('application.httphelper.urlwhitelist');
    const own = config.get('application.httphelper.blockedaddresses');
    const blocked = publicOnly && mayCallAll(allowed) ? `${own} private` : own;
    const key = `${allowed}\n${blocked}`;
    let targets = Targets.known.get(key);
    if (targets === undefined) {
      if (Targets.known.size >= MOST_KNOWN) Targets.known.clear();
      Targets.known.set(key, (targets = new Targets(allowed, blocked)));
    }
    return targets;
  }

  /** Throws `ScriptError` 422 for a URL that may not be called. */
  check(url: URL): void {
    if (url.protocol !== 'http:' && url.protocol !== 'https:') {
      throw new ScriptError(422, `Only http and https URLs can be called, not ${url.protocol.slice(0, 40)}.`);
    }
    this.checkTarget(url);
  }

  /** The same for URLs of other protocols (databases). */
  checkTarget(url: URL): void {
    const { href } = url;
    if (this.patterns?.every((pattern) => !pattern.matcher(href).matches()) === true) {
      throw new ScriptError(
        422,
        `${shownUrl(url)} matches no entry of the setting application.httphelper.urlwhitelist.`,
      );
    }
    const host = url.hostname.replace(/^\[|\]$/g, '');
    // Names are checked when they are resolved; what is an address is never looked up.
    if (isIP(host) !== 0 && this.refuses(host)) throw blockedError(url.hostname);
  }

  /** Whether connections may not lead to an address. */
  refuses(address: string): boolean {
    // Zones of link-local addresses.
    const [bare = ''] = address.split('%');
    return this.blocked.has(bare) || embeddedIn(bare).some((one) => this.blocked.has(one));
  }

  /** An address of a host that connections may lead to. Rejects as `lookup` does. */
  addressOf(host: string): Promise<string> {
    if (isIP(host) !== 0) return this.refuses(host) ? Promise.reject(blockedError(host)) : Promise.resolve(host);
    return new Promise((done, fail) => {
      this.lookup(host, {}, (error, address) => {
        if (error !== null) fail(error);
        else if (typeof address === 'string') done(address);
        else fail(blockedError(host));
      });
    });
  }

  /** Resolves names for the connection of a call; addresses that are refused are left out. */
  readonly lookup: LookupFunction = (host, options, callback) => {
    const wanted: LookupOptions = { family: options.family ?? 0, hints: options.hints ?? 0 };
    resolve(host, { ...wanted, all: true }, (error, found) => {
      if (error !== null) {
        callback(error, [], 0);
        return;
      }
      const [first, ...others] = found.filter(({ address }) => !this.refuses(address));
      if (first === undefined) callback(blockedError(host), [], 0);
      else answer(options.all === true, [first, ...others], callback);
    });
  };
}

function answer(
  all: boolean,
  found: readonly [LookupAddress, ...LookupAddress[]],
  callback: Parameters<LookupFunction>[2],
): void {
  if (all) callback(null, [...found]);
  else callback(null, found[0].address, found[0].family);
}

/** Addresses of IPv4 that one of IPv6 leads to by way of a translator or tunnel (RFC 6052, 3056). */
function embeddedIn(text: string): string[] {
  const address = parseAddress(text);
  if (!(address instanceof ipaddr.IPv6)) return [];
  const { parts } = address;
  const dotted = (high = 0, low = 0): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  if (parts[0] === 0x64 && parts[1] === 0xff9b) return [dotted(parts[6], parts[7])];
  return parts[0] === 0x2002 ? [dotted(parts[1], parts[2])] : [];
}

function blockedError(host: string): ScriptError {
  return new ScriptError(
    422,
    `Calls to ${host.slice(0, 255)} are not permitted (application.httphelper.blockedaddresses).`,
  );
}

function patternsIn(allowed: string): string[] {
  return allowed
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');
}

function mayCallAll(allowed: string): boolean {
  return patternsIn(allowed).includes('*');
}

function compiled(source: string): RE2JS[] {
  try {
    return [RE2JS.compile(source)];
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    log.error(`application.httphelper.urlwhitelist: '${source}' cannot be used: ${error.message}`);
    return [];
  }
}

/** Throws `ScriptError` 422 for what is no URL. */
export function urlOf(text: string, base?: URL): URL {
  if (text.length <= LONGEST_URL) {
    try {
      return new URL(text.trim(), base);
    } catch {
      // Falls through to the one answer.
    }
  }
  throw new ScriptError(422, 'This is no URL that can be called: it has to begin with http:// or https:// and a host.');
}

/** A URL for messages: without user and password, and without its query, which may hold keys. */
export function shownUrl(url: URL): string {
  const { protocol, host, pathname, search } = url;
  const shown = `${protocol}//${host}${pathname}`;
  return `${shown.length > 500 ? `${shown.slice(0, 500)}...` : shown}${search === '' ? '' : '?...'}`;
}
