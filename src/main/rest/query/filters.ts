/** Search parameters to predicates (docs/interface/lists.md 1.1 to 1.5). */
import type { Predicate, ReadTransaction, ScalarValue } from '../../graph/index.js';
import { logger } from '../../../shared/log.js';
import {
  readable,
  relationOf,
  searchedAs,
  SchemaError,
  linkedOnlyTo,
  linkedTo,
  onlyReadable,
  type NotionProperty,
  type Property,
  type RelationProperty,
  type Schema,
  type Type,
  type ValueProperty,
} from '../../schema/index.js';
import { isComparable, isSecret, type Actor, type ObjectAccess } from '../../schema/index.js';
import { RestError } from '../errors.js';
import { keptParent } from './without-parent.js';

const log = logger('rest.filter');

export interface FilterContext {
  readonly tx: ReadTransaction;
  readonly schema: Schema;
  readonly type: Type;
  readonly access: ObjectAccess;
  readonly actor: Actor;
  readonly inexact: boolean;
  /** What a GET passes over is refused: without it the request would reach more than was asked for. */
  readonly strict: boolean;
}

/** All filters of a request together; undefined when there are none. Throws `RestError` 400 and `SchemaError`. */
export async function parseFilters(
  filters: readonly (readonly [string, string])[],
  context: FilterContext,
): Promise<Predicate | undefined> {
  const terms: Predicate[] = [];
  for (const [name, text] of filters) {
    const term = await parseFilter(name, text, context);
    if (term !== undefined) terms.push(term);
  }
  return terms.length <= 1 ? terms[0] : { op: 'and', terms };
}

async function parseFilter(name: string, text: string, context: FilterContext): Promise<Predicate | undefined> {
  const dot = name.indexOf('.');
  const property = searchedAs(context.type.properties.get(dot === -1 ? name : name.slice(0, dot)));
  if (property === undefined) throw new RestError(400, `Unknown search key ${name}`, []);
  if (dot !== -1) {
    if (context.strict) throw unusable(name, 'reaches into a related object');
    // Clients of the interface rely on such a parameter changing nothing (docs/interface/lists.md 1).
    log.debug(`the search key ${name} reaches into a related object and has no effect`);
    return undefined;
  }
  // Secrets say by themselves why they are refused.
  if (property.kind === 'value' && !isSecret(property) && !isComparable(property, context.actor))
    throw new RestError(400, `Property ‛${name}‛ cannot be used as a search key: its values are kept secret.`, [
      { type: context.type.name, property: name, token: 'invalid_search_key' },
    ]);
  if (property.kind === 'computed') {
    if (property.search !== undefined) return { op: 'in', key: 'id', values: await property.search(text, context) };
    throw new SchemaError(`Property ${name} is computed and cannot be searched`, [
      { type: context.type.name, property: name, token: 'invalid_search_key' },
    ]);
  }
  if (property.kind === 'value' && (property.key === 'id' || property.key === 'type')) return identity(property, text);
  if (text === '') return empty(property, context);
  if (text.startsWith('[') && text.endsWith(']')) return bracketed(property, text.slice(1, -1), context);
  const any = text.includes(';');
  if (any && text.includes(',')) {
    throw new SchemaError(`The value of ${name} mixes "," (all of) and ";" (any of)`, [
      { type: context.type.name, property: name, token: 'invalid_search_key', value: text },
    ]);
  }
  const values = text.split(any ? ';' : ',');
  if (property.kind === 'value') return valueFilter(property, values, any, context);
  if (property.kind === 'relation' && property.notion === undefined)
    return relationFilter(property, values, any, context);
  return notionFilter(property, values, any, context);
}

function unusable(name: string, what: string): RestError {
  return new RestError(400, `The search key ${name} ${what}: it cannot be used, and nothing was changed.`, [
    { property: name, token: 'invalid_search_key' },
  ]);
}

/** `id` and `type` compare exactly, whatever is asked. */
function identity(property: ValueProperty, text: string): Predicate {
  return { op: 'in', key: property.key, values: text.split(';').map((v) => v.trim()) };
}

function empty(property: Exclude<Property, { kind: 'computed' }>, context: FilterContext): Predicate {
  if (property.kind === 'value') return property.filterEmpty();
  const relation = property.kind === 'relation' ? property : mustBeRelation(property, context.type);
  const kept = keptParent(relation, context.type, context.access);
  if (kept !== undefined) return kept.filter([false], false);
  return { op: 'relatedNone', step: onlyReadable(relation.step, context.access) };
}

/** `[]`, `[a TO b]`, `[ TO b]`, `[a TO ]`. */
function bracketed(
  property: Exclude<Property, { kind: 'computed' }>,
  inner: string,
  context: FilterContext,
): Predicate | undefined {
  const invalid = (): SchemaError =>
    new SchemaError('Invalid range pattern.', [
      { type: context.type.name, property: property.name, token: 'invalid_search_key', value: `[${inner}]` },
    ]);
  if (inner === '') return notEmpty(property, context);
  if (property.kind !== 'value') throw invalid();
  const padded = ` ${inner} `;
  const at = padded.indexOf(' TO ');
  if (at === -1) throw invalid();
  const from = padded.slice(0, at).trim();
  const to = padded.slice(at + 4).trim();
  if (from === '' && to === '') {
    if (context.strict) throw unusable(property.name, 'is a range without ends');
    return undefined;
  }
  const lower = from === '' ? undefined : valueOf(property, from, context);
  const upper = to === '' ? undefined : valueOf(property, to, context);
  if (property.filterRange !== undefined) return property.filterRange(lower, upper);
  return {
    op: 'range',
    key: property.key,
    ...(lower === undefined ? {} : { from: lower }),
    ...(upper === undefined ? {} : { to: upper }),
  };
}

