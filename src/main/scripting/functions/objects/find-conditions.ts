/** Keys, values and predicates of `find` and `search` as conditions of the graph (docs/interface/scripting.md 8). */
import type { Predicate, ScalarValue } from '../../../graph/index.js';
import {
  isComparable,
  linkedTo,
  onlyReadable,
  searchedAs,
  type RelationProperty,
  type Type,
  type ValueProperty,
} from '../../../schema/index.js';
import type { ScriptContext } from '../../run/run.js';
import { toJsonValue } from '../../language/conversion.js';
import { ScriptError } from '../../language/errors.js';
import { isMap, ScriptEntity, ScriptPredicate, type ScriptValue } from '../../language/values.js';

/** For what conditions are made. */
export interface Conditions {
  readonly type: Type;
  readonly context: ScriptContext;
  /** `search`: texts contain, ignoring case. */
  readonly inexact: boolean;
  readonly size: SearchSize;
}

/** Conditions of one search; making a query of each takes time, before anything is looked for. */
const MOST_TERMS = 1000;
/** Values of all lists. */
const MOST_VALUES = 20_000;
const DEEPEST = 50;

/** Bounds what one search asks for. */
export class SearchSize {
  private terms = 0;

  private constructor(
    private depth = 0,
    /** Of all lists of the search together, as they may be in each other. */
    private readonly lists = { values: 0 },
    private readonly isList = false,
  ) {}

  static start(): SearchSize {
    return new SearchSize();
  }

  /** For the values of a list in it. */
  ofList(): SearchSize {
    return new SearchSize(this.depth, this.lists, true);
  }

  /** Throws `ScriptError` 422. */
  add(terms: number): void {
    const count = this.isList ? (this.lists.values += terms) : (this.terms += terms);
    const most = this.isList ? MOST_VALUES : MOST_TERMS;
    if (count > most) throw tooMany(`more than ${String(most)} conditions or values`);
  }

  /** For a value of a list that is a predicate, so that it counts whatever is in it. */
  addPredicate(value: ScriptValue): void {
    if (value instanceof ScriptPredicate) this.add(1);
  }

  /** Throws `ScriptError` 422 for predicates in predicates in predicates, ... */
  async within<T>(work: () => Promise<T>): Promise<T> {
    if (this.depth >= DEEPEST) throw tooMany(`conditions in each other, more than ${String(DEEPEST)} deep`);
    this.depth++;
    try {
      return await work();
    } finally {
      this.depth--;
    }
  }
}

function tooMany(what: string): ScriptError {
  return new ScriptError(422, `find() and search() were given ${what}.`);
}

/** Terms as one; undefined when there are none. */
export function joined(op: 'and' | 'or', terms: readonly Predicate[]): Predicate | undefined {
  return terms.length <= 1 ? terms[0] : { op, terms };
}

/** `key` has `value`, which may be a predicate itself. Throws `ScriptError` 422 for keys the type does not have. */
export async function conditionOf(key: string, value: ScriptValue, conditions: Conditions): Promise<Predicate> {
  if (value instanceof ScriptPredicate) return (await predicateOf(value, key, conditions)) ?? ALL;
  conditions.size.add(1);
  const property = searchedAs(conditions.type.properties.get(key));
  if (property === undefined) throw unknownKey(key, conditions.type);
  if (property.kind === 'relation') return related(property, value, conditions.inexact, conditions);
  if (property.kind === 'value') return equal(property, value, conditions);
  if (property.kind === 'computed' && property.search !== undefined && typeof value === 'string') {
    const { search } = property;
    const { run, access } = conditions.context;
    const ids = await run.transaction.read((tx) => search(value, { tx, schema: run.schema, access }));
    return { op: 'in', key: 'id', values: ids };
  }
  throw new ScriptError(422, `Objects of ${conditions.type.name} cannot be searched by '${key}'.`);
}

/** Matches everything: an empty group. */
const ALL: Predicate = { op: 'not', term: { op: 'in', key: 'id', values: [] } };

function unknownKey(key: string, type: Type): ScriptError {
  return new ScriptError(422, `Unknown key '${key}': ${type.name} has no such property.`);
}

function equal(property: ValueProperty, value: ScriptValue, conditions: Conditions): Predicate {
  const { type, inexact } = conditions;
  refuseSecret(property, conditions);
  if (value === null) return { op: 'isNull', key: property.key };
  const stored = property.fromJson(toJsonValue(value), type.name);
  if (stored === null) return { op: 'isNull', key: property.key };
  return property.filter(Array.isArray(stored) ? (stored as readonly ScalarValue[]) : [stored as ScalarValue], inexact);
}

