/** The schema objects of the graph as plain data, with the objects that say it. */
import type { GraphNode, ReadTransaction, Step } from '../../graph/index.js';
import { relationTypeName } from '../../schema/index.js';
import { formed, FUNCTION_KEYS, METHOD_KEYS, PARAMETER_KEYS, PROPERTY_KEYS, RELATION_KEYS, TYPE_KEYS } from './keys.js';
import {
  GRANT_RIGHTS,
  inOrder,
  orderedParameters,
  type GrantModel,
  type GrantRight,
  type MethodModel,
  type ParameterModel,
  type PropertyModel,
  type RelationModel,
  type TypeModel,
  type ViewModel,
} from './model.js';

export interface LoadedProperty extends PropertyModel {
  readonly node: GraphNode;
}
export interface LoadedView extends ViewModel {
  readonly node: GraphNode;
  /** Others of the name, or properties that are left out: what it shows is not all that its links say. */
  readonly isMixed: boolean;
}
export interface LoadedParameter extends ParameterModel {
  readonly node: GraphNode;
}
export interface LoadedMethod extends MethodModel {
  readonly node: GraphNode;
  readonly parameters: readonly LoadedParameter[];
}
export interface LoadedGrant extends GrantModel {
  /** Several where principals have the same name. */
  readonly nodes: readonly GraphNode[];
}
export interface LoadedParts {
  readonly properties: readonly LoadedProperty[];
  readonly views: readonly LoadedView[];
  readonly methods: readonly LoadedMethod[];
}
export interface LoadedType extends TypeModel, LoadedParts {
  readonly properties: readonly LoadedProperty[];
  readonly views: readonly LoadedView[];
  readonly methods: readonly LoadedMethod[];
  readonly grants: readonly LoadedGrant[];
  /** Undefined: types of the service that are extended by their name. */
  readonly node: GraphNode | undefined;
}
export interface LoadedRelation extends RelationModel, LoadedParts {
  readonly properties: readonly LoadedProperty[];
  readonly views: readonly LoadedView[];
  readonly methods: readonly LoadedMethod[];
  readonly node: GraphNode;
  /** Ids of the SchemaNodes at its ends; the others are named. */
  readonly ends: readonly string[];
}
export interface LoadedSchema {
  readonly types: readonly LoadedType[];
  readonly relations: readonly LoadedRelation[];
  readonly functions: readonly LoadedMethod[];
  /** Schema objects that belong to nothing, or say nothing. */
  readonly surplus: readonly GraphNode[];
}

const step = (relType: string, direction: Step['direction'], ...types: string[]): Step => ({
  relType,
  direction,
  types,
});
const OWNERS = ['SchemaNode', 'SchemaRelationshipNode'] as const;
const OWNER = 'staticSchemaNodeName';

function text(node: GraphNode, key: string): string {
  const value = node.properties[key];
  return typeof value === 'string' ? value : '';
}

/** What belongs to each owner, by its id or, for types that are extended by name, by `name:<type>`. */
class Owned {
  readonly nodes = new Map<string, GraphNode[]>();

  add(owner: string, node: GraphNode): void {
    const list = this.nodes.get(owner);
    if (list === undefined) this.nodes.set(owner, [node]);
    else list.push(node);
  }

  of(...owners: (string | undefined)[]): GraphNode[] {
    return owners.flatMap((owner) => (owner === undefined ? [] : (this.nodes.get(owner) ?? [])));
  }
}

const byTheirName = (type: string): string => `name:${type}`;

/** Reads all schema objects that a transaction sees. */
export async function loadSchema(tx: ReadTransaction): Promise<LoadedSchema> {
  return new Loading(tx).load();
}

class Loading {
  private readonly surplus: GraphNode[] = [];
  private readonly properties = new Owned();
  private readonly views = new Owned();
  private readonly methods = new Owned();
  private readonly parameters = new Owned();
  private readonly grants = new Owned();
  private readonly shown = new Map<string, { keys: string[]; hasExcluded: boolean }>();
  private readonly principals = new Map<string, string>();

  constructor(private readonly tx: ReadTransaction) {}

