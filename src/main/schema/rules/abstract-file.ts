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
    let name = nameOf(node);
    if (place !== placeOf(folder?.id, name)) {
      name = await freeName(node, folder, name, objects);
      if (name !== nameOf(node)) changes['name'] = name;
      changes['place'] = placeOf(folder?.id, name);
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

/** The name, or the one it gets because there is one like it. Throws `SchemaError` when that is taken, too. */
async function freeName(
  node: GraphNode,
  folder: GraphNode | undefined,
  name: string,
  objects: ObjectTransaction,
): Promise<string> {
  const position = objects.options.uniquePaths;
  // What is in a mounted directory is called what it is called there.
  if (position === undefined || node.properties['isExternal'] === true) return name;
  if ((await otherAt(node, placeOf(folder?.id, name), objects)) === undefined) return name;
  const renamed = withTime(name, new Date(), position);
  const other = await otherAt(node, placeOf(folder?.id, renamed), objects);
  if (other === undefined) return renamed;
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
  node: GraphNode,
  place: string,
  { tx, schema }: ObjectTransaction,
): Promise<GraphNode | undefined> {
  const found = await tx.find({
    kind: 'nodes',
    trait: 'AbstractFile',
    ...typesOf(schema, 'AbstractFile'),
    where: { op: 'equals', key: 'place', value: place },
    limit: 2,
  });
  return found.find((other) => other.id !== node.id);
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
