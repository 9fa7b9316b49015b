/** Rights on all objects of a type (SchemaGrant, docs/interface/security.md 9.6), all of them in memory. */
import type { Cache, ChangeKind, Graph, GraphNode, ReadTransaction, Right } from '../../graph/index.js';
import type { Schema, Type } from '../../schema/index.js';

const TYPE = 'SchemaGrant';
const RELATION = 'SCHEMA_GRANT';
const FLAGS: Readonly<Record<Right, string>> = {
  read: 'allowRead',
  write: 'allowWrite',
  delete: 'allowDelete',
  accessControl: 'allowAccessControl',
};

interface Grant {
  readonly node: GraphNode;
  readonly schemaNodeId: string | undefined;
}

export class SchemaGrants {
  /** By id of the principal. */
  #grants: ReadonlyMap<string, readonly Grant[]> = new Map();
  #loading: Promise<void> | undefined;
  readonly #listeners: (() => void)[] = [];
  readonly #cache: Cache;
  /** The state that what is in memory was read at: only what was read after the last change counts. */
  #loaded = -1;

  constructor(private readonly graph: Graph) {
    this.#cache = graph.caches.keep({
      name: 'security.grants',
      dependsOn: [TYPE, RELATION],
      concerns: isGrant,
      changed: () => {
        for (const listener of this.#listeners) listener();
      },
    });
  }

  /** Names the state that `typesFor` answers from, for caches. */
  get version(): number {
    return this.#loaded;
  }

  /** To be waited for, when it is a promise, before `typesFor` says what is so now. */
  ready(): undefined | Promise<void> {
    if (this.#loaded === this.#cache.state) return undefined;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Names of the concrete types all of whose objects these principals have a right on. */
  typesFor(principals: readonly string[], right: Right, schema: Schema): Set<string> {
    const types = new Set<string>();
    for (const principal of principals)
      for (const type of this.#typesOf(principal, right, schema))
        for (const concrete of type.concreteTypes) types.add(concrete);
    return types;
  }

  /** Which of these principals have a right on all objects of a concrete type. */
  holders(principals: readonly string[], right: Right, typeName: string, schema: Schema): string[] {
    return principals.filter((principal) =>
      this.#typesOf(principal, right, schema).some(({ concreteTypes }) => concreteTypes.includes(typeName)),
    );
  }

  #typesOf(principal: string, right: Right, schema: Schema): Type[] {
    const found: Type[] = [];
    for (const { node, schemaNodeId } of this.#grants.get(principal) ?? []) {
      if (node.properties[FLAGS[right]] !== true) continue;
      const named = node.properties['staticSchemaNodeName'];
      for (const type of schema.types.values()) {
        const meant = schemaNodeId === undefined ? type.name === named : type.schemaNodeId === schemaNodeId;
        if (meant) found.push(type);
      }
    }
    return found;
  }

  /** Hears of every change. */
  onChange(listener: () => void): void {
    this.#listeners.push(listener);
  }

  async #load(): Promise<void> {
    await this.#cache.current(
      () => this.graph.read(readGrants),
      (grants) => {
        this.#grants = grants;
        this.#loaded = this.#cache.state;
      },
    );
  }
}

async function readGrants(tx: ReadTransaction): Promise<Map<string, Grant[]>> {
  const grants = new Map<string, Grant[]>();
  for await (const nodes of tx.stream({ kind: 'nodes', trait: TYPE, types: [TYPE] })) {
    const ids = nodes.map((node) => node.id);
    const principals = await tx.related(ids, { relType: RELATION, direction: 'in' }, 1);
    const types = await tx.related(ids, { relType: RELATION, direction: 'out', types: ['SchemaNode'] }, 1);
    for (const [i, node] of nodes.entries()) {
      const principal = principals[i]?.[0]?.id;
      if (principal === undefined) continue;
      const list = grants.get(principal);
      const grant = { node, schemaNodeId: types[i]?.[0]?.id };
      if (list === undefined) grants.set(principal, [grant]);
      else list.push(grant);
    }
  }
  return grants;
}

/** Whether such a change is one of a grant. One that was a grant before says so only by the change of its type. */
export function isGrant({ type, previousType, relType }: ChangeKind): boolean {
  return type === TYPE || previousType === TYPE || relType === RELATION;
}
