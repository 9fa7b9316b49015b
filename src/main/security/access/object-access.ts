/**
 * What an actor may do with which objects, as a rule for queries (contract, Generic object; docs/interface/security.md 9). Built from
 * who he is, the schema (visibility by default, propagation along relationships) and the schema grants.
 */
import {
  type AccessRule,
  type FlagKey,
  type GraphNode,
  type PropagationStep,
  PUBLIC,
  type ReadTransaction,
  type Right,
  USERS,
} from '../../graph/index.js';
import {
  ALLOW_ALL,
  type Actor,
  type ObjectAccess,
  typesOf,
  type Schema,
  type SchemaService,
} from '../../schema/index.js';
import { explainRights, type RightExplained } from './explanation.js';
import type { SchemaGrants } from './schema-grants.js';

const PUBLIC_KEYS: readonly FlagKey[] = [PUBLIC];
const USER_KEYS: readonly FlagKey[] = [PUBLIC, USERS];
const PROPAGATES: ReadonlySet<string> = new Set(['Add', 'Keep']);
/** A node with so many relationships of a type is not left along it when rights are looked for (docs/interface/security.md 9.5). */
const FAN = 1000;

/** What the schema says about access, for one right. */
interface SchemaRules {
  readonly version: number;
  readonly steps: readonly PropagationStep[];
  /** Types whose own flags do not count, and those visible to everybody and to users. */
  readonly flagless: readonly string[];
  readonly publicTypes: readonly string[];
  readonly userTypes: readonly string[];
}

class Access implements ObjectAccess {
  readonly #rules = new Map<Right, AccessRule>();

  constructor(
    private readonly actor: Actor,
    readonly schema: Schema,
    readonly grantsVersion: number,
    private readonly make: (actor: Actor, right: Right) => AccessRule,
  ) {}

  rule(right: Right): AccessRule {
    let rule = this.#rules.get(right);
    if (rule === undefined) this.#rules.set(right, (rule = this.make(this.actor, right)));
    return rule;
  }
}

export class ObjectAccessRules {
  readonly #known = new WeakMap<Actor, Access>();
  readonly #bySchema = new Map<Right, SchemaRules>();

  constructor(
    private readonly schemas: SchemaService,
    private readonly grants: SchemaGrants,
    /** `application.security.resolution.depth` */
    private readonly depth: number,
  ) {}

  /** Hears of every change of a schema grant. */
  onGrantsChange(listener: () => void): void {
    this.grants.onChange(listener);
  }

  /** What `actor` may do from now on; to be asked for each request. */
  of(actor: Actor): ObjectAccess | Promise<ObjectAccess> {
    if (actor.reachesAll) return ALLOW_ALL;
    const loading = this.grants.ready();
    // Asked again after the wait: they may have changed once more.
    return loading === undefined ? this.#now(actor) : loading.then(() => this.of(actor));
  }

  /** Why `actor` may do what with a node: the rules of `of`, one by one (docs/interface/security.md 9.10). */
  async explain(
    tx: ReadTransaction,
    { actor, blocked }: { readonly actor: Actor; readonly blocked: boolean },
    node: GraphNode,
  ): Promise<readonly RightExplained[]> {
    const access = await this.of(actor);
    const { schema } = this.schemas;
    return explainRights(tx, { actor, access, blocked }, node, { schema, grants: this.grants });
  }

  #now(actor: Actor): ObjectAccess {
    const { schema } = this.schemas;
    const known = this.#known.get(actor);
    if (known?.schema === schema && known.grantsVersion === this.grants.version) return known;
    const access = new Access(actor, schema, this.grants.version, (who, right) => this.#rule(who, right, schema));
    this.#known.set(actor, access);
    return access;
  }

  #rule(actor: Actor, right: Right, schema: Schema): AccessRule {
    const { steps, flagless, publicTypes, userTypes } = this.#schemaRules(right, schema);
    const reading = right === 'read';
    if (actor.id === undefined) {
      // Nobody in particular: what is public, and nothing else (docs/interface/security.md 9.2).
      const keys = reading ? PUBLIC_KEYS : [];
      return { right, principals: [], ids: [], types: publicTypes, keys, keysIgnoredFor: flagless };
    }
    const principals = [actor.id, ...actor.groups];
    const types = this.grants.typesFor(principals, right, schema);
    for (const type of [...publicTypes, ...userTypes]) types.add(type);
    return {
      right,
      principals,
      ids: reading ? principals : [actor.id],
      types: [...types],
      keys: reading ? USER_KEYS : [],
      keysIgnoredFor: flagless,
      ...(steps.length === 0 ? {} : { propagation: { steps, depth: this.depth, fan: FAN } }),
    };
  }

  #schemaRules(right: Right, schema: Schema): SchemaRules {
    const known = this.#bySchema.get(right);
    if (known?.version === schema.version) return known;
    const reading = right === 'read';
    const decided = reading ? [...schema.types.values()].filter((type) => type.visibility !== undefined) : [];
    const rules: SchemaRules = {
      version: schema.version,
      steps: stepsOf(schema, right),
      flagless: decided.map((type) => type.name),
      publicTypes: decided.filter((type) => type.visibility?.toPublic === true).map((type) => type.name),
      userTypes: decided.filter((type) => type.visibility?.toUsers === true).map((type) => type.name),
    };
    this.#bySchema.set(right, rules);
    return rules;
  }
}

/** Steps from an object to those whose rights apply to it: against the direction in which they propagate. */
function stepsOf(schema: Schema, right: Right): PropagationStep[] {
  const steps: PropagationStep[] = [];
  for (const relation of schema.relations.values()) {
    const direction = relation.permissionPropagation ?? 'None';
    if (direction === 'None' || !PROPAGATES.has(relation[`${right}Propagation`] ?? 'Remove')) continue;
    const [source, target] = [typesOf(schema, relation.source), typesOf(schema, relation.target)];
    const near = ({ types }: { types?: readonly string[] }): { nearTypes?: readonly string[] } =>
      types === undefined ? {} : { nearTypes: types };
    const { relType } = relation;
    if (direction !== 'In') steps.push({ relType, direction: 'in', ...source, ...near(target) });
    if (direction !== 'Out') steps.push({ relType, direction: 'out', ...target, ...near(source) });
  }
  return steps;
}
