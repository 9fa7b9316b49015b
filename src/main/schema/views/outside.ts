/** Which answers show what is worked out outside of the graph, so that not every thread can write them (docs/design/threads.md). */
import type { Property, Schema, Type } from '../model/schema.js';

/** Keys that are written of objects of types that do not have the view. */
const REDUCED = ['id', 'type', 'name'] as const;

const known = new WeakMap<Schema, Map<string, boolean>>();

/**
 * Whether an answer that shows objects of a type in a view may hold values of scripts or of the room that works on content, at any depth. `type`
 * undefined: objects of any type. Decided once a schema.
 */
export function showsOutside(schema: Schema, type: Type | undefined, view: string): boolean {
  let answers = known.get(schema);
  if (answers === undefined) known.set(schema, (answers = new Map<string, boolean>()));
  const name = `${type?.name ?? ''}/${view}`;
  let answer = answers.get(name);
  if (answer === undefined) answers.set(name, (answer = reaches(schema, type, view)));
  return answer;
}

function reaches(schema: Schema, type: Type | undefined, view: string): boolean {
  const seen = new Set<Type>();
  const open: Type[] = type === undefined ? [...schema.types.values()] : [type];
  const add = (name: string): void => {
    const next = schema.type(name);
    if (next !== undefined) open.push(next);
  };
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    if (seen.has(one)) continue;
    seen.add(one);
    for (const name of one.concreteTypes) add(name);
    for (const property of shownOf(one, view)) {
      if (property.kind === 'computed') {
        if (property.isOutside === true) return true;
        add(property.valueType);
      } else if (property.kind === 'relation') add(property.relatedType);
      else if (property.kind === 'notion') {
        const relation = one.properties.get(property.relationName);
        if (relation?.kind !== 'relation') continue;
        if (notionReaches(schema, relation.relatedType, property.notion.keys)) return true;
      }
      if (property.kind === 'relation' && property.notion !== undefined) {
        if (notionReaches(schema, property.relatedType, property.notion.keys)) return true;
      }
    }
  }
  return false;
}

/** Whether keys that are shown in place of related objects are worked out outside. */
function notionReaches(schema: Schema, related: string, keys: readonly string[]): boolean {
  const type = schema.type(related);
  if (type === undefined) return false;
  return [type.name, ...type.concreteTypes].some((name) =>
    keys.some((key) => {
      const property = schema.type(name)?.properties.get(key);
      return property !== undefined && property.kind === 'computed' && property.isOutside === true;
    }),
  );
}

function shownOf(type: Type, view: string): readonly Property[] {
  const found = type.views.get(view)?.properties;
  if (found !== undefined) return found;
  return REDUCED.flatMap((key) => type.properties.get(key) ?? []);
}
