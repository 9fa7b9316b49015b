/** Sections that are one list: an entry for each object of a type, with some of its properties (docs/interface/deployment.md 2.6). */
import type { GraphNode } from '../../graph/index.js';
import {
  dynamicProperties,
  holdersOf,
  SchemaError,
  storedValue,
  type Holders,
  type ObjectTransaction,
  type Schema,
  type Type,
} from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import { TimeSlice } from '../../../shared/time-slice.js';
import { DeploymentError } from '../common/errors.js';
import { lineList, prettyJson } from '../tree/json-styles.js';
import { flagAt, rightsIn, textAt, type SaidRights } from '../tree/principal-names.js';
import { allOf, removeAll, type Exporting, type Importing, type ReadingExport, type Section } from './section.js';

/** An entry of the list, read and checked. */
export interface Entry {
  /** Empty: it says none. */
  readonly id: string;
  /** Without owner and grantees. */
  readonly values: JsonObject;
  readonly rights: SaidRights;
  /** For messages: file, number, id. */
  readonly place: string;
}

export interface ListSection {
  readonly title: string;
  readonly file: string;
  /** All objects of the type, or of several: then entries say theirs. */
  readonly type: string | readonly [string, ...string[]];
  /** Value properties, as they are in JSON. */
  readonly keys: readonly string[] | ((type: Type) => readonly string[]);
  /** Older exports say no ids: then objects get new ones. */
  readonly withoutIds?: boolean;
  /** What the list is sorted by; the id is behind it. */
  readonly sortedBy: (entry: JsonObject) => readonly (string | undefined)[];
  readonly style: 'pretty' | 'lines';
  /** Keys that stand first on a line. */
  readonly order?: readonly string[];
  readonly rights?: 'owner and grantees' | 'grantees';
  /** What entries have beside that, in the order of the objects; `undefined` leaves an object out. */
  readonly more?: (exporting: Exporting, nodes: readonly GraphNode[]) => Promise<readonly (JsonObject | undefined)[]>;
  /** Changes and checks what was read before it becomes input. Throws `DeploymentError`. */
  readonly input?: (values: JsonObject, place: string, rights: SaidRights) => JsonObject;
  /** Whether what is there goes; absent: always. */
  readonly removes?: (reading: ReadingExport) => boolean;
  /** Makes one object; absent: `create` with its values. */
  readonly make?: (into: Importing, type: Type, entry: Entry) => Promise<GraphNode | undefined>;
  /** After all sections: links of one. */
  readonly connect?: (into: Importing, node: GraphNode, entry: Entry) => Promise<void>;
}

/** The section of a list. */
export function listSection(list: ListSection): Section {
  return {
    title: list.title,
    write: async (exporting) => {
      await exporting.out.text(list.file, styled(list, await entriesOf(list, exporting)));
    },
    read: async (reading) => {
      const said = await reading.source.entries(list.file);
      if (said === undefined) return undefined;
      const entries: Entry[] = [];
      const slice = new TimeSlice();
      for (const [at, one] of said.entries()) {
        if (slice.due) await slice.pause();
        entries.push(entryOf(list, one, `${list.file}[${String(at)}]`));
      }
      mustBeUnlike(entries);
      const made = new Map<Entry, GraphNode>();
      return {
        remove: async (into) => {
          if (!(list.removes?.(reading) ?? true)) return;
          for (const type of typesIn(list)) await removeAll(into, type);
        },
        create: async (into) => {
          const type = typeNamed(into.objects, typesIn(list)[0] ?? '');
          for (const entry of entries) {
            await into.objects.breathe();
            const node = await told(entry, () => makeOne(list, into, type, entry));
            if (node !== undefined) made.set(entry, node);
          }
        },
        connect: async (into) => {
          if (list.connect === undefined) return;
          for (const [entry, node] of made) {
            await into.objects.breathe();
            await told(entry, () => list.connect?.(into, node, entry));
          }
        },
      };
    },
  };
}

function typesIn({ type }: ListSection): readonly string[] {
  return typeof type === 'string' ? [type] : type;
}

async function makeOne(list: ListSection, into: Importing, type: Type, entry: Entry): Promise<GraphNode | undefined> {
  const { objects, principals } = into;
  const there = entry.id === '' ? undefined : await objects.tx.node(entry.id);
  if (there !== undefined) {
    // Somebody's user would go for a widget of its id.
    if (!typesIn(list).some((name) => objects.schema.typeOf(there).hasTrait(name)))
      throw new DeploymentError(`${entry.place}: its id is that of an object of the type ${there.type}.`);
    await objects.delete(there);
  }
  const node =
    list.make === undefined
      ? await createMarked(objects, type, entry.values, entry.place)
      : await list.make(into, type, entry);
  if (node !== undefined && list.rights !== undefined) await principals.give(objects, node, entry.rights);
  return node;
}

/** Makes an object of an entry. What was written by somebody whose scripts are not run stays marked. Throws `DeploymentError`, `SchemaError`. */
export function createMarked(
  objects: ObjectTransaction,
  type: Type,
  { sandboxed, ...values }: JsonObject,
  place: string,
): Promise<GraphNode> {
  const { id } = values;
  mustBeFlags(type, values, place);
  flagAt(sandboxed, `${place}.sandboxed`);
  const given = sandboxed === true && typeof id === 'string' ? { id, properties: { sandboxed: true } } : undefined;
  return objects.create(type, values, given);
}

