/** Nodes whose text at a key may have a part, from an index of parts. What is compared exactly is a condition of the whole query. */
import type { Predicate } from '../../query.js';
import { LONG } from '../connection/codec.js';
import { COMMON, labels, propertyName, quoted } from '../connection/names.js';
import { listed, type Parameters } from '../connection/statement.js';
import type { Knowledge } from './knowledge.js';
import { variantsOf } from './part-variants.js';

/** Nodes that are gathered for a page; of a part that is in more texts, pages are found by walking. */
export const GATHERED = 1000;

export interface Part {
  readonly key: string;
  /** Ways of writing of which one is in the text. */
  readonly variants: readonly string[];
}

/** The first of the terms that an index of parts serves. */
export function partAmong(terms: readonly Predicate[], knowledge: Knowledge): Part | undefined {
  for (const term of terms) {
    if (term.op !== 'contains' && term.op !== 'startsWith' && term.op !== 'endsWith') continue;
    const variants = variantsOf(term.value, term.ignoreCase === true);
    if (variants !== undefined && knowledge.parts?.(term.key) === true) return { key: term.key, variants };
  }
  return undefined;
}

/** `CALL { ... }` that gives each candidate once, at most so many. */
export function candidates({ key, variants }: Part, types: readonly string[], params: Parameters, most = ''): string {
  const name = propertyName(key);
  const long = LONG + name;
  const byPart =
    `UNWIND ${params.bind(listed(variants))}.all AS part ` +
    `MATCH (n:${COMMON}) WHERE n.${quoted(name)} CONTAINS part RETURN n`;
  // Long texts are cut in the property that the index is on. There are hardly ever any; then no node has that name.
  const byLong =
    `CALL db.propertyKeys() YIELD propertyKey WITH propertyKey WHERE propertyKey = ${params.bind(long)} ` +
    `WITH count(*) AS longs WHERE longs > 0 MATCH (n:${labels(types)}) WHERE n.${quoted(long)} IS NOT NULL RETURN n`;
  return `CALL { ${byPart} UNION ${byLong} } WITH n${most}`;
}
