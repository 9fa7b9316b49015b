/** What of a query columns can answer. */
import { FLAG_KEYS, narrowed } from '../../access.js';
import type { ColumnDefinition } from '../../columns.js';
import type { NodeQuery } from '../../query.js';
import { conjuncts } from '../query/candidates.js';
import type { Plan } from '../query/plan.js';
import { raw } from '../connection/sql.js';
import type { SqlValue } from '../connection/values.js';
import { AGAIN, COVERED } from './state.js';

interface Select {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

/** Plain data, for the thread that answers. */
export interface ColumnQuery {
  readonly equals: readonly (readonly [key: string, value: string])[];
  /** Both included. */
  readonly from: number;
  readonly to: number;
  /** Bits of flags, one of which allows a row; whether rows without them are allowed, nodes tell. Undefined: all are allowed. */
  readonly flags: number | undefined;
  /** Whole rows that no segment covers. */
  readonly tail: Select;
  /** Those whose keys are in the table `column_again`. */
  readonly again: Select;
}

/** Undefined: it has to be answered from nodes. `compile` makes a plan that relies on nothing that may change. */
export function columnQuery(
  { kind, trait, types, where, access, ...others }: NodeQuery,
  definition: ColumnDefinition,
  compile: (query: NodeQuery) => Plan,
): ColumnQuery | undefined {
  if (others.from !== undefined || others.offset !== undefined || others.limit !== undefined) return undefined;
  if (types?.length !== definition.types.length || !types.every((type) => definition.types.includes(type))) {
    return undefined;
  }
  const equals: [string, string][] = [];
  let [from, to] = [-Infinity, Infinity];
  for (const term of conjuncts(where)) {
    if (term.op === 'equals' && definition.texts.includes(term.key) && typeof term.value === 'string') {
      if (term.orNull === true) return undefined;
      equals.push([term.key, term.value]);
    } else if (term.op === 'range' && term.key === definition.number) {
      const { from: least = -Infinity, to: most = Infinity } = term;
      if (typeof least !== 'number' || typeof most !== 'number') return undefined;
      if (term.fromExclusive === true || term.toExclusive === true) return undefined;
      from = Math.max(from, least);
      to = Math.min(to, most);
    } else return undefined;
  }
  const rule = narrowed(access, types);
  let flags: number | undefined;
  if (rule !== undefined) {
    if (rule.keys.length === 0 || rule.keysIgnoredFor?.some((type) => types.includes(type)) === true) return undefined;
    flags = rule.keys.reduce((bits, key) => bits | (1 << FLAG_KEYS.indexOf(key)), 0);
  }
  const plan = compile({
    kind,
    types,
    ...(trait === undefined ? {} : { trait }),
    ...(where === undefined ? {} : { where }),
    ...(access === undefined ? {} : { access }),
  });
  const all = { offset: 0, limit: -1 };
  const tail = plan.rows({ ...all, slice: { above: raw(COVERED), upTo: Number.MAX_SAFE_INTEGER } });
  const again = plan.rows({ ...all, among: raw(AGAIN) });
  return {
    equals,
    from,
    to,
    flags,
    tail: { sql: tail.text, params: tail.params },
    again: { sql: again.text, params: again.params },
  };
}
