/** Changes of a source before it is evaluated, and the way back: errors name lines and columns of the source as it is stored. */
import type { Position } from '../../../language/errors.js';

/** What replaces the characters from `at` to `end`; an insertion where they are the same. */
export interface Edit {
  readonly at: number;
  readonly end: number;
  readonly text: string;
}

/** In a line of the changed text, `length` characters from `column` on stand for `before` of the source. */
export type Shift = readonly [line: number, column: number, length: number, before: number];

export interface Edited {
  readonly text: string;
  /** In their order. Edits keep all line ends. */
  readonly shifts: readonly Shift[];
}

/** `grows` is told of the characters that each edit adds, and may throw. */
export function edited(source: string, edits: readonly Edit[], grows: (by: number) => void): Edited {
  const shifts: Shift[] = [];
  let text = '';
  let done = 0;
  let line = 1;
  let column = 1;
  const add = (part: string): void => {
    text += part;
    const ends = part.split('\n');
    line += ends.length - 1;
    column = (ends.at(-1)?.length ?? 0) + (ends.length === 1 ? column : 1);
  };
  for (const edit of [...edits].sort((a, b) => a.at - b.at || a.end - b.end)) {
    // Inside of what was taken out.
    if (edit.at < done) continue;
    grows(edit.text.length - (edit.end - edit.at));
    add(source.slice(done, edit.at));
    const begin = column;
    add(edit.text);
    // Of an edit over several lines only the last one goes on.
    const [was = '', is = ''] = [source.slice(edit.at, edit.end), edit.text].map((one) => one.split('\n').at(-1) ?? '');
    shifts.push([line, edit.text.includes('\n') ? 1 : begin, is.length, was.length]);
    done = edit.end;
  }
  return { text: text + source.slice(done), shifts };
}

/** Where a place of the changed text is in the source. */
export function unshifted({ line, column }: Position, shifts: readonly Shift[]): Position {
  let back = 0;
  for (const [at, begin, length, before] of shifts) {
    if (at !== line || begin >= column) continue;
    // Inside of what was put there: where it begins.
    if (column < begin + length) return { line, column: begin - back };
    back += length - before;
  }
  return { line, column: column - back };
}
