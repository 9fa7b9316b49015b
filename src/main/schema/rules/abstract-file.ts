/**
 * Where a file or folder lies: kept with it as one indexed value, so that a path is a few look-ups however many files its
 * folders hold; and no two of one name in a folder (files.md 2).
 */
import type { GraphNode, StoredValue } from '../../graph/index.js';
import { SchemaError } from '../errors.js';
import type { ObjectTransaction } from '../objects/transaction.js';
import { typesOf } from '../schema.js';
import type { TraitRule } from './rule.js';

/** Where the time goes that makes a name unlike another (`application.filesystem.unique.insertionposition`). */
export type InsertionPosition = 'beforeextension' | 'start' | 'end';

/** What `place` holds of something of this name in a folder; undefined: at the root of the tree. */
export function placeOf(folder: string | undefined, name: string): string {
  return `${folder ?? ''}/${name}`;
}

export const abstractFileRule: TraitRule = {
  trait: 'AbstractFile',
  async complete(node, objects) {
    const { place, hasParent } = node.properties;
    const folder = await folderOf(node, objects);
    const changes: Record<string, StoredValue | null> = {};
    if ((hasParent === true) !== (folder !== undefined)) changes['hasParent'] = folder !== undefined;
    const name = nameOf(node);
    const wanted = placeOf(folder?.id, name);
    if (place !== wanted) {
      const position = objects.options.uniquePaths;
      // What is in a mounted directory is called what it is called there.
      const free =
        position === undefined || node.properties['isExternal'] === true
          ? { name, place: wanted }
          : await freePlace(objects, folder?.id, name, position, node.id);
      if (free.name !== name) changes['name'] = free.name;
      changes['place'] = free.place;
    }
    if (Object.keys(changes).length > 0) await objects.tx.updateNode(node.id, changes);
  },
};

function nameOf(node: GraphNode): string {
  const { name } = node.properties;
  return typeof name === 'string' ? name : node.id;
}

async function folderOf(node: GraphNode, { tx, schema }: ObjectTransaction): Promise<GraphNode | undefined> {
  const [folders] = await tx.related(
    [node.id],
    { relType: 'CONTAINS', direction: 'in', ...typesOf(schema, 'Folder') },
    1,
  );
  return folders?.[0];
}

/** The name and place something gets in a folder. */
export interface FreePlace {
  readonly name: string;
  readonly place: string;
}

/**
 * The wanted name, or the one it becomes because there is one like it. `self`: what is to lie there, when it exists
 * already. Throws `SchemaError` when both names are taken.
 */
export async function freePlace(
  objects: ObjectTransaction,
  folder: string | undefined,
  wanted: string,
  position: InsertionPosition,
  self?: string,
): Promise<FreePlace> {
  const place = placeOf(folder, wanted);
  if ((await otherAt(place, self, objects)) === undefined) return { name: wanted, place };
  const name = withTime(wanted, new Date(), position);
  const renamed = placeOf(folder, name);
  const other = await otherAt(renamed, self, objects);
  if (other === undefined) return { name, place: renamed };
  const seen = await objects.may('read', other);
  throw new SchemaError('Unable to commit transaction, validation failed', [
    {
      type: 'AbstractFile',
      property: 'path',
      token: 'already_taken',
      value: name,
      ...(seen ? { detail: other.id, existingNodeUuid: other.id } : {}),
    },
  ]);
}

async function otherAt(
  place: string,
  self: string | undefined,
  { tx, schema }: ObjectTransaction,
): Promise<GraphNode | undefined> {
  const found = await tx.find({
    kind: 'nodes',
    trait: 'AbstractFile',
    ...typesOf(schema, 'AbstractFile'),
    where: { op: 'equals', key: 'place', value: place },
    limit: 2,
  });
  return found.find((other) => other.id !== self);
}

/** A name with the time in it, to the millisecond (files.md 2). */
export function withTime(name: string, time: Date, position: InsertionPosition): string {
  const two = (value: number, width = 2): string => String(value).padStart(width, '0');
  const date = `${String(time.getFullYear())}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}${two(time.getMilliseconds(), 3)}`;
  const stamp = `${date}-${clock}`;
  if (position === 'start') return `${stamp}_${name}`;
  const dot = position === 'end' ? -1 : name.lastIndexOf('.');
  return dot < 0 ? `${name}_${stamp}` : `${name.slice(0, dot)}_${stamp}${name.slice(dot)}`;
}
