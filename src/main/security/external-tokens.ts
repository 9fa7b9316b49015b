/** Tokens of another issuer, checked by the keys it publishes (mode `jwks`, security.md 5.5). */
import { createRemoteJWKSet, customFetch, decodeProtectedHeader, errors, jwtVerify, type JWTVerifyGetKey } from 'jose';
import { describeSetting, type Config } from '../config/index.js';
import { logger } from '../../shared/log.js';
import { AccessError } from './errors.js';

const log = logger('security.tokens');

const TIMEOUT = 5000;
/** A key that is not in the set makes it be fetched again at most so often (ms). */
const COOLDOWN = 30_000;
const MAX_AGE = 600_000;
/** After a failed fetch the next one waits so long (ms): tokens that are made up must not make us knock at every one. */
const AFTER_FAILURE = 5000;
const MAX_SIZE = 262_144;
/** Difference that clocks may have (s). */
const TOLERANCE = 5;

export class ExternalTokens {
  #keys: JWTVerifyGetKey | undefined;
  #failedAt = Number.NEGATIVE_INFINITY;

  constructor(private readonly config: Config) {}

  /** The claims of a valid token; undefined when it names no key. Throws `AccessError` 422 when it is not valid. */
  async verify(token: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    if (!namesKey(token)) return undefined;
    const audience = this.config.get('security.jwt.audience');
    try {
      const { payload } = await jwtVerify(token, (this.#keys ??= this.#keySet()), {
        algorithms: ['RS256'],
        // As a list, so that an empty issuer is compared too.
        issuer: [this.config.get('security.jwt.jwtissuer')],
        ...(audience === '' ? {} : { audience }),
        requiredClaims: ['exp'],
        clockTolerance: TOLERANCE,
      });
      return payload;
    } catch (error) {
      throw new AccessError(problemOf(error), 422);
    }
  }

  #keySet(): JWTVerifyGetKey {
    const { config } = this;
    const provider = config.get('security.jwks.provider');
    if (provider === '') throw new AccessError('security.jwks.provider is empty', 422);
    const issuer = config.get('security.jwt.jwtissuer');
    const whole = issuer !== '' && issuer !== describeSetting('security.jwt.jwtissuer').default;
    const url = new URL(whole ? provider : `${provider.replace(/\/+$/, '')}/.well-known/jwks.json`);
    return createRemoteJWKSet(url, {
      timeoutDuration: TIMEOUT,
      cooldownDuration: COOLDOWN,
      cacheMaxAge: MAX_AGE,
      [customFetch]: async (address, options) => {
        if (performance.now() - this.#failedAt < AFTER_FAILURE) throw new Error('failed a moment ago');
        try {
          return await fetchSmall(address, options);
        } catch (error) {
          this.#failedAt = performance.now();
          const reason = error instanceof Error ? error.message : 'unknown error';
          log.warn(`the keys of security.jwks.provider could not be fetched from ${url.host}: ${reason}`);
          throw error;
        }
      },
    });
  }
}

/** Redirects are not followed (`options` says so): they could lead to a place nobody has configured. */
async function fetchSmall(address: string, options: RequestInit): Promise<Response> {
  const response = await fetch(address, options);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`status ${String(response.status)}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).length;
    if (size > MAX_SIZE) throw new Error('the answer is too large');
    chunks.push(chunk as Uint8Array);
  }
  const text = Buffer.concat(chunks).toString();
  // Looked at here too, so that what is no key set counts as a failure like any other.
  const parsed = JSON.parse(text) as { keys?: unknown } | null;
  if (!Array.isArray(parsed?.keys)) throw new Error('the answer is no key set');
  return new Response(text);
}

function namesKey(token: string): boolean {
  try {
    const { kid } = decodeProtectedHeader(token);
    return typeof kid === 'string' && kid !== '';
  } catch {
    return false;
  }
}

function problemOf(error: unknown): string {
  if (error instanceof AccessError) return error.message;
  if (error instanceof errors.JWTExpired) return 'The token has expired';
  if (error instanceof errors.JWTClaimValidationFailed) return `The claim ${error.claim} of the token is not accepted`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong';
  if (error instanceof errors.JOSEAlgNotAllowed) return 'The token is not signed with RS256';
  if (error instanceof errors.JWKSNoMatchingKey) return 'The token names a key that its issuer does not have';
  if (error instanceof errors.JWTInvalid || error instanceof errors.JWSInvalid) return 'The token is malformed';
  return 'The keys of the token issuer could not be used';
}
