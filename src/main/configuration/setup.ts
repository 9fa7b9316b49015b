/** First-time setup (contract, First-time setup; docs/interface/operations.md 1.5): whether it is complete, and the token that it asks for. */
import { randomBytes } from 'node:crypto';
import { sameText } from '../../shared/same-text.js';
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';

const log = logger('configuration');
const COMPLETED = 'setup.wizard.completed';

export class Setup {
  readonly #token: string;
  #wasIncomplete = false;

  constructor(private readonly config: Config) {
    const given = config.get('setup.token');
    this.#token = given === '' ? randomBytes(18).toString('base64url') : given;
  }

  /** A superuser password in the settings counts as complete, whoever wrote it. */
  get isComplete(): boolean {
    if (this.config.get(COMPLETED)) return true;
    // What is set while the wizard runs does not end it.
    return this.config.get('superuser.password') !== '' && !this.#wasIncomplete;
  }

  /** Says at the start where to go with which token, until the setup is complete. */
  begin(address: string): void {
    if (this.isComplete) return;
    this.#wasIncomplete = true;
    // Without it nobody gets in.
    log.always(`Initial setup: open ${address}/svc/config and enter the token ${this.#token}`);
  }

  /** Whether a text is the token, while one is asked for. */
  accepts(token: string): boolean {
    return !this.isComplete && sameText(token, this.#token);
  }

  /** The wizard is through. Throws `ConfigError` when that cannot be saved; the setup is incomplete then. */
  async complete(): Promise<void> {
    this.config.set(COMPLETED, true);
    try {
      await this.config.save();
    } catch (error) {
      this.config.reset(COMPLETED);
      throw error;
    }
    log.info('the initial setup is complete');
  }
}
