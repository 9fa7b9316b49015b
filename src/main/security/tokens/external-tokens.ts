/** Tokens of another issuer, checked by the keys it publishes (mode `jwks`, docs/interface/security.md 6.5). */
import { verify, type Algorithm } from '@node-rs/jsonwebtoken';
import { describeSetting, type Config } from '../../config/index.js';
import { logger } from '../../../shared/log.js';
import { AccessError } from '../errors.js';
import { KeySet } from './key-set.js';

const log = logger('security.tokens');

/** Difference that clocks may have (s). */
const TOLERANCE = 5;

export class ExternalTokens {
  #keys: KeySet | undefined;

  constructor(private readonly config: Config) {}

  /** The claims of a valid token; undefined when it names no key. Throws `AccessError` 422 when it is not valid. */
  async verify(token: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const header = headerOf(token);
    if (header === undefined || typeof header['kid'] !== 'string' || header['kid'] === '') return undefined;
    if (header['alg'] !== 'RS256') throw refused('The token is not signed with RS256');
    // Extensions that have to be understood; there are none that we do (RFC 7515, 4.1.11).
    if (header['crit'] !== undefined) throw refused('The token is malformed');
    const key = await this.#keyOf(header['kid']);
    const audience = this.config.get('security.jwt.audience');
    try {
      return await verify(token, key, {
        algorithms: ['RS256' as Algorithm],
        requiredSpecClaims: ['exp', 'iss', ...(audience === '' ? [] : ['aud'])],
        iss: [this.config.get('security.jwt.jwtissuer')],
        ...(audience === '' ? {} : { aud: [audience] }),
        leeway: TOLERANCE,
        validateExp: true,
        validateNbf: true,
      });
    } catch (error) {
      throw refused(problemOf(error instanceof Error ? error.message : ''));
    }
  }

  async #keyOf(name: string): Promise<string> {
    const keys = (this.#keys ??= this.#keySet());
    let key: string | undefined;
    try {
      key = await keys.key(name);
    } catch {
      throw refused('The keys of the token issuer could not be used');
    }
    if (key === undefined) throw refused('The token names a key that its issuer does not have');
    return key;
  }

  #keySet(): KeySet {
    const { config } = this;
    const provider = config.get('security.jwks.provider');
    if (provider === '') throw refused('security.jwks.provider is empty');
    const issuer = config.get('security.jwt.jwtissuer');
    const whole = issuer !== '' && issuer !== describeSetting('security.jwt.jwtissuer').default;
    const url = new URL(whole ? provider : `${provider.replace(/\/+$/, '')}/.well-known/jwks.json`);
    return new KeySet(url, (reason) => {
      log.warn(`the keys of security.jwks.provider could not be fetched from ${url.host}: ${reason}`);
    });
  }
}

function refused(message: string): AccessError {
  return new AccessError(message, 422);
}

/** The first part of a token; undefined: it is none. */
function headerOf(token: string): Readonly<Record<string, unknown>> | undefined {
  const [head = '', , ...rest] = token.split('.');
  if (rest.length !== 1) return undefined;
  try {
    const header: unknown = JSON.parse(Buffer.from(head, 'base64url').toString());
    return typeof header === 'object' && header !== null ? (header as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Claims that the library calls by names of its own. */
const CLAIMS: ReadonlyMap<string, string> = new Map([
  ['InvalidIssuer', 'iss'],
  ['InvalidAudience', 'aud'],
  ['ImmatureSignature', 'nbf'],
]);

/** By what the library says; what it quotes of the token is left out. */
function problemOf(message: string): string {
  if (message === 'ExpiredSignature') return 'The token has expired';
  if (message === 'InvalidSignature') return 'The signature of the token is wrong';
  if (message === 'InvalidAlgorithm') return 'The token is not signed with RS256';
  const claim = CLAIMS.get(message) ?? /^Missing required claim: (\w+)$/.exec(message)?.[1];
  if (claim !== undefined) return `The claim ${claim} of the token is not accepted`;
  return 'The token is malformed';
}
