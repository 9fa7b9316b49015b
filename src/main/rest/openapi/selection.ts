/** What of the schema is in a document: everything marked for it, or what of that carries a tag (docs/interface/rest.md 9.3). */
import type { Schema, Type } from '../../schema/index.js';
import { BEFORE_FUNCTIONS } from '../resources/methods/before-functions.js';
import type { Annotation, Annotations, MethodAnnotation } from './annotations.js';

/** Tags of the paths that are there without any schema. */
export const SESSION_TAG = 'session';
export const MAINTENANCE_TAG = 'maintenance';
const FUNCTIONS_TAG = 'functions';

type MethodDefinition = NonNullable<ReturnType<Schema['functions']['get']>>;

export interface SelectedType {
  readonly type: Type;
  readonly annotation: Annotation;
}

/** A method as callers of one type see it; without a type, a user-defined function. */
export interface SelectedMethod {
  readonly typeName: string | undefined;
  readonly definition: MethodDefinition;
  readonly annotation: MethodAnnotation;
  readonly tags: readonly string[];
}

export interface Selection {
  readonly tag: string | undefined;
  readonly types: readonly SelectedType[];
  readonly methods: readonly SelectedMethod[];
}

/** Everything that is in the whole document. */
export function selectAll(schema: Schema, annotations: Annotations): Selection {
  const types: SelectedType[] = [];
  const methods: SelectedMethod[] = [];
  for (const [name, annotation] of annotations.types) {
    const type = schema.type(name);
    if (type === undefined) continue;
    // Service classes have methods, but no objects.
    if (!type.isServiceClass) types.push({ type, annotation });
    methods.push(...methodsOf(type, annotation.tags, type.traits, schema, annotations));
  }
  for (const name of annotations.methods.keys()) {
    const type = schema.type(name);
    if (type === undefined || annotations.types.has(name)) continue;
    // Methods may be in the document while their type is not.
    methods.push(...methodsOf(type, [name], [name], schema, annotations));
  }
  for (const [name, annotation] of annotations.functions) {
    const definition = schema.functions.get(name);
    // What has no address is not in it.
    if (definition === undefined || definition.isPrivate || BEFORE_FUNCTIONS.has(name)) continue;
    const tags = annotation.tags.length > 0 ? annotation.tags : [FUNCTIONS_TAG];
    methods.push({ typeName: undefined, definition, annotation, tags });
  }
  return { tag: undefined, types, methods };
}

/** What of it carries a tag; undefined when nothing does. */
export function selectTag(all: Selection, tag: string): Selection | undefined {
  const types = all.types.filter((t) => t.annotation.tags.includes(tag));
  const methods = all.methods.filter((m) => m.tags.includes(tag));
  return types.length === 0 && methods.length === 0 && tag !== SESSION_TAG ? undefined : { tag, types, methods };
}

/** Tags in use, the fixed ones last. */
export function tagsOf({ tag, types, methods }: Selection): string[] {
  if (tag !== undefined) return [...new Set([tag, SESSION_TAG])];
  const used = [...types.flatMap((t) => t.annotation.tags), ...methods.flatMap((m) => m.tags)];
  return [...new Set([...used.sort(), SESSION_TAG, MAINTENANCE_TAG])];
}

/** Marked methods that a type has of these traits; of one name the last trait's counts. */
function methodsOf(
  type: Type,
  typeTags: readonly string[],
  traits: readonly string[],
  schema: Schema,
  annotations: Annotations,
): SelectedMethod[] {
  const found = new Map<string, { trait: string; definition: MethodDefinition }>();
  for (const trait of traits) {
    for (const [name, definition] of schema.methods.get(trait) ?? []) found.set(name, { trait, definition });
  }
  const selected: SelectedMethod[] = [];
  for (const [name, { trait, definition }] of found) {
    const annotation = annotations.methods.get(trait)?.get(name);
    // A method named like a view cannot be reached (docs/interface/rest.md 1.1).
    if (annotation === undefined || definition.isPrivate || schema.viewNames.has(name)) continue;
    const tags = annotation.tags.length > 0 ? annotation.tags : typeTags;
    selected.push({ typeName: type.name, definition, annotation, tags });
  }
  return selected;
}