  async load(): Promise<LoadedSchema> {
    const nodes = await this.all('SchemaNode');
    const relationNodes = await this.all('SchemaRelationshipNode');
    await this.partsOf('SchemaProperty', 'HAS_PROPERTY', this.properties);
    await this.loadViews(await this.partsOf('SchemaView', 'HAS_VIEW', this.views));
    const free = await this.partsOf('SchemaMethod', 'HAS_METHOD', this.methods, true);
    await this.loadParameters();
    await this.loadGrants();
    const relations = await this.loadRelations(relationNodes);
    const names = new Set(nodes.map((node) => text(node, 'name')));
    const relationNames = new Set(relations.map(({ name }) => name));
    const others = new Set<string>();
    for (const { nodes: owned } of [this.properties, this.views, this.methods, this.grants])
      for (const key of owned.keys()) if (key.startsWith('name:')) others.add(key.slice('name:'.length));
    const types = nodes.map((node) => this.type(text(node, 'name'), node));
    for (const name of others) if (!names.has(name) && !relationNames.has(name)) types.push(this.type(name, undefined));
    return {
      types: inOrder(types),
      relations: inOrder(relations),
      functions: inOrder(this.unlike(free.map((node) => this.method(node, FUNCTION_KEYS)))),
      surplus: this.surplus,
    };
  }

  private all(type: string): Promise<GraphNode[]> {
    return this.tx.find({ kind: 'nodes', trait: type, types: [type] });
  }

  /** Sorts the objects of a type by what they belong to; answers those without owner, which are surplus unless they are `free`. */
  private async partsOf(type: string, relType: string, owned: Owned, free = false): Promise<GraphNode[]> {
    const nodes = await this.all(type);
    const owners = await this.tx.related(
      nodes.map(({ id }) => id),
      step(relType, 'in', ...OWNERS),
      1,
    );
    const without: GraphNode[] = [];
    for (const [i, node] of nodes.entries()) {
      const owner = owners[i]?.[0];
      if (owner !== undefined) owned.add(owner.id, node);
      else if (text(node, OWNER) !== '') owned.add(byTheirName(text(node, OWNER)), node);
      else without.push(node);
    }
    if (!free) this.surplus.push(...without);
    return type === 'SchemaView' ? nodes : without;
  }

  private async loadViews(nodes: readonly GraphNode[]): Promise<void> {
    const ids = nodes.map(({ id }) => id);
    const shown = await this.tx.related(ids, step('HAS_VIEW_PROPERTY', 'out', 'SchemaProperty'));
    const excluded = await this.tx.related(ids, step('IS_EXCLUDED_FROM_VIEW', 'out', 'SchemaProperty'));
    for (const [i, node] of nodes.entries()) {
      const without = new Set((excluded[i] ?? []).map((one) => text(one, 'name')));
      const listed = text(node, 'nonGraphProperties')
        .split(',')
        .map((key) => key.trim());
      const keys = [...(shown[i] ?? []).map((one) => text(one, 'name')), ...listed];
      this.shown.set(node.id, {
        keys: keys.filter((key) => key !== '' && !without.has(key)),
        hasExcluded: without.size > 0,
      });
    }
  }

  private async loadParameters(): Promise<void> {
    const nodes = await this.all('SchemaMethodParameter');
    const methods = await this.tx.related(
      nodes.map(({ id }) => id),
      step('HAS_PARAMETER', 'in', 'SchemaMethod'),
      1,
    );
    for (const [i, node] of nodes.entries()) {
      const method = methods[i]?.[0];
      if (method === undefined) this.surplus.push(node);
      else this.parameters.add(method.id, node);
    }
  }

  private async loadGrants(): Promise<void> {
    const nodes = await this.all('SchemaGrant');
    const ids = nodes.map(({ id }) => id);
    const principals = await this.tx.related(ids, { relType: 'SCHEMA_GRANT', direction: 'in' }, 1);
    const types = await this.tx.related(ids, step('SCHEMA_GRANT', 'out', 'SchemaNode'), 1);
    for (const [i, node] of nodes.entries()) {
      const principal = principals[i]?.[0];
      const type = types[i]?.[0];
      const named = text(node, OWNER);
      if (principal === undefined || (type === undefined && named === '') || rightsOf(node).size === 0) {
        this.surplus.push(node);
        continue;
      }
      this.principals.set(node.id, text(principal, 'name'));
      this.grants.add(type?.id ?? byTheirName(named), node);
    }
  }

