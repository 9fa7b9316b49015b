/**
 * What they may do: the permission for an endpoint (contract, Resource Access Permission; docs/interface/security.md 10). Administrators
 * need none. Permission objects are subject to rights themselves: one counts for a request when its user may read it.
 */
import {
  OWNS,
  SECURITY,
  type AccessRule,
  type Cache,
  type ChangeKind,
  type ChangeNotice,
  type Graph,
  type GraphNode,
} from '../../graph/index.js';
import type { Actor, SchemaService } from '../../schema/index.js';
import { logger } from '../../../shared/log.js';
import { happened } from '../../../shared/happened.js';
import { AccessError } from '../errors.js';
import type { ObjectAccessRules } from './object-access.js';
import type { Principals } from '../principals.js';

const log = logger('security.access');

/** Bits of `flags` by method: for users, and for everybody else. */
const FLAGS: Readonly<Record<string, { readonly user: number; readonly anonymous: number }>> = {
  GET: { user: 1, anonymous: 16 },
  PUT: { user: 2, anonymous: 32 },
  POST: { user: 4, anonymous: 64 },
  DELETE: { user: 8, anonymous: 128 },
  OPTIONS: { user: 256, anonymous: 512 },
  HEAD: { user: 1024, anonymous: 2048 },
  PATCH: { user: 4096, anonymous: 8192 },
};

/** In the header `reason` of a refusal. */
const REASON = 'permissionMissing';
const TYPE = 'ResourceAccess';
/** In place of flags: there is no permission at all. */
const NONE = -1;
/** All bits. */
const ALL = 16_383;
/** Decisions remembered at most. */
const CAPACITY = 100_000;
/** Permissions of one signature that are looked at. */
const MOST = 10_000;

export class ResourceAccess {
  /** Permission objects by signature, as they are asked for. */
  readonly #bySignature = new Map<string, readonly GraphNode[]>();
  /** Ids of all permissions: grants on these concern this class, here and on other instances. */
  readonly #ids = new Set<string>();
  /**
   * Flags of all permissions that count, by actor and signature. By the very object, not by its id: what is decided for a
   * request that has waited, and whose user has changed meanwhile, is of no use to those who come as he is now.
   */
  #decisions = new WeakMap<Actor, Map<string, number>>();
  #count = 0;
  /** Schema that the decisions were made with: rights may come from it. */
  #schemaVersion = 0;
  readonly #cache: Cache;