function notEmpty(property: Exclude<Property, { kind: 'computed' }>, context: FilterContext): Predicate {
  if (property.kind === 'value') {
    const d = property.definition;
    const custom = d.schemaPropertyId !== undefined;
    if (custom && !(d.indexed === true && property.defaultValue !== undefined)) {
      throw new RestError(
        400,
        `Property ${property.name} cannot be searched for "not empty": it needs to be indexed and to have a default value.`,
      );
    }
  }
  return { op: 'not', term: empty(property, context) };
}

/** `name` and `typeName`: what a search key reaches the property by, where that is another one. */
function valueOf(
  property: ValueProperty,
  text: string,
  context: FilterContext,
  name = property.name,
  typeName = context.type.name,
): ScalarValue {
  if (context.strict && property.understands?.(text) === false)
    throw unusable(name, `has the value "${text.slice(0, 100)}"`);
  return property.fromText(text, typeName);
}

/** A list that ends with its separator looks for nothing in particular, which is part of every text. */
function mustSearchSomething(name: string, texts: readonly string[], { strict, inexact }: FilterContext): void {
  if (strict && inexact && texts.some((text) => text === ''))
    throw unusable(name, 'has an empty value, which every text contains');
}

function valueFilter(
  property: ValueProperty,
  texts: readonly string[],
  any: boolean,
  context: FilterContext,
): Predicate {
  mustSearchSomething(property.name, texts, context);
  const values = texts.map((t) => valueOf(property, t, context));
  if (any) return { op: 'or', terms: values.map((v) => property.filter([v], context.inexact)) };
  if (property.isCollection || values.length === 1) return property.filter(values, context.inexact);
  return { op: 'and', terms: values.map((v) => property.filter([v], context.inexact)) };
}

async function relationFilter(
  property: RelationProperty,
  texts: readonly string[],
  any: boolean,
  context: FilterContext,
): Promise<Predicate> {
  const related = context.schema.type(property.relatedType);
  const ids = texts.map((t) => t.trim());
  const nodes = await context.tx.nodes(ids);
  const existing = nodes.filter((node) => node !== undefined);
  const visible = new Set((await readable(context.tx, context.access, existing)).map((node) => node.id));
  for (const [i, node] of nodes.entries()) {
    const fits =
      node !== undefined &&
      visible.has(node.id) &&
      (property.relatedType === 'NodeInterface' || related?.concreteTypes.includes(node.type) === true);
    if (!fits) {
      throw new SchemaError(`No ${property.relatedType} with UUID ${ids[i] ?? ''} found.`, [
        { type: property.relatedType, property: 'id', token: 'object_not_found', detail: ids[i] },
      ]);
    }
  }
  return combine(
    ids.map((id) => linkedTo(property, [id], context.inexact, context.access)),
    any,
  );
}

/** Values of related objects: exactly these, or some that contain them. */
function notionFilter(
  property: RelationProperty | NotionProperty,
  texts: readonly string[],
  any: boolean,
  context: FilterContext,
): Predicate {
  const relation = property.kind === 'relation' ? property : mustBeRelation(property, context.type);
  const keyName = property.notion?.keys[0] ?? 'id';
  if (keyName === 'id') {
    return combine(
      texts.map((id) => linkedTo(relation, [id], context.inexact, context.access)),
      any,
    );
  }
  const key = context.schema.type(relation.relatedType)?.properties.get(keyName);
  if (key?.kind !== 'value') {
    throw new SchemaError(`Property ${property.name} cannot be searched`, [
      { type: context.type.name, property: property.name, token: 'invalid_search_key' },
    ]);
  }
  mustSearchSomething(property.name, texts, context);
  const terms = texts.map((text): Predicate => {
    const value = valueOf(key, text, context, property.name, relation.relatedType);
    if (!context.inexact || typeof value !== 'string')
      return linkedOnlyTo(relation, { op: 'equals', key: key.key, value }, context.access);
    const where: Predicate = { op: 'contains', key: key.key, value };
    return { op: 'relatedSome', step: onlyReadable(relation.step, context.access), where };
  });
  return combine(terms, any);
}

function combine(terms: readonly Predicate[], any: boolean): Predicate {
  const first = terms[0];
  return terms.length === 1 && first !== undefined ? first : { op: any ? 'or' : 'and', terms };
}

function mustBeRelation(property: NotionProperty, type: Type): RelationProperty {
  const relation = relationOf(type, property);
  if (relation !== undefined) return relation;
  throw new SchemaError(`Property ${property.name} refers to no relation`, [
    { type: type.name, property: property.name, token: 'invalid_property_reference' },
  ]);
}
