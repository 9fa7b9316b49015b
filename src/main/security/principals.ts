/**
 * Users as requests see them, with all groups above them, kept in memory: what a request needs to know of its user costs
 * one look-up in a map. Forgotten with the commit, of this instance or another, that changes a principal or a membership,
 * and with the schema that changes which objects are principals.
 */
import type { Cache, ChangeKind, ChangeNotice, Graph, GraphNode, ReadTransaction } from '../graph/index.js';
import { textOf, type Actor, type Schema, type SchemaService } from '../schema/index.js';

/** A user and what decides whether his credentials still hold. */
export interface Principal {
  readonly node: GraphNode;
  readonly actor: Actor;
  /** Stored ids (hashes) of the sessions in which he is logged in. */
  readonly sessionIds: ReadonlySet<string>;
  /** Ids of the pairs of tokens that still hold. */
  readonly refreshTokens: ReadonlySet<string>;
  readonly blocked: boolean;
}

/** Relationship type from a group to its members; other types share its name in the database. */
const MEMBERSHIP = 'GroupCONTAINSPrincipal';
const CONTAINS = 'CONTAINS';
const CAPACITY = 50_000;
/** Keys of users and groups that rights depend on. */
const DECIDING: ReadonlySet<string> = new Set(['type', 'isAdmin', 'skipSecurityRelationships', 'blocked']);

/** Called with the id of the user that has changed; undefined: any may have. */
export type PrincipalListener = (id: string | undefined) => void;

export class Principals {
  readonly #known = new Map<string, Principal>();
  readonly #listeners: PrincipalListener[] = [];
  /** Ids of all groups that somebody in memory is in: what becomes of one concerns them all, also when it is none any more. */
  readonly #groups = new Set<string>();
  readonly #cache: Cache;

