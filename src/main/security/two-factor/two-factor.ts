/**
 * The second factor of a login (docs/interface/security.md 5): after the right password the user gets a token for the second step,
 * which he sends back with the code his app shows. The token is stored as a hash, so that it is of no use to those who
 * may read the user. Wrong codes count like wrong passwords, or six digits could be guessed; a code works once.
 */
import { hash, randomUUID } from 'node:crypto';
import type { Graph, GraphNode, PropertyChanges, WriteTransaction } from '../../graph/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import { logger } from '../../../shared/log.js';
import { newTwoFactorSecret, textOf } from '../../schema/index.js';
import { isInNetworks } from '../networks.js';
import { AccessError } from '../errors.js';
import { loginOf, named } from '../origins.js';
import { attemptsOf, tooManyAttempts, WRONG } from '../passwords/password-check.js';
import type { Principals } from '../principals.js';
import { qrData } from './qr-code.js';
import { isCodeOf, otpauthUri, stepOf, type TotpOptions } from './totp.js';

const log = logger('security.twofactor');

export interface TwoFactorOptions {
  /** 0: nobody, 1: users who want to, 2: everybody. Read at every use, as all of these. */
  readonly level: () => number;
  readonly totp: () => TotpOptions;
  /** Seconds between password and code. */
  readonly loginTimeout: () => number;
  readonly loginPage: () => string;
  /** Addresses and ranges that need no second factor. */
  readonly exempt: () => readonly string[];
  readonly maxFailedAttempts: () => number;
}

const SECOND = 1000;
const TOKEN = /^[0-9a-f-]{36}!(\d{1,15})$/;
const WRONG_CODE = 'Two factor authentication failed';
const INVALID = 'Two factor authentication token not valid anymore';
/** Stored beside the declared keys: beginning of the last time step whose code was used. */
const LAST_USED = 'twoFactorLastUsed';

/** What became of a code; a refusal must not take back what was counted, so that it is thrown after the commit. */
type Outcome = { readonly user: GraphNode } | { readonly refusal: AccessError };

export class TwoFactor {
  constructor(
    private readonly graph: Graph,
    private readonly principals: Principals,
    private readonly options: TwoFactorOptions,
  ) {}

  /** Whether this user logs in with two factors, wherever he is. */
  concerns(user: GraphNode): boolean {
    const level = this.options.level();
    return level >= 2 || (level === 1 && user.properties['isTwoFactorUser'] === true);
  }

  /** Whether this user needs a second factor from this address. */
  isNeeded(user: GraphNode, address: string): boolean {
    return this.concerns(user) && !this.isExempt({ address });
  }

  /** Whether nobody needs a second factor from this address, which is not asked for where there is no exemption: it takes 5 µs to find. */
  isExempt(asking: { readonly address: string }): boolean {
    const networks = this.options.exempt();
    return networks.length > 0 && isInNetworks(asking.address, networks);
  }

  /** The password was right: makes the token of the second step. Always throws an `AccessError` 202 that carries it. */
  async begin(user: GraphNode): Promise<never> {
    const token = `${randomUUID()}!${String(Date.now())}`;
    const half = async (tx: WriteTransaction): Promise<GraphNode | undefined> => {
      const now = await tx.node(user.id);
      if (now === undefined || textOf(now, 'password') !== textOf(user, 'password')) return undefined;
      const changes: Record<string, PropertyChanges[string]> = { twoFactorToken: storedForm(token) };
      // Users that were made without the rules of objects (imports, older databases) get theirs here.
      if (textOf(now, 'twoFactorSecret') === undefined)
        Object.assign(changes, { twoFactorSecret: newTwoFactorSecret(), twoFactorConfirmed: false });
      return tx.updateNode(user.id, changes);
    };
    const begun = await this.graph.write(half, { origin: loginOf(user, 'first factor') });
    if (begun === undefined) throw new AccessError(WRONG);
    const headers: Record<string, string> = { token, twoFactorLoginPage: this.options.loginPage() };
    if (begun.properties['twoFactorConfirmed'] !== true) {
      const account = textOf(begun, 'eMail') ?? textOf(begun, 'name') ?? begun.id;
      headers['qrdata'] = await qrData(
        otpauthUri(account, textOf(begun, 'twoFactorSecret') ?? '', this.options.totp()),
      );
    }
    throw new AccessError('The code of the second factor is needed', 202, headers);
  }

  /** The user whose second step this is. Throws `AccessError`. */
  async complete(token: string, code: string): Promise<GraphNode> {
    const stored = storedForm(token);
    const [candidate] = !TOKEN.test(token) ? [] : await this.principals.find(['twoFactorToken'], stored);
    if (candidate === undefined) throw invalidToken();
    // One transaction: of two that send the same code at the same time one finds it used.
    const check = async (tx: WriteTransaction): Promise<Outcome> => {
      const user = await tx.node(candidate.id);
      if (user === undefined || textOf(user, 'twoFactorToken') !== stored) return { refusal: invalidToken() };
      if (user.properties['blocked'] === true) return { refusal: new AccessError(WRONG) };
      const most = this.options.maxFailedAttempts();
      if (most > 0 && attemptsOf(user) >= most) return { refusal: tooManyAttempts() };
      const now = Date.now();
      const issued = Number(TOKEN.exec(token)?.[1]);
      if (now - issued > this.options.loginTimeout() * SECOND) {
        await tx.updateNode(user.id, { twoFactorToken: null });
        return { refusal: invalidToken() };
      }
      if (!this.#isRight(user, code, now)) {
        await tx.updateNode(user.id, { passwordAttempts: attemptsOf(user) + 1 });
        return { refusal: new AccessError(WRONG_CODE, 401, { reason: 'wrongTwoFactorCode' }) };
      }
      return {
        user: await tx.updateNode(user.id, {
          twoFactorToken: null,
          twoFactorConfirmed: true,
          isTwoFactorUser: true,
          passwordAttempts: 0,
          [LAST_USED]: stepOf(this.options.totp(), now),
        }),
      };
    };
    // He has shown his password, and shows the rest in it.
    const outcome = await this.graph.write(check, { origin: loginOf(candidate, 'second factor') });
    if ('refusal' in outcome) {
      const isOld = outcome.refusal.message === INVALID;
      const what = isOld ? 'token not valid anymore' : 'failed';
      happened('Authentication', `Two factor authentication ${what}`, whoOf(named(candidate)));
      throw outcome.refusal;
    }
    happened('Authentication', 'Two factor authentication successful', whoOf(named(candidate)));
    return outcome.user;
  }

  #isRight(user: GraphNode, code: string, now: number): boolean {
    const options = this.options.totp();
    const secret = textOf(user, 'twoFactorSecret');
    const last = user.properties[LAST_USED];
    if (secret === undefined || (typeof last === 'number' && stepOf(options, now) <= last)) return false;
    try {
      return isCodeOf(code, secret, options, now);
    } catch {
      log.warn(`the two-factor secret of user ${user.id} is no Base32: no code is right for it`);
      return false;
    }
  }
}

function invalidToken(): AccessError {
  return new AccessError(INVALID, 401, { reason: 'invalidTwoFactorToken' });
}

/** What is stored of a token: its hash and when it was issued. */
function storedForm(token: string): string {
  return `${hash('sha256', token, 'hex')}!${TOKEN.exec(token)?.[1] ?? ''}`;
}
