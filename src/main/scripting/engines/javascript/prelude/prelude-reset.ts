/**
 * Makes a context as good as new after a run (fourth part of the prelude). A fresh one costs a millisecond; most scripts leave
 * nothing behind, and that can be seen: everything that scripts can reach without the loop is looked at once, when the context is
 * made, and compared after each run. What differs in anything is not used again.
 */
export const RESET = String.raw`
const ownKeysOf = Reflect.ownKeys, prototypeOfObject = Reflect.getPrototypeOf, isExtensible = Reflect.isExtensible;
const isSame = Object.is, freezeObject = Object.freeze, exec = bound(RegExp.prototype.exec);

/** Set by what leaves behind things that cannot be seen. */
let isTouched = false;
// Calls back when it likes: in somebody else's run.
delete globalThis.FinalizationRegistry;
// Its objects have prototypes that nothing else leads to.
replaceMethod(Intl.Segmenter.prototype, 'segment', (original) => ({ method(text) {
  isTouched = true;
  return apply(original, this, [text]);
} }).method);

/** Everything that globals lead to, and what only syntax and stacks do. */
const reachable = new SetOf();
{
  const todo = [
    globalThis, function* () {}, async () => {}, async function* () {}, [][Symbol.iterator](), new MapOf().entries(),
    new SetOf().values(), ''[Symbol.iterator](), 'a'.matchAll(/a/g), (function* () {})(), (async function* () {})(), site, new ErrorOf(),
  ];
  // Newer versions of V8: what only these functions give has prototypes of its own.
  const Iterators = globalThis.Iterator;
  if (Iterators !== undefined) todo.push(Iterators.from({ next() {} }), [][Symbol.iterator]().map((one) => one));
  const roots = new SetOf(todo.slice(1));
  const isKnown = Set.prototype.has, know = Set.prototype.add;
  while (todo.length > 0) {
    const one = todo.pop();
    if (one === null || one === $ || (typeof one !== 'object' && typeof one !== 'function')) continue;
    if (apply(isKnown, reachable, [one])) continue;
    if (!apply(isKnown, roots, [one])) apply(know, reachable, [one]);
    todo.push(prototypeOfObject(one));
    for (const key of ownKeysOf(one)) {
      const { value, get: getter, set: setter } = describe(one, key);
      todo.push(value, getter, setter);
    }
  }
}
const records = [], functionPrototype = prototypeOfObject(ObjectOf);
eachOfSet(reachable, (object) => {
  // Functions that make nothing are nobody's to change; of the others, and of objects, each property is remembered. What all
  // functions inherit stays as it is: nobody could give his own a property of such a name by assigning it.
  if (typeof object === 'function' && object !== functionPrototype && describe(object, 'prototype') === undefined) freezeObject(object);
  else records[records.length] = { object, prototype: prototypeOfObject(object), extensible: isExtensible(object), count: 0, keys: [], properties: [] };
});
freezeObject(get);
for (const record of records) {
  const keys = ownKeysOf(record.object);
  record.count = keys.length;
  for (let i = 0; i < keys.length; i++) {
    const property = describe(record.object, keys[i]);
    // Nobody can change the others.
    if (!property.configurable && property.writable !== true) continue;
    record.keys[record.keys.length] = keys[i];
    record.properties[record.properties.length] = property;
  }
}

/** What descriptors inherit is what it was: reading them runs nothing of the user's. */
const objectPrototype = ObjectOf.prototype, inheritedKeys = ownKeysOf(objectPrototype);
function mayReadDescriptors() {
  if (ownKeysOf(objectPrototype).length !== inheritedKeys.length) return false;
  for (let i = 0; i < inheritedKeys.length; i++) if (describe(objectPrototype, inheritedKeys[i]) === undefined) return false;
  return true;
}
function isUnchanged(record) {
  const { object, keys, properties } = record;
  if (prototypeOfObject(object) !== record.prototype || isExtensible(object) !== record.extensible) return false;
  if (ownKeysOf(object).length !== record.count) return false;
  for (let i = 0; i < keys.length; i++) {
    const before = properties[i], now = describe(object, keys[i]);
    if (now === undefined || now.enumerable !== before.enumerable || now.configurable !== before.configurable) return false;
    if (now.writable !== before.writable || now.get !== before.get || now.set !== before.set) return false;
    // Asked for what is neither zero nor the same only: a thousand calls take as long as all the rest.
    if ((now.value !== before.value || now.value === 0) && !isSame(now.value, before.value)) return false;
  }
  return true;
}

/** Whether the next run may have this context; it knows nothing of the last one then. */
function reset() {
  if (isTouched || !mayReadDescriptors()) return false;
  for (let i = 0; i < records.length; i++) if (!isUnchanged(records[i])) return false;
  mapClear(entities);
  mapClear(states);
  mapClear(types);
  called = { __proto__: null };
  kept = bareList();
  links = bareList();
  sources = bareList();
  custom = other = undefined;
  otherFrame = null;
  numbers = new WeakMapOf();
  outcome = '';
  parameters = given = done = undefined;
  reference = crossOver = undefined;
  depth = epoch = budget = 0;
  // What RegExp.$1 and the like tell.
  exec(/(?:)/, '');
  return true;
}
`;
