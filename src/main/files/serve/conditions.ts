/** Conditions of a request: whether what the client has is still good (RFC 9110, 13). */
import { entityTags, hasState, type Exchange } from '../../http/index.js';

/** What tells one state of a file from another. */
export interface Validators {
  /** A strong one, in quotes. */
  readonly etag: string;
  /** Whole seconds, in milliseconds since 1970. */
  readonly modified: number;
}

/** The three forms of a date in a header (RFC 9110, 5.6.7). */
const DATE =
  /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$|^[A-Z][a-z]+day, \d\d-[A-Z][a-z]{2}-\d\d \d\d:\d\d:\d\d GMT$/;
const OLD_DATE = /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}$/;
/** What changed twice within a second has the same date both times (RFC 9110, 8.8.2.2). */
const UNSURE_MS = 1000;

/** 304 when the client's copy is current, 412 when a condition fails, 200 when the file is to be sent. */
export function conditionOf(exchange: Exchange, { etag, modified }: Validators): 200 | 304 | 412 {
  const match = exchange.header('if-match');
  if (match !== '' && match.trim() !== '*' && !entityTags(match).includes(etag)) return 412;
  const unmodified = match === '' ? dateOf(exchange.header('if-unmodified-since')) : undefined;
  if (unmodified !== undefined && modified > unmodified) return 412;
  const noneMatch = exchange.header('if-none-match');
  if (noneMatch !== '') return hasState(noneMatch, etag) ? 304 : 200;
  const since = dateOf(exchange.header('if-modified-since'));
  return since !== undefined && modified <= since ? 304 : 200;
}

/** Whether ranges are of the state that the client has the rest of. */
export function rangeHolds(exchange: Exchange, { etag, modified }: Validators): boolean {
  const condition = exchange.header('if-range').trim();
  if (condition === '') return true;
  if (condition.startsWith('"')) return condition === etag;
  return dateOf(condition) === modified && modified <= Date.now() - UNSURE_MS;
}

/** Undefined for what is no date: it is as if the header were not there. */
function dateOf(text: string): number | undefined {
  if (text === '') return undefined;
  const date = text.trim();
  const time = DATE.test(date) ? Date.parse(date) : OLD_DATE.test(date) ? Date.parse(`${date} GMT`) : NaN;
  return Number.isNaN(time) ? undefined : time;
}