  constructor(
    private readonly graph: Graph,
    private readonly schemas: SchemaService,
  ) {
    this.#cache = graph.caches.keep({
      name: 'security.principals',
      dependsOn: ['Principal', CONTAINS, 'schema'],
      concerns: (kind) => this.#concerns(kind),
      changed: ({ changes }) => {
        if (changes === 'everything') this.#tell(undefined);
        else for (const change of changes) this.#changed(change);
      },
    });
    let types = principalTypes(schemas.schema);
    schemas.onChange((schema) => {
      const now = principalTypes(schema);
      if (now === types) return;
      types = now;
      this.#cache.outdated();
      this.#tell(undefined);
    });
  }

  /** Grows with everything that is forgotten: what was read before may be older. */
  get generation(): number {
    return this.#cache.state;
  }

  /** Whether such a change may give rights to users or take them. */
  decidesRights(change: ChangeKind): boolean {
    if (!this.#concerns(change)) return false;
    return change.kind === 'relationship' || change.verb !== 'change' || DECIDING.has(change.key ?? 'type');
  }

  /** Hears of every user that has changed. */
  onChange(listener: PrincipalListener): void {
    this.#listeners.push(listener);
  }

  /** A user that is in memory. */
  peek(id: string): Principal | undefined {
    return this.#known.get(id);
  }

  /** A user as he is now; undefined when there is none of this id. */
  async get(id: string): Promise<Principal | undefined> {
    const known = this.#known.get(id);
    if (known !== undefined) return known;
    const read = (): Promise<Principal | undefined> =>
      this.graph.read(async (tx) => {
        const node = await tx.node(id);
        return node === undefined || !this.isUser(node) ? undefined : this.#principal(tx, node);
      });
    return this.#cache.read(read, (found) => {
      if (found !== undefined) this.#keep(id, found);
    });
  }

  /** The same, read anew: another instance may have changed him, which this one hears of a little later. */
  again(id: string): Promise<Principal | undefined> {
    this.#known.delete(id);
    return this.get(id);
  }

  #keep(id: string, found: Principal): void {
    if (this.#known.size >= CAPACITY) this.#known.clear();
    this.#known.set(id, found);
    for (const group of found.actor.groups) this.#groups.add(group);
  }

  /** Whether the object can log in. */
  isUser(node: GraphNode): boolean {
    return this.schemas.schema.typeOf(node).hasTrait('User');
  }

  /** Users that have this value at one of these keys. Two of them cannot be told apart; the caller refuses both. */
  async find(keys: readonly string[], value: string): Promise<GraphNode[]> {
    const types = this.schemas.schema.type('User')?.concreteTypes ?? [];
    return this.graph.read((tx) =>
      tx.find({
        kind: 'nodes',
        trait: 'User',
        types,
        where: { op: 'or', terms: keys.map((key) => ({ op: 'equals', key, value })) },
        limit: 2,
      }),
    );
  }

  /** Groups by their `jwksReferenceId`, with all groups above them. */
  async groupsOf(references: readonly string[]): Promise<GraphNode[]> {
    const types = this.schemas.schema.type('Group')?.concreteTypes ?? [];
    return this.graph.read(async (tx) => {
      const where = { op: 'in', key: 'jwksReferenceId', values: references } as const;
      const named = await tx.find({ kind: 'nodes', trait: 'Group', types, where });
      return this.#above(tx, named);
    });
  }

  async #principal(tx: ReadTransaction, node: GraphNode): Promise<Principal> {
    const above = (await this.#above(tx, [node])).slice(1);
    const { properties } = node;
    const isAdmin = properties['isAdmin'] === true;
    const actor: Actor = {
      id: node.id,
      name: textOf(node, 'name') ?? textOf(node, 'eMail') ?? node.id,
      isAdmin,
      isSuperuser: false,
      type: node.type,
      groups: above.map((group) => group.id),
      reachesAll: isAdmin || above.some((group) => group.properties['isAdmin'] === true),
      skipsSecurity: properties['skipSecurityRelationships'] === true,
    };
    return {
      node,
      actor,
      sessionIds: new Set(texts(node, 'sessionIds')),
      refreshTokens: new Set(texts(node, 'refreshTokens')),
      blocked: properties['blocked'] === true,
    };
  }

  /** These principals and all groups above them, each once. */
  async #above(tx: ReadTransaction, nodes: readonly GraphNode[]): Promise<GraphNode[]> {
    const types = this.schemas.schema.type('Group')?.concreteTypes ?? [];
    const all = new Map(nodes.map((node) => [node.id, node]));
    for (let level = [...all.keys()]; level.length > 0;) {
      const above = (await tx.related(level, { relType: CONTAINS, direction: 'in', types })).flat();
      level = [];
      for (const group of above) {
        if (all.has(group.id)) continue;
        all.set(group.id, group);
        level.push(group.id);
      }
    }
    return [...all.values()];
  }

  #concerns(change: ChangeKind): boolean {
    if (change.kind === 'relationship') return change.verb !== 'change' && this.#isMembership(change);
    // One that was a principal before, by a schema that is no more, says so only by the change of its type.
    return change.verb !== 'create' && (change.key === 'type' || this.#isPrincipal(change));
  }

  /** Also by a relation of the schema that uses the same type in the database. */
  #isMembership({ type, relType }: ChangeKind): boolean {
    if (relType !== CONTAINS || type === MEMBERSHIP) return type === MEMBERSHIP;
    const { schema } = this.schemas;
    const groups = schema.type('Group')?.concreteTypes ?? [];
    const source = schema.type(schema.relations.get(type)?.source ?? '');
    return source === undefined || source.concreteTypes.some((one) => groups.includes(one));
  }

  #changed(change: ChangeNotice): void {
    const { kind, id } = change;
    const isGroup = kind !== 'node' || this.#groups.has(id) || this.schemas.schema.typeOf(change).hasTrait('Group');
    this.#tell(isGroup ? undefined : id);
  }

  #isPrincipal(change: ChangeKind): boolean {
    return this.schemas.schema.typeOf(change).hasTrait('Principal');
  }

  #tell(id: string | undefined): void {
    if (id === undefined) {
      this.#known.clear();
      this.#groups.clear();
    } else this.#known.delete(id);
    for (const listener of this.#listeners) listener(id);
  }
}

/** Which types are users and groups, as one text. */
function principalTypes(schema: Schema): string {
  return ['User', 'Group'].map((name) => schema.type(name)?.concreteTypes.join(' ') ?? '').join('/');
}

/** Elements of a list of texts. */
export function texts(node: GraphNode, key: string): readonly string[] {
  const value = node.properties[key];
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
}