/** Whether a password has a value would be told otherwise. */
function refuseSecret(property: ValueProperty, { type, context }: Conditions): void {
  if (!isComparable(property, context.actor)) {
    throw new ScriptError(422, `Objects of ${type.name} cannot be searched by '${property.name}'.`);
  }
}

function related(property: RelationProperty, value: ScriptValue, some: boolean, { context }: Conditions): Predicate {
  const ids = idsOf(value);
  if (ids.length === 0) return { op: 'relatedNone', step: onlyReadable(property.step, context.access) };
  return linkedTo(property, ids, some, context.access);
}

/** Objects by themselves, by id, or in a list. */
function idsOf(value: ScriptValue): string[] {
  if (value === null) return [];
  const all = Array.isArray(value) ? value : [value];
  if (all.length > MOST_VALUES) throw tooMany(`more than ${String(MOST_VALUES)} objects`);
  return all.flatMap((one) => (one === null ? [] : [idOf(one)]));
}

function idOf(value: Exclude<ScriptValue, null>): string {
  if (value instanceof ScriptEntity) return value.id;
  if (typeof value === 'string') return value;
  const id = isMap(value) ? value.get('id') : undefined;
  if (typeof id === 'string') return id;
  throw new ScriptError(422, 'A related object is searched for by itself or by its UUID.');
}

/** A predicate as a condition; `key`: of the pair whose value it is. Undefined for an empty group. */
export function predicateOf(
  predicate: ScriptPredicate,
  key: string | undefined,
  conditions: Conditions,
): Promise<Predicate | undefined> {
  return conditions.size.within(() => conditionOfPredicate(predicate, key, conditions));
}

async function conditionOfPredicate(
  predicate: ScriptPredicate,
  key: string | undefined,
  conditions: Conditions,
): Promise<Predicate | undefined> {
  const { name, args } = predicate;
  switch (name) {
    case 'and':
    case 'or':
      return joined(name, await terms(args, key, conditions));
    case 'not': {
      const term = joined('and', await terms(args, key, conditions));
      return term === undefined ? undefined : { op: 'not', term };
    }
    case 'equals':
    case 'contains':
    case 'startsWith':
    case 'endsWith':
      return compared(predicate, key, conditions);
    case 'empty':
      return empty(keyOf(predicate, key), conditions);
    case 'range': {
      const [from = null, to = null, includeFrom = true, includeTo = true] = args;
      return range(keyOf(predicate, key, true), { from, to, includeFrom, includeTo }, conditions);
    }
    case 'lt':
    case 'lte':
      return range(
        keyOf(predicate, key, true),
        { from: null, to: args[0] ?? null, includeTo: name === 'lte' },
        conditions,
      );
    case 'gt':
    case 'gte':
      return range(
        keyOf(predicate, key, true),
        { from: args[0] ?? null, to: null, includeFrom: name === 'gte' },
        conditions,
      );
    case 'any':
      return anyOf(predicate, keyOf(predicate, key, true), 'equals', conditions);
    case 'withinDistance':
      return distance(args);
    default:
      throw new ScriptError(422, `${name}() is no condition and cannot be part of one.`);
  }
}

async function terms(
  args: readonly ScriptValue[],
  key: string | undefined,
  conditions: Conditions,
): Promise<Predicate[]> {
  const found: Predicate[] = [];
  for (const arg of args) {
    if (Array.isArray(arg)) {
      conditions.size.add(1);
      found.push(...(await conditions.size.within(() => terms(arg, key, conditions))));
    } else if (arg instanceof ScriptPredicate) {
      const term = await predicateOf(arg, key, conditions);
      if (term !== undefined) found.push(term);
    } else if (isMap(arg)) {
      for (const [name, value] of arg) found.push(await conditionOf(name, value, conditions));
    } else if (key !== undefined) {
      found.push(await conditionOf(key, arg, conditions));
    } else {
      throw new ScriptError(422, 'A group of conditions holds predicates, lists of them, or maps.');
    }
  }
  return found;
}

/** The key a predicate is about: of its pair, or its own first argument; `given`: its pair has to say it. */
function keyOf({ name, args }: ScriptPredicate, key: string | undefined, given = false): string {
  if (key !== undefined) return key;
  const [first] = args;
  if (!given && typeof first === 'string') return first;
  throw new ScriptError(
    422,
    `${name}() needs the name of a property: write it in front, as in find('Type', 'key', ${name}(...)).`,
  );
}

/** `equals`, `contains` and the like: with key and value, or with the value alone behind a key. */
async function compared(
  predicate: ScriptPredicate,
  outer: string | undefined,
  conditions: Conditions,
): Promise<Predicate | undefined> {
  const { name, args } = predicate;
  const own = args.length > 1;
  const key = own ? keyOf(predicate, undefined) : keyOf(predicate, outer, true);
  const value = (own ? args[1] : args[0]) ?? null;
  if (value instanceof ScriptPredicate && value.name === 'any') {
    return anyOf(value, key, name === 'contains' ? 'contains' : 'equals', conditions);
  }
  if (name === 'equals') return conditionOf(key, value, conditions);
  if (value instanceof ScriptPredicate) return predicateOf(value, key, conditions);
  return part(name as 'contains' | 'startsWith' | 'endsWith', key, value, conditions);
}

