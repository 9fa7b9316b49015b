/** The key that scripts encrypt with when they name none, and that of encrypted properties (docs/interface/script-runtime.md 8.7). */
import type { Config } from '../../config/index.js';

export class EncryptionKeys {
  constructor(private readonly config: Config) {}

  /** Undefined: there is none. A run of scripts may have one of its own (`WriteSwitches.encryptionKey`). */
  get key(): string | undefined {
    const key = this.config.get('application.encryption.secret');
    return key === '' ? undefined : key;
  }
}
