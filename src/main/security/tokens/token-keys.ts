/** What own tokens are signed with and checked by, as `security.jwt.secrettype` says (docs/interface/security.md 6.4). */
import type { Config } from '../../config/index.js';
import { AccessError } from '../errors.js';
import { KeystoreError, loadKeyPair } from './keystore.js';

/** Keys of one mode, and the one algorithm that goes with them. */
export interface TokenKeys {
  readonly algorithm: 'HS256' | 'RS256';
  readonly sign: string;
  readonly verify: string;
}

const LEAST_SECRET = 32;

export class TokenKeyring {
  /** The key pair as it was read last; undefined: to be read. */
  #pair: Promise<TokenKeys> | undefined;

  constructor(private readonly config: Config) {}

  /** Something about the settings has changed. */
  forget(): void {
    this.#pair = undefined;
  }

  /** The keys. Throws `AccessError` whose text says what to configure: 500, and 400 when others issue the tokens. */
  async get(): Promise<TokenKeys> {
    switch (this.config.get('security.jwt.secrettype')) {
      case 'jwks':
        throw new AccessError('Tokens are issued by another service: security.jwt.secrettype is jwks', 400);
      case 'secret': {
        const secret = this.config.get('security.jwt.secret');
        if (Array.from(secret).length < LEAST_SECRET)
          throw new AccessError(`security.jwt.secret must have at least ${String(LEAST_SECRET)} characters`, 500);
        return { algorithm: 'HS256', sign: secret, verify: secret };
      }
      case 'keypair': {
        const pair = (this.#pair ??= this.#load());
        try {
          return await pair;
        } catch (error) {
          // The file may be there the next time.
          if (this.#pair === pair) this.#pair = undefined;
          throw error;
        }
      }
    }
  }

  /** What is wrong with the settings; undefined when nothing is, or when there are to be no tokens. */
  async problem(): Promise<string | undefined> {
    const { config } = this;
    const mode = config.get('security.jwt.secrettype');
    if (mode === 'secret' && config.get('security.jwt.secret') === '') return undefined;
    if (mode === 'jwks')
      return config.get('security.jwks.provider') === '' ? 'security.jwks.provider is empty' : undefined;
    try {
      await this.get();
      return undefined;
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }

  async #load(): Promise<TokenKeys> {
    const { config } = this;
    const path = config.path('security.jwt.keystore');
    if (path === '') throw new AccessError('security.jwt.keystore must name a file with a key pair', 500);
    try {
      const { privateKey, publicKey } = await loadKeyPair(
        path,
        config.get('security.jwt.keystore.password'),
        config.get('security.jwt.key.alias'),
      );
      return { algorithm: 'RS256', sign: privateKey, verify: publicKey };
    } catch (error) {
      if (!(error instanceof KeystoreError)) throw error;
      throw new AccessError(`The file of security.jwt.keystore cannot be used: ${error.message}`, 500);
    }
  }
}