  private constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
    principals: Principals,
    private readonly rules: ObjectAccessRules,
  ) {
    // One user who has changed comes as another actor; what was decided for others stands.
    principals.onChange((id) => {
      if (id === undefined) this.forgetDecisions();
    });
    rules.onGrantsChange(() => {
      this.forgetDecisions();
    });
    this.#cache = graph.caches.keep({
      name: 'security.permissions',
      dependsOn: [TYPE, OWNS, SECURITY, 'security.principals', 'security.grants', 'schema'],
      concerns: (kind) => this.#concerns(kind),
      concernsOne: (kind, id, targetId) => this.#concernsOne(kind, id, targetId),
      changed: ({ changes }) => {
        if (changes === 'everything') this.#bySignature.clear();
        else for (const change of changes) this.#changed(change);
        this.#clear();
      },
    });
  }

  static async start(
    graph: Graph,
    schemas: SchemaService,
    principals: Principals,
    rules: ObjectAccessRules,
  ): Promise<ResourceAccess> {
    const access = new ResourceAccess(graph, schemas, principals, rules);
    await graph.read(async (tx) => {
      const types = schemas.schema.type(TYPE)?.concreteTypes ?? [];
      for await (const nodes of tx.stream({ kind: 'nodes', trait: TYPE, types }))
        for (const node of nodes) access.#ids.add(node.id);
    });
    return access;
  }

  /** Throws `AccessError` when `actor` may not use `method` on the endpoint with this signature. */
  check(actor: Actor, signature: string, method: string, path: string): void | Promise<void> {
    if (actor.isAdmin) return;
    if (this.schemas.schema.version !== this.#schemaVersion) {
      this.#schemaVersion = this.schemas.schema.version;
      this.#forget();
    }
    const known = this.#decisions.get(actor)?.get(signature);
    if (known === undefined) {
      return this.#decide(actor, signature).then((flags) => {
        this.#apply(flags, actor, signature, method, path);
      });
    }
    this.#apply(known, actor, signature, method, path);
  }

  /** Whether `check` lets `actor` use `method` on the endpoint with this signature; nothing is logged. */
  async permits(actor: Actor, signature: string, method: string): Promise<boolean> {
    if (actor.isAdmin) return true;
    return isPermitted(await this.#decide(actor, signature), actor, method);
  }

  /** Something that decisions rest on has changed. */
  forgetDecisions(): void {
    this.#cache.outdated();
    this.#clear();
  }

  #clear(): void {
    if (this.#count === 0) return;
    this.#decisions = new WeakMap();
    this.#count = 0;
  }

  #remember(actor: Actor, signature: string, flags: number): void {
    if (this.#count >= CAPACITY) this.#clear();
    let known = this.#decisions.get(actor);
    if (known === undefined) this.#decisions.set(actor, (known = new Map<string, number>()));
    if (!known.has(signature)) this.#count++;
    known.set(signature, flags);
  }

  #apply(flags: number, actor: Actor, signature: string, method: string, path: string): void {
    if (isPermitted(flags, actor, method)) return;
    const wanted = wantedBy(actor, method);
    const who = actor.id === undefined ? 'anonymous users' : `user '${actor.name}'`;
    const what = flags === NONE ? 'no resource access permission found' : 'method not allowed by the permissions found';
    log.warn(
      `${what} for ${who} with signature '${signature}' and method '${method}' (URI: ${path})${remedy(signature, wanted, actor)}`,
    );
    happened('ResourceAccess', flags === NONE ? 'No permission' : 'Method not allowed', {
      raw: signature,
      method,
      validUser: actor.id !== undefined,
      ...(actor.id === undefined ? {} : { userName: actor.name }),
    });
    // The text is the contract's, the same for everything that is refused; this tells it from a wrong password.
    throw new AccessError('Access denied', 401, { reason: REASON });
  }

  /** All flags that count for the actor; `NONE` when no permission does. */
  async #decide(actor: Actor, signature: string): Promise<number> {
    const { state } = this.#cache;
    const rule = (await this.rules.of(actor)).rule('read');
    let lasting = true;
    const flags = await this.graph.read(async (tx) => {
      let nodes = this.#bySignature.get(signature);
      if (nodes === undefined) {
        nodes = await tx.find({
          kind: 'nodes',
          trait: TYPE,
          types: this.schemas.schema.type(TYPE)?.concreteTypes ?? [],
          where: { op: 'equals', key: 'signature', value: signature },
          limit: MOST,
        });
        // Signatures come from clients: those nobody has a permission for are not kept.
        if (state === this.#cache.state && nodes.length > 0) this.#bySignature.set(signature, nodes);
      }
      const visible = nodes.filter((node) => node.properties['hidden'] !== true);
      lasting = !visible.some((node) => mayInherit(node, rule));
      const permitted = rule === undefined ? visible.map(() => true) : await tx.permitted(visible, rule);
      const counting = visible.filter((_, i) => permitted[i] === true);
      return counting.length === 0 ? NONE : counting.reduce((all, node) => all | flagsOf(node), 0);
    });
    if (state === this.#cache.state && flags !== NONE && lasting) this.#remember(actor, signature, flags);
    return flags;
  }

  #concerns(kind: ChangeKind): boolean {
    if (kind.kind === 'relationship') return carriesRights(kind.relType ?? '');
    // One whose type has changed is none any more: ids tell.
    return kind.verb !== 'create' || this.#isPermission(kind);
  }

  #concernsOne(kind: ChangeKind, id: string, targetId = ''): boolean {
    if (kind.kind === 'relationship') return this.#ids.has(targetId);
    return this.#ids.has(id) || this.#isPermission(kind);
  }

  #changed({ kind, verb, id }: ChangeNotice): void {
    if (kind !== 'node') return;
    if (verb === 'delete') this.#ids.delete(id);
    else this.#ids.add(id);
    this.#bySignature.clear();
  }

  #isPermission(change: ChangeKind): boolean {
    return change.type === TYPE || this.schemas.schema.typeOf(change).hasTrait(TYPE);
  }

  #forget(): void {
    this.#bySignature.clear();
    this.forgetDecisions();
  }
}

/** The bit that the actor needs; undefined: there is none for the method. */
function wantedBy(actor: Actor, method: string): number | undefined {
  const bits = FLAGS[method];
  return actor.id === undefined ? bits?.anonymous : bits?.user;
}

function isPermitted(flags: number, actor: Actor, method: string): boolean {
  const wanted = wantedBy(actor, method);
  return wanted !== undefined && flags !== NONE && (flags & wanted) !== 0;
}

/** What an administrator may do about a refusal, as the end of its line in the log. */
function remedy(signature: string, flags: number | undefined, actor: Actor): string {
  if (flags === undefined || signature === '') return '';
  const visibility = actor.id === undefined ? 'visibleToPublicUsers' : 'visibleToAuthenticatedUsers';
  const body = JSON.stringify({ signature, flags, [visibility]: true });
  return `; to permit it, POST ${body} to /svc/rest/ResourceAccess, or add ${String(flags)} to the flags of one that they may read`;
}

/** By type in the database, which is what rights go by, whichever relation of the schema uses it. */
function carriesRights(relType: string): boolean {
  return relType === OWNS || relType === SECURITY;
}

/** Whether rights on it may come along relationships: from objects whose changes nobody here hears of. */
function mayInherit({ type }: GraphNode, rule: AccessRule | undefined): boolean {
  return rule?.propagation?.steps.some(({ nearTypes }) => nearTypes?.includes(type) ?? true) === true;
}

function flagsOf(node: GraphNode): number {
  const { flags } = node.properties;
  return typeof flags === 'number' ? flags & ALL : 0;
}
