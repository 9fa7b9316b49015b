/** The key that scripts encrypt with when they name none, and that of encrypted properties (scripting.md 12). */
import type { Config } from '../config/index.js';

export class EncryptionKeys {
  private own: string | undefined;

  constructor(private readonly config: Config) {}

  /** For this instance until it ends; undefined: that of the settings again. */
  set(key: string | undefined): void {
    this.own = key;
  }

  /** Undefined: there is none. */
  get key(): string | undefined {
    const key = this.own ?? this.config.get('application.encryption.secret');
    return key === '' ? undefined : key;
  }
}
