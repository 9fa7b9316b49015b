import type { Position } from '../../../language/errors.js';
import type { ScriptContext } from '../../../run/run.js';
import type { Shift } from './edits.js';

/** A script as it was evaluated. */
export interface EvaluatedSource {
  /** As in `Place.title`. */
  readonly title: string;
  readonly context: ScriptContext;
  /** As the user wrote it, from `origin` on. */
  readonly source: string;
  readonly origin: Position;
  /** Characters in front of the first line that are not the user's. */
  readonly offset: number;
  /** What else in it is not the user's. */
  readonly shifts: readonly Shift[];
}
