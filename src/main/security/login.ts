/** Who wants to log in: the fields of a login, whichever endpoint they came to (security.md 3.2). */
import type { GraphNode } from '../graph/index.js';
import type { JsonObject } from '../../shared/json.js';
import { AccessError } from './errors.js';
import { WRONG, type PasswordCheck } from './password-check.js';
import { text } from './principals.js';

export interface LoginOptions {
  /** `superuser.username`, who has no session. */
  readonly superuserName: () => string;
  /** `registration.allowloginbeforeconfirmation` */
  readonly beforeConfirmation: () => boolean;
}

export class Login {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly options: LoginOptions,
  ) {}

  /** The user whose credentials these are. Throws `AccessError`: what is wrong, without telling whether he exists. */
  async identify(input: JsonObject): Promise<GraphNode> {
    const eMail = field(input, 'eMail');
    const name = eMail === '' ? field(input, 'name') : eMail;
    const password = field(input, 'password');
    if (name === this.options.superuserName()) throw new AccessError('The superuser cannot log in with a session');
    const user = await this.passwords.check(name.includes('@') ? name.trim().toLowerCase() : name, password);
    // Told only after the password was right, and by the same text, so that nobody learns of it.
    if (text(user, 'confirmationKey') !== undefined && !this.options.beforeConfirmation()) throw new AccessError(WRONG);
    return user;
  }
}

/** A text field of a login; empty when absent. Throws `AccessError` when it is something else. */
export function field(input: JsonObject, name: string): string {
  const value = input[name] ?? '';
  if (typeof value === 'string') return value;
  throw new AccessError(`The field ${name} of a login must be a string`);
}
