/** Where something lies in the tree, as one indexed value; and names that are free there (docs/interface/files.md 2). */
import type { GraphNode } from '../../graph/index.js';
import { SchemaError } from '../model/errors.js';
import { typesOf } from '../model/lookup.js';
import type { ObjectTransaction } from '../writing/object-transaction.js';
import type { InsertionPosition } from '../writing/policies.js';
import { cutName } from './file-name.js';

/** Milliseconds by which the time in a name may be wrong. */
const LONGEST_SPREAD = 4095;

/** What `place` holds of something of this name in a folder; undefined: at the root of the tree. */
export function placeOf(folder: string | undefined, name: string): string {
  return `${folder ?? ''}/${name}`;
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
  // Files of one name that arrive together would all get the same time: later ones get a later time.
  let name = wanted;
  let other: GraphNode | undefined;
  for (let spread = 0; spread <= LONGEST_SPREAD; spread = spread * 2 + 1) {
    const time = new Date(Date.now() + Math.floor(Math.random() * (spread + 1)));
    name = withTime(wanted, time, position, objects.options.longestFileName);
    const renamed = placeOf(folder, name);
    other = await otherAt(renamed, self, objects);
    if (other === undefined) return { name, place: renamed };
  }
  throw new SchemaError('Unable to commit transaction, validation failed', [
    {
      type: 'AbstractFile',
      property: 'path',
      token: 'already_taken',
      value: name,
      ...(other !== undefined && (await objects.may('read', other))
        ? { detail: other.id, existingNodeUuid: other.id }
        : {}),
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

const STAMP = /_\d{4}-\d\d-\d\d-\d{9}|^\d{4}-\d\d-\d\d-\d{9}_/;

/** A name with the time in it, to the millisecond (docs/interface/files.md 2). */
export function withTime(name: string, time: Date, position: InsertionPosition, longest?: number): string {
  const two = (value: number, width = 2): string => String(value).padStart(width, '0');
  const date = `${String(time.getFullYear())}-${two(time.getMonth() + 1)}-${two(time.getDate())}`;
  const clock = `${two(time.getHours())}${two(time.getMinutes())}${two(time.getSeconds())}${two(time.getMilliseconds(), 3)}`;
  const stamp = `${date}-${clock}`;
  const more = stamp.length + 1;
  if (position === 'start') return `${stamp}_${cutName(name, more, longest)}`;
  const dot = position === 'end' ? -1 : name.lastIndexOf('.');
  if (dot < 0) return `${cutName(name, more, longest)}_${stamp}`;
  // Of an extension that fills the name by itself a part has to go as well.
  const extension = cutName(name.slice(dot), more, longest);
  return `${cutName(name.slice(0, dot), more + Buffer.byteLength(extension), longest)}_${stamp}${extension}`;
}

/** A name that `withTime` has put a time into, without it. */
export function withoutTime(name: string): string {
  return name.replace(STAMP, '');
}
