/**
 * Thumbnails follow their original, whichever door it was changed by: name, flags and owner are the same at the end of each transaction, so
 * that what may be done with one is what may be done with the other (docs/interface/media.md 2.2). What else gives rights goes along the
 * relationship between them (`builtin/files.ts`). What was made of other content goes, and what has lost its original.
 */
import {
  changesOf,
  FLAG_KEYS,
  OWNS,
  SECURITY,
  type Change,
  type ChangeKind,
  type GraphNode,
  type GraphRelationship,
  type PropertyMap,
  type StoredValue,
} from '../../../graph/index.js';
import { freePlace, placeOf, withoutTime } from '../../file-tree/place.js';
import { THUMBNAIL, thumbnailName } from '../../file-tree/thumbnail.js';
import { folderOf } from '../../file-tree/tree.js';
import { SchemaError } from '../../model/errors.js';
import { typesOf } from '../../model/lookup.js';
import { ownedBy } from '../../rights/ownership.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';

const FLAGS: readonly string[] = [...FLAG_KEYS, 'hidden'];
const KEYS: ReadonlySet<string> = new Set([...FLAGS, 'name', 'checksum']);

/** Throws `SchemaError` for rights that a thumbnail should have for itself. */
export async function settleThumbnails(objects: ObjectTransaction): Promise<void> {
  const { schema, tx } = objects;
  const images = new Set(schema.type('Image')?.concreteTypes);
  const mayConcern = ({ kind, verb, type, key, relType }: ChangeKind): boolean => {
    if (kind === 'relationship') return verb !== 'change' && [THUMBNAIL, OWNS, SECURITY].includes(relType ?? '');
    return images.has(type) && (verb === 'create' || (verb === 'change' && KEYS.has(key ?? '')));
  };
  const concerned = concernedBy(changesOf(tx.changes(), mayConcern));
  if (concerned.all.size === 0) return;
  const ids = [...concerned.all];
  const below = { relType: THUMBNAIL, direction: 'out', ...typesOf(schema, 'Image') } as const;
  const [links, originals] = await Promise.all([tx.links(ids, below), tx.links(ids, { ...below, direction: 'in' }, 1)]);
  const settled = new Set<string>();
  const settle = async (original: GraphNode, { node: thumbnail, relationship }: Link): Promise<void> => {
    if (thumbnail.properties['isThumbnail'] !== true || settled.has(thumbnail.id)) return;
    settled.add(thumbnail.id);
    if (concerned.granted.has(thumbnail.id)) throw hasNone(thumbnail);
    const { checksum } = relationship.properties;
    // What somebody has taken out of an image must not be seen in a smaller one.
    if (checksum !== undefined && checksum !== original.properties['checksum']) await remove(objects, thumbnail);
    else await follow(objects, original, thumbnail, sizeIn(relationship.properties));
  };
  for (const [i, id] of ids.entries()) {
    await objects.breathe();
    const above = originals[i]?.[0];
    const small = links[i] ?? [];
    const isAlone = above === undefined && concerned.unlinked.has(id);
    if (above === undefined && small.length === 0 && !isAlone) continue;
    const node = await tx.node(id);
    if (node === undefined) continue;
    // Nothing would keep it like its original any more, nor delete it.
    if (isAlone && node.properties['isThumbnail'] === true) await remove(objects, node);
    else if (above !== undefined) await settle(above.node, { node, relationship: above.relationship });
    for (const link of small) await settle(node, link);
  }
}

/** A thumbnail, and what links it to its original. */
interface Link {
  readonly node: GraphNode;
  readonly relationship: Pick<GraphRelationship, 'properties'>;
}

interface Concerned {
  /** Ids of images that have changed. What was made without thumbnails has none. */
  readonly all: ReadonlySet<string>;
  /** Those that somebody was granted rights on. */
  readonly granted: ReadonlySet<string>;
  /** Those that were taken from their original. */
  readonly unlinked: ReadonlySet<string>;
}

