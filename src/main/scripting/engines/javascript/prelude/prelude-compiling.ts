/**
 * What compiles texts in users' JavaScript (part of the prelude). From Node 24 on V8 needs more stack for that (33 KB) than isolated-vm leaves
 * at the end of a thread's (24 KB), and does not look whether it is there: the process would end. So nothing that scripts can
 * reach compiles before it is known that there is enough. Functions that V8 compiles when they are called first need no help: it looks then.
 */

/** The first major version of Node that needs it. */
const GUARDED_FROM = 24;
/** Words that have to be free on the stack: V8 throws `RangeError` where it cannot put them there as arguments. */
const WORDS_NEEDED = 8192;

const GUARDS = String.raw`
const nothing = () => {}, words = [];
for (let i = 0; i < ${String(WORDS_NEEDED)}; i++) words[i] = 0;
const requireStack = () => { apply(nothing, undefined, words); };
// V8 takes a call of its own eval for a direct one, and asks nobody: the one that scripts have is another.
replaceMethod(globalThis, 'eval', (original) => ({ method(text) {
  if (typeof text !== 'string') return text;
  requireStack();
  return original(text);
} }).method);

const construct = Reflect.construct, concatenate = String.prototype.concat;
const toText = (value) => apply(concatenate, '', [value]);
function guardConstructor(prototype) {
  const { value: original, writable } = describe(prototype, 'constructor');
  function guarded(...parts) {
    // Two texts whatever is given: many arguments would take the stack again, and nothing of a script runs behind the check.
    const last = parts.length - 1;
    let parameters = '';
    for (let i = 0; i < last; i++) parameters += (i === 0 ? '' : ',') + toText(parts[i]);
    const body = last < 0 ? '' : toText(parts[last]);
    requireStack();
    return construct(original, [parameters, body], new.target ?? guarded);
  }
  define(guarded, 'name', { value: original.name, configurable: true });
  define(guarded, 'length', { value: original.length, configurable: true });
  define(guarded, 'prototype', { value: prototype, writable: false });
  define(prototype, 'constructor', { value: guarded, writable, enumerable: false, configurable: true });
  return guarded;
}
const GuardedFunction = guardConstructor(Function.prototype);
define(globalThis, 'Function', { value: GuardedFunction, writable: true, enumerable: false, configurable: true });
for (const one of [function* () {}, async () => {}, async function* () {}])
  Reflect.setPrototypeOf(guardConstructor(Reflect.getPrototypeOf(one)), GuardedFunction);
`;

/** After the hardening. `directEval` is V8's own and stays inside of the prelude; `node`: the version that runs it. */
export function compiling(node: string = process.versions.node): string {
  const isGuarded = Number.parseInt(node, 10) >= GUARDED_FROM;
  return `const directEval = globalThis.eval;${isGuarded ? GUARDS : 'const requireStack = () => {};'}`;
}
