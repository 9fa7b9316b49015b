/** Modules that scripts import, as they are evaluated and seen by others (part of the prelude; scripting.md 5.1). */
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
    const one = { url: wire[1], text: wire[2], needs: wire[3], space: create(null), values: undefined, state: WAITING, error: undefined };
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
/** What a module exports; it has run then, unless it is on its way (modules that need each other). */
function moduleSpace(number) {
  const one = modules[number];
  if (one.state === FAILED) throw one.error;
  if (one.state !== WAITING) return one.space;
  one.state = RUNNING;
  try {
    const args = [(values) => { one.values = values; }, importer(one.url), freeze({ __proto__: null, url: one.url }), marked];
    for (let i = 0; i < one.needs.length; i++) args[args.length] = moduleSpace(one.needs[i]);
    apply(evaluate(one.text), undefined, args);
    one.state = DONE;
  } catch (thrown) {
    one.state = FAILED;
    one.error = thrown;
    throw thrown;
  }
  return one.space;
}
/** The function that import() is. */
const importer = (base) => (specifier) => new PromiseOf((resolve, reject) => {
  try {
    const found = ask('import', base, StringOf(specifier));
    defineModules(found[1]);
    resolve(moduleSpace(found[0]));
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
  for (let i = 0; i < numbers.length; i++) {
    names += ',' + prefix + i;
    args[args.length] = moduleSpace(numbers[i]);
  }
  return apply(evaluate('"use strict";void 0;((' + names + ') => eval(' + prefix + 't))'), undefined, args);
}
`;
