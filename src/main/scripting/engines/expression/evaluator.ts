import type { Awaitable, ScriptValue } from '../../language/values.js';
import type { ScriptContext } from '../../run/run.js';

/** A compiled expression. It answers at once where nothing has to be waited for, and throws then. */
export type Evaluator = (context: ScriptContext) => Awaitable<ScriptValue>;