function part(
  op: 'contains' | 'startsWith' | 'endsWith',
  key: string,
  value: ScriptValue,
  conditions: Conditions,
): Predicate {
  const { type, inexact, size } = conditions;
  size.add(1);
  const property = searchedAs(type.properties.get(key));
  if (property === undefined) throw unknownKey(key, type);
  if (property.kind === 'relation' && op === 'contains') return related(property, value, true, conditions);
  if (property.kind !== 'value') throw new ScriptError(422, `${op}() cannot look into '${key}' of ${type.name}.`);
  refuseSecret(property, conditions);
  if (property.isCollection) {
    const stored = property.fromJson([toJsonValue(value)], type.name);
    const [first] = Array.isArray(stored) ? (stored as readonly ScalarValue[]) : [];
    if (first === undefined) return ALL;
    return { op: 'arrayContains', key: property.key, value: first, ...(inexact ? { partial: true } : {}) };
  }
  if (typeof value !== 'string') return equal(property, value, conditions);
  if (value === '') return ALL;
  return { op, key: property.key, value, ignoreCase: op === 'contains' || inexact };
}

function empty(key: string, conditions: Conditions): Predicate {
  const { type, size } = conditions;
  size.add(1);
  const property = searchedAs(type.properties.get(key));
  if (property === undefined) throw unknownKey(key, type);
  if (property.kind === 'relation') return related(property, null, false, conditions);
  if (property.kind !== 'value') throw new ScriptError(422, `empty() cannot look at '${key}' of ${type.name}.`);
  refuseSecret(property, conditions);
  return property.filterEmpty();
}

interface Bounds {
  readonly from: ScriptValue;
  readonly to: ScriptValue;
  readonly includeFrom?: ScriptValue;
  readonly includeTo?: ScriptValue;
}

function range(key: string, bounds: Bounds, conditions: Conditions): Predicate {
  const { type, size } = conditions;
  size.add(1);
  const property = searchedAs(type.properties.get(key));
  if (property === undefined) throw unknownKey(key, type);
  if (property.kind !== 'value') throw new ScriptError(422, `'${key}' of ${type.name} has no range of values.`);
  refuseSecret(property, conditions);
  const bound = (value: ScriptValue): ScalarValue | undefined => {
    if (value === null) return undefined;
    const stored = property.fromJson(toJsonValue(value), type.name);
    return stored === null || Array.isArray(stored) ? undefined : (stored as ScalarValue);
  };
  const [from, to] = [bound(bounds.from), bound(bounds.to)];
  return {
    op: 'range',
    key: property.key,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(bounds.includeFrom === false ? { fromExclusive: true } : {}),
    ...(bounds.includeTo === false ? { toExclusive: true } : {}),
  };
}

async function anyOf(
  { args }: ScriptPredicate,
  key: string,
  how: 'equals' | 'contains',
  conditions: Conditions,
): Promise<Predicate> {
  const [list] = args;
  if (!Array.isArray(list)) throw new ScriptError(422, 'any() needs a list of values.');
  const found: Predicate[] = [];
  const each = { ...conditions, size: conditions.size.ofList() };
  for (const one of list) {
    if (how === 'contains') each.size.add(1);
    else each.size.addPredicate(one);
    found.push(how === 'equals' ? await conditionOf(key, one, each) : part('contains', key, one, each));
  }
  const values = found.flatMap((one) => (one.op === 'equals' && one.orNull !== true ? [one] : []));
  const [first] = values;
  if (first !== undefined && values.length === found.length && values.every((one) => one.key === first.key)) {
    // One look into the index for each, where many conditions would take long to be understood.
    conditions.size.add(1);
    return { op: 'in', key: first.key, values: values.map(({ value }) => value) };
  }
  conditions.size.add(found.length);
  // Nothing is one of none.
  return joined('or', found) ?? { op: 'in', key: 'id', values: [] };
}

function distance(args: readonly ScriptValue[]): Predicate {
  const [latitude = Number.NaN, longitude = Number.NaN, kilometres = Number.NaN] = args.map(Number);
  if (![latitude, longitude, kilometres].every(Number.isFinite)) {
    throw new ScriptError(422, 'withinDistance() needs numbers: latitude, longitude, kilometres.');
  }
  return { op: 'distance', latitudeKey: 'latitude', longitudeKey: 'longitude', latitude, longitude, kilometres };
}
