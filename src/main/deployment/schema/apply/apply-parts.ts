/** Properties, views, methods and parameters of schema objects, made what a document says. */
import type { JsonObject } from '../../../../shared/json/index.js';
import { FUNCTION_KEYS, METHOD_KEYS, PARAMETER_KEYS, PROPERTY_KEYS } from '../keys.js';
import type { LoadedMethod, LoadedParts, LoadedView } from '../load.js';
import { named, type MethodModel, type Parts, type ViewModel } from '../model.js';
import { allOf, changes, type Writing } from './writing.js';

/** Whose they are. */
export type PartsOwner = { readonly schemaNode: string } | { readonly staticSchemaNodeName: string };

export async function applyParts(
  writing: Writing,
  present: LoadedParts | undefined,
  wanted: Parts,
  owner: PartsOwner,
): Promise<void> {
  const ids = new Map<string, string>();
  const properties = named(present?.properties ?? []);
  for (const { name, values } of wanted.properties) {
    const old = properties.get(name);
    if (old === undefined) {
      const { id } = await writing.create('SchemaProperty', { name, ...owner, ...allOf(values) });
      ids.set(name, id);
    } else {
      ids.set(name, old.node.id);
      await writing.update(old.node, changes(PROPERTY_KEYS, old.values, values));
    }
  }
  const views = named(present?.views ?? []);
  for (const view of wanted.views) await applyView(writing, views.get(view.name), view, ids, owner);
  await applyMethods(writing, present?.methods ?? [], wanted.methods, owner);
}

async function applyView(
  writing: Writing,
  present: LoadedView | undefined,
  wanted: ViewModel,
  ids: ReadonlyMap<string, string>,
  owner: PartsOwner,
): Promise<void> {
  const isEqual =
    present !== undefined &&
    present.order === wanted.order &&
    present.keys.length === wanted.keys.length &&
    present.keys.every((key, i) => key === wanted.keys[i]);
  if (isEqual) return;
  // Its own properties are linked as far as they come first; what is linked comes first in any case.
  const linked: string[] = [];
  for (const key of wanted.keys) {
    const id = ids.get(key);
    if (id === undefined) break;
    linked.push(id);
  }
  const others = wanted.keys.slice(linked.length).join(',');
  const said: JsonObject = { nonGraphProperties: others === '' ? null : others, sortOrder: wanted.order ?? null };
  if (present === undefined || present.isMixed) {
    if (present !== undefined) await writing.delete(present.node);
    await writing.create('SchemaView', { name: wanted.name, ...owner, ...said, schemaProperties: linked });
    return;
  }
  // Those that stay would keep their places.
  await writing.update(present.node, { schemaProperties: [] });
  await writing.update(present.node, { ...said, schemaProperties: linked });
}

/** Methods of an owner, or functions. */
export async function applyMethods(
  writing: Writing,
  present: readonly LoadedMethod[],
  wanted: readonly MethodModel[],
  owner: PartsOwner | undefined,
): Promise<void> {
  const there = named(present);
  const table = owner === undefined ? FUNCTION_KEYS : METHOD_KEYS;
  for (const method of wanted) {
    const old = there.get(method.name);
    if (old === undefined) {
      const { id } = await writing.create('SchemaMethod', { name: method.name, ...owner, ...allOf(method.values) });
      await applyParameters(writing, undefined, method, id);
    } else {
      await writing.update(old.node, changes(table, old.values, method.values));
      await applyParameters(writing, old, method, old.node.id);
    }
  }
}

async function applyParameters(
  writing: Writing,
  present: LoadedMethod | undefined,
  wanted: MethodModel,
  schemaMethod: string,
): Promise<void> {
  const kept = named(wanted.parameters);
  for (const { name, node } of present?.parameters ?? []) if (!kept.has(name)) await writing.delete(node);
  const there = named(present?.parameters ?? []);
  for (const { name, index, values } of wanted.parameters) {
    const old = there.get(name);
    if (old === undefined) {
      await writing.create('SchemaMethodParameter', { name, index, schemaMethod, ...allOf(values) });
      continue;
    }
    const place = old.index === index ? {} : { index };
    await writing.update(old.node, { ...place, ...changes(PARAMETER_KEYS, old.values, values) });
  }
}
