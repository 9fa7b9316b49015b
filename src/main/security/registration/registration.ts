/**
 * People who make themselves an account, and users who forgot their password (docs/interface/security.md 7). Answers tell nobody which
 * addresses have an account: they are the same and take as long, and what differs is in the mail.
 */
import type { Graph, GraphNode, PropertyChanges, WriteTransaction } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import type { JsonObject } from '../../../shared/json/index.js';
import {
  ALLOW_ALL,
  ANONYMOUS,
  prepareInput,
  SchemaError,
  SERVICE_KEYS,
  textOf,
  userOfLogin,
  verificationOf,
  type ObjectTransaction,
  type SchemaService,
  type Type,
  type WriteOptions,
} from '../../schema/index.js';
import { onTheGrid } from '../answer-grid.js';
import { AccessError } from '../errors.js';
import {
  isInTime,
  isStoredFor,
  newConfirmationKey,
  newResetKey,
  storedForms,
  storedKey,
  userOfResetKey,
} from './one-time-keys.js';
import { strangers } from '../origins.js';
import type { Principals } from '../principals.js';
import type { MailKind, RegistrationMails } from './registration-mails.js';

const log = logger('security.registration');

export interface RegistrationOptions {
  /** `jsonrestservlet.user.autocreate`. Read at every use, as all of these. */
  readonly autoCreate: () => boolean;
  /** `registration.customuserclass` */
  readonly userClass: () => string;
  /** `registration.customuserattributes` */
  readonly attributes: () => readonly string[];
  readonly loginBeforeConfirmation: () => boolean;
  /** Minutes, as the next. */
  readonly registrationValidity: () => number;
  readonly resetValidity: () => number;
  readonly validWithoutTime: () => boolean;
  readonly resetForgetsFailures: () => boolean;
  /** Whether a mailbox alone is no login of this user. */
  readonly hasSecondFactor: (user: GraphNode) => boolean;
  readonly write: () => WriteOptions;
}

/** What became of a key that was followed. */
export interface Followed {
  /** As he is now. */
  readonly user: GraphNode;
  /** Followed in time: he may be logged in. */
  readonly inTime: boolean;
}

/** The mail that somebody gets who registers with an address that is known. */
interface AgainMail {
  readonly kind: MailKind;
  readonly userId: string;
}

/** Stored beside the declared keys; apart from `confirmationKey`, which keeps its user from logging in. */
const RESET_KEY = 'passwordResetKey';
/** Reasons of what is written. */
const REGISTRATION = 'registration';
const RESET = 'password reset';
const MAX_POSTED = 500;
/** Keys that decide about rights and logins: not for a stranger to set, whatever the setting says. */
const REFUSED: ReadonlySet<string> = new Set([
  ...SERVICE_KEYS,
  // What a user may set himself, or what nobody may: a stranger begins without it.
  ...`id type owner eMail blocked sessionData salt twoFactorSecret isTwoFactorUser twoFactorConfirmed
  skipSecurityRelationships visibleToPublicUsers visibleToAuthenticatedUsers hidden isAdmin isUser jwksReferenceId`.split(
    /\s+/,
  ),
]);

/** Ends a transaction that was only to find out what is wrong with an input. */
class Discard extends Error {}

