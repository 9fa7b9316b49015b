/** Whose account a verified e-mail address is. Nothing but the address links them: never a name. */
import {
  ALLOW_ALL,
  hasVerifiedAddress,
  SchemaError,
  SYSTEM,
  textOf,
  type ObjectTransaction,
  type SchemaService,
  type WriteOptions,
} from '../../schema/index.js';
import type { GraphNode } from '../../graph/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import { named, strangers } from '../origins.js';
import type { Principals } from '../principals.js';
import { OAuthRefusal } from './refusal.js';

export interface AccountOptions {
  /** `jsonrestservlet.user.autocreate`. Read at every use, as all of these. */
  readonly autocreate: () => boolean;
  /** `registration.customuserclass` */
  readonly userType: () => string;
  /** `registration.allowloginbeforeconfirmation` */
  readonly beforeConfirmation: () => boolean;
  readonly write: () => WriteOptions;
  /** Whether a user has failed too often to log in. */
  readonly isLocked: (user: GraphNode) => boolean;
}

export class Accounts {
  constructor(
    private readonly schemas: SchemaService,
    private readonly principals: Principals,
    private readonly options: AccountOptions,
  ) {}

  /** The user with this address, a new one where that is allowed. Throws `OAuthRefusal`. */
  async of(address: string): Promise<GraphNode> {
    const user = (await this.#find(address)) ?? (await this.#create(address));
    if (user.properties['blocked'] === true) throw new OAuthRefusal('the user is blocked');
    if (this.options.isLocked(user)) throw new OAuthRefusal('the user has failed to log in too often');
    // Whoever registered with a foreign address and cannot confirm it must not share the account with its owner.
    if (textOf(user, 'confirmationKey') !== undefined && !this.options.beforeConfirmation())
      throw new OAuthRefusal('the registration of the user is not confirmed');
    // Nor whoever wrote it into an account of his own.
    if (!hasVerifiedAddress(user)) throw new OAuthRefusal('the user has not shown that the address is his');
    return user;
  }

  async #find(address: string): Promise<GraphNode | undefined> {
    const trimmed = address.trim();
    // Letters of other scripts stay: some become Latin ones in lower case, and another address.
    const lower = trimmed.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
    for (const value of new Set([trimmed, lower])) {
      const found = await this.principals.find(['eMail'], value);
      if (found.length > 1) throw new OAuthRefusal('several users have the address');
      if (found[0] !== undefined) return found[0];
    }
    return undefined;
  }

  async #create(address: string): Promise<GraphNode> {
    if (!this.options.autocreate())
      throw new OAuthRefusal('there is no user with the address, and jsonrestservlet.user.autocreate is off');
    const name = this.options.userType() || 'User';
    const type = this.schemas.schema.type(name);
    if (type?.hasTrait('User') !== true)
      throw new OAuthRefusal(`registration.customuserclass: ${name} is no type of users`);
    try {
      const create = (objects: ObjectTransaction): Promise<GraphNode> => objects.create(type, { eMail: address });
      const origin = strangers('first login with another provider');
      const user = await this.schemas.write(SYSTEM, ALLOW_ALL, this.options.write(), create, { origin });
      happened('Authentication', 'OAuth user created', whoOf(named(user)));
      return user;
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error;
      // Two first logins at once: the other one has created the user.
      const user = await this.#find(address);
      if (user === undefined) throw new OAuthRefusal(`the user cannot be created: ${error.message}`);
      return user;
    }
  }
}