function concernedBy(changes: readonly Change[]): Concerned {
  const all = new Set<string>();
  const created = new Set<string>();
  const granted = new Set<string>();
  const linked = new Set<string>();
  const unlinked = new Set<string>();
  for (const { verb, entity } of changes) {
    if (entity.kind === 'node') (verb === 'create' ? created : all).add(entity.id);
    else if (entity.relType === THUMBNAIL) {
      (verb === 'link' ? linked : unlinked).add(entity.targetId);
    } else {
      all.add(entity.targetId);
      if (verb === 'link' && entity.relType === SECURITY) granted.add(entity.targetId);
    }
  }
  for (const id of created) all.delete(id);
  for (const id of linked) {
    all.add(id);
    // What it brings along goes.
    granted.delete(id);
  }
  for (const id of unlinked) all.add(id);
  return { all, granted, unlinked };
}

interface Size {
  readonly width: number | undefined;
  readonly height: number | undefined;
}

function sizeIn({ width, height }: PropertyMap): Size {
  const side = (value: StoredValue | undefined): number | undefined => (typeof value === 'number' ? value : undefined);
  return { width: side(width), height: side(height) };
}

/** Whoever may write the original need not have the right to delete it: the service removes what it has made. */
async function remove(objects: ObjectTransaction, thumbnail: GraphNode): Promise<void> {
  await objects.tx.deleteNode(thumbnail.id);
  for (const one of objects.everyone()) one.forget(thumbnail.id);
}

async function follow(
  objects: ObjectTransaction,
  original: GraphNode,
  thumbnail: GraphNode,
  size: Size,
): Promise<void> {
  const changes: Record<string, StoredValue | null> = {};
  for (const flag of FLAGS) {
    const wanted = original.properties[flag] ?? null;
    if ((thumbnail.properties[flag] ?? null) !== wanted) changes[flag] = wanted;
  }
  Object.assign(changes, await nameChanges(objects, original, thumbnail, size));
  if (Object.keys(changes).length > 0) await objects.tx.updateNode(thumbnail.id, changes);
  await followOwner(objects, original, thumbnail);
}

async function nameChanges(
  objects: ObjectTransaction,
  { properties }: GraphNode,
  thumbnail: GraphNode,
  { width, height }: Size,
): Promise<Record<string, StoredValue>> {
  const { longestFileName, uniquePaths } = objects.options;
  if (width === undefined || height === undefined || typeof properties['name'] !== 'string') return {};
  const name = thumbnailName(properties['name'], width, height, longestFileName);
  const now = thumbnail.properties['name'];
  // One of two of the same size has a time in its name.
  if (now === name || (typeof now === 'string' && withoutTime(now) === name)) return {};
  const folder = await folderOf(objects, thumbnail.id);
  if (uniquePaths === undefined) return { name, place: placeOf(folder?.id, name) };
  return { ...(await freePlace(objects, folder?.id, name, uniquePaths, thumbnail.id)) };
}

/** Who owns a thumbnail is shown; his rights are those on the original. */
async function followOwner(objects: ObjectTransaction, original: GraphNode, thumbnail: GraphNode): Promise<void> {
  const { tx } = objects;
  const owning = { relType: OWNS, direction: 'in' } as const;
  const [[wanted = []], [owners = []], [grants = []]] = await Promise.all([
    tx.related([original.id], owning, 1),
    tx.links([thumbnail.id], owning),
    tx.links([thumbnail.id], { relType: SECURITY, direction: 'in' }),
  ]);
  for (const { relationship } of grants) await tx.deleteRelationship(relationship.id);
  const [owner] = wanted;
  if (owners.length === wanted.length && owners[0]?.node.id === owner?.id) return;
  for (const { relationship } of owners) await tx.deleteRelationship(relationship.id);
  if (owner !== undefined) await ownedBy(objects, thumbnail, owner.id);
}

function hasNone(thumbnail: GraphNode): SchemaError {
  return new SchemaError('The rights on a thumbnail are those on its original image.', [
    { type: thumbnail.type, property: 'grantees', token: 'is_read_only_property', value: thumbnail.id },
  ]);
}
