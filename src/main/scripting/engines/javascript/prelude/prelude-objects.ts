/** Objects of the graph, maps and other things of the loop as scripts see them (third part of the prelude; docs/interface/scripting.md 3.5). */
export const OBJECTS = String.raw`
const isOwn = bound(Object.prototype.hasOwnProperty);
const ownKeys = Reflect.ownKeys, prototypeOf = Object.prototype;

// Objects and relationships of the graph.
/** By handle. */
const entities = new MapOf();
/** By name: keys with their places, relations, methods. */
const types = new MapOf();

function entity(wire) {
  const handle = wire[1];
  const known = mapGet(entities, handle);
  if (known !== undefined) return known;
  const state = { handle, id: wire[2], typeName: wire[3], type: undefined, epoch: -1, values: undefined };
  const proxy = new ProxyOf({ state }, entityHandler);
  weakSet(standIns, proxy, ['e', handle]);
  mapSet(entities, handle, proxy);
  mapSet(states, handle, state);
  return proxy;
}
const states = new MapOf();

/** Makes the plain values of an object those of now. */
function load(state) {
  if (state.epoch === epoch) return state.type ??= mapGet(types, state.typeName);
  learn(ask('load', state.handle, mapGet(types, state.typeName)?.version ?? -1));
  return state.type = mapGet(types, state.typeName);
}
/** Plain values of objects, and what a type has that they are the first of. */
function learn(loaded) {
  const info = loaded[0];
  if (info !== null) {
    const places = { __proto__: null }, others = { __proto__: null };
    for (let i = 0; i < info.values.length; i++) places[info.values[i]] = i;
    for (let i = 0; i < info.others.length; i++) others[info.others[i]] = true;
    mapSet(types, info.name, { version: info.version, places, others, all: info.all, methods: { __proto__: null } });
  }
  for (let i = 1; i < loaded.length; i += 2) {
    const one = mapGet(states, loaded[i]);
    if (one === undefined) continue;
    one.values = loaded[i + 1];
    one.epoch = epoch;
  }
}

function readProperty(state, key) {
  if (key === 'id') return state.id;
  if (key === 'type') return state.typeName;
  const type = load(state);
  const place = type.places[key];
  if (place !== undefined) {
    const value = state.values[place];
    return isArray(value) && value[0] === 'a' ? liveList(state, key, decode(value), true) : decode(value);
  }
  if (type.methods[key] === true) return methodOf(state, key);
  if (type.others[key] === undefined) {
    if (key === 'then') return undefined;
    if (key === 'toString' || key === 'valueOf') return () => state.id;
    if (key === 'hasOwnProperty') return (name) => isMember(state, name);
    if (key === 'toJSON') return () => plainValues(state);
  }
  const found = ask('property', state.handle, key);
  if (isArray(found)) {
    if (found[0] === 'undefined') return undefined;
    if (found[0] === 'method') {
      type.methods[key] = true;
      return methodOf(state, key);
    }
    if (found[0] === 'a') return liveList(state, key, decode(found), false);
  }
  return decode(found);
}
function methodOf(state, name) {
  return (...args) => call('method', state.handle, name, args);
}
function plainValues(state) {
  const { places } = load(state), out = {};
  const keys = keysOf(places);
  for (let i = 0; i < keys.length; i++) put(out, keys[i], readProperty(state, keys[i]));
  return out;
}
function isMember(state, key) {
  if (key === 'id' || key === 'type') return true;
  const type = load(state);
  return type.places[key] !== undefined || type.others[key] === true;
}
function writeProperty(state, key, value) {
  ask('set', state.handle, key, encoded(value));
}
function put(target, key, value) {
  define(target, key, { value, writable: true, enumerable: true, configurable: true });
}

const entityHandler = {
  __proto__: null,
  get({ state }, key) {
    if (typeof key !== 'symbol') return readProperty(state, key);
    return key === Symbol.toPrimitive ? () => state.id : undefined;
  },
  set({ state }, key, value) {
    if (typeof key === 'symbol') return false;
    writeProperty(state, key, value);
    return true;
  },
  has: ({ state }, key) => typeof key !== 'symbol' && isMember(state, key),
  deleteProperty({ state }, key) {
    if (typeof key !== 'symbol') ask('remove', state.handle, key);
    return true;
  },
  ownKeys({ state }) { return load(state).all; },
  getOwnPropertyDescriptor({ state }, key) {
    if (typeof key === 'symbol' || !isMember(state, key)) return undefined;
    return {
      get: () => readProperty(state, key), set: (value) => { writeProperty(state, key, value); },
      enumerable: true, configurable: true,
    };
  },
  defineProperty({ state }, key, { value }) {
    if (typeof key === 'symbol') return false;
    writeProperty(state, key, value);
    return true;
  },
  getPrototypeOf: () => prototypeOf,
  setPrototypeOf: () => false,
  preventExtensions: () => false,
  isExtensible: () => true,
};

// Lists that are the value of a property: what changes them is written at once.
const CHANGES = ['push', 'pop', 'shift', 'unshift', 'splice', 'fill', 'copyWithin'];
const REORDERS = ['sort', 'reverse'];
const arrayMethods = { __proto__: null };
for (const name of CHANGES) arrayMethods[name] = Array.prototype[name];
for (const name of REORDERS) arrayMethods[name] = Array.prototype[name];

function liveList(state, key, list, isOrdered) {
  let asOf = epoch;
  /** What others have changed since is not to be written over. */
  const refresh = () => {
    if (asOf === epoch) return;
    const fresh = ask('property', state.handle, key);
    const now = isArray(fresh) && fresh[0] === 'a' ? decode(fresh) : [];
    list.length = 0;
    for (let i = 0; i < now.length; i++) list[i] = now[i];
    asOf = epoch;
  };
  const write = () => {
    writeProperty(state, key, list);
    asOf = epoch;
  };
  const changing = { __proto__: null };
  const proxy = new ProxyOf(list, {
    __proto__: null,
    get(_, name, receiver) {
      const method = typeof name === 'string' ? arrayMethods[name] : undefined;
      if (method === undefined) return Reflect_get(list, name, receiver);
      return changing[name] ??= (...args) => {
        refresh();
        const result = apply(method, list, args);
        if (isOrdered || name !== 'sort' && name !== 'reverse') write();
        return result === list ? proxy : result;
      };
    },
    set(_, name, value) {
      refresh();
      const before = list[name];
      list[name] = value;
      if (before !== value) write();
      return true;
    },
    deleteProperty(_, name) {
      refresh();
      const index = NumberOf(name);
      if (index >= 0 && index < list.length) {
        apply(arrayMethods.splice, list, [index, 1]);
        write();
      }
      return true;
    },
    defineProperty: () => false,
  });
  weakSet(standIns, proxy, (depth) => encodeList(list, depth));
  return proxy;
}
const Reflect_get = Reflect.get;

// Maps of the loop: objects whose changes are written there.
function hostMap(wire) {
  const handle = wire[1], target = {};
  for (let i = 2; i < wire.length; i += 2) put(target, wire[i], decode(wire[i + 1]));
  if (handle === 0) return target;
  const remove = (key) => { if (delete target[key]) ask('mapRemove', handle, key); };
  const proxy = new ProxyOf(target, {
    __proto__: null,
    set(_, key, value) {
      if (typeof key === 'symbol') return false;
      if (value === null || value === undefined) {
        remove(key);
        return true;
      }
      ask('mapSet', handle, key, encoded(value));
      put(target, key, value);
      return true;
    },
    deleteProperty(_, key) {
      if (isOwn(target, key) && typeof key === 'string') remove(key);
      return true;
    },
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
  weakSet(standIns, proxy, (depth) => encodeObject(target, handle, depth));
  return proxy;
}

// Things of the service that are seen as objects: the request, the session, stores, static methods of types.
function hostObject(wire) {
  const handle = wire[1], hasMethods = wire[3], isIterable = wire[4];
  const text = () => wire[2] ?? ask('objectText', handle);
  const proxy = new ProxyOf({}, {
    __proto__: null,
    get(_, key) {
      if (typeof key === 'symbol') {
        if (key === Symbol.iterator && isIterable) return () => decode(ask('objectElements', handle))[key]();
        return key === Symbol.toPrimitive ? text : undefined;
      }
      const found = ask('objectGet', handle, key);
      if (isArray(found) && found[0] === 'method') return (...args) => call('objectCall', handle, key, args);
      const value = decode(found);
      if (value !== null || hasMethods) return value;
      if (key === 'toString') return text;
      if (key === 'hasOwnProperty') return (name) => apply(includes, ask('objectKeys', handle), [name]);
      return key === 'then' || key === 'toJSON' ? undefined : null;
    },
    set(_, key, value) {
      if (typeof key === 'symbol') return false;
      ask('objectSet', handle, key, encoded(value));
      return true;
    },
    deleteProperty(_, key) {
      if (typeof key !== 'symbol') ask('objectSet', handle, key, null);
      return true;
    },
    has: (_, key) => typeof key === 'string' && apply(includes, ask('objectKeys', handle), [key]),
    ownKeys: () => ask('objectKeys', handle),
    getOwnPropertyDescriptor(_, key) {
      if (typeof key !== 'string' || !apply(includes, ask('objectKeys', handle), [key])) return undefined;
      return { value: decode(ask('objectGet', handle, key)), writable: true, enumerable: true, configurable: true };
    },
    defineProperty: () => false,
    getPrototypeOf: () => prototypeOf,
    setPrototypeOf: () => false,
    preventExtensions: () => false,
  });
  weakSet(standIns, proxy, ['o', handle]);
  return proxy;
}
const includes = Array.prototype.includes;

/** Bytes, predicates and the like: to be handed on, not to be looked into. */
function opaque(wire) {
  const one = { __proto__: null, toString: () => wire[2] };
  weakSet(standIns, one, ['o', wire[1]]);
  return ObjectOf.freeze(one);
}

function hostFunction(handle) {
  const called = (...args) => decode(ask('invoke', handle, encodedArguments(args)));
  weakSet(standIns, called, ['o', handle]);
  return called;
}
`;
