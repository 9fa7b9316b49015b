/**
 * Conditions that ask for certain values of a key, which is how most look-ups of thousands in one transaction are made: for a value
 * that must be unique, for an object by its id, for what is linked to one.
 */
import type { Predicate, Query } from '../../query.js';
import type { GraphEntity, StoredValue } from '../../types.js';
import { valueOf } from './matches.js';

/** A query is concerned by no entity whose value of the key has none of these names. */
export interface Equality {
  readonly key: string;
  readonly names: readonly string[];
}

/** The same for all values that conditions take for equal; undefined: equal to nothing. */
export function valueName(value: StoredValue | undefined): string | undefined {
  switch (typeof value) {
    case 'string':
      return `s${value}`;
    case 'bigint':
      return `n${value.toString()}`;
    case 'number':
      if (Number.isNaN(value)) return undefined;
      return Number.isInteger(value) ? `n${BigInt(value).toString()}` : `n${String(value)}`;
    case 'boolean':
      return value ? 'true' : 'false';
    default:
      return undefined;
  }
}

/** The same of an entity's value. */
export function nameIn(entity: GraphEntity | undefined, key: string): string | undefined {
  return entity === undefined ? undefined : valueName(valueOf(entity, key));
}

/** What a query asks for that narrows it most; undefined: any entity may concern it. */
export function equalityOf(query: Query): Equality | undefined {
  const asked = query.where === undefined ? undefined : equalityIn(query.where);
  if (asked !== undefined || query.kind === 'nodes') return asked;
  if (query.sourceId !== undefined) return { key: 'sourceId', names: [`s${query.sourceId}`] };
  return query.targetId === undefined ? undefined : { key: 'targetId', names: [`s${query.targetId}`] };
}

function equalityIn(predicate: Predicate): Equality | undefined {
  switch (predicate.op) {
    case 'and':
      for (const term of predicate.terms) {
        const found = equalityIn(term);
        if (found !== undefined) return found;
      }
      return undefined;
    case 'equals':
      return predicate.orNull === true ? undefined : among(predicate.key, [predicate.value]);
    case 'in':
      return among(predicate.key, predicate.values);
    default:
      return undefined;
  }
}

function among(key: string, values: readonly StoredValue[]): Equality | undefined {
  // Types have too many entities each.
  return key === 'type' ? undefined : { key, names: values.flatMap((value) => valueName(value) ?? []) };
}
