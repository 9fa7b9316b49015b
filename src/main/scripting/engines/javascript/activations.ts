/** What a session keeps of the scripts and functions that run in it, and of their questions. */
import { ScriptError } from '../../language/errors.js';
import type { ScriptValue } from '../../language/values.js';
import type { ScriptContext } from '../../run/run.js';
import type { EvaluatedSource } from './source/evaluated.js';
import type { Together } from './together.js';
import type { Wire } from './wire.js';

/** Something that the loop wants to be run. */
export interface Request {
  readonly context: ScriptContext;
  readonly source: EvaluatedSource | undefined;
  /** What the isolate is told, for an epoch. */
  readonly text: (epoch: number) => Wire;
  readonly resolve: (value: ScriptValue) => void;
  readonly reject: (error: Error) => void;
  /** It is several scripts: who waits for them is told there. */
  readonly together?: Together;
}

/** A request that runs. */
export interface Activation extends Request {
  /** Questions that were open when it began. */
  readonly frames: number;
}

/** A question of the isolate. */
export interface Frame {
  answer?: { readonly value: Wire } | { readonly error: unknown };
}

/** For what was to run in a session that is none any more. */
export function over(): ScriptError {
  return new ScriptError(422, 'The script that this function belongs to has ended.');
}
