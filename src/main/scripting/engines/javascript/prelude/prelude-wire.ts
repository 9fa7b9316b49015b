/**
 * Values of users' JavaScript as they cross to the loop and back, and the one way there (second part of the prelude). The other
 * side is `wire.ts`. What crosses is one JSON text: no object of one side is ever seen by the other.
 */

/** Lists and maps that hold others may be so deep. */
const DEEPEST = 200;
/** Values of one crossing; the loop reads them in one go, some 7 million a second. */
const MOST_VALUES = 200_000;
/** Characters of one crossing. */
export const LONGEST_CROSSING = 1 << 23;
/** Characters of one answer of an isolate. */
const LONGEST_ANSWER = 2 * LONGEST_CROSSING;
/** Scripts that run together end early after so many characters of results, and after so long (ms): each is to have its own time. */
const MOST_TOGETHER = 1 << 16;
const LONGEST_TOGETHER = 10;
/** Characters of the sources whose functions a context keeps, each counted as a thousand more. */
const MOST_FUNCTIONS = 1 << 18;

export const WIRE = String.raw`
const stringify = JSON.stringify, parse = JSON.parse, isArray = Array.isArray;
const ObjectOf = Object, keysOf = Object.keys, StringOf = String, BigIntOf = BigInt, DateOf = Date, ErrorOf = Error;
const TypeErrorOf = TypeError, PromiseOf = Promise, MapOf = Map, SetOf = Set, WeakMapOf = WeakMap, RegExpOf = RegExp;
const ArrayBufferOf = ArrayBuffer, BytesOf = Uint8Array, ProxyOf = Proxy, isView = ArrayBuffer.isView;
const asInt64 = BigInt.asIntN, fromCharCode = String.fromCharCode, isFiniteNumber = Number.isFinite;
const bound = (method) => (self, a, b) => apply(method, self, [a, b]);
const getTime = bound(Date.prototype.getTime), eachOfMap = bound(Map.prototype.forEach), eachOfSet = bound(Set.prototype.forEach);
const weakGet = bound(WeakMap.prototype.get), weakSet = bound(WeakMap.prototype.set);
const mapGet = bound(Map.prototype.get), mapSet = bound(Map.prototype.set), mapHas = bound(Map.prototype.has);
const mapClear = bound(Map.prototype.clear);
const regexpText = bound(RegExp.prototype.toString), then = bound(Promise.prototype.then);

/** The loop, for the scripts of one run; the first call of the entry brings it. */
let reference, crossOver;

/** Proxies and functions that stand for something of the loop, with what they cross as. */
const standIns = new WeakMapOf();
const setPrototype = Reflect.setPrototypeOf;
/** A list that no setter of a user is called for: it would have the list. */
function bareList() {
  const list = [];
  setPrototype(list, null);
  return list;
}
/** Own functions, promises and exceptions that the loop knows by number. */
let kept = bareList(), numbers = new WeakMapOf();
function keep(value) {
  let number = weakGet(numbers, value);
  if (number === undefined) {
    number = kept.length;
    kept[number] = value;
    weakSet(numbers, value, number);
  }
  return number;
}

let budget = 0;
function spend(depth, count) {
  if (depth > ${String(DEEPEST)}) throw new TypeErrorOf('A list or object is nested too deeply, or holds itself');
  budget -= count;
  if (budget < 0) throw new TypeErrorOf('A list or object holds too many values');
}

function encode(value, depth) {
  switch (typeof value) {
    case 'string': case 'boolean': return value;
    case 'undefined': return null;
    case 'number':
      if (value !== value) return null;
      return isFiniteNumber(value) ? value : ['n', value > 0 ? 'Infinity' : '-Infinity'];
    case 'bigint':
      if (asInt64(64, value) !== value) throw new RangeErrorOf('A BigInt of more than 64 bits cannot leave the script');
      return ['i', StringOf(value)];
    case 'symbol': throw new TypeErrorOf('A symbol cannot leave the script');
    case 'function': return weakGet(standIns, value) ?? ['f', keep(value)];
  }
  if (value === null) return null;
  spend(depth, 1);
  const standIn = weakGet(standIns, value);
  if (standIn !== undefined) return typeof standIn === 'function' ? standIn(depth) : standIn;
  if (isArray(value)) return encodeList(value, depth);
  if (value instanceof DateOf) {
    const time = getTime(value);
    return ['d', time === time ? time : null];
  }
  if (value instanceof MapOf) {
    const out = ['m', 0];
    eachOfMap(value, (one, key) => {
      if (typeof key === 'symbol') throw new TypeErrorOf('A symbol cannot leave the script');
      out[out.length] = StringOf(key);
      out[out.length] = encode(one, depth + 1);
    });
    return out;
  }
  if (value instanceof SetOf) {
    const out = ['a'];
    eachOfSet(value, (one) => { out[out.length] = encode(one, depth + 1); });
    return out;
  }
  if (value instanceof PromiseOf) return ['j', keep(value)];
  if (value instanceof ArrayBufferOf) return encodeBytes(new BytesOf(value));
  if (isView(value)) return encodeBytes(new BytesOf(value.buffer, value.byteOffset, value.byteLength));
  if (value instanceof RegExpOf) return regexpText(value);
  if (value instanceof ErrorOf) return errorText(value);
  if (value instanceof StringOf || value instanceof NumberOf || value instanceof Boolean) return encode(value.valueOf(), depth + 1);
  return encodeTemporal(value) ?? encodeObject(value, 0, depth);
}
function encodeList(list, depth) {
  const out = ['a'];
  const length = list.length;
  spend(depth, length);
  for (let i = 0; i < length; i++) out[i + 1] = encode(list[i], depth + 1);
  return out;
}
function encodeObject(object, handle, depth) {
  const out = ['m', handle];
  const keys = keysOf(object);
  spend(depth, keys.length);
  for (let i = 0; i < keys.length; i++) {
    out[out.length] = keys[i];
    out[out.length] = encode(object[keys[i]], depth + 1);
  }
  return out;
}
function encodeBytes(bytes) {
  if (bytes.length > budget) throw new TypeErrorOf('So many bytes cannot leave the script at once');
  let text = '';
  for (let i = 0; i < bytes.length; i++) text += fromCharCode(bytes[i]);
  return ['b', text];
}
function encoded(value) {
  budget = ${String(MOST_VALUES)};
  return encode(value, 0);
}
function encodedArguments(list) {
  budget = ${String(MOST_VALUES)};
  return encodeList(list, 0);
}
/** Objects that are arguments of methods under way: the method has the very same (docs/interface/scripting.md 6.3). */
let links = bareList();
/** Calls something that may be a method of a user. */
function call(operation, a, b, args) {
  const begin = links.length;
  const wire = encodedArguments(args);
  for (let i = 0; i < args.length; i++) {
    if (!isArray(wire[i + 1]) || wire[i + 1][0] !== 'm' || wire[i + 1][1] !== 0) continue;
    links[links.length] = args[i];
    wire[i + 1][1] = -links.length;
  }
  try {
    return decode(b === undefined ? ask(operation, a, wire) : ask(operation, a, b, wire));
  } finally {
    links.length = begin;
  }
}

function decode(wire) {
  if (wire === null || typeof wire !== 'object') return wire;
  switch (wire[0]) {
    case 'a': {
      const list = [];
      for (let i = 1; i < wire.length; i++) list[i - 1] = decode(wire[i]);
      return list;
    }
    case 'm': return hostMap(wire);
    case 'e': return entity(wire);
    case 'd': return new DateOf(wire[1] === null ? NaN : wire[1]);
    case 'i': return BigIntOf(wire[1]);
    case 'n': return NumberOf(wire[1]);
    case 'o': return opaque(wire);
    case 's': return hostObject(wire);
    case 'k': return kept[wire[1]];
    case 'l': return links[wire[1]];
    case 'F': return hostFunction(wire[1]);
    case 'x': return errorOf(wire);
  }
}

/** How deep scripts and functions that the loop asked for are inside of each other. */
let depth = 0;
/** Grows with what may have changed objects of the graph. */
let epoch = 0;

function cross(message) {
  const text = stringify(message);
  if (text.length > ${String(LONGEST_CROSSING)}) throw new RangeErrorOf('So much cannot leave the script at once');
  return parse(apply(crossOver, reference, [undefined, [text]]));
}
/** Asks the loop; while it waits, the loop may ask for functions and further scripts to be run. Answers what is still encoded. */
function ask(operation, a, b, c) {
  if (done !== undefined) tellDone();
  let reply = cross([depth, operation, a, b, c]);
  for (;;) {
    switch (reply[0]) {
      case 'v':
        epoch = reply[2];
        return reply[1];
      case 'w':
        epoch = reply[2];
        cross([depth, 'noted', frameOf(new ErrorOf())]);
        return reply[1];
      case 'e': throw errorOf(reply);
      default: reply = cross(perform(reply));
    }
  }
}

/** Arguments of the method that runs, and constants of the script that runs, where they came with it. */
let parameters, given;
function perform(request) {
  const outer = parameters, outerGiven = given;
  depth++;
  epoch = request[1];
  try {
    return [depth, 'ret', true, encoded(started(request))];
  } catch (thrown) {
    return [depth, 'ret', false, exception(thrown)];
  } finally {
    depth--;
    parameters = outer;
    given = outerGiven;
  }
}
const evaluate = globalThis.eval;
/** Functions of sources that have run here, by their text: V8 reads a text anew each time it is evaluated. No script reaches them. */
const functions = new MapOf();
let room = ${String(MOST_FUNCTIONS)};
function functionIn(text) {
  const known = mapGet(functions, text);
  if (known !== undefined) return known;
  const read = evaluate(text), size = text.length + 1000;
  if (size > room) {
    mapClear(functions);
    room = ${String(MOST_FUNCTIONS)};
  }
  room -= size;
  mapSet(functions, text, read);
  return read;
}
function started(request) {
  if (request[0] === 's') {
    parameters = request[4] === null ? undefined : decode(request[4]);
    given = request[7] === null ? undefined : givenIn(request[7]);
    learnAll(request[8]);
    sources[request[6][0]] = request[6];
    if (request[5] === true) return apply(functionIn(request[2]), undefined, [marked]);
    return request[3] === null ? evaluate(request[2]) : startedWithModules(request[2], request[3]);
  }
  parameters = given = undefined;
  const args = decode(request[3]);
  return apply(kept[request[2]], undefined, args);
}
function givenIn(names) {
  const values = { __proto__: null };
  for (let i = 0; i < names.length; i += 2) values[names[i]] = names[i + 1];
  return values;
}
/** Values of objects come along. */
function learnAll(loads) {
  for (let i = 0; i < loads.length; i += 2) {
    entity(loads[i]);
    learn(loads[i + 1]);
  }
}

/** What scripts that run one after the other have come to; undefined: the one that runs is told of by itself. */
let done;
/** The next question is that of the script that runs now: those before it have ended. */
function tellDone() {
  const told = done;
  done = undefined;
  if (told.length > 0) cross([1, 'part', told]);
}
/** Runs scripts until one asks the loop for something, answers a promise, or it is enough for once. Answers a text for the loop, or that promise. */
function together(requests, loads) {
  const begun = clock();
  learnAll(loads);
  done = bareList();
  let size = 0;
  for (let i = 0; i < requests.length && size < ${String(MOST_TOGETHER)} && clock() - begun < ${String(LONGEST_TOGETHER)}; i++) {
    let isDone = true, result;
    try {
      const value = started(requests[i]);
      if (value instanceof PromiseOf) {
        if (done !== undefined) tellDone();
        return value;
      }
      result = encoded(value);
    } catch (thrown) {
      isDone = false;
      result = exception(thrown);
    }
    if (done === undefined) return answerOf([1, 'ret', isDone, result]);
    done[i] = [isDone, result];
    // A list may be of any length.
    size += typeof result === 'string' ? result.length : result === null || typeof result !== 'object' ? 0 : ${String(MOST_TOGETHER)};
  }
  const all = done;
  done = undefined;
  const text = stringify([1, 'all', all]);
  if (text.length <= ${String(LONGEST_ANSWER)}) return text;
  // The last one alone can be long.
  all[all.length - 1] = [false, TOO_LONG];
  return stringify([1, 'all', all]);
}
const clock = Date.now;
const TOO_LONG = ['RangeError: The result is too long', null, false, null, null, true];
function answerOf(message) {
  const text = stringify(message);
  return text.length > ${String(LONGEST_ANSWER)} ? stringify([1, 'ret', false, TOO_LONG]) : text;
}

/** An exception of the loop, as one of this script. */
function errorOf(reply) {
  if (typeof reply[3] === 'number') return kept[reply[3]];
  const error = new ErrorOf(reply[1]);
  define(error, 'status', { value: reply[2], enumerable: true, configurable: true, writable: true });
  define(error, 'getMessage', { value: () => error.message, configurable: true, writable: true });
  weakSet(numbers, error, kept.length);
  kept[kept.length] = error;
  define(error, 'name', { value: 'ScriptError', configurable: true, writable: true });
  if (typeof reply[5] === 'string') beginStack(error, reply[5]);
  weakSet(hostErrors, error, reply[4]);
  return error;
}
const hostErrors = new WeakMapOf();
function errorText(error) {
  const name = StringOf(error.name), message = StringOf(error.message);
  return message === '' ? name : name + ': ' + message;
}
/** Text, frame, whether the source could not be read, its number here, that of the error of the loop it is, whether it is an error. */
function exception(thrown) {
  try {
    if (thrown instanceof ErrorOf) {
      const frame = frameOf(thrown);
      const text = errorText(thrown);
      return [cut(text, 10000), frame, thrown instanceof SyntaxError, keep(thrown), weakGet(hostErrors, thrown) ?? null, true];
    }
    const isObject = (typeof thrown === 'object' && thrown !== null) || typeof thrown === 'function';
    const text = isObject ? stringify(thrown) ?? 'an object' : StringOf(thrown);
    return [cut(text, 10000), frameOfOther(thrown), false, isObject ? keep(thrown) : null, null, false];
  } catch {
    return ['an exception that cannot be shown', null, false, null, null, false];
  }
}
const slice = bound(String.prototype.slice);
const cut = (text, most) => text.length > most ? slice(text, 0, most) + ' ...' : text;
`;
