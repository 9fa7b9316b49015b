/**
 * What functions say of their arguments in the log (wrong arity, usage; docs/interface/script-runtime.md 3.5). They don't know where they are called: whoever
 * calls them does, and adds it before the line is written.
 */
import { placeText, type Place } from '../language/place.js';

/** Of one call; a loop may set off many. */
const MOST_KEPT = 20;

export interface Note {
  /** Of the script; the place says more. */
  readonly title: string;
  readonly message: string;
  /** Index of the call in the source of its expression. */
  at?: number;
}

/** What keeps them: the run of a script. */
interface Noting {
  notes: Note[] | undefined;
  warn(message: string): void;
}

/** `message`: `mod() was asked to divide by 0`. */
export function note({ run, title }: { readonly run: Noting; readonly title: string }, message: string): void {
  if (run.notes === undefined) {
    run.notes = [];
    // For callers that know no place: those that do have said it by then.
    setImmediate(() => {
      tellNotes(run);
    });
  }
  if (run.notes.length < MOST_KEPT) run.notes.push({ title, message });
}

/** Notes that have no index yet are of the call at this one. */
export function noteAt({ notes = [] }: Pick<Noting, 'notes'>, at: number): void {
  for (const one of notes) one.at ??= at;
}

/** Writes what was noted, with the place of each. */
export function tellNotes(run: Noting, placeOf: (note: Note) => Place = ({ title }) => ({ title })): void {
  const { notes } = run;
  if (notes === undefined) return;
  run.notes = undefined;
  for (const one of notes) run.warn(`${placeText(placeOf(one))}: ${one.message}`);
}
