/** Lines that administrators type into a console (docs/interface/script-runtime.md 10.1). */
import type { Caller } from '../run/caller.js';
import { repeating } from '../run/transaction/ending.js';
import { isJavaScript } from './engine.js';
import { expressions } from './languages.js';
import { syntaxProblemOf } from '../engines/javascript/javascript.js';
import { ScriptError, type Position } from '../language/errors.js';
import { behindBlanks, placed, START, within } from '../language/place.js';
import type { RunOptions, ScriptContext, ScriptRun } from '../run/run.js';
import type { Runs } from './runs.js';
import type { ScriptValue } from '../language/values.js';

export const CONSOLE_LANGUAGES = ['expression', 'javascript', 'cypher'] as const;
export type ConsoleLanguage = (typeof CONSOLE_LANGUAGES)[number];

/** What its scripts are called in messages. */
const TITLE = 'console';
/** The brace that is put in front of JavaScript stands where nobody sees it. */
const BEFORE: Position = { line: 1, column: 0 };
const STATEMENT = 'statement';

/**
 * Runs one line in a transaction of its own, which is committed when it ends well. JavaScript answers the value of its last expression; an
 * expression that cannot be read is an error here, with its place. Throws `ScriptError` and what the rules of the schema say.
 */
export function runLine(
  scripting: Runs,
  line: { readonly language: ConsoleLanguage; readonly text: string },
  caller: Caller,
  options: RunOptions,
): Promise<{ readonly value: ScriptValue; readonly run: ScriptRun }> {
  return repeating({
    begin: (locking) => scripting.open({ ...options }, { locking, reason: TITLE, actor: caller.actor }),
    isOver: () => options.request?.exchange.aborted === true,
    work: async (run) => {
      const context = scripting.context(run, caller, TITLE);
      return { value: await scripting.engine.nested(context, () => evaluate(line, context)), run };
    },
  });
}

async function evaluate(
  { language, text }: { readonly language: ConsoleLanguage; readonly text: string },
  context: ScriptContext,
): Promise<ScriptValue> {
  const { engine } = context.run;
  if (language === 'javascript') return engine.evaluate(`{${text}\n}`, context, false, BEFORE);
  if (language === 'cypher') {
    const constants = new Map([...context.constants, [STATEMENT, text]]);
    return engine.evaluate(`cypher(${STATEMENT})`, { ...context, constants }, false);
  }
  const source = text.trim();
  if (source.startsWith('${')) return engine.replace(source, context, behindBlanks(text, START));
  if (!isJavaScript(source)) refuseUnreadable(text, context);
  return engine.evaluate(text, context, context.run.parts.config.get('application.scripting.js.wrapinmainfunction'));
}

/** Why the source of a method cannot be read; undefined: it can. `wrapped`: JavaScript answers by `return`. */
export async function sourceProblem(
  source: string,
  wrapped: boolean,
  isFunction: (name: string) => boolean,
): Promise<SourceProblem | undefined> {
  const text = source.trim();
  if (text === '') return undefined;
  const problem = isJavaScript(text) ? await syntaxProblemOf(text, wrapped) : expressions.problemIn(text, isFunction);
  if (problem === undefined) return undefined;
  const { line, column } = within(problem.position, behindBlanks(source, START));
  return { row: line, column, message: problem.reason };
}

/** Named as where a script fails (docs/interface/script-runtime.md 3.4). */
export interface SourceProblem {
  readonly row: number;
  readonly column: number;
  readonly message: string;
}

function refuseUnreadable(text: string, { run, title }: ScriptContext): void {
  const problem = expressions.problemIn(text.trim(), (name) => run.schema.functions.has(name));
  if (problem === undefined) return;
  const position = within(problem.position, behindBlanks(text, START));
  throw placed(new ScriptError(422, problem.reason), { title, position });
}
