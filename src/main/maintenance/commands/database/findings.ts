/** What was found of data without a schema: types, and of their keys what kinds of values they have. */
import type { ScalarValue } from '../../../graph/index.js';

/** What is looked for of a value; others than these have no property type. */
export type FoundValue = ScalarValue | readonly ScalarValue[] | undefined;

const INT = 2 ** 31;

/** The values of one type. */
class Keys {
  /** Property type by key; undefined: there is none. */
  readonly keys = new Map<string, string | undefined>();

  add(key: string, value: FoundValue): void {
    if (!this.keys.has(key)) this.keys.set(key, propertyTypeOf(value));
    else this.keys.set(key, common(this.keys.get(key), propertyTypeOf(value)));
  }
}

class Relation extends Keys {
  constructor(
    /** Its type in the schema, where it has had one. */
    readonly type: string | undefined,
    readonly relType: string,
    readonly source: string,
    readonly target: string,
  ) {
    super();
  }
}

export class Findings {
  readonly types = new Map<string, Keys>();
  readonly relations = new Map<string, Relation>();

  type(name: string): Keys {
    let keys = this.types.get(name);
    if (keys === undefined) this.types.set(name, (keys = new Keys()));
    return keys;
  }

  relation(type: string | undefined, relType: string, source: string, target: string): Relation {
    const name = JSON.stringify([type, relType, source, target]);
    let relation = this.relations.get(name);
    if (relation === undefined) this.relations.set(name, (relation = new Relation(type, relType, source, target)));
    return relation;
  }
}

function propertyTypeOf(value: FoundValue): string | undefined {
  if (typeof value === 'object') {
    const elements = value.map(propertyTypeOf);
    const element = elements.length === 0 ? 'String' : elements.reduce(common);
    return element === undefined ? undefined : `${element}Array`;
  }
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'boolean':
      return 'Boolean';
    case 'bigint':
      return 'Long';
    case 'number':
      if (!Number.isInteger(value)) return 'Double';
      return value >= -INT && value < INT ? 'Integer' : 'Long';
    default:
      return undefined;
  }
}

const NUMBERS = ['Integer', 'Long', 'Double'];

/** A type that holds values of both; texts hold all, once they are converted (`fixNodeProperties`). */
function common(a: string | undefined, b: string | undefined): string | undefined {
  if (a === b || a === undefined || b === undefined) return a === b ? a : undefined;
  const [isList, other] = [a.endsWith('Array'), b.endsWith('Array')];
  const [one, two] = [a.replace(/Array$/, ''), b.replace(/Array$/, '')];
  const [i, j] = [NUMBERS.indexOf(one), NUMBERS.indexOf(two)];
  const scalar = i >= 0 && j >= 0 ? NUMBERS[Math.max(i, j)] : one === two ? one : 'String';
  return isList || other ? `${scalar ?? 'String'}Array` : scalar;
}
