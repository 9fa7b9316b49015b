/**
 * Plans of lists, by what was asked for: to make one, with its statements, costs more than all else of a page whose keys were found before.
 * What a plan relies on (counts, names, indexes) is of one state, so that all are forgotten with each commit.
 */
import type { NodeQuery, Predicate } from '../../query.js';
import type { ScalarValue } from '../../types.js';
import type { Step } from '../../access.js';
import type { Plan } from './plan.js';

const MOST = 500;
/** Values and characters of a name, beyond which a query is not looked for: it would cost as much as its plan. */
const MOST_VALUES = 50;
const LONGEST = 2000;

export class KnownPlans {
  readonly #plans = new Map<string, Plan>();
  readonly #numbers = new WeakMap<object, number>();
  #count = 0;
  #state = '';

  /** The plan of a query in this state, else what `make` makes. */
  of(query: NodeQuery, state: string, make: () => Plan): Plan {
    const name = this.#nameOf(query);
    if (name === undefined) return make();
    if (state !== this.#state || this.#plans.size >= MOST) {
      this.#plans.clear();
      this.#state = state;
    }
    let plan = this.#plans.get(name);
    if (plan === undefined) this.#plans.set(name, (plan = make()));
    return plan;
  }

  /** The same for what is the same only; undefined: it is not looked for. */
  #nameOf({ from, where, types, access, sort = [], offset = 0, limit = -1 }: NodeQuery): string | undefined {
    // Pages of a type have keys of their own (reading/prompt.ts).
    if (from === undefined && where === undefined) return undefined;
    const asked = where === undefined ? '' : this.#predicate(where);
    if (asked === undefined || asked.length > LONGEST) return undefined;
    let name = `${String(this.#number(types))} ${String(this.#number(access))} ${String(offset)} ${String(limit)} ${asked}`;
    if (from !== undefined) name += ` from ${this.#step(from.step)}${text(from.id)}`;
    for (const { key, descending = false } of sort) name += `${descending ? '-' : '+'}${text(key)}`;
    return name;
  }

  #predicate(asked: Predicate): string | undefined {
    switch (asked.op) {
      case 'and':
      case 'or': {
        let name = `${asked.op}(`;
        for (const term of asked.terms) {
          const one = this.#predicate(term);
          if (one === undefined || name.length > LONGEST) return undefined;
          name += `${one},`;
        }
        return `${name})`;
      }
      case 'not': {
        const term = this.#predicate(asked.term);
        return term === undefined ? undefined : `not(${term})`;
      }
      case 'equals':
        return `=${text(asked.key)}${value(asked.value)}${asked.orNull === true ? '?' : ''}`;
      case 'in':
        return asked.values.length > MOST_VALUES
          ? undefined
          : `in${text(asked.key)}${asked.values.map(value).join('')}`;
      case 'isNull':
      case 'isEmpty':
        return `${asked.op}${text(asked.key)}`;
      case 'range': {
        const { key, from, to, fromExclusive = false, toExclusive = false } = asked;
        const bounds = `${from === undefined ? '' : value(from)}..${to === undefined ? '' : value(to)}`;
        return `range${text(key)}${bounds}${String(fromExclusive)}${String(toExclusive)}`;
      }
      case 'relatedNone':
        return `none ${this.#step(asked.step)}`;
      case 'relatedAll':
      case 'relatedExactly':
        return asked.ids.length > MOST_VALUES
          ? undefined
          : `${asked.op} ${this.#step(asked.step)}${asked.ids.map(text).join('')}`;
      case 'relatedSome': {
        const where = this.#predicate(asked.where);
        return where === undefined ? undefined : `some ${this.#step(asked.step)}(${where})`;
      }
      default:
        // Plans of parts of texts have the keys in them that memory has found.
        return undefined;
    }
  }

  #step({ relType, direction, types, access }: Step): string {
    return `${text(relType)}${direction} ${String(this.#number(types))} ${String(this.#number(access))} `;
  }

  /** Lists of types and rules of access stay what they are: the same one is the same thing. */
  #number(thing: object | undefined): number {
    if (thing === undefined) return 0;
    let number = this.#numbers.get(thing);
    if (number === undefined) this.#numbers.set(thing, (number = ++this.#count));
    return number;
  }
}

/** The length keeps two texts from reading as one other. */
function text(of: string): string {
  return `${String(of.length)}:${of}`;
}

function value(of: ScalarValue): string {
  if (typeof of === 'string') return text(of);
  return `${typeof of} ${Object.is(of, -0) ? '-0' : String(of)};`;
}