/** Elsewhere whatever is not true is false: in an export it is a mistake, which could open something to everybody. Throws `DeploymentError`. */
export function mustBeFlags(type: Type, values: JsonObject, place: string): void {
  for (const [key, value] of Object.entries(values)) {
    const property = type.properties.get(key);
    if (property?.kind === 'value' && property.definition.propertyType === 'Boolean') flagAt(value, `${place}.${key}`);
  }
}

/** An error of the schema says where in the export it comes from. */
export async function told<T>({ place }: Pick<Entry, 'place'>, work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SchemaError && !error.message.startsWith(place)) error.message = `${place}: ${error.message}`;
    throw error;
  }
}

function entryOf(list: ListSection, said: JsonObject, at: string): Entry {
  const isWithout = list.withoutIds === true && (said['id'] ?? null) === null;
  const id = isWithout ? '' : textAt(said['id'], `${at}.id`);
  const place = isWithout ? at : `${at} (${id})`;
  const { rights, rest } = rightsIn(said, place);
  return { id, values: list.input?.(rest, place, rights) ?? rest, rights, place };
}

function mustBeUnlike(entries: readonly Entry[]): void {
  const known = new Map<string, Entry>();
  for (const entry of entries) {
    if (entry.id === '') continue;
    const other = known.get(entry.id);
    if (other !== undefined) throw new DeploymentError(`${entry.place} has the id of ${other.place}.`);
    known.set(entry.id, entry);
  }
}

async function entriesOf(list: ListSection, exporting: Exporting): Promise<JsonObject[]> {
  const { tx, schema } = exporting;
  const nodes: GraphNode[] = [];
  for (const type of typesIn(list)) nodes.push(...(await allOf(tx, schema, type)));
  const keysOf = typeof list.keys === 'function' ? list.keys : (): readonly string[] => list.keys as readonly string[];
  const more = await list.more?.(exporting, nodes);
  const holders =
    list.rights === undefined
      ? []
      : await holdersOf(
          tx,
          nodes.map(({ id }) => id),
        );
  const entries = nodes.flatMap((node, i) => {
    if (more !== undefined && more[i] === undefined) return [];
    const entry: JsonObject = { ...valuesOf(schema, node, keysOf(schema.typeOf(node))), ...more?.[i] };
    if (list.rights === undefined) return [entry];
    const { owner, grantees } = ownerAndGrantees(holders[i]);
    return [{ ...entry, ...(list.rights === 'owner and grantees' ? { owner } : {}), grantees }];
  });
  return entries.sort((a, b) =>
    compared([...list.sortedBy(a), textOf(a['id'])], [...list.sortedBy(b), textOf(b['id'])]),
  );
}

/** Some value properties of an object as JSON; null where it has none. A mark of what is not trusted is written where there is one. */
export function valuesOf(schema: Schema, node: GraphNode, keys: readonly string[]): JsonObject {
  const type = schema.typeOf(node);
  const entry: JsonObject = {};
  for (const key of keys) {
    const property = type.properties.get(key);
    const stored = property?.kind === 'value' ? storedValue(node, property.key) : undefined;
    entry[key] =
      property?.kind === 'value' && stored !== undefined ? (JSON.parse(property.toJson(stored)) as JsonValue) : null;
  }
  if (node.properties['sandboxed'] === true) entry['sandboxed'] = true;
  return entry;
}

/** The same with all that the users of the database have added to the type. */
export function valuesWithDynamic(schema: Schema, node: GraphNode, keys: readonly string[]): JsonObject {
  const added = dynamicProperties(schema.typeOf(node)).map(({ name }) => name);
  return valuesOf(schema, node, [...keys, ...added]);
}

/** Owner and grantees of an entry. */
export function ownerAndGrantees({ owner, grantees }: Partial<Holders> = {}): {
  readonly owner: JsonValue;
  readonly grantees: JsonValue;
} {
  return {
    owner: owner === undefined ? null : { name: owner },
    grantees: (grantees ?? []).map(({ name, allowed }) => ({ name, allowed: [...allowed] })),
  };
}

/** Missing texts come first. */
function compared(a: readonly (string | undefined)[], b: readonly (string | undefined)[]): number {
  for (const [i, one] of a.entries()) {
    const other = b[i];
    if (one === other) continue;
    if (one === undefined) return -1;
    if (other === undefined) return 1;
    return one < other ? -1 : 1;
  }
  return 0;
}

/** A text, or undefined. */
export function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function styled({ style, order }: ListSection, entries: readonly JsonObject[]): string {
  return style === 'lines' ? lineList(entries, order) : prettyJson([...entries]);
}

/** A type of the schema. Throws `DeploymentError` when there is none. */
export function typeNamed({ schema }: ObjectTransaction, name: string): Type {
  const type = schema.type(name);
  if (type === undefined) throw new DeploymentError(`There is no type ${name}.`);
  return type;
}
