/** What scripts that are evaluated on the loop may call: what answers by its arguments alone, soon, and changes nothing. */
import { isPrimitive, leave, LONGEST_TEXT, short, type Plain, type Primitive } from './plain-values.js';

type Method = (value: Plain, args: readonly Primitive[]) => Plain;
type Native = (...args: readonly unknown[]) => Primitive;

/** A method of the language; it is given nothing that could call code of a user. */
function native(prototype: object, name: string): Method {
  const method = Reflect.get(prototype, name) as Native;
  return (value, args) => short(Reflect.apply(method, value, args));
}

function natives(prototype: object, names: readonly string[]): [string, Method][] {
  return names.map((name) => [name, native(prototype, name)]);
}

/** With a longer text for each that is found the result could be of any length. */
function bounded(name: 'replace' | 'replaceAll'): Method {
  const replace = native(String.prototype, name);
  return (value, args) => {
    const [, by] = args;
    if (args.length !== 2 || typeof by !== 'string' || by.includes('$')) leave();
    return (value as string).length * (by.length + 1) > LONGEST_TEXT ? leave() : replace(value, args);
  };
}

const ofTexts: ReadonlyMap<string, Method> = new Map<string, Method>([
  ...natives(String.prototype, ['toUpperCase', 'toLowerCase', 'trim', 'trimStart', 'trimEnd', 'slice', 'substring']),
  ...natives(String.prototype, ['charAt', 'charCodeAt', 'at', 'includes', 'startsWith', 'endsWith', 'indexOf']),
  ['replace', bounded('replace')],
  ['replaceAll', bounded('replaceAll')],
  [
    'split',
    (value, [by, ...others]) => (typeof by === 'string' && others.length === 0 ? (value as string).split(by) : leave()),
  ],
]);

const ofNumbers: ReadonlyMap<string, Method> = new Map(natives(Number.prototype, ['toFixed']));

const ofLists: ReadonlyMap<string, Method> = new Map<string, Method>([
  ['includes', (value, args) => listOf(value).includes(args[0], Number(args[1] ?? 0))],
  ['indexOf', (value, args) => listOf(value).indexOf(args[0], Number(args[1] ?? 0))],
  [
    'join',
    (value, [by = ',']) => {
      const list = listOf(value);
      const between = String(by);
      let length = list.length * between.length;
      for (const one of list) length += typeof one === 'string' ? one.length : 0;
      return length > LONGEST_TEXT ? leave() : short(list.join(between));
    },
  ],
]);

function listOf(value: Plain): readonly Primitive[] {
  const list = value as readonly Plain[];
  return list.every(isPrimitive) ? list : leave();
}

/** The method that a value has. Throws `Left`. */
export function methodOf(value: Plain, name: string): Method {
  const methods =
    typeof value === 'string'
      ? ofTexts
      : typeof value === 'number'
        ? ofNumbers
        : Array.isArray(value)
          ? ofLists
          : undefined;
  return methods?.get(name) ?? leave();
}

const MATH: ReadonlySet<string> = new Set(['abs', 'ceil', 'floor', 'max', 'min', 'round', 'sign', 'trunc']);

/** `Math.round`, for example; undefined: it is not known here. */
export function functionOf(object: string, name: string): ((args: readonly Primitive[]) => Plain) | undefined {
  if (object !== 'Math' || !MATH.has(name)) return undefined;
  const method = Reflect.get(Math, name) as Native;
  return (args) => method(...args);
}
