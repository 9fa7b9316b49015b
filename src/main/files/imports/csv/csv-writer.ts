/** What becomes of a row: an object, a relationship, or objects of several types that are linked (docs/interface/imports.md 3.1). */
import type { GraphNode } from '../../../graph/index.js';
import {
  createRelationship,
  onlyReadable,
  type ObjectTransaction,
  type RelationProperty,
  type Schema,
  type Type,
} from '../../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../../shared/json/index.js';
import { FilesError } from '../../errors.js';
import { typeNamed, type Item, type Writer } from '../batch.js';
import { inputOf, sameValues } from '../cells.js';
import { flag, objectIn, textIn } from '../parameters.js';

export interface RowWriter extends Writer<Item> {
  /** Scripts that are asked for values, each with the text of a column. */
  readonly transforms: readonly Transform[];
  /** A row as it is to be written. `results`: what its scripts answered, in the order of `transforms`. */
  item(name: string, values: readonly string[], results: readonly JsonValue[]): Item;
}

interface Transform {
  readonly source: string;
  readonly column: number;
}

/** From columns to the properties of one type. */
interface Mapping {
  readonly type: Type;
  readonly pairs: readonly {
    readonly property: string;
    readonly column: number;
    readonly transform: Transform | undefined;
  }[];
}

/** What the parameters of an import ask for. Throws `FilesError` when they do not fit the schema or the columns. */
export function rowWriter(
  schema: Schema,
  input: JsonObject,
  header: readonly string[],
  ignoreInvalid: boolean,
  transforms: ReadonlyMap<string, string>,
): RowWriter {
  const mixed = input['mixedMappings'];
  if (mixed !== undefined && mixed !== null && Object.keys(objectIn(mixed, 'mixedMappings')).length > 0) {
    return mixedWriter(schema, objectIn(mixed, 'mixedMappings'), header, ignoreInvalid, transforms);
  }
  const { targetType } = input;
  if (typeof targetType !== 'string' || targetType === '') {
    throw new FilesError(400, 'The parameter "targetType" must name a type.');
  }
  const type = typeNamed(schema, targetType);
  const mappings = Object.entries(objectIn(input['mappings'] ?? {}, 'mappings'));
  const mapping = mappingOf(type, mappings, header, transforms);
  const scripts = transformsOf([mapping], transforms);
  const keys = mapping.pairs.map(({ property }) => property);
  if (type.kind === 'relationship') {
    for (const end of ['sourceId', 'targetId']) {
      if (!keys.includes(end)) throw new FilesError(400, `To import relationships "mappings" needs the key "${end}".`);
    }
  }
  const distinct = flag(input, 'distinct');
  return {
    types: [type.name],
    ignoreInvalid,
    transforms: scripts,
    item: (name, values, results) => ({
      name,
      inputs: [{ type, input: objectOf(mapping, values, scripts, results) }],
    }),
    async write(objects, { inputs: [one] }) {
      if (one === undefined) return 0;
      if (distinct && (await exists(objects, type, keys, one.input))) return 0;
      if (type.kind === 'relationship') await createRelationship(objects, type, one.input);
      else await objects.create(type, one.input);
      return 1;
    },
  };
}

/** Objects of several types a row; one that has a unique value of the row is there already. */
function mixedWriter(
  schema: Schema,
  mixed: JsonObject,
  header: readonly string[],
  ignoreInvalid: boolean,
  transforms: ReadonlyMap<string, string>,
): RowWriter {
  const parts = Object.entries(mixed).map(([key, value]) => {
    const description = objectIn(value, `mixedMappings.${key}`);
    const type = typeNamed(schema, typeof description['name'] === 'string' ? description['name'] : key);
    if (type.kind === 'relationship') {
      throw new FilesError(422, `"mixedMappings" takes types of objects, and ${type.name} is one of relationships.`);
    }
    const columns = Object.entries(objectIn(description['properties'] ?? {}, `mixedMappings.${key}.properties`));
    const pairs = columns.map(([column, property]): [string, JsonValue] => [textIn(property, column), column]);
    const others = description['relationships'] ?? [];
    if (!Array.isArray(others)) {
      throw new FilesError(400, `The key "mixedMappings.${key}.relationships" must be a list of types.`);
    }
    const links = others.map((other) => relationTo(schema, type, typeNamed(schema, textIn(other, 'relationships'))));
    return { mapping: mappingOf(type, pairs, header, transforms), links };
  });
  const scripts = transformsOf(
    parts.map(({ mapping }) => mapping),
    transforms,
  );
  const types = parts.map(({ mapping }) => mapping.type);
  for (const { links } of parts) {
    for (const { other } of links) {
      if (!types.some((type) => type.hasTrait(other))) {
        throw new FilesError(422, `"mixedMappings" links to ${other}, which it does not describe.`);
      }
    }
  }
  return {
    types: types.map((type) => type.name),
    ignoreInvalid,
    transforms: scripts,
    item: (name, values, results) => ({
      name,
      inputs: parts.map(({ mapping }) => ({ type: mapping.type, input: objectOf(mapping, values, scripts, results) })),
    }),
    async write(objects, { inputs }) {
      let created = 0;
      const nodes: (GraphNode | undefined)[] = [];
      for (const { type, input } of inputs) {
        if (Object.keys(input).length === 0) {
          nodes.push(undefined);
          continue;
        }
        const known = await unique(objects, type, input);
        if (known === undefined) created++;
        nodes.push(known ?? (await objects.create(type, input)));
      }
      for (const [i, { links }] of parts.entries()) {
        for (const { property, other } of links) {
          const from = nodes[i];
          const to = nodes.find((_, at) => types[at]?.hasTrait(other) === true);
          if (from !== undefined && to !== undefined) await link(objects, property, from, to);
        }
      }
      return created;
    },
  };
}

