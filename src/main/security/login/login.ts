/** Who wants to log in: the fields of a login, whichever endpoint they came to (docs/interface/security.md 3.1). */
import type { GraphNode } from '../../graph/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import type { JsonObject } from '../../../shared/json/index.js';
import { textOf } from '../../schema/index.js';
import type { LoginSource } from '../passwords/documented-login.js';
import { AccessError } from '../errors.js';
import { named } from '../origins.js';
import { WRONG, type PasswordCheck } from '../passwords/password-check.js';
import type { TwoFactor } from '../two-factor/two-factor.js';

export interface LoginOptions {
  /** `superuser.username`, who has no session. */
  readonly superuserName: () => string;
  /** `registration.allowloginbeforeconfirmation` */
  readonly beforeConfirmation: () => boolean;
  /** `security.authentication.header.singlefactor` */
  readonly passwordAlone: () => boolean;
}

export class Login {
  constructor(
    private readonly passwords: PasswordCheck,
    private readonly twoFactor: TwoFactor,
    private readonly options: LoginOptions,
  ) {}

  /**
   * The user whose credentials these are: name and password, or the token and the code of the second step. Throws
   * `AccessError`: what is wrong, without telling whether he exists; with status 202 and headers when a second step is
   * needed. `from` is the request, for logins that depend on the client's address.
   */
  async identify(input: JsonObject, from: LoginSource): Promise<GraphNode> {
    const token = field(input, 'twoFactorToken');
    if (token !== '') return this.#confirmed(await this.twoFactor.complete(token, field(input, 'twoFactorCode')));
    const eMail = field(input, 'eMail');
    const name = eMail === '' ? field(input, 'name') : eMail;
    const password = field(input, 'password');
    if (name === this.options.superuserName()) throw new AccessError('The superuser cannot log in with a session');
    const needsCode = (user: GraphNode): boolean => this.twoFactor.isNeeded(user, from.address);
    const identifier = name.includes('@') ? name.trim().toLowerCase() : name;
    const user = this.#confirmed(await this.passwords.check(identifier, password, from, needsCode));
    return needsCode(user) ? this.twoFactor.begin(user) : user;
  }

  /**
   * The same for a user who was found in another way than by his name: for who asks by a script. A second step is not
   * possible here, so that who needs one is refused.
   */
  async confirm(userId: string, password: string, from: LoginSource): Promise<GraphNode> {
    const needsCode = (user: GraphNode): boolean => this.twoFactor.isNeeded(user, from.address);
    const user = this.#confirmed(await this.passwords.checkById(userId, password, from, needsCode));
    if (needsCode(user)) throw new AccessError('This user needs a second factor, which login() does not ask for');
    return user;
  }

  /**
   * For ways in that ask for a name and a password with every request and can ask for nothing else (headers, Basic). Throws
   * `AccessError` for a user whose password is only half of his login, or whose registration is not confirmed.
   */
  refuseHalf(user: GraphNode, address: string): void {
    if (this.options.passwordAlone()) return;
    this.#confirmed(user);
    if (this.twoFactor.isNeeded(user, address))
      throw new AccessError('This user needs a second factor: headers are no login for him', 401, {
        reason: 'secondFactorNeeded',
      });
  }

  /**
   * For who has followed a link of a mail in time, which shows that the mailbox is his and nothing else. Throws `AccessError`
   * when he is locked; with status 202 and headers when a second step is needed.
   */
  async byLink(user: GraphNode, address: string): Promise<void> {
    this.passwords.refuseLocked(user);
    if (this.twoFactor.isNeeded(user, address)) await this.twoFactor.begin(user);
  }

  #confirmed(user: GraphNode): GraphNode {
    // Told only after the password was right, and by the same text, so that nobody learns of it.
    if (textOf(user, 'confirmationKey') !== undefined && !this.options.beforeConfirmation()) {
      happened('Authentication', 'Login attempt before confirmation', whoOf(named(user)));
      throw new AccessError(WRONG);
    }
    return user;
  }
}

/** A text field of a login; empty when absent. Throws `AccessError` when it is something else. */
export function field(input: JsonObject, name: string): string {
  const value = input[name] ?? '';
  if (typeof value === 'string') return value;
  throw new AccessError(`The field ${name} of a login must be a string`);
}
