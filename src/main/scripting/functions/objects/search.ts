/** `find` and `search`: from arguments to a query of the graph (docs/interface/scripting.md 8). */
import type { GraphEntity, Predicate, Query, SortKey } from '../../../graph/index.js';
import {
  isComparable,
  onlyReadable,
  searchedAs,
  storedValue,
  typeQuery,
  type RelationProperty,
  type Type,
} from '../../../schema/index.js';
import { conditionOf, joined, predicateOf, SearchSize, type Conditions } from './find-conditions.js';
import type { ScriptContext } from '../../run/run.js';
import { fromStored } from '../../language/conversion.js';
import { order } from '../../language/compare.js';
import { MOST_ENTITIES, tooManyEntities } from '../../run/entities.js';
import { ScriptError } from '../../language/errors.js';
import { inOrder, runSteps } from '../../language/steps.js';
import { isMap, type ScriptEntity, ScriptPredicate, type ScriptValue } from '../../language/values.js';

interface Asked {
  readonly terms: Predicate[];
  readonly sort: { readonly path: string; readonly descending: boolean }[];
  page: { readonly number: number; readonly size: number } | undefined;
}

/**
 * The objects that arguments after the type ask for. With a single id: the object, or null. Throws `ScriptError` 400 and 422
 * and `SchemaError`.
 */
export async function findObjects(
  type: Type,
  args: readonly ScriptValue[],
  context: ScriptContext,
  inexact: boolean,
): Promise<ScriptValue> {
  const [only] = args;
  if (args.length === 1 && typeof only === 'string') {
    if (!context.run.parts.write().idPattern.test(only)) {
      throw new ScriptError(
        422,
        `Invalid parameter '${only.slice(0, 80)}': a single argument behind the type is a UUID, a map or a predicate.`,
      );
    }
    return (await context.run.entities.byId(only, type, context)) ?? null;
  }
  const asked: Asked = { terms: [], sort: [], page: undefined };
  await readArguments(args, { type, context, inexact, size: SearchSize.start() }, asked);
  return runQuery(type, asked, context);
}

async function readArguments(args: readonly ScriptValue[], conditions: Conditions, asked: Asked): Promise<void> {
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? null;
    if (arg instanceof ScriptPredicate) {
      await readPredicate(arg, conditions, asked);
    } else if (isMap(arg)) {
      asked.terms.push(...(await mapTerms(arg, conditions)));
    } else if (typeof arg === 'string') {
      if (i + 1 >= args.length) {
        throw new ScriptError(400, `Invalid number of parameters: there is no value for the key '${arg}'.`);
      }
      asked.terms.push(await conditionOf(arg, args[++i] ?? null, conditions));
    } else if (Array.isArray(arg)) {
      conditions.size.add(1);
      await conditions.size.within(() => readArguments(arg, conditions, asked));
    } else {
      throw new ScriptError(422, 'A key of find() and search() is a text; null and other values are none.');
    }
  }
}

async function readPredicate(predicate: ScriptPredicate, conditions: Conditions, asked: Asked): Promise<void> {
  const { name, args } = predicate;
  if (name === 'sort') {
    const [key, descending] = args;
    if (typeof key !== 'string') throw new ScriptError(422, 'sort() needs the name of a property.');
    asked.sort.push({ path: key, descending: descending === true || descending === 'true' });
  } else if (name === 'page') {
    const [number, size = 10n] = args;
    asked.page = { number: Math.max(1, Math.trunc(Number(number))), size: Math.max(0, Math.trunc(Number(size))) };
    if (!Number.isSafeInteger(asked.page.number) || !Number.isSafeInteger(asked.page.size)) {
      throw new ScriptError(422, 'page() needs numbers: a page from 1 on, and its size.');
    }
  } else {
    const term = await predicateOf(predicate, undefined, conditions);
    if (term !== undefined) asked.terms.push(term);
  }
}

