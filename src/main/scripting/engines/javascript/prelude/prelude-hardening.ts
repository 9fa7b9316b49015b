/**
 * What is taken from the globals of users' JavaScript, and limited (first part of the prelude). V8 cannot interrupt its own
 * loops over long strings and lists: a script could keep a thread, or take memory, beyond every limit. Nobody's
 * own code works with texts and lists of such lengths.
 */

/** Characters of a text that built-in methods work on. */
const LONGEST_TEXT = 1 << 24;
/** Elements of a list that built-in methods work on. */
const LONGEST_LIST = 1 << 24;

export const HARDENING = String.raw`
const apply = Reflect.apply, define = Reflect.defineProperty, describe = Reflect.getOwnPropertyDescriptor;
for (const name of ['WebAssembly', 'SharedArrayBuffer', 'Atomics', 'console']) delete globalThis[name];

function replaceMethod(owner, name, make) {
  const found = describe(owner, name);
  if (found === undefined || typeof found.value !== 'function') return;
  const original = found.value;
  const limited = make(original);
  define(limited, 'name', { value: original.name, configurable: true });
  define(limited, 'length', { value: original.length, configurable: true });
  define(owner, name, { value: limited, writable: true, enumerable: false, configurable: true });
}
const RangeErrorOf = RangeError, NumberOf = Number;
const tooLong = (what, most) => new RangeErrorOf(what + ' is too long: at most ' + most + ' can be worked on');

const isList = Array.isArray, integer = Math.trunc;
/** What is no list may say another length each time it is asked: its elements are copied. */
function checkedList(list) {
  if (list === null || list === undefined) return list;
  const length = integer(NumberOf(list.length));
  if (length > ${String(LONGEST_LIST)}) throw tooLong('This list', '${String(LONGEST_LIST)} elements');
  if (isList(list)) return list;
  const copy = [];
  for (let i = 0; i < length; i++) if (i in ObjectFor(list)) copy[i] = list[i];
  if (length > 0 && copy.length < length) copy.length = length;
  return copy;
}
const ObjectFor = Object;
for (const name of ['concat', 'every', 'filter', 'find', 'findIndex', 'findLast', 'findLastIndex', 'flat', 'flatMap',
  'forEach', 'includes', 'indexOf', 'join', 'lastIndexOf', 'map', 'reduce', 'reduceRight', 'slice', 'some',
  'toLocaleString', 'toReversed', 'toSorted', 'toSpliced', 'with']) {
  replaceMethod(Array.prototype, name, (original) => ({ method(...args) {
    return apply(original, checkedList(this), args);
  } }).method);
}
for (const name of ['copyWithin', 'fill', 'pop', 'push', 'reverse', 'shift', 'sort', 'splice', 'unshift']) {
  replaceMethod(Array.prototype, name, (original) => ({ method(...args) {
    if (!isList(this)) throw new TypeError('Array.prototype.' + name + ' works on lists only');
    if (this.length > ${String(LONGEST_LIST)}) throw tooLong('This list', '${String(LONGEST_LIST)} elements');
    return apply(original, this, args);
  } }).method);
}
for (const name of ['at', 'endsWith', 'includes', 'indexOf', 'lastIndexOf', 'localeCompare', 'match', 'matchAll', 'normalize',
  'replace', 'replaceAll', 'search', 'split', 'toLocaleLowerCase', 'toLocaleUpperCase', 'toLowerCase', 'toUpperCase',
  'trim', 'isWellFormed', 'toWellFormed']) {
  replaceMethod(String.prototype, name, (original) => ({ method(...args) {
    if (typeof this === 'string' && this.length > ${String(LONGEST_TEXT)})
      throw tooLong('This text', '${String(LONGEST_TEXT)} characters');
    return apply(original, this, args);
  } }).method);
}
for (const name of ['padEnd', 'padStart', 'repeat']) {
  replaceMethod(String.prototype, name, (original) => ({ method(count, ...rest) {
    const wanted = NumberOf(count);
    const made = name === 'repeat' && typeof this === 'string' ? wanted * this.length : wanted;
    if (made > ${String(LONGEST_TEXT)}) throw tooLong('The text', '${String(LONGEST_TEXT)} characters');
    return apply(original, this, [wanted, ...rest]);
  } }).method);
}
replaceMethod(RegExp.prototype, Symbol.replace, (original) => ({ method(text, by) {
  if (typeof text === 'string' && text.length > ${String(LONGEST_TEXT)})
    throw tooLong('This text', '${String(LONGEST_TEXT)} characters');
  return apply(original, this, [text, by]);
} }).method);
`;
