/** Parts of texts, looked for in a column: in the index of a property, which is some twenty times narrower than the rows. */
import { LONG_PART } from '../../../../shared/text-search.js';
import type { Predicate } from '../../query.js';
import { fold } from '../connection/functions.js';
import { FALSE_SQL, type Sql, sql } from '../connection/sql.js';

type PartPredicate = Extract<Predicate, { op: 'contains' | 'startsWith' | 'endsWith' }>;

/** Parts of fewer characters are in too many texts for gathering those to pay. */
const SHORTEST = 3;
/** Whether LIKE compares a text as `fold` leaves it: it is ASCII, and has no end within. */
function isPlainText(text: string): boolean {
  return Buffer.byteLength(text) === text.length && !text.includes('\0');
}

function isPart(predicate: Predicate): predicate is PartPredicate {
  return predicate.op === 'contains' || predicate.op === 'startsWith' || predicate.op === 'endsWith';
}

/** Whether looking through an index for all texts with such a part is a good way in. */
export function isRarePart(predicate: Predicate): boolean {
  return isPart(predicate) && predicate.value.length >= SHORTEST;
}

/**
 * That a text in a column has a part; undefined: the predicate asks for something else. Texts of ASCII alone, which the number of their bytes tells, are
 * compared by SQLite itself: a function of ours costs ten times as much.
 */
export function partCondition(column: Sql, predicate: Predicate): Sql | undefined {
  if (!isPart(predicate)) return undefined;
  const { op, value } = predicate;
  const ignoresCase = predicate.ignoreCase === true;
  if (!ignoresCase && op === 'contains') {
    if (value.length >= LONG_PART) return sql`svc_contains(${column},${value})`;
    return sql`CASE WHEN typeof(${column})='text' THEN instr(${column},${value})>0 ELSE 0 END`;
  }
  if (!ignoresCase) return op === 'endsWith' ? sql`svc_ends(${column},${value})` : undefined;
  const wanted = fold(value);
  const name = { contains: 'svc_contains_fold', startsWith: 'svc_starts_fold', endsWith: 'svc_ends_fold' }[op];
  const exactly = sql`${{ text: name, params: [] }}(${column},${wanted})`;
  if (value.length >= LONG_PART) return exactly;
  const isPlain = sql`octet_length(${column})=length(${column})`;
  let plain = FALSE_SQL;
  if (isPlainText(wanted)) {
    const part = wanted.replace(/[%_\\]/g, '\\$&');
    const pattern = `${op === 'startsWith' ? '' : '%'}${part}${op === 'endsWith' ? '' : '%'}`;
    plain = sql`${column} LIKE ${pattern} ESCAPE '\\'`;
  }
  return sql`CASE WHEN typeof(${column})<>'text' THEN 0 WHEN ${isPlain} THEN ${plain} ELSE ${exactly} END`;
}
