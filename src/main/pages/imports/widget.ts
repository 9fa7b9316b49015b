/** What a widget becomes for somebody who has filled in its configuration (docs/interface/pages.md 9). */
import { SchemaError } from '../../schema/index.js';

/** `[key]`, or with what may be chosen: `[key:one,two]`. */
const PLACE = /\[([A-Za-z_][\w-]*)(?::[^[\]]*)?\]/g;

/** The source of a widget with values in their places; places without one stay. Throws `SchemaError` when that gets longer than `most`. */
export function withValues(source: string, values: ReadonlyMap<string, string>, most: number): string {
  let length = source.length;
  return source.replace(PLACE, (place: string, key: string) => {
    const value = values.get(key);
    if (value === undefined) return place;
    // A few places can stand for a long value many times.
    length += value.length - place.length;
    if (length > most) throw new SchemaError(`A widget with its values has at most ${String(most)} characters.`);
    return value;
  });
}
