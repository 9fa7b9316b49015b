/** Parts of texts, looked for in a column: in the index of a property, which is some twenty times narrower than the rows. */
import { LONG_PART } from '../../../../shared/text-search.js';
import type { Predicate } from '../../query.js';
import { fold } from '../connection/functions.js';
import type { Part } from '../substrings/substrings.js';
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

const PLACES = { contains: 'within', startsWith: 'start', endsWith: 'end' } as const;

/** What the index of parts is asked for; undefined: something else serves. */
export function partOf(predicate: Predicate): Part | undefined {
  if (!isPart(predicate) || !isRarePart(predicate)) return undefined;
  const exactly = predicate.ignoreCase !== true;
  if (predicate.op === 'startsWith' && exactly) return undefined;
  return { text: predicate.value, place: PLACES[predicate.op], exactly };
}

/** That a value is a text with a part; of those that begin with it, only where case does not count: else that is a range. */
export function hasPart(value: Sql, { op, value: part, ignoreCase }: PartPredicate): Sql {
  if (op === 'startsWith') return sql`svc_starts_fold(${value},${fold(part)})`;
  if (op === 'endsWith') {
    return ignoreCase === true ? sql`svc_ends_fold(${value},${fold(part)})` : sql`svc_ends(${value},${part})`;
  }
  if (ignoreCase === true) return sql`svc_contains_fold(${value},${fold(part)})`;
  // SQLite compares the whole part at each place of the text.
  return part.length >= LONG_PART
    ? sql`svc_contains(${value},${part})`
    : sql`CASE WHEN typeof(${value})='text' THEN instr(${value},${part})>0 ELSE 0 END`;
}

/**
 * The same for a text in a column; undefined: the predicate asks for something else. Texts of ASCII alone, which the number of their bytes tells, are
 * compared by SQLite itself: a function of ours costs ten times as much.
 */
export function partCondition(column: Sql, predicate: Predicate): Sql | undefined {
  if (!isPart(predicate)) return undefined;
  const { op, value } = predicate;
  const ignoresCase = predicate.ignoreCase === true;
  if (!ignoresCase && op === 'startsWith') return undefined;
  const exactly = hasPart(column, predicate);
  if (!ignoresCase || value.length >= LONG_PART) return exactly;
  const wanted = fold(value);
  const isPlain = sql`octet_length(${column})=length(${column})`;
  let plain = FALSE_SQL;
  if (isPlainText(wanted)) {
    const part = wanted.replace(/[%_\\]/g, '\\$&');
    const pattern = `${op === 'startsWith' ? '' : '%'}${part}${op === 'endsWith' ? '' : '%'}`;
    plain = sql`${column} LIKE ${pattern} ESCAPE '\\'`;
  }
  return sql`CASE WHEN typeof(${column})<>'text' THEN 0 WHEN ${isPlain} THEN ${plain} ELSE ${exactly} END`;
}
