/**
 * Whether a name and a password belong together (docs/interface/security.md 4.2). A failure is counted in the graph before it is
 * answered, so that it counts on every instance; checks of one user run one after the other, so that a thousand
 * connections get no more tries than one.
 */
import { randomBytes } from 'node:crypto';
import type { Graph, GraphNode, PropertyChanges } from '../../graph/index.js';
import { hashPassword, isOldHash, textOf, verifyPassword } from '../../schema/index.js';
import { failOnTheGrid } from '../answer-grid.js';
import type { DocumentedLogin, LoginSource } from './documented-login.js';
import { AccessError } from '../errors.js';
import { loginOf, named, strangers } from '../origins.js';
import type { Principals } from '../principals.js';
import { UnknownNames } from './unknown-names.js';
import { happened, whoOf } from '../../../shared/happened.js';

export interface PasswordCheckOptions {
  /** `security.passwordpolicy.maxfailedattempts`; 0 or less: no limit. Read at every use, as all of these. */
  readonly maxFailedAttempts: () => number;
  /** Days after which a password must be changed; undefined: never. */
  readonly maxAge: () => number | undefined;
  /** Keys besides name and e-mail address that a user may give to log in. */
  readonly extraKeys: () => readonly string[];
  /** Whether a right password is only half of this user's login. */
  readonly hasSecondFactor: (user: GraphNode) => boolean;
  readonly documented: DocumentedLogin;
}

/** One text for everything that must not tell whether there is such a user. */
export const WRONG = 'Wrong user name or password, or the user is blocked';
const TOO_MANY = 'Too many failed login attempts';
const TOO_OLD = 'The password has not been changed for too long';
const DAY = 86_400_000;

