/**
 * Logins that last (docs/interface/security.md 3). A session is a node, so that it survives a restart and holds on every instance; what
 * is stored, here and in `User.sessionIds`, is a hash of the cookie's value, which only the client has.
 */
import { hash, randomBytes } from 'node:crypto';
import type {
  Cache,
  ChangeKind,
  Graph,
  GraphNode,
  Origin,
  PropertyChanges,
  WriteTransaction,
} from '../../graph/index.js';
import { happened, whoOf } from '../../../shared/happened.js';
import { logger } from '../../../shared/log.js';
import {
  ALLOW_ALL,
  SYSTEM,
  type Actor,
  type ObjectTransaction,
  type SchemaService,
  type WriteOptions,
} from '../../schema/index.js';
import { AccessError } from '../errors.js';
import type { LoginListenerPlace } from './login-events.js';
import { itself, loginOf, named, strangers } from '../origins.js';
import { texts, type Principals } from '../principals.js';

const log = logger('security.sessions');

export interface SessionOptions {
  /** `application.session.timeout`: seconds since the last access; 0 or less: never. Read at every use, as all of these. */
  readonly timeout: () => number;
  /** `application.session.maxage`: seconds since the login; 0: no limit. */
  readonly maxAge: () => number;
  /** `application.session.max.number` of one user; less than 0: no limit. */
  readonly maxNumber: () => number;
  readonly write: () => WriteOptions;
  readonly events: LoginListenerPlace;
  /** Takes note of the last access elsewhere; absent: it is written here. */
  readonly touched?: ((session: SessionUse) => void) | undefined;
}

/** A session that is in use. */
export interface SessionUse {
  /** Id of its node. */
  readonly node: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly actor: Pick<Actor, 'id' | 'name'>;
}

/** A session as this instance knows it. */
interface Session {
  /** The node's id. */
  readonly node: string;
  readonly userId: string;
  /** Milliseconds since 1970, as the next two. */
  readonly begun: number;
  lastAccess: number;
  /** The last access that is in the graph. */
  written: number;
}

const CAPACITY = 100_000;
const SECOND = 1000;
/** The last access is written after this share of the timeout, and at least so often (ms). */
const WRITE_SHARE = 0.1;
const WRITE_LATEST = 60 * SECOND;
const SWEEP_BATCH = 500;
const TYPE = 'SessionDataNode';
/** Keys of a session that decide whose it is; others change with every use. */
const DECIDING: ReadonlySet<string> = new Set(['type', 'sessionId', 'userId']);

/** What is stored of a cookie's value, with or without the suffix that some clients have appended (docs/interface/security.md 2.3). */
export function sessionIdOf(value: string): string {
  const dot = value.lastIndexOf('.');
  return hash('sha256', dot > 0 ? value.slice(0, dot) : value, 'hex');
}

