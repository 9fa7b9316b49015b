/**
 * What runs in each fresh context before the first script of a user does: it builds `$` and takes away what would harm (docs/interface/scripting.md
 * 5.2, 5.3). It is one function: whatever it needs it takes before users can change it, and nothing but `$`, `Svc` and `console`
 * leaves it. The reference to the loop never does; the loop trusts nothing that comes from here all the same.
 */
import { compiling } from './prelude-compiling.js';
import { ERRORS } from './prelude-errors.js';
import { HARDENING } from './prelude-hardening.js';
import { MODULES } from './prelude-modules.js';
import { OBJECTS } from './prelude-objects.js';
import { RESET } from './prelude-reset.js';
import { TEMPORAL, temporalBuilder } from './prelude-temporal.js';
import { WIRE } from './prelude-wire.js';

/** Functions with functions as arguments that JavaScript alone has (docs/interface/script-runtime.md 1.2, 2.3); the loop knows what they do. */
export const CONTEXT_FUNCTIONS = ['doPrivileged', 'doAs', 'doInNewTransaction', 'cache'] as const;

/** What the entry answers when something of an earlier run is left in the context. */
export const USED = 'used';

/** Members of `$` that nothing hides (docs/interface/scripting.md 3.3); `get` and `predicate` are the prelude's own. */
export const FIXED_NAMES: ReadonlySet<string> = new Set([
  'this',
  'me',
  'now',
  'request',
  'session',
  'vars',
  'requestStore',
  'applicationStore',
  'methodParameters',
  'arguments',
  'args',
]);

const globals = (functions: readonly string[]): string => String.raw`
const isFunctionName = { __proto__: null };
for (const name of ${JSON.stringify([...CONTEXT_FUNCTIONS, ...functions])}) isFunctionName[name] = true;
const replaceText = String.prototype.replace, upper = String.prototype.toUpperCase;
const camelCase = (name) => apply(replaceText, name, [/_+([^_]?)/g, (_, next) => apply(upper, next, [])]);

let called = { __proto__: null };
/** The function of this name: the user's own come before those of the library, which the loop decides on when it is called. */
const functionOf = (name) => called[name] ??= WRITES[name] === true
  ? (...args) => { const result = call('call', name, undefined, args); written(args); return result; }
  : (...args) => call('call', name, undefined, args);
const WRITES = { __proto__: null, set: true, setPrivileged: true, set_privileged: true };
/** The loop has written to a copy of an object of the script, which is to show it as well. */
function written(args) {
  const target = args[0];
  if (typeof target !== 'object' || target === null || isArray(target) || isArray(weakGet(standIns, target))) return;
  for (let i = 1; i < args.length; i++) {
    const one = args[i];
    if (typeof one === 'string') target[one] = args[++i];
    else if (typeof one === 'object' && one !== null) {
      const keys = keysOf(one);
      for (let k = 0; k < keys.length; k++) target[keys[k]] = one[keys[k]];
    }
  }
}

const predicate = new ProxyOf(ObjectOf.freeze({}), {
  __proto__: null,
  get: (_, key) => typeof key === 'string' ? functionOf('find.' + camelCase(key)) : undefined,
  set: () => true,
  has: () => true,
});
const get = (...args) => args.length === 1 && typeof args[0] === 'string' ? lookUp(args[0], true) : functionOf('get')(...args);

function lookUp(name, asked) {
  const found = asked === true ? ask('global', name, true) : ask('global', name);
  return isArray(found) && found[0] === 'method' ? functionOf(name) : decode(found);
}
const PARAMETERS = { __proto__: null, methodParameters: true, arguments: true, args: true };
const $ = new ProxyOf({}, {
  __proto__: null,
  get(_, key) {
    if (typeof key === 'symbol') return undefined;
    if (key === 'get') return get;
    if (key === 'predicate') return predicate;
    if (key === '_functions') return keysOf(isFunctionName);
    if (parameters !== undefined && PARAMETERS[key] === true) return parameters;
    const value = given === undefined ? undefined : given[key];
    if (value !== undefined) return decode(value);
    if (isFunctionName[key] === true || isFunctionName[camelCase(key)] === true) return functionOf(key);
    return lookUp(key);
  },
  set: () => true,
  has: () => true,
  deleteProperty: () => true,
  defineProperty: () => true,
  setPrototypeOf: () => true,
  preventExtensions: () => false,
});
define(globalThis, '$', { value: $, enumerable: true });
define(globalThis, 'Svc', { value: $, enumerable: true });

function shown(value) {
  if (typeof value === 'string') return value;
  try {
    if (typeof value === 'symbol' || typeof value === 'function' || typeof value === 'bigint') return StringOf(value);
    if (value instanceof ErrorOf) return StringOf(value.stack);
    return stringify(value) ?? 'undefined';
  } catch {
    return 'an object that cannot be shown';
  }
}
const consoleObject = {};
for (const level of ['debug', 'error', 'info', 'log', 'trace', 'warn'])
  consoleObject[level] = (...args) => {
    let text = '';
    for (let i = 0; i < args.length; i++) text += (i === 0 ? '' : ' ') + cut(shown(args[i]), 10000);
    ask('log', level, cut(text, 20000));
  };
define(globalThis, 'console', { value: consoleObject, writable: true, configurable: true });
`;

const ENTRY = String.raw`
/** What the promise of a script came to, once it has. */
let outcome = '';
const settle = (isDone) => (value) => {
  try {
    outcome = stringify([1, 'ret', isDone, isDone ? encoded(value) : exception(value)]);
  } catch (thrown) {
    outcome = stringify([1, 'ret', false, exception(thrown)]);
  }
};
/**
 * Runs what the loop asks for; empty text: says what the promise came to. Answers an empty text for a promise. 'reset': answers
 * whether the context is as good as new; isUsed: runs nothing unless it is.
 */
return (text, host, isUsed) => {
  if (text === 'reset') return reset() ? 'new' : '${USED}';
  if (isUsed === true && !reset()) return '${USED}';
  if (host !== undefined) {
    reference = host;
    crossOver = host.applySyncPromise;
  }
  if (text === '') return outcome;
  const request = parse(text);
  outcome = '';
  done = undefined;
  depth = 1;
  epoch = request[1];
  let answer;
  try {
    const isSeveral = request[0] === 'b';
    const value = isSeveral ? together(request[2], request[3]) : started(request);
    if (value instanceof PromiseOf) {
      then(value, settle(true), settle(false));
      return '';
    }
    if (isSeveral) return value;
    answer = [1, 'ret', true, encoded(value)];
  } catch (thrown) {
    answer = [1, 'ret', false, exception(thrown)];
  }
  return answerOf(answer);
};
`;

/** The source of the prelude, which answers the entry. `functions`: names of those of the library. */
export async function prelude(functions: readonly string[]): Promise<string> {
  const parts = `${HARDENING}${compiling()}${WIRE}${ERRORS}${TEMPORAL}${OBJECTS}${MODULES}${globals(functions)}${RESET}${ENTRY}`;
  return `(function (buildTemporal) {'use strict';${parts}})(${await temporalBuilder()})`;
}
