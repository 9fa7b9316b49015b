/**
 * `Temporal` of users' JavaScript (part of the prelude; docs/interface/scripting.md 3.2), which the V8 of Node 20 lacks: a polyfill that a context
 * gets when a script names it first. Until then it is text in the prelude that V8 has looked at once, for its cached form.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** The one with all calendars; it is one function, for pages, which the package has no name for. */
const POLYFILL = join(createRequire(import.meta.url).resolve('temporal-polyfill/full/global'), '../global.js');

let source: Promise<string> | undefined;

/** Text of a function that builds the polyfill, and leaves it on the object that it is given as global one. Read once. */
export function temporalBuilder(): Promise<string> {
  source ??= readFile(POLYFILL, 'utf8').then(
    (text) => `function (globalThis) {'use strict';${text}\n}`,
    (error: unknown) => {
      // Who comes next tries again.
      source = undefined;
      throw error;
    },
  );
  return source;
}

/** `buildTemporal` in it is the function that `temporalBuilder` answers. */
export const TEMPORAL = String.raw`
/** Its classes with what tells a value of them; undefined: no script has named it, so there are no values. */
let temporal;
/** Only what is the object's own: what it inherits may be the user's. */
function knowTemporal(api) {
  const classes = ['PlainDate', 'PlainTime', 'PlainDateTime', 'PlainYearMonth', 'PlainMonthDay', 'Duration'];
  const known = { __proto__: null, api, instants: bareList(), texts: bareList(), ofDate: undefined };
  const member = (name, key) => describe(api[name].prototype, key);
  known.instants[0] = { of: api.Instant, tell: member('Instant', 'epochMilliseconds').get };
  known.instants[1] = { of: api.ZonedDateTime, tell: member('ZonedDateTime', 'epochMilliseconds').get };
  for (let i = 0; i < classes.length; i++) known.texts[i] = { of: api[classes[i]], tell: member(classes[i], 'toJSON').value };
  known.ofDate = describe(DateOf.prototype, 'toTemporalInstant').value;
  return temporal = known;
}

/**
 * The polyfill works with the globals as they are now, which are the user's, and remembers time zones where he could change them:
 * nobody has this context later.
 */
function loadTemporal() {
  if (temporal !== undefined) return temporal;
  isTouched = true;
  const place = { __proto__: null };
  buildTemporal(place);
  const { api } = knowTemporal(place.Temporal);
  const now = describe(globalThis, 'Temporal');
  if (now !== undefined && now.get === lazyTemporal.get) setTemporal(api);
  return temporal;
}
function setTemporal(value) {
  define(globalThis, 'Temporal', { __proto__: null, value, writable: true, enumerable: false, configurable: true });
}
const lazyTemporal = {
  __proto__: null,
  get: { Temporal() { return loadTemporal().api; } }.Temporal,
  set: { Temporal(value) { setTemporal(value); } }.Temporal,
  enumerable: false,
  configurable: true,
};
const lazyInstant = { toTemporalInstant() { return apply(loadTemporal().ofDate, this, []); } }.toTemporalInstant;
// A V8 that has its own keeps it.
if (describe(globalThis, 'Temporal') !== undefined) knowTemporal(globalThis.Temporal);
else {
  define(globalThis, 'Temporal', lazyTemporal);
  define(Date.prototype, 'toTemporalInstant', { value: lazyInstant, writable: true, enumerable: false, configurable: true });
}

/** What a value of Temporal crosses as: an instant as a date, all else as its text. Undefined: it is none. */
function encodeTemporal(value) {
  if (temporal === undefined) return undefined;
  const told = (kinds) => {
    for (let i = 0; i < kinds.length; i++) if (value instanceof kinds[i].of) return apply(kinds[i].tell, value, []);
  };
  const time = told(temporal.instants);
  if (time !== undefined) return ['d', NumberOf(time)];
  const text = told(temporal.texts);
  return text === undefined ? undefined : StringOf(text);
}
`;
