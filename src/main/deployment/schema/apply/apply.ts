/**
 * Makes the schema objects say what a document says, within a transaction. What is the same by its name stays the object that it is, and what
 * is equal is not touched.
 */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { ObjectTransaction } from '../../../schema/index.js';
import type { PrincipalNames } from '../../tree/principal-names.js';
import { applyGrants } from './apply-grants.js';
import { applyMethods, applyParts, type PartsOwner } from './apply-parts.js';
import { RELATION_KEYS, TYPE_KEYS } from '../keys.js';
import { loadSchema, type LoadedParts, type LoadedSchema } from '../load.js';
import { named, type Parts, type RelationModel, type SchemaModel, type TypeModel } from '../model.js';
import { extended, settled } from '../settle.js';
import { allOf, changes, Writing } from './writing.js';

/** `replace`: there is nothing else afterwards; `extend`: nothing is taken away. */
export type ApplyMode = 'replace' | 'extend';

/**
 * Changes the schema objects of a transaction; the schema is compiled when it ends. Answers what was left out, a line each, but for grants:
 * `principals` knows whose. Throws `SchemaError` for what makes no sense, and for who may not write schema objects.
 */
export async function applySchema(
  objects: ObjectTransaction,
  wanted: SchemaModel,
  mode: ApplyMode,
  principals: PrincipalNames,
): Promise<readonly string[]> {
  const present = await loadSchema(objects.tx);
  const { model, notices } = settled(mode === 'extend' ? extended(present, wanted) : wanted);
  const writing = new Writing(objects);
  if (mode === 'replace') await removeOthers(writing, present, model);
  await applyTypes(writing, present, model);
  await applyRelations(writing, model);
  // Relations that were named anew have changed properties that name them.
  const there = await loadSchema(objects.tx);
  await applyAllParts(writing, there, model);
  await applyMethods(writing, there.functions, model.functions, undefined);
  await applyGrants(writing, there, model, principals);
  return notices;
}

async function removeOthers(writing: Writing, present: LoadedSchema, wanted: SchemaModel): Promise<void> {
  const [types, relations] = [named<TypeModel>(wanted.types), named<RelationModel>(wanted.relations)];
  for (const node of present.surplus) await writing.delete(node);
  const going = new Set<string>();
  for (const { name, node, byNameOnly } of present.types) {
    const kept = types.get(name);
    if (node !== undefined && (kept === undefined || kept.byNameOnly !== byNameOnly)) going.add(node.id);
  }
  for (const one of present.relations) {
    const kept = relations.get(one.name);
    // What is linked to a type that goes would go with it.
    if (kept === undefined || one.ends.some((id) => going.has(id))) await writing.delete(one.node);
    else await removeParts(writing, one, kept);
  }
  for (const one of present.types) {
    const kept = types.get(one.name);
    const stays = kept !== undefined && kept.byNameOnly === one.byNameOnly;
    await removeParts(writing, one, stays ? kept : undefined);
    const grants = named(stays ? kept.grants : []);
    for (const grant of one.grants)
      if (!grants.has(grant.name)) for (const node of grant.nodes) await writing.delete(node);
    if (!stays && one.node !== undefined) await writing.delete(one.node);
  }
  const functions = named(wanted.functions);
  for (const one of present.functions) if (!functions.has(one.name)) await writing.delete(one.node);
}

async function removeParts(writing: Writing, present: LoadedParts, wanted: Parts | undefined): Promise<void> {
  for (const kind of ['views', 'properties', 'methods'] as const) {
    const kept = named<{ readonly name: string }>(wanted?.[kind] ?? []);
    for (const one of present[kind]) if (!kept.has(one.name)) await writing.delete(one.node);
  }
}

async function applyTypes(writing: Writing, present: LoadedSchema, wanted: SchemaModel): Promise<void> {
  const there = named(present.types);
  for (const { name, byNameOnly, values } of wanted.types) {
    if (byNameOnly) continue;
    const old = there.get(name);
    if (old?.node === undefined) await writing.create('SchemaNode', { name, ...allOf(values) });
    else await writing.update(old.node, changes(TYPE_KEYS, old.values, values));
  }
}

async function applyRelations(writing: Writing, wanted: SchemaModel): Promise<void> {
  const present = await loadSchema(writing.objects.tx);
  const there = named(present.relations);
  const types = named(present.types);
  for (const { name, source, target, relType, values } of wanted.relations) {
    const old = there.get(name);
    if (old !== undefined) {
      await writing.update(old.node, changes(RELATION_KEYS, old.values, values));
      continue;
    }
    const end = (side: 'source' | 'target', type: string): JsonObject => {
      const node = types.get(type)?.node;
      return node === undefined ? { [`${side}Type`]: type } : { [`${side}Node`]: node.id };
    };
    // Written out: what is not given counts as many, and reads as nothing.
    const many = { sourceMultiplicity: '*', targetMultiplicity: '*' };
    const input: JsonObject = { ...end('source', source), ...end('target', target), ...many };
    await writing.create('SchemaRelationshipNode', { relationshipType: relType, ...input, ...allOf(values) });
  }
}

async function applyAllParts(writing: Writing, there: LoadedSchema, wanted: SchemaModel): Promise<void> {
  const types = named(there.types);
  for (const type of wanted.types) {
    const old = types.get(type.name);
    const owner: PartsOwner =
      old?.node === undefined ? { staticSchemaNodeName: type.name } : { schemaNode: old.node.id };
    await applyParts(writing, old, type, owner);
  }
  const relations = named(there.relations);
  for (const relation of wanted.relations) {
    const old = relations.get(relation.name);
    if (old !== undefined) await applyParts(writing, old, relation, { schemaNode: old.node.id });
  }
}
