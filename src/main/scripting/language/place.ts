/** Where in the sources of users something went wrong, whatever they are written in: the log and answers name it. */
import type { Position } from './errors.js';

/** A script, and where in it. */
export interface Place {
  /** What the script is called: `Project[uuid]:close`, `Project[static]:sum`, `hello`, `/index.html`, `script job "Nightly"`. */
  readonly title: string;
  /** In the source as it is stored; absent: only the script is known. */
  readonly position?: Position;
}

/** Errors of all rooms pass through scripts, and stay what they are: what is known of them is beside them. */
const places = new WeakMap<Error, Place>();

/** Says where an error happened, unless it is known already: what happened inside of a script is not the fault of who called it. */
export function placed<E>(error: E, place: Place): E {
  if (!(error instanceof Error)) return error;
  const known = places.get(error);
  if (known === undefined || (known.position === undefined && known.title === place.title)) places.set(error, place);
  return error;
}

export function placeOf(error: unknown): Place | undefined {
  return error instanceof Error ? places.get(error) : undefined;
}

/** `Project[uuid]:close:3:14` */
export function placeText({ title, position }: Place): string {
  return position === undefined ? title : `${title}:${String(position.line)}:${String(position.column)}`;
}

/** Where a place of a source is in the text that holds it from `origin` on. */
export function within({ line, column }: Position, origin: Position): Position {
  return { line: line + origin.line - 1, column: line === 1 ? column + origin.column - 1 : column };
}

/** The first character of a text. */
export const START: Position = { line: 1, column: 1 };

/** Where the first character that is no blank is; `origin`: where the text begins. */
export function behindBlanks(text: string, origin: Position): Position {
  const blanks = text.length - text.trimStart().length;
  if (blanks === 0) return origin;
  const before = text.slice(0, blanks);
  const lines = before.split('\n');
  return within({ line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 }, origin);
}
