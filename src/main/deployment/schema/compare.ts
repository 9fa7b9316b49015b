/** What makes two schemas different, in words. */
import {
  differing,
  FUNCTION_KEYS,
  METHOD_KEYS,
  PARAMETER_KEYS,
  PROPERTY_KEYS,
  RELATION_KEYS,
  TYPE_KEYS,
  type KeyTable,
  type Values,
} from './keys.js';
import {
  named,
  type GrantModel,
  type MethodModel,
  type ParameterModel,
  type Parts,
  type SchemaModel,
  type TypeModel,
  type ViewModel,
} from './model.js';

/** Signs of a value that are shown. */
const SHOWN = 80;
/** Scripts and texts for people: that they differ is all that is said. */
const LONG: ReadonlySet<string> = new Set(['source', 'readFunction', 'writeFunction', 'description', 'summary']);

/** What has to be done to `a` so that it is `b`, a line each, in the order of names. */
export function compareSchemas(a: SchemaModel, b: SchemaModel): string[] {
  return [
    ...lists('type', a.types, b.types, typeChanges),
    ...lists('relation', a.relations, b.relations, (one, other, place) => [
      ...changed('relation', place, values(RELATION_KEYS, one.values, other.values)),
      ...partChanges(one, other, place),
    ]),
    ...lists('function', a.functions, b.functions, (one, other, place) => methodChanges('function', one, other, place)),
  ];
}

interface Named {
  readonly name: string;
}

/** Differences of two lists; `both`: those of what is in both. */
function lists<T extends Named>(
  what: string,
  a: readonly T[],
  b: readonly T[],
  both: (one: T, other: T, place: string) => string[],
  owner = '',
): string[] {
  const [before, after] = [named(a), named(b)];
  const names = [...new Set([...before.keys(), ...after.keys()])].sort();
  return names.flatMap((name) => {
    const [one, other] = [before.get(name), after.get(name)];
    const place = owner === '' ? name : `${owner}.${name}`;
    if (one === undefined) return [`added ${what} ${place}`];
    if (other === undefined) return [`removed ${what} ${place}`];
    return both(one, other, place);
  });
}

const changed = (what: string, place: string, differences: readonly string[]): string[] =>
  differences.length === 0 ? [] : [`changed ${what} ${place}: ${differences.join('; ')}`];

function values(table: KeyTable, a: Values, b: Values): string[] {
  return differing(table, a, b).map(({ key }) => (LONG.has(key) ? key : `${key} ${shown(a[key])} → ${shown(b[key])}`));
}

function shown(value: Values[string] | undefined): string {
  if (value === undefined) return '(none)';
  const text = typeof value === 'object' ? value.join(', ') : String(value);
  const line = text.replace(/\s+/g, ' ');
  return line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
}

function typeChanges(a: TypeModel, b: TypeModel, place: string): string[] {
  const own = values(TYPE_KEYS, a.values, b.values);
  if (a.byNameOnly !== b.byNameOnly) own.push(b.byNameOnly ? 'has no object of its own' : 'has an object of its own');
  return [
    ...changed('type', place, own),
    ...partChanges(a, b, place),
    ...lists('grant', a.grants, b.grants, grantChanges, place),
  ];
}

function partChanges(a: Parts, b: Parts, place: string): string[] {
  return [
    ...lists(
      'property',
      a.properties,
      b.properties,
      (one, other, at) => changed('property', at, values(PROPERTY_KEYS, one.values, other.values)),
      place,
    ),
    ...lists('view', a.views, b.views, viewChanges, place),
    ...lists('method', a.methods, b.methods, (one, other, at) => methodChanges('method', one, other, at), place),
  ];
}

function viewChanges(a: ViewModel, b: ViewModel, place: string): string[] {
  const differences: string[] = [];
  const [before, after] = [a.keys.join(', '), b.keys.join(', ')];
  if (before !== after) differences.push(`keys ${shown(before)} → ${shown(after)}`);
  if (a.order !== b.order) differences.push(`order ${shown(a.order)} → ${shown(b.order)}`);
  return changed('view', place, differences);
}

function methodChanges(what: 'method' | 'function', a: MethodModel, b: MethodModel, place: string): string[] {
  const table = what === 'function' ? FUNCTION_KEYS : METHOD_KEYS;
  return [
    ...changed(what, place, values(table, a.values, b.values)),
    ...lists('parameter', a.parameters, b.parameters, parameterChanges, place),
  ];
}

function parameterChanges(a: ParameterModel, b: ParameterModel, place: string): string[] {
  const differences = values(PARAMETER_KEYS, a.values, b.values);
  if (a.index !== b.index) differences.push(`index ${String(a.index)} → ${String(b.index)}`);
  return changed('parameter', place, differences);
}

function grantChanges(a: GrantModel, b: GrantModel, place: string): string[] {
  const rights = ({ rights: all }: GrantModel): string => [...all].sort().join(', ');
  return rights(a) === rights(b) ? [] : changed('grant', place, [`${rights(a)} → ${rights(b)}`]);
}