/** Keys `$and`, `$or`, `$not` group what is in their maps. */
async function mapTerms(map: ReadonlyMap<string, ScriptValue>, conditions: Conditions): Promise<Predicate[]> {
  const terms: Predicate[] = [];
  for (const [key, value] of map) {
    if (key === '$and' || key === '$or' || key === '$not') {
      if (!isMap(value)) throw new ScriptError(422, `${key} needs an object with conditions.`);
      const { size } = conditions;
      size.add(1);
      const inner = joined(key === '$or' ? 'or' : 'and', await size.within(() => mapTerms(value, conditions)));
      if (inner !== undefined) terms.push(key === '$not' ? { op: 'not', term: inner } : inner);
    } else {
      terms.push(await conditionOf(key, value, conditions));
    }
  }
  return terms;
}

async function runQuery(type: Type, asked: Asked, context: ScriptContext): Promise<ScriptValue[]> {
  const { run, access } = context;
  const where = joined('and', asked.terms);
  const remote = asked.sort.some(({ path }) => path.includes('.'));
  const sort = remote ? [] : asked.sort.map((one) => sortKey(type, one.path, one.descending, context));
  const { page } = asked;
  if (page?.size === 0) return [];
  const window =
    page === undefined || remote
      ? { limit: MOST_ENTITIES + 1 }
      : { offset: (page.number - 1) * page.size, limit: page.size };
  const visible: Query = { ...onlyReadable(typeQuery(type, where, sort), access), ...window };
  const found: GraphEntity[] = await run.transaction.read((tx) => tx.find(visible));
  if (found.length > MOST_ENTITIES) {
    throw tooManyEntities();
  }
  const entities = await run.entities.many(found);
  if (!remote) return entities;
  const sorted = await sortRemotely(entities, type, asked, context);
  return page === undefined ? sorted : sorted.slice((page.number - 1) * page.size, page.number * page.size);
}

function sortKey(type: Type, key: string, descending: boolean, { actor }: ScriptContext): SortKey {
  const property = searchedAs(type.properties.get(key));
  if (property?.kind !== 'value' || !isComparable(property, actor)) {
    throw new ScriptError(422, `Objects of ${type.name} cannot be sorted by '${key}'.`);
  }
  return { key: property.key, ...(descending ? { descending } : {}) };
}

/** By properties of related objects (`a.b`): no index knows them, so it is done here. */
async function sortRemotely(
  entities: readonly ScriptEntity[],
  type: Type,
  asked: Asked,
  context: ScriptContext,
): Promise<ScriptEntity[]> {
  const keys: (readonly ScriptValue[])[] = [];
  for (const { path } of asked.sort) keys.push(await valuesAt(entities, type, path, context));
  const compare = (a: number, b: number): number => {
    for (const [k, { descending }] of asked.sort.entries()) {
      const result = order(keys[k]?.[a] ?? null, keys[k]?.[b] ?? null, context);
      if (result !== 0) return descending ? -result : result;
    }
    return 0;
  };
  const indexes = await runSteps(
    inOrder(
      entities.map((_, i) => i),
      compare,
      'find()',
    ),
  );
  return indexes.flatMap((i) => entities[i] ?? []);
}

async function valuesAt(
  entities: readonly ScriptEntity[],
  type: Type,
  path: string,
  context: ScriptContext,
): Promise<ScriptValue[]> {
  const [first = '', second] = path.split('.');
  const property = searchedAs(type.properties.get(first));
  if (second === undefined) {
    const { key } = sortKey(type, first, false, context);
    return entities.map(({ entity }) =>
      property?.kind === 'value' ? fromStored(property, storedValue(entity, key)) : null,
    );
  }
  if (property?.kind !== 'relation') {
    throw new ScriptError(422, `Objects of ${type.name} cannot be sorted by '${path}': '${first}' is no relation.`);
  }
  return remoteValues(entities, property, second, context);
}

async function remoteValues(
  entities: readonly ScriptEntity[],
  relation: RelationProperty,
  name: string,
  context: ScriptContext,
): Promise<ScriptValue[]> {
  const { run, access } = context;
  const step = onlyReadable(relation.step, access);
  const related = await run.transaction.read((tx) =>
    tx.related(
      entities.map((one) => one.id),
      step,
      1,
    ),
  );
  return related.map(([node]) => {
    if (node === undefined) return null;
    const type = run.schema.typeOf(node);
    const { key } = sortKey(type, name, false, context);
    const property = searchedAs(type.properties.get(name));
    return property?.kind === 'value' ? fromStored(property, storedValue(node, key)) : null;
  });
}