export class PasswordCheck {
  /** The end of the last check of each user. */
  readonly #running = new Map<string, Promise<unknown>>();
  readonly #unknown = new UnknownNames();
  /** A hash nobody has the password of: verified when there is no such user, so that both cases take as long. */
  #decoy: Promise<string> | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly principals: Principals,
    private readonly options: PasswordCheckOptions,
  ) {}

  /**
   * The user of this name (or e-mail address) and password. Failures before are forgotten, unless he `isHalfWay` only:
   * who has the password could otherwise try any number of codes. Throws `AccessError` when there is none, 503 when busy; the
   * text, the status, the time and the lock after too many failures are the same for names that nobody has. `from` is asked
   * for its address only with the documented password.
   */
  check(
    name: string,
    password: string,
    from: LoginSource,
    isHalfWay = this.options.hasSecondFactor,
  ): Promise<GraphNode> {
    return failOnTheGrid(async () => {
      if (name === '' || password === '') return this.#refuse(password);
      const candidate = await this.#find(name);
      if (candidate === undefined) {
        happened('Authentication', 'No principal found', { keyMessage: 'name', value: name });
        return this.#refuseUnknown(name, password);
      }
      return this.#oneByOne(candidate.id, () => this.#checkUser(candidate.id, password, from, isHalfWay, name));
    });
  }

  /** The same for the user with this id. */
  async checkById(
    id: string,
    password: string,
    from: LoginSource,
    isHalfWay = this.options.hasSecondFactor,
  ): Promise<GraphNode> {
    if (password === '') return this.#refuse(password);
    return failOnTheGrid(() => this.#oneByOne(id, () => this.#checkUser(id, password, from, isHalfWay, id)));
  }

  /** Throws `AccessError` for a user who may not log in, whatever he has shown: he is blocked, or has failed too often. */
  refuseLocked(user: GraphNode): void {
    if (user.properties['blocked'] === true) throw new AccessError(WRONG);
    if (this.isLocked(user)) throw tooManyAttempts();
  }

  /** Whether the user has failed too often. */
  isLocked(user: GraphNode): boolean {
    const most = this.options.maxFailedAttempts();
    return most > 0 && attemptsOf(user) >= most;
  }

  async #find(name: string): Promise<GraphNode | undefined> {
    // What looks like an address is one, whoever is called so.
    const keys = name.includes('@') ? ['eMail', 'name'] : ['name', 'eMail'];
    for (const key of [...keys, ...this.options.extraKeys()]) {
      const found = await this.principals.find([key], key === 'eMail' ? name.trim().toLowerCase() : name);
      // Two users of one name cannot be told apart; neither gets in by it.
      if (found.length === 1) return found[0];
    }
    return undefined;
  }

  /** Takes as long as a wrong password. */
  async #refuse(password: string): Promise<never> {
    this.#decoy ??= hashPassword(randomBytes(16).toString('hex'));
    await verifyPassword(await this.#decoy, password);
    throw new AccessError(WRONG);
  }

  /** As a user with a wrong password is: one attempt after the other, and none any more after too many. */
  #refuseUnknown(name: string, password: string): Promise<never> {
    const key = this.#unknown.keyOf(name);
    return this.#oneByOne(key, () => this.#refuseCounting(key, password));
  }

  async #refuseCounting(key: string, password: string): Promise<never> {
    const most = this.options.maxFailedAttempts();
    if (most > 0 && this.#unknown.add(key) >= most) throw tooManyAttempts();
    return this.#refuse(password);
  }

  async #oneByOne<T>(id: string, task: () => Promise<T>): Promise<T> {
    const before = this.#running.get(id);
    const mine = before === undefined ? task() : before.then(task, task);
    this.#running.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.#running.get(id) === mine) this.#running.delete(id);
    }
  }

  async #checkUser(
    id: string,
    password: string,
    from: LoginSource,
    isHalfWay: (user: GraphNode) => boolean,
    name: string,
  ): Promise<GraphNode> {
    const node = await this.graph.read((tx) => tx.node(id));
    const stored = textOf(node, 'password');
    if (node?.properties['blocked'] === true) happened('Authentication', 'Principal is blocked', whoOf(named(node)));
    if (node === undefined || stored === undefined || node.properties['blocked'] === true)
      return this.#refuseCounting(this.#unknown.keyOf(name), password);
    // Without looking at the password: a locked user is no way to keep the machine busy.
    if (this.isLocked(node)) {
      happened('Authentication', 'Too many login attempts', {
        ...whoOf(named(node)),
        failedAttempts: attemptsOf(node),
        maxAttempts: this.options.maxFailedAttempts(),
      });
      throw tooManyAttempts();
    }
    if (!(await verifyPassword(stored, password, textOf(node, 'salt')))) {
      await this.#count(id);
      happened('Authentication', 'Wrong password', whoOf(named(node)));
      throw new AccessError(WRONG);
    }
    // He may have changed while the hash was being computed: what counts is what is so now.
    const now = await this.graph.read((tx) => tx.node(id));
    if (now === undefined || textOf(now, 'password') !== stored || now.properties['blocked'] === true)
      throw new AccessError(WRONG);
    this.options.documented.refuse(now, password, from);
    const age = this.options.maxAge();
    if (age !== undefined && Math.floor((Date.now() - changeDateOf(now)) / DAY) > age)
      throw new AccessError(TOO_OLD, 401, { reason: 'passwordChangeRequired' });
    return this.#succeed(now, stored, password, isHalfWay(now));
  }

  async #count(id: string): Promise<void> {
    await this.graph.write(
      async (tx) => {
        const node = await tx.node(id);
        if (node !== undefined) await tx.updateNode(id, { passwordAttempts: attemptsOf(node) + 1 });
      },
      { origin: strangers('wrong password') },
    );
  }

  /** Forgets the failures before, and replaces a hash of the old kind. */
  async #succeed(node: GraphNode, stored: string, password: string, isHalf: boolean): Promise<GraphNode> {
    const changes: Record<string, PropertyChanges[string]> = {};
    if (attemptsOf(node) !== 0 && !isHalf) changes['passwordAttempts'] = 0;
    if (isOldHash(stored)) Object.assign(changes, { password: await hashPassword(password), salt: null });
    if (Object.keys(changes).length === 0) return node;
    return this.graph.write(
      async (tx) => {
        const now = await tx.node(node.id);
        return now !== undefined && textOf(now, 'password') === stored ? tx.updateNode(node.id, changes) : node;
      },
      { origin: loginOf(node, 'right password') },
    );
  }
}

/** The refusal of a user who has failed too often, right or wrong. */
export function tooManyAttempts(): AccessError {
  return new AccessError(TOO_MANY, 401, { reason: 'loginAttempts' });
}

/** Failures of a user since he last logged in. */
export function attemptsOf(node: GraphNode): number {
  const value = node.properties['passwordAttempts'];
  return typeof value === 'number' ? value : 0;
}

function changeDateOf(node: GraphNode): number {
  const value = node.properties['passwordChangeDate'];
  return typeof value === 'number' ? value : 0;
}
