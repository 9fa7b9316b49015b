/**
 * Who asks: the user of a request (contract, Authentication). For now by the headers `X-User` and `X-Password`; sessions
 * and tokens have their place before them.
 */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Graph, GraphNode } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import { ANONYMOUS, hashPassword, SYSTEM, verifyPassword, type Actor, type SchemaService } from '../schema/index.js';
import { CredentialCache } from './credential-cache.js';
import { AccessError } from './errors.js';

export interface AuthenticationOptions {
  /** Read at every use, so that a changed setting holds at once. */
  readonly superuserName: () => string;
  readonly superuserPassword: () => string;
  readonly cacheSeconds: number;
}

const WRONG = 'Wrong user name or password, or the user is blocked';

export class Authentication {
  private readonly cache: CredentialCache;
  /** A hash nobody has the password of: verified when there is no such user, so that both cases take as long. */
  private decoy: Promise<string> | undefined;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    private readonly options: AuthenticationOptions,
  ) {
    this.cache = new CredentialCache(options.cacheSeconds);
    graph.onCommit((changes) => {
      if (this.cache.empty) {
        this.cache.generation++;
        return;
      }
      for (const change of changes) {
        if (change.verb === 'create') continue;
        if (change.entity.kind === 'node') this.cache.forget(change.entity.id);
      }
    });
    graph.watch({
      // One that was a principal before says so only by the change of its type.
      concerns: (change) =>
        change.verb !== 'create' &&
        change.entity.kind === 'node' &&
        (this.isPrincipal(change.entity) || (change.verb === 'change' && change.key === 'type')),
      changed: (entities) => {
        if (entities === 'everything') this.cache.clear();
        else for (const { id } of entities) this.cache.forget(id);
      },
    });
  }

  /** The user of a request; anonymous when it carries no credentials. Throws `AccessError` when they are wrong. */
  authenticate(exchange: Exchange): Actor | Promise<Actor> {
    const name = exchange.header('x-user');
    const password = exchange.header('x-password');
    if (name === '' || password === '')
      return name === '' && password === '' ? ANONYMOUS : Promise.reject(new AccessError(WRONG));
    const key = this.cache.keyOf(name, password);
    return this.cache.get(key) ?? this.verify(name, password, key);
  }

  private async verify(name: string, password: string, key: string): Promise<Actor> {
    if (name === this.options.superuserName() && sameText(password, this.options.superuserPassword())) {
      return SYSTEM;
    }
    const user = await this.find(name);
    const stored = user?.properties['password'];
    this.decoy ??= hashPassword(randomBytes(16).toString('hex'));
    const right = await verifyPassword(
      typeof stored === 'string' ? stored : await this.decoy,
      password,
      text(user, 'salt'),
    );
    if (user === undefined || typeof stored !== 'string' || !right || user.properties['blocked'] === true)
      throw new AccessError(WRONG);
    // The user may have changed while the hash was being computed: what counts is what is so now.
    const { generation } = this.cache;
    const now = await this.graph.read((tx) => tx.node(user.id));
    if (now?.properties['password'] !== stored || now.properties['blocked'] === true) throw new AccessError(WRONG);
    const actor: Actor = {
      id: now.id,
      name: text(now, 'name') ?? text(now, 'eMail') ?? now.id,
      isAdmin: now.properties['isAdmin'] === true,
      isSuperuser: false,
      type: now.type,
    };
    // Told meanwhile that a user has changed: what was read may be older.
    if (generation === this.cache.generation) this.cache.set(key, actor);
    return actor;
  }

  private isPrincipal(node: GraphNode): boolean {
    return this.schemas.schema.typeOf(node).traits.includes('Principal');
  }

  private find(name: string): Promise<GraphNode | undefined> {
    const types = this.schemas.schema.type('Principal')?.concreteTypes ?? [];
    return this.graph.read(async (tx) => {
      for (const key of ['name', 'eMail']) {
        const found = await tx.find({
          kind: 'nodes',
          trait: 'Principal',
          types,
          where: { op: 'equals', key, value: name },
          limit: 2,
        });
        // Two users of one name cannot be told apart; neither gets in by it.
        if (found.length === 1) return found[0];
      }
      return undefined;
    });
  }
}

function text(node: GraphNode | undefined, key: string): string | undefined {
  const value = node?.properties[key];
  return typeof value === 'string' ? value : undefined;
}

/** Comparison whose time tells nothing about the expected text. An empty expected text never matches. */
function sameText(given: string, expected: string): boolean {
  const digest = (s: string): Buffer => createHash('sha256').update(s).digest();
  return timingSafeEqual(digest(given), digest(expected)) && expected !== '';
}