function relationTo(schema: Schema, type: Type, to: Type): { property: RelationProperty; other: string } {
  for (const property of type.properties.values()) {
    if (property.kind !== 'relation') continue;
    const concrete = schema.type(property.relatedType)?.concreteTypes ?? [];
    // Relations that every object has (owner, grants) link no types.
    if (property.relatedType !== 'NodeInterface' && concrete.includes(to.name)) return { property, other: to.name };
  }
  throw new FilesError(422, `Objects of type ${type.name} have no relation to ${to.name}.`);
}

async function link(
  objects: ObjectTransaction,
  property: RelationProperty,
  from: GraphNode,
  to: GraphNode,
): Promise<void> {
  const { direction, relation } = property;
  const [source, target] = direction === 'out' ? [from, to] : [to, from];
  const [linked] = await objects.tx.find({
    kind: 'relationships',
    types: [relation.name],
    sourceId: source.id,
    targetId: target.id,
    limit: 1,
  });
  if (linked !== undefined) return;
  // As by a PATCH of the object that shows the relation: its write right is asked for.
  if (!(await objects.may('write', from))) throw objects.notPermitted(from);
  await objects.link(property, from, to);
}

/** The object that has a unique value of the input, among those that the actor may read. */
async function unique(objects: ObjectTransaction, type: Type, input: JsonObject): Promise<GraphNode | undefined> {
  for (const key of Object.keys(input)) {
    if (type.properties.get(key)?.definition.unique !== true) continue;
    const where = sameValues(type, [key], input);
    if (where === undefined) continue;
    const query = { kind: 'nodes', trait: type.name, types: type.concreteTypes, where, limit: 1 } as const;
    const [found] = await objects.tx.find(onlyReadable(query, objects.access));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Whether there is an object with the same values already. */
async function exists(
  { tx, access }: ObjectTransaction,
  type: Type,
  keys: readonly string[],
  input: JsonObject,
): Promise<boolean> {
  if (type.kind === 'relationship') {
    const { sourceId, targetId } = input;
    if (typeof sourceId !== 'string' || typeof targetId !== 'string') return false;
    const own = keys.filter((key) => key !== 'sourceId' && key !== 'targetId');
    const where = sameValues(type, own, input);
    const query = { kind: 'relationships', types: [type.name], sourceId, targetId, limit: 1 } as const;
    return (await tx.find(onlyReadable(where === undefined ? query : { ...query, where }, access))).length > 0;
  }
  const where = sameValues(type, keys, input);
  if (where === undefined) return false;
  const query = { kind: 'nodes', trait: type.name, types: type.concreteTypes, where, limit: 1 } as const;
  return (await tx.find(onlyReadable(query, access))).length > 0;
}

/** `pairs`: property and column. */
function mappingOf(
  type: Type,
  pairs: readonly [string, JsonValue][],
  header: readonly string[],
  transforms: ReadonlyMap<string, string>,
): Mapping {
  return {
    type,
    pairs: pairs.map(([property, name]) => {
      const column = header.indexOf(textIn(name, property));
      const source = transforms.get(property);
      const transform = source === undefined ? undefined : { source, column };
      if (column >= 0) return { property, column, transform };
      throw new FilesError(422, `The file has no column "${textIn(name, property)}" for ${type.name}.${property}.`);
    }),
  };
}

/** All scripts of these mappings. Throws `FilesError` 422 for one whose property gets nothing from the file. */
function transformsOf(mappings: readonly Mapping[], transforms: ReadonlyMap<string, string>): Transform[] {
  const pairs = mappings.flatMap((mapping) => mapping.pairs);
  for (const property of transforms.keys()) {
    if (pairs.some((pair) => pair.property === property)) continue;
    throw new FilesError(422, `"transforms" has a script for ${property}, which no column is mapped to.`);
  }
  return pairs.flatMap(({ transform }) => transform ?? []);
}

function objectOf(
  { type, pairs }: Mapping,
  values: readonly string[],
  scripts: readonly Transform[],
  results: readonly JsonValue[],
): JsonObject {
  const object = Object.create(null) as JsonObject;
  for (const { property, column, transform } of pairs) {
    const given = transform === undefined ? (values[column] ?? '') : (results[scripts.indexOf(transform)] ?? '');
    const value = typeof given === 'string' ? inputOf(type, property, given) : given;
    if (value !== undefined) object[property] = value;
  }
  return object;
}
