/** A form whose object somebody else has changed meanwhile (docs/interface/admin-ui.md 4.3): the rule of `saveOver`, field by field. */
import { isSame, type Met } from './save-over.js';

/** Links are the same when they lead to the same object, whatever its name is now. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : value;

const alike = (a: unknown, b: unknown): boolean => isSame(plain(a), plain(b));

/** The fields in which a form differs from what was read. */
export const editedOf = <T extends object>(shown: T, known: T): readonly (keyof T & string)[] =>
  (Object.keys(shown) as (keyof T & string)[]).filter((key) => !alike(shown[key], known[key]));

/** What a form has and had not: edited since it was read, or typed while it was saved. */
export function typedSince<T extends object>(before: T, shown: T): Partial<T> {
  const typed: Partial<T> = {};
  for (const key of editedOf(shown, before)) typed[key] = shown[key];
  return typed;
}

/** The form over what there is now: what was edited stays, all else is theirs. */
export const rebased = <T extends object>(shown: T, known: T, now: T): T => ({ ...now, ...typedSince(known, shown) });

/** `Steps.met` of a form: the fields that were edited here, and that somebody else has changed to something else. */
export function metIn<T extends object>(shown: T, known: T): (now: T, before: T) => readonly Met[] {
  const edited = editedOf(shown, known);
  return (now, before) =>
    edited
      .filter((key) => !alike(now[key], before[key]) && !alike(now[key], shown[key]))
      .map((key) => ({ key, theirs: now[key] }));
}