  private async loadRelations(nodes: readonly GraphNode[]): Promise<LoadedRelation[]> {
    const ids = nodes.map(({ id }) => id);
    const sources = await this.tx.related(ids, step('IS_RELATED_TO', 'in', 'SchemaNode'), 1);
    const targets = await this.tx.related(ids, step('IS_RELATED_TO', 'out', 'SchemaNode'), 1);
    return nodes.map((node, i) => {
      const [source, target] = [sources[i]?.[0], targets[i]?.[0]];
      const relType = text(node, 'relationshipType');
      const ends = {
        source: source === undefined ? text(node, 'sourceType') : text(source, 'name'),
        target: target === undefined ? text(node, 'targetType') : text(target, 'name'),
      };
      const name = relationTypeName(ends.source, relType, ends.target);
      return {
        name,
        ...ends,
        relType,
        values: formed(RELATION_KEYS, node.properties),
        ...this.parts(node.id, name),
        node,
        ends: [source, target].flatMap((one) => (one === undefined ? [] : [one.id])),
      };
    });
  }

  private type(name: string, node: GraphNode | undefined): LoadedType {
    return {
      name,
      byNameOnly: node === undefined,
      values: formed(TYPE_KEYS, node?.properties ?? {}),
      ...this.parts(node?.id, name),
      grants: this.grantsOf(this.grants.of(node?.id, byTheirName(name))),
      node,
    };
  }

  private parts(id: string | undefined, name: string): LoadedParts {
    const owners = [id, byTheirName(name)];
    const properties = this.properties.of(...owners).map((node) => ({
      name: text(node, 'name'),
      values: propertyValues(node),
      node,
    }));
    return {
      properties: inOrder(this.unlike(properties)),
      views: inOrder(this.viewsOf(this.views.of(...owners))),
      methods: inOrder(this.unlike(this.methods.of(...owners).map((node) => this.method(node, METHOD_KEYS)))),
    };
  }

  /** Of several with one name the first counts. */
  private unlike<T extends { readonly name: string; readonly node: GraphNode }>(list: readonly T[]): T[] {
    const first = new Map<string, T>();
    for (const one of list) {
      if (first.has(one.name)) this.surplus.push(one.node);
      else first.set(one.name, one);
    }
    return [...first.values()];
  }

  /** Two views of one name are one view. */
  private viewsOf(nodes: readonly GraphNode[]): LoadedView[] {
    const views = new Map<string, LoadedView>();
    for (const node of nodes) {
      const name = text(node, 'name');
      const { keys, hasExcluded } = this.shown.get(node.id) ?? { keys: [], hasExcluded: false };
      const order = text(node, 'sortOrder');
      const other = views.get(name);
      if (other !== undefined) this.surplus.push(node);
      views.set(name, {
        name,
        keys: [...new Set([...(other?.keys ?? []), ...keys])],
        order: order.trim() === '' ? other?.order : order,
        node: other?.node ?? node,
        isMixed: hasExcluded || other !== undefined,
      });
    }
    return [...views.values()];
  }

  private method(node: GraphNode, table: typeof METHOD_KEYS): LoadedMethod {
    const parameters = this.parameters.of(node.id).map((one) => ({
      name: text(one, 'name'),
      index: Number(one.properties['index'] ?? 0),
      values: formed(PARAMETER_KEYS, one.properties),
      node: one,
    }));
    return {
      name: text(node, 'name'),
      values: formed(table, node.properties),
      parameters: orderedParameters(this.unlike(parameters)),
      node,
    };
  }

  private grantsOf(nodes: readonly GraphNode[]): LoadedGrant[] {
    const grants = new Map<string, LoadedGrant>();
    for (const node of nodes) {
      const name = this.principals.get(node.id) ?? '';
      const other = grants.get(name);
      const rights = new Set([...(other?.rights ?? []), ...rightsOf(node)]);
      grants.set(name, { name, rights, nodes: [...(other?.nodes ?? []), node] });
    }
    return inOrder(grants.values());
  }
}

/** That the stored key is the name is no news. */
function propertyValues(node: GraphNode): PropertyModel['values'] {
  const { dbName, ...others } = node.properties;
  return formed(PROPERTY_KEYS, dbName === node.properties['name'] ? others : node.properties);
}

/** The key of a SchemaGrant for a right. */
export const grantKey = (right: GrantRight): string => `allow${right.charAt(0).toUpperCase()}${right.slice(1)}`;

function rightsOf(node: GraphNode): Set<GrantRight> {
  return new Set(GRANT_RIGHTS.filter((right) => node.properties[grantKey(right)] === true));
}
