/**
 * A schema as plain data: what schema objects say, without their ids. Documents, the graph and differences all go through it. Lists are in
 * the order of names, values in their one form (`keys.ts`).
 */
import { isLifecycleName } from '../../schema/index.js';
import { byName, formed, FUNCTION_KEYS, METHOD_KEYS, type Said, type Values } from './keys.js';

export interface PropertyModel {
  readonly name: string;
  readonly values: Values;
}

export interface ViewModel {
  readonly name: string;
  /** All that it shows itself, in order. */
  readonly keys: readonly string[];
  /** SchemaView.sortOrder. */
  readonly order: string | undefined;
}

export interface ParameterModel {
  readonly name: string;
  /** Their order; no two have the same. */
  readonly index: number;
  readonly values: Values;
}

export interface MethodModel {
  readonly name: string;
  readonly values: Values;
  /** In their order. */
  readonly parameters: readonly ParameterModel[];
}

/** What a type or relation declares. */
export interface Parts {
  readonly properties: readonly PropertyModel[];
  readonly views: readonly ViewModel[];
  readonly methods: readonly MethodModel[];
}

export type GrantRight = 'read' | 'write' | 'delete' | 'accessControl';
export const GRANT_RIGHTS: readonly GrantRight[] = ['read', 'write', 'delete', 'accessControl'];

/** Rights of a principal, by its name, on the objects of a type; at least one. */
export interface GrantModel {
  readonly name: string;
  readonly rights: ReadonlySet<GrantRight>;
}

export interface TypeModel extends Parts {
  readonly name: string;
  /** It has no SchemaNode: its parts extend a type by its name (`staticSchemaNodeName`). */
  readonly byNameOnly: boolean;
  readonly values: Values;
  readonly grants: readonly GrantModel[];
}

export interface RelationModel extends Parts {
  /** Worked out of its ends, `relationTypeName`. */
  readonly name: string;
  readonly source: string;
  readonly target: string;
  readonly relType: string;
  readonly values: Values;
}

export interface SchemaModel {
  readonly types: readonly TypeModel[];
  readonly relations: readonly RelationModel[];
  /** User-defined functions. */
  readonly functions: readonly MethodModel[];
}

export const EMPTY: SchemaModel = { types: [], relations: [], functions: [] };

/** A list in the order of names. */
export function inOrder<T extends { readonly name: string }>(list: Iterable<T>): T[] {
  return [...list].sort(byName);
}

/** By name. */
export function named<T extends { readonly name: string }>(list: readonly T[]): Map<string, T> {
  return new Map(list.map((one) => [one.name, one]));
}

/** Parameters in their order; where two have the same place, all get places of their own. */
export function orderedParameters<P extends ParameterModel>(list: readonly P[]): P[] {
  const ordered = list
    .map((one, i) => ({ one, i }))
    .sort((a, b) => a.one.index - b.one.index || a.i - b.i)
    .map(({ one }) => one);
  const isClear = new Set(ordered.map(({ index }) => index)).size === ordered.length;
  return isClear ? ordered : ordered.map((one, index) => ({ ...one, index }));
}

/**
 * The flags that methods have whatever is said of them, as the rules of schema objects correct them (docs/interface/schema.md 2.4).
 * `place`: whose method it is.
 */
export function corrected(method: MethodModel, place: 'type' | 'service class' | 'function'): MethodModel {
  const values: Record<string, Said> = { ...method.values };
  if (place !== 'type') values['isStatic'] = true;
  else if (isLifecycleName(method.name)) Object.assign(values, { isStatic: false, isPrivate: true });
  if (values['isPrivate'] === true) values['includeInOpenAPI'] = false;
  return { ...method, values: formed(place === 'function' ? FUNCTION_KEYS : METHOD_KEYS, values) };
}