export class Registration {
  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly principals: Principals,
    private readonly mails: RegistrationMails,
    private readonly options: RegistrationOptions,
  ) {}

  /** Makes an account, or tells its owner by mail that there is one. Throws `SchemaError` for what cannot be an account. */
  register(input: JsonObject): Promise<void> {
    return onTheGrid(() => this.#register(input));
  }

  /** Sends a link to the owner of an account, if there is one. Throws `AccessError` 422 without address. */
  requestReset(input: JsonObject): Promise<void> {
    return onTheGrid(() => this.#requestReset(input));
  }

  async #register(input: JsonObject): Promise<void> {
    const eMail = addressOf(input);
    const type = this.#userType();
    const attributes = this.#attributesOf(type, input);
    const hasPassword = 'password' in attributes;
    const { passwords, ...others } = this.options.write();
    // Who sends no password gets none: he chooses one after his confirmation, and it is checked then.
    const write: WriteOptions = hasPassword && passwords !== undefined ? { ...others, passwords } : others;
    await prepareInput(this.schemas.schema, type, attributes, { passwords: write.passwords });
    const key = newConfirmationKey();
    const created = await this.#create(type, { ...attributes, eMail }, storedKey(key), write);
    const mail =
      created === undefined
        ? await this.#again(eMail, key, hasPassword)
        : { kind: 'CONFIRM_REGISTRATION' as const, userId: created };
    if (mail === undefined) return;
    this.#send(mail.kind, eMail, mail.userId, mail.kind === 'EXISTING_REGISTRATION' ? undefined : key, input);
  }

  /**
   * The user's id; undefined when the address is taken, or nobody may register. Everything else that is wrong with the input is found in
   * all cases, so that it tells nothing either. Nobody's rights: what is read-only stays so.
   */
  async #create(type: Type, input: JsonObject, key: string, options: WriteOptions): Promise<string | undefined> {
    try {
      return await this.schemas.write(ANONYMOUS, ALLOW_ALL, { ...options, reason: REGISTRATION }, async (objects) => {
        const user = await objects.create(type, await withFreeName(objects, input));
        // Past the rules of objects: nobody but the service writes it.
        await objects.tx.updateNode(user.id, { confirmationKey: key });
        if (this.options.autoCreate()) return user.id;
        await objects.finish();
        throw new Discard();
      });
    } catch (error) {
      if (error instanceof Discard) return undefined;
      if (!(error instanceof SchemaError)) throw error;
      const others = error.tokens.filter((one) => one.property !== 'eMail' || one.token !== 'already_taken');
      if (others.length === error.tokens.length) throw error;
      if (others.length > 0) throw new SchemaError(error.message, others, error.kind);
      return undefined;
    }
  }

  /** Somebody registers with an address that is known. Which mail he gets; undefined: none. */
  async #again(eMail: string, key: string, hasPassword: boolean): Promise<AgainMail | undefined> {
    const renew = async (tx: WriteTransaction): Promise<AgainMail | undefined> => {
      const user = await this.#byAddress(tx, eMail);
      if (user === undefined) return undefined;
      // A confirmed account gets no key: that would keep its owner from logging in until he follows a link.
      if (textOf(user, 'confirmationKey') === undefined) return { kind: 'EXISTING_REGISTRATION', userId: user.id };
      const changes: Record<string, PropertyChanges[string]> = { confirmationKey: storedKey(key) };
      // Nobody knows which of the two is the owner of the address: confirming must not put the other's password to use.
      if (hasPassword && !this.options.loginBeforeConfirmation()) changes['password'] = null;
      await tx.updateNode(user.id, changes);
      return { kind: 'CONFIRM_REGISTRATION', userId: user.id };
    };
    return this.graph.write(renew, { origin: strangers(REGISTRATION) });
  }

  async #requestReset(input: JsonObject): Promise<void> {
    const eMail = addressOf(input);
    const sent = await this.graph.write(
      async (tx) => {
        const user = await this.#byAddress(tx, eMail);
        if (user === undefined) return undefined;
        const made = newResetKey(user.id);
        await tx.updateNode(user.id, { [RESET_KEY]: storedKey(made) });
        return { key: made, userId: user.id };
      },
      { origin: strangers(RESET) },
    );
    if (sent !== undefined) this.#send('RESET_PASSWORD', eMail, sent.userId, sent.key, input);
  }

  /** The link of a registration. Undefined: the key is not known (any more). */
  async confirm(key: string): Promise<Followed | undefined> {
    const inTime = isInTime(key, this.options.registrationValidity(), this.options.validWithoutTime());
    return this.#follow(key, 'confirmationKey', REGISTRATION, (user) => {
      const changes = { confirmationKey: null, ...(inTime ? verificationOf(user) : {}) };
      return { changes, inTime };
    });
  }

  /** The link of a password reset, whose key may be one that an application wrote as `confirmationKey`. */
  async reset(key: string): Promise<Followed | undefined> {
    const inTime = isInTime(key, this.options.resetValidity(), this.options.validWithoutTime());
    const own = userOfResetKey(key) === undefined ? 'confirmationKey' : RESET_KEY;
    return this.#follow(key, own, RESET, (user) => {
      const changes: Record<string, PropertyChanges[string]> = { [own]: null };
      // He has shown that the address is his, which is what a pending registration waits for.
      if (inTime) changes['confirmationKey'] = null;
      // Of a user with a second factor they may be wrong codes: each mail would give as many tries again.
      if (inTime && this.options.resetForgetsFailures() && !this.options.hasSecondFactor(user))
        changes['passwordAttempts'] = 0;
      return { changes, inTime };
    });
  }

  async #follow(
    key: string,
    property: string,
    reason: string,
    effect: (user: GraphNode) => { readonly changes: PropertyChanges; readonly inTime: boolean },
  ): Promise<Followed | undefined> {
    const candidate = await this.#owner(key);
    if (candidate === undefined) return undefined;
    // In the transaction again: of two that follow one link at the same time one comes too late.
    const follow = async (tx: WriteTransaction): Promise<Followed | undefined> => {
      const user = await tx.node(candidate);
      const stored = textOf(user, property);
      if (user === undefined || stored === undefined || !this.principals.isUser(user)) return undefined;
      if (!isStoredFor(key, stored)) return undefined;
      const { changes, inTime } = effect(user);
      return { user: await tx.updateNode(user.id, changes), inTime: inTime && user.properties['blocked'] !== true };
    };
    // He has the key; whether it is that of a user is found out only then.
    return this.graph.write(follow, { origin: strangers(reason) });
  }

  async #owner(key: string): Promise<string | undefined> {
    const named = userOfResetKey(key);
    if (named !== undefined) return named;
    for (const form of storedForms(key)) {
      const [user] = await this.principals.find(['confirmationKey'], form);
      if (user !== undefined) return user.id;
    }
    return undefined;
  }

  async #byAddress(tx: WriteTransaction, eMail: string): Promise<GraphNode | undefined> {
    const [user] = await tx.find({
      kind: 'nodes',
      trait: 'User',
      types: this.schemas.schema.type('User')?.concreteTypes ?? [],
      where: { op: 'equals', key: 'eMail', value: eMail },
      limit: 1,
    });
    return user === undefined || user.properties['blocked'] === true ? undefined : user;
  }

  #userType(): Type {
    const name = this.options.userClass().trim() || 'User';
    const type = this.schemas.schema.type(name);
    if (type?.hasTrait('User') === true) return type;
    log.error(`registration.customuserclass names no type of users: ${name}`);
    throw new AccessError('Registration is not possible because of an error in the settings of the server.', 503);
  }

  /** Of what was posted only what the setting allows: values, nothing that links objects or decides about rights. */
  #attributesOf(type: Type, input: JsonObject): JsonObject {
    const taken: JsonObject = Object.create(null) as JsonObject;
    for (const key of this.options.attributes()) {
      const property = type.properties.get(key);
      const value = input[key];
      if (value === undefined || property?.kind !== 'value' || REFUSED.has(key)) continue;
      const { readOnly, system, hidden } = property.definition;
      if (readOnly === true || system === true || (hidden === true && key !== 'password')) continue;
      taken[key] = value;
    }
    return taken;
  }

  #send(kind: MailKind, to: string, userId: string, key: string | undefined, input: JsonObject): void {
    const posted = new Map<string, string>();
    for (const [name, value] of Object.entries(input))
      if (typeof value === 'string' && name !== 'password') posted.set(name, value.slice(0, MAX_POSTED));
    const locale = posted.get('locale');
    this.mails.send({
      kind,
      to,
      userId,
      locale: locale === '' ? undefined : locale,
      posted,
      ...(key === undefined ? {} : { key }),
    });
  }
}

function addressOf(input: JsonObject): string {
  const value = input['eMail'];
  const address = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (address === '') throw new AccessError('No e-mail address given.', 422);
  return address;
}

/**
 * A name that somebody else logs in with is left out: to say that it is taken would tell strangers who has an account. So is
 * one that looks like an address and is not his own, whether there is a user with it or not.
 */
async function withFreeName(objects: ObjectTransaction, input: JsonObject): Promise<JsonObject> {
  const { name, ...others } = input;
  if (typeof name !== 'string' || name === '') return input;
  const isForeign = name.includes('@') && name.trim().toLowerCase() !== input['eMail'];
  return isForeign || (await userOfLogin(objects, 'name', name)) !== undefined ? others : input;
}
