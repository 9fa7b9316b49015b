/** Modules that scripts import, as they are evaluated and seen by others (part of the prelude; docs/interface/scripting.md 3). */
export const MODULES = String.raw`
const create = Object.create, freeze = Object.freeze, preventExtensions = Object.preventExtensions;
const ReferenceErrorOf = ReferenceError, toStringTag = Symbol.toStringTag;
/** By number. */
const modules = create(null);
const WAITING = 0, RUNNING = 1, DONE = 2, FAILED = 3;

function defineModules(list) {
  if (list.length > 0) isTouched = true;
  for (let i = 0; i < list.length; i++) {
    const wire = list[i], names = wire[4];
    const one = { url: wire[1], text: wire[2], needs: wire[3], space: create(null), values: undefined, state: WAITING, error: undefined,
      awaits: wire[6] === true, pending: undefined };
    sources[wire[5][0]] = wire[5];
    for (let n = 0; n < names.length; n++) {
      const name = names[n];
      define(one.space, name, {
        get() {
          if (one.values === undefined) throw new ReferenceErrorOf(name + ' of ' + one.url + ' has no value yet');
          return one.values[name]();
        },
        enumerable: true,
      });
    }
    define(one.space, toStringTag, { value: 'Module' });
    preventExtensions(one.space);
    modules[wire[0]] = one;
  }
}
/**
 * Runs a module, after those that it needs. Answers a promise where it waits, or one of them; else it has run, or is on its way (modules
 * that need each other).
 */
function runModule(number) {
  const one = modules[number];
  if (one.state === FAILED) throw one.error;
  if (one.state !== WAITING) return one.pending;
  one.state = RUNNING;
  const failed = (thrown) => {
    one.state = FAILED;
    one.error = thrown;
    throw thrown;
  };
  const run = () => {
    const args = [(values) => { one.values = values; }, importer(one.url), freeze({ __proto__: null, url: one.url }), marked];
    for (let i = 0; i < one.needs.length; i++) args[args.length] = modules[one.needs[i]].space;
    return apply(evaluate(one.text), undefined, args);
  };
  try {
    const first = runAll(one.needs);
    if (first === undefined && !one.awaits) {
      run();
      one.state = DONE;
      return undefined;
    }
    return one.pending = then(first === undefined ? run() : then(first, run), () => {
      one.state = DONE;
      one.pending = undefined;
    }, failed);
  } catch (thrown) {
    failed(thrown);
  }
}
/** The same for several, one after the other. */
function runAll(numbers) {
  let waiting;
  for (let i = 0; i < numbers.length; i++) {
    const next = () => runModule(numbers[i]);
    waiting = waiting === undefined ? next() : then(waiting, next);
  }
  return waiting;
}
/** The function that import() is. */
const importer = (base) => (specifier) => new PromiseOf((resolve, reject) => {
  try {
    const found = ask('import', base, StringOf(specifier));
    defineModules(found[1]);
    const { space } = modules[found[0]];
    const pending = runModule(found[0]);
    if (pending === undefined) resolve(space);
    else then(pending, () => { resolve(space); }, reject);
  } catch (thrown) {
    reject(thrown);
  }
});
/** A script that imports: its own names for modules are around it. */
function startedWithModules(text, how) {
  const prefix = how[0], numbers = how[1];
  defineModules(how[2]);
  let names = prefix + 'i,' + prefix + 't,' + prefix + 'w';
  const args = [importer(null), text, marked];
  const pending = runAll(numbers);
  for (let i = 0; i < numbers.length; i++) {
    names += ',' + prefix + i;
    args[args.length] = modules[numbers[i]].space;
  }
  // The eval that knows these names is called once: its argument puts the script's own in its place. Strict code could not do that.
  const begin = '((eval, ' + prefix + 'e, ' + prefix + 'r) => { const ' + prefix + 's = () => { eval = ' + prefix + 'e; ' + prefix + 'r(); };';
  const inner = 'return (' + names + ') => { "use strict"; return eval((' + prefix + 's(), ' + prefix + 't)); }; })';
  const run = () => apply(evaluate(begin + inner)(directEval, evaluate, requireStack), undefined, args);
  return pending === undefined ? run() : then(pending, run);
}
`;
