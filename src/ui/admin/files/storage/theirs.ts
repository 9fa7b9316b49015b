/** A form whose object somebody else has changed meanwhile (docs/interface/admin-ui.md 4.3). */
import { isSame, type Met } from '../../server/save-over.js';

/** Links are the same when they lead to the same object, whatever its name is now. */
const plain = (value: unknown): unknown =>
  typeof value === 'object' && value !== null && 'id' in value ? value.id : value;

const alike = (a: unknown, b: unknown): boolean => isSame(plain(a), plain(b));

const keysOf = <T extends object>(values: T): (keyof T & string)[] => Object.keys(values) as (keyof T & string)[];

/** What of a form differs from what was read. */
export const editedOf = <T extends object>(shown: T, known: T): (keyof T & string)[] =>
  keysOf(shown).filter((key) => !alike(shown[key], known[key]));

/** Fields that were edited here and are another one `now` than they were, for `OthersChanged`. */
export const metBy = <T extends object>(shown: T, known: T, now: T): readonly Met[] =>
  editedOf(shown, known)
    .filter((key) => !alike(now[key], known[key]) && !alike(now[key], shown[key]))
    .map((key) => ({ key, theirs: now[key] }));

/** The form over what there is now: what was edited stays, all else is theirs. */
export function rebased<T extends object>(shown: T, known: T, now: T): T {
  const over = { ...now };
  for (const key of editedOf(shown, known)) over[key] = shown[key];
  return over;
}
