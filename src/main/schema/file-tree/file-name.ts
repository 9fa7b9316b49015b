/** How long the name of a file or folder may be: what is extracted, mounted or sent elsewhere has to fit on a disk. */
import { SchemaError } from '../model/errors.js';

/** Bytes, where no setting says otherwise. */
const LONGEST = 255;

/** Throws `SchemaError` (422) for a name of more bytes than `longest`. */
export function mustBeShortName(name: unknown, longest = LONGEST): void {
  if (typeof name !== 'string' || Buffer.byteLength(name) <= longest) return;
  throw new SchemaError(`The name of a file or folder may have ${String(longest)} bytes.`, [
    {
      type: 'AbstractFile',
      property: 'name',
      token: 'must_be_shorter_than',
      detail: longest,
      value: `${name.slice(0, 60)}...`,
    },
  ]);
}

/** A beginning of `name` with which, and `more` bytes beside it, a name is not too long; whole characters. */
export function cutName(name: string, more: number, longest = LONGEST): string {
  let cut = name;
  for (let over = Buffer.byteLength(cut) + more - longest; over > 0 && cut !== '';) {
    const last = Array.from(cut).at(-1) ?? '';
    cut = cut.slice(0, -last.length);
    over -= Buffer.byteLength(last);
  }
  return cut;
}
