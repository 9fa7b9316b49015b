/** Users and groups, which exports know by their names (docs/interface/deployment.md 2.3). */
import { SECURITY, type GraphNode } from '../../graph/index.js';
import { linkNodes, typesOf, type ObjectTransaction } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { Report } from '../common/report.js';
import { DeploymentError } from '../common/errors.js';
import { objectAt } from './source.js';

const RIGHTS: ReadonlySet<string> = new Set(['read', 'write', 'delete', 'accessControl']);

/** Owner and grantees that an entry of an export names. */
export interface SaidRights {
  /** Null: nobody; undefined: nothing is said. */
  readonly owner: string | null | undefined;
  /** Undefined: nothing is said. */
  readonly grantees: readonly { readonly name: string; readonly allowed: readonly string[] }[] | undefined;
}

export class PrincipalNames {
  readonly #known = new Map<string, GraphNode | undefined>();
  readonly #missing = new Set<string>();
  readonly #ambiguous = new Set<string>();

  /** The user or group of this name; undefined, and noted, when there is none, or more than one. */
  async find({ tx, schema }: ObjectTransaction, name: string): Promise<GraphNode | undefined> {
    if (this.#known.has(name)) return this.#known.get(name);
    const where = { op: 'equals', key: 'name', value: name } as const;
    const types = typesOf(schema, 'Principal');
    const found = await tx.find({ kind: 'nodes', trait: 'Principal', ...types, where, limit: 2 });
    if (found.length === 0) this.#missing.add(name);
    if (found.length > 1) this.#ambiguous.add(name);
    const one = found.length === 1 ? found[0] : undefined;
    this.#known.set(name, one);
    return one;
  }

  /** What was found may not be there any more; what was not may be there now. */
  forget(): void {
    this.#known.clear();
  }

  /** Gives an object to its owner, and the rights that were said; of one that was there before nobody else keeps any, where something is said of them. */
  async give(
    objects: ObjectTransaction,
    node: GraphNode,
    { owner, grantees }: SaidRights,
    wasThere = false,
  ): Promise<void> {
    if (typeof owner === 'string') {
      const principal = await this.find(objects, owner);
      if (principal !== undefined) await objects.update(node, { owner: principal.id });
    }
    const relation = objects.schema.relations.get('Security');
    const kept = new Set<string>();
    for (const { name, allowed } of grantees ?? []) {
      const principal = await this.find(objects, name);
      if (principal === undefined || relation === undefined) continue;
      kept.add(principal.id);
      const [links = []] = await objects.tx.links([node.id], { relType: SECURITY, direction: 'in' });
      const there = links.find((one) => one.node.id === principal.id);
      if (there !== undefined) await objects.tx.updateRelationship(there.relationship.id, { allowed });
      else await linkNodes(objects, relation, principal, node, { allowed });
    }
    if (!wasThere || grantees === undefined) return;
    const [links = []] = await objects.tx.links([node.id], { relType: SECURITY, direction: 'in' });
    for (const { relationship, node: other } of links)
      if (!kept.has(other.id)) await objects.tx.deleteRelationship(relationship.id);
  }

  /** Names that nobody has. */
  get missing(): ReadonlySet<string> {
    return this.#missing;
  }

  /** Names that several have. */
  get ambiguous(): ReadonlySet<string> {
    return this.#ambiguous;
  }

  /** Warns of names that led nowhere. */
  tell(report: Report): void {
    report.warnOfAll('Missing Principal(s)', this.#missing);
    report.warnOfAll('Ambiguous Principal(s)', this.#ambiguous);
  }
}

/** Takes `owner` and `grantees` out of an entry. Throws `DeploymentError`. */
export function rightsIn(entry: JsonObject, place: string): { readonly rights: SaidRights; readonly rest: JsonObject } {
  const { owner: _owner, grantees: _grantees, ...rest } = entry;
  return { rights: rightsOf(entry, place), rest };
}

/** `owner` and `grantees` of an entry. Throws `DeploymentError`. */
export function rightsOf({ owner, grantees }: JsonObject, place: string): SaidRights {
  return { owner: ownerIn(owner, place), grantees: granteesIn(grantees, place) };
}

function ownerIn(owner: JsonValue | undefined, place: string): string | null | undefined {
  if (owner === undefined || owner === null) return owner;
  return textAt(objectAt(owner, `${place}.owner`)['name'], `${place}.owner.name`);
}

function granteesIn(grantees: JsonValue | undefined, place: string): SaidRights['grantees'] {
  if (grantees === undefined || grantees === null) return undefined;
  if (!Array.isArray(grantees)) throw new DeploymentError(`${place}.grantees: a list is expected here.`);
  return grantees.map((one, at) => {
    const where = `${place}.grantees[${String(at)}]`;
    const said = objectAt(one, where);
    const { allowed } = said;
    // Older exports have them as one text.
    const list = typeof allowed === 'string' ? allowed.split(',').map((right) => right.trim()) : allowed;
    if (!Array.isArray(list)) throw new DeploymentError(`${where}.allowed: a list of rights is expected here.`);
    const rights = list.map((right) => {
      if (typeof right === 'string' && RIGHTS.has(right)) return right;
      throw new DeploymentError(`${where}.allowed: ${JSON.stringify(right)} is no right.`);
    });
    return { name: textAt(said['name'], `${where}.name`), allowed: rights };
  });
}

/** A text of an entry. Throws `DeploymentError` that names its place. */
export function textAt(value: JsonValue | undefined, place: string): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new DeploymentError(`${place}: a text is expected here.`);
}

/** A flag of an entry; older exports have texts. Throws `DeploymentError` that names its place. */
export function flagAt(value: JsonValue | undefined, place: string): boolean | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'boolean') return value;
  if (value === 'true' || value === 'false') return value === 'true';
  throw new DeploymentError(`${place}: true or false is expected here.`);
}
