/** What a script says to its caller and to the log (docs/interface/script-runtime.md 3.2). */
import { LOG_LEVELS, logger, setLogLevel as setLevel, type LogLevel } from '../../../../shared/log.js';
import type { ErrorToken } from '../../../schema/index.js';
import type { ScriptContext } from '../../run/run.js';
import { Refusal, ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { textOf } from '../../language/text.js';
import { isMap, ScriptEntity, type Awaitable, type ScriptMap, type ScriptValue } from '../../language/values.js';
import { checkLength, doubleOf, misused } from '../../run/function/arguments.js';
import { runSteps, wait, type Steps } from '../../language/steps.js';

const log = logger('scripting.log');
/** Characters of one line that `log` writes. */
const LONGEST_LINE = 64 * 1024;
/** Elements of a list, and levels of lists, that a line of the log shows. */
const MOST_SHOWN = 1000;
const DEEPEST_SHOWN = 5;
/** Characters between two elements. */
const SEPARATOR = 2;
const MOST_TOKENS = 1000;
/** Characters of each part of an error: its request is answered with all of them. */
const LONGEST_PART = 10_000;

function addToken(context: ScriptContext, token: ErrorToken): void {
  const { tokens } = context.run;
  if (tokens.length >= MOST_TOKENS) throw new ScriptError(422, 'The script says too many errors.', tokens);
  tokens.push(token);
}

const error: ScriptFunction = {
  name: 'error',
  signature: 'error(property, token [, detail])',
  meaning:
    'Says that a property is wrong: when the script has ended, its request is answered with 422 and all such errors, and nothing ' +
    'is written.',
  example: "concat(error('name', 'too_short', 'At least 3 letters'), hasError(), clearErrors()) // true",
  min: 2,
  max: 3,
  run(args, context) {
    const [property, token, detail = null] = args;
    if (typeof property !== 'string' || typeof token !== 'string') return misused(this, 'needs two texts', context);
    const type = context.self?.type ?? 'GraphObject';
    const cut = (text: string): string => text.slice(0, LONGEST_PART);
    const more = detail === null ? {} : { detail: cut(textOf(detail, context)) };
    addToken(context, { type, property: cut(property), token: cut(token), ...more });
    return null;
  },
};

const assert: ScriptFunction = {
  name: 'assert',
  signature: 'assert(condition, status, message)',
  meaning: 'Ends the script, unless the condition is true: its request is answered with the status and message.',
  example: "assert(true, 422, 'This cannot be') // ",
  min: 3,
  max: 3,
  run(args, context) {
    const [condition = null, status = null, message = null] = args;
    if (condition === true) return null;
    // Whatever is not true ends the script: what the lines behind it rely on does not hold.
    const number = typeof status === 'string' ? undefined : doubleOf(status);
    const valid = number !== undefined && Number.isInteger(number) && number >= 400 && number <= 599;
    throw new Refusal(valid ? number : 422, textOf(message, context).slice(0, LONGEST_PART), [...context.run.tokens]);
  },
};

const hasError: ScriptFunction = {
  name: 'hasError',
  signature: 'hasError()',
  meaning: 'Whether `error` was called.',
  example: 'hasError() // false',
  max: 0,
  run: (_args, { run }) => run.tokens.length > 0,
};

const getErrors: ScriptFunction = {
  name: 'getErrors',
  signature: 'getErrors()',
  meaning: 'List of what `error` said: maps with `token`, `type`, `property` and `detail`.',
  example: 'size(getErrors()) // 0',
  max: 0,
  run: (_args, { run }) =>
    run.tokens.map((one): ScriptMap => {
      const map: ScriptMap = new Map([['token', one.token]]);
      for (const key of ['type', 'property', 'detail'] as const) {
        const value = one[key];
        if (typeof value === 'string') map.set(key, value);
      }
      return map;
    }),
};

const clearError: ScriptFunction = {
  name: 'clearError',
  signature: 'clearError(error)',
  meaning: 'Takes back an error: an element of `getErrors()`, or all with a token.',
  example: "concat(error('name', 'bad'), clearError('bad'), hasError()) // false",
  min: 1,
  max: 1,
  run(args, context) {
    const [wanted = null] = args;
    if (wanted === null) return null;
    const { tokens } = context.run;
    const same = (one: ErrorToken): boolean =>
      isMap(wanted)
        ? (['token', 'type', 'property', 'detail'] as const).every(
            (key) => (wanted.get(key) ?? null) === (one[key] ?? null),
          )
        : one.token === textOf(wanted, context);
    for (let i = tokens.length - 1; i >= 0; i--) {
      const one = tokens[i];
      if (one !== undefined && same(one)) tokens.splice(i, 1);
    }
    return null;
  },
};

const clearErrors: ScriptFunction = {
  name: 'clearErrors',
  signature: 'clearErrors()',
  meaning: 'Takes back everything that `error` said.',
  example: "concat(error('name', 'bad'), clearErrors(), hasError()) // false",
  max: 0,
  run: (_args, { run }) => {
    run.tokens.length = 0;
    return null;
  },
};

const print: ScriptFunction = {
  name: 'print',
  signature: 'print(value...)',
  meaning: 'Writes values into the output, one directly after the other; null is left out.',
  example: "print('a', 1, null) // a1.0",
  run: (args, context) => {
    const { run } = context;
    for (const value of args) {
      if (value === null) continue;
      const text = textOf(value, context);
      checkLength(run.printed.length + text.length, 'print');
      run.printed += text;
    }
    return null;
  },
};

/** Values as the log shows them: objects with their type and name, so that a reader finds them. */
function* shown(value: ScriptValue, context: ScriptContext, depth: number, most: number): Steps<string> {
  if (value instanceof ScriptEntity) {
    const name = yield* wait(context.run.entities.get(value, 'name', context));
    return typeof name === 'string' ? `${value.type}(${name}, ${value.id})` : `${value.type}(${value.id})`;
  }
  if (value === null) return 'null';
  if (!Array.isArray(value) || depth > DEEPEST_SHOWN) return textOf(value, context);
  const parts: string[] = [];
  let left = most;
  for (const one of value.slice(0, MOST_SHOWN)) {
    const part = yield* shown(one, context, depth + 1, left);
    parts.push(part);
    left -= part.length + SEPARATOR;
    if (left <= 0) break;
  }
  if (value.length > parts.length) parts.push(`${String(value.length - parts.length)} more`);
  return `[${parts.join(', ')}]`;
}

function* logged(args: readonly ScriptValue[], context: ScriptContext): Steps<null> {
  let line = '';
  for (const value of args) {
    if (value === null) continue;
    line += yield* shown(value, context, 0, LONGEST_LINE);
    if (line.length > LONGEST_LINE) break;
  }
  tell(line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)} [...]` : line, context);
  return null;
}

function tell(line: string, { run }: ScriptContext): void {
  log.info(line);
  run.options.told?.(line);
}

const logValues: ScriptFunction = {
  name: 'log',
  signature: 'log(value...)',
  meaning: 'Writes a line into the log of the server; objects are shown as `Type(name, id)`.',
  example: "log('Total: ', 7) // ",
  run: (args, context): Awaitable<ScriptValue> => runSteps(logged(args, context)),
};

const setLogLevel: ScriptFunction = {
  name: 'setLogLevel',
  signature: 'setLogLevel(level)',
  meaning: 'What the server logs until it ends: `TRACE`, `DEBUG`, `INFO`, `WARN` or `ERROR`. For administrators only.',
  example: "setLogLevel('INFO') // ",
  min: 1,
  max: 1,
  run(args, context) {
    const [value = null] = args;
    if (value === null) return null;
    const level = LOG_LEVELS.find((one) => one === textOf(value, context).toUpperCase());
    if (!context.actor.isAdmin) throw new ScriptError(403, 'Only administrators may set the level of the log.');
    if (level === undefined) return misused(this, 'does not know this level', context);
    setLevel(level satisfies LogLevel);
    return null;
  },
};

const stackDump: ScriptFunction = {
  name: 'stackDump',
  signature: 'stackDump()',
  meaning: 'Writes into the log which script is running, on which object and with whose rights.',
  example: 'stackDump() // ',
  max: 0,
  run: (_args, context) => {
    const { title, self, actor } = context;
    const on = self === null ? '' : ` of ${self.type} ${self.id}`;
    tell(`${title}${on}, with the rights of ${actor.name}`, context);
    return null;
  },
};

const rollbackTransaction: ScriptFunction = {
  name: 'rollbackTransaction',
  signature: 'rollbackTransaction()',
  meaning: 'Nothing that the scripts of this request write is kept; what they answer is answered.',
  example: 'rollbackTransaction() // ',
  max: 0,
  run: (_args, { run }) => {
    run.rolledBack = true;
    return null;
  },
};

export const control: FunctionCategory = {
  title: 'Errors, output and the log',
  functions: [
    error,
    assert,
    hasError,
    getErrors,
    clearError,
    clearErrors,
    print,
    logValues,
    setLogLevel,
    stackDump,
    rollbackTransaction,
  ],
};