export class Sessions {
  /** By id (the hash). */
  readonly #known = new Map<string, Session>();
  /** The ids by that of their node. */
  readonly #ids = new Map<string, string>();
  readonly #cache: Cache;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly principals: Principals,
    private readonly options: SessionOptions,
  ) {
    this.#cache = graph.caches.keep({
      name: 'security.sessions',
      dependsOn: [TYPE, 'security.principals'],
      concerns: ends,
      changed: ({ changes }) => {
        if (changes === 'everything') this.#forgetAll();
        else for (const { id } of changes) this.#forget(id);
      },
    });
  }

  /** Grows with every session that ends. */
  get generation(): number {
    return this.#cache.state;
  }

  /** The user logged in with this cookie value; undefined when the session has ended or never was. */
  actorOf(value: string): Actor | undefined | Promise<Actor | undefined> {
    if (value === '' || value.length > 200) return undefined;
    const id = sessionIdOf(value);
    const known = this.#known.get(id);
    const principal = known === undefined ? undefined : this.principals.peek(known.userId);
    if (known !== undefined && principal !== undefined && this.#lives(known)) {
      if (!principal.sessionIds.has(id) || principal.blocked) return undefined;
      this.#touch(known, principal.actor);
      return principal.actor;
    }
    return this.#load(id);
  }

  /**
   * Logs a user in and returns the value for his cookie, always a new one: what a client brought along is of no use to
   * whoever planted it. Throws `AccessError` when he has too many sessions already.
   */
  async begin(userId: string): Promise<string> {
    const user = await this.principals.get(userId);
    const origin = user === undefined ? strangers('login') : loginOf(user.actor, 'login');
    const within = (objects: ObjectTransaction): Promise<string> => this.beginWithin(objects, userId);
    const value = await this.schemas.write(SYSTEM, ALLOW_ALL, this.options.write(), within, { origin });
    happened('Authentication', 'Login successful', { user: userId, name: user?.actor.name ?? '' });
    await this.options.events.listener?.loggedIn(userId);
    return value;
  }

  /** The same within a transaction of a caller, who tells of the login when it is committed. */
  async beginWithin(objects: ObjectTransaction, userId: string): Promise<string> {
    const value = randomBytes(32).toString('base64url');
    const id = sessionIdOf(value);
    const type = this.schemas.schema.type(TYPE);
    if (type === undefined) throw new Error('the built-in tables lack the type SessionDataNode');
    const now = Date.now();
    const { tx } = objects;
    const user = await tx.node(userId);
    if (user === undefined) throw new AccessError('The user is gone');
    const living: string[] = [];
    for (const other of texts(user, 'sessionIds')) {
      const node = await this.#find(tx, other);
      if (node === undefined || sessionOf(node).userId !== userId) continue;
      if (this.#lives(sessionOf(node))) living.push(other);
      else await tx.deleteNode(node.id);
    }
    const most = this.options.maxNumber();
    if (most >= 0 && living.length >= most) {
      happened('Authentication', 'Max. number of sessions exceeded', whoOf(named(user)));
      throw new AccessError('Max. number of sessions exceeded');
    }
    const node = await objects.as(SYSTEM, ALLOW_ALL).create(type, { sessionId: id, userId, version: 1 });
    await tx.updateNode(node.id, { lastAccessed: now });
    // Written past the rules of objects: logging in is no modification of the user.
    await tx.updateNode(userId, { sessionIds: [...living, id], lastLoginDate: now });
    return value;
  }

  /** Ends a session and, as a logout does, everything the user's tokens allow. Returns whose it was; undefined: nobody's. */
  async end(value: string): Promise<string | undefined> {
    const id = sessionIdOf(value);
    const ending = await this.graph.read(async (tx) => {
      const node = await this.#find(tx, id);
      return { node, user: node === undefined ? undefined : await tx.node(sessionOf(node).userId) };
    });
    // Only a session that is there is worth a transaction that writes.
    if (ending.node === undefined) return undefined;
    const origin = ending.user === undefined ? strangers('logout') : loginOf(ending.user, 'logout');
    return this.graph.write(
      async (tx) => {
        const node = await this.#find(tx, id);
        if (node === undefined) return undefined;
        await tx.deleteNode(node.id);
        const user = await tx.node(sessionOf(node).userId);
        if (user === undefined) return undefined;
        await tx.updateNode(user.id, { ...without(user, 'sessionIds', id), refreshTokens: null });
        return user.id;
      },
      { origin },
    );
  }

  /** Ends these sessions of a user, all of them when `ids` is absent, for who asks for it. Returns how many there were. */
  async revoke(userId: string, actor: Actor, ids?: ReadonlySet<string>): Promise<number> {
    const end = async (tx: WriteTransaction): Promise<number> => {
      const user = await tx.node(userId);
      if (user === undefined) return 0;
      const all = texts(user, 'sessionIds');
      const ended = ids === undefined ? all : all.filter((id) => ids.has(id));
      for (const id of ended) {
        const node = await this.#find(tx, id);
        if (node === undefined || sessionOf(node).userId !== userId) continue;
        await tx.deleteNode(node.id);
      }
      const left = all.filter((id) => !ended.includes(id));
      await tx.updateNode(userId, { sessionIds: left.length === 0 ? null : left });
      return ended.length;
    };
    const origin: Origin = { door: 'rest', userId: actor.id, userName: actor.name, reason: 'sessions' };
    const count = await this.graph.write(end, { origin });
    for (let i = 0; i < count; i++) await this.options.events.listener?.loggedOut(userId);
    return count;
  }

  /** Living sessions of a user: stored id, beginning and last access. */
  async list(userId: string): Promise<{ id: string; begun: Date; lastAccess: Date }[]> {
    return this.graph.read(async (tx) => {
      const user = await tx.node(userId);
      const found: { id: string; begun: Date; lastAccess: Date }[] = [];
      for (const id of user === undefined ? [] : texts(user, 'sessionIds')) {
        const node = await this.#find(tx, id);
        const session = node === undefined ? undefined : sessionOf(node);
        if (session?.userId !== userId || !this.#lives(session)) continue;
        const lastAccess = Math.max(session.lastAccess, this.#known.get(id)?.lastAccess ?? 0);
        found.push({ id, begun: new Date(session.begun), lastAccess: new Date(lastAccess) });
      }
      return found;
    });
  }

  /** Deletes sessions that have timed out, a batch at a time. For the coordinator, now and then. Returns how many. */
  async sweep(): Promise<number> {
    const timeout = this.options.timeout();
    if (timeout <= 0) return 0;
    // The last access in the graph may lag behind by a share of the timeout.
    const before = Date.now() - timeout * SECOND * (1 + 2 * WRITE_SHARE);
    return this.#delete('sessions that have timed out', { op: 'range', key: 'lastAccessed', to: before }, (id) =>
      this.options.events.listener?.loggedOut(id),
    );
  }

  /** Ends all sessions (`application.session.clear.onstartup` and `.onshutdown`). Returns how many there were. */
  async clear(): Promise<number> {
    return this.#delete('all sessions');
  }

  async #delete(
    reason: string,
    where?: { op: 'range'; key: string; to: number },
    ended?: (userId: string) => Promise<void> | undefined,
  ): Promise<number> {
    for (let total = 0; ;) {
      const users: string[] = [];
      const work = async (tx: WriteTransaction): Promise<number> => {
        users.length = 0;
        const nodes = await tx.find({
          kind: 'nodes',
          trait: TYPE,
          types: [TYPE],
          ...(where === undefined ? {} : { where }),
          limit: SWEEP_BATCH,
        });
        for (const node of nodes) {
          const { userId } = sessionOf(node);
          const user = await tx.node(userId);
          const id = node.properties['sessionId'];
          if (user !== undefined && typeof id === 'string')
            await tx.updateNode(userId, without(user, 'sessionIds', id));
          await tx.deleteNode(node.id);
          users.push(userId);
        }
        return nodes.length;
      };
      const deleted = await this.graph.write(work, { origin: itself(reason) });
      for (const user of users) await ended?.(user);
      total += deleted;
      if (deleted < SWEEP_BATCH) return total;
    }
  }

  async #load(id: string): Promise<Actor | undefined> {
    const { state } = this.#cache;
    const node = await this.graph.read((tx) => this.#find(tx, id));
    const session = node === undefined ? undefined : sessionOf(node);
    const known = this.#known.get(id);
    if (session === undefined || !this.#lives(session)) {
      if (known !== undefined) this.#forget(known.node);
      return undefined;
    }
    let principal = await this.principals.get(session.userId);
    // It may have begun on another instance a moment ago, which the user in memory does not know yet.
    if (principal?.sessionIds.has(id) === false) principal = await this.principals.again(session.userId);
    if (principal === undefined || !principal.sessionIds.has(id) || principal.blocked) return undefined;
    session.lastAccess = Math.max(session.lastAccess, known?.lastAccess ?? 0);
    if (state === this.#cache.state) {
      if (this.#known.size >= CAPACITY) this.#forgetAll();
      this.#known.set(id, session);
      this.#ids.set(session.node, id);
    }
    this.#touch(session, principal.actor);
    return principal.actor;
  }

  #forget(node: string): void {
    const id = this.#ids.get(node);
    if (id === undefined) return;
    this.#ids.delete(node);
    this.#known.delete(id);
  }

  #forgetAll(): void {
    this.#known.clear();
    this.#ids.clear();
  }

  #lives({ begun, lastAccess }: Session): boolean {
    const timeout = this.options.timeout();
    const maxAge = this.options.maxAge();
    const now = Date.now();
    return (timeout <= 0 || now - lastAccess <= timeout * SECOND) && (maxAge <= 0 || now - begun <= maxAge * SECOND);
  }

  #touch(session: Session, actor: Actor): void {
    const now = Date.now();
    session.lastAccess = now;
    const timeout = this.options.timeout() * SECOND;
    const every = timeout <= 0 ? WRITE_LATEST : Math.min(WRITE_LATEST, timeout * WRITE_SHARE);
    if (now - session.written < every) return;
    session.written = now;
    const use = { node: session.node, at: now, actor: { id: actor.id, name: actor.name } };
    if (this.options.touched === undefined) this.used(use);
    else this.options.touched(use);
  }

  /** Writes the last access of a session in the background. */
  used({ node, at, actor }: SessionUse): void {
    this.graph
      .write(
        async (tx) => {
          if ((await tx.node(node)) !== undefined) await tx.updateNode(node, { lastAccessed: at });
        },
        { origin: loginOf(actor, 'last access') },
      )
      .catch((error: unknown) => {
        log.warn('the last access of a session could not be written', error);
      });
  }

  async #find(tx: Pick<WriteTransaction, 'find'>, id: string): Promise<GraphNode | undefined> {
    const [node] = await tx.find({
      kind: 'nodes',
      trait: TYPE,
      types: [TYPE],
      where: { op: 'equals', key: 'sessionId', value: id },
      limit: 1,
    });
    return node;
  }
}

/** Whether a session may not be any more, or not be whose it was. */
function ends({ verb, type, previousType, key = '' }: ChangeKind): boolean {
  if (type !== TYPE && previousType !== TYPE) return false;
  return verb === 'delete' || (verb === 'change' && DECIDING.has(key));
}

function sessionOf(node: GraphNode): Session {
  const { lastAccessed, createdDate, userId } = node.properties;
  const lastAccess = typeof lastAccessed === 'number' ? lastAccessed : 0;
  return {
    node: node.id,
    userId: typeof userId === 'string' ? userId : '',
    begun: typeof createdDate === 'number' ? createdDate : 0,
    lastAccess,
    written: lastAccess,
  };
}

/** What takes an element out of a list of a node. */
function without(node: GraphNode, key: string, element: string): PropertyChanges {
  const left = texts(node, key).filter((one) => one !== element);
  return { [key]: left.length === 0 ? null : left };
}
