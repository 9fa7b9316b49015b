/** Conditions of a request: whether what the client has is still good (RFC 9110, 13). */
import type { Exchange } from '../http/index.js';

/** What tells one state of a file from another. */
export interface Validators {
  /** A strong one, in quotes. */
  readonly etag: string;
  /** Whole seconds, in milliseconds since 1970. */
  readonly modified: number;
}

/** 304 when the client's copy is current, 412 when a condition fails, 200 when the file is to be sent. */
export function conditionOf(exchange: Exchange, { etag, modified }: Validators): 200 | 304 | 412 {
  const match = exchange.header('if-match');
  if (match !== '' && match.trim() !== '*' && !tags(match).includes(etag)) return 412;
  const unmodified = match === '' ? dateOf(exchange.header('if-unmodified-since')) : undefined;
  if (unmodified !== undefined && modified > unmodified) return 412;
  const noneMatch = exchange.header('if-none-match');
  if (noneMatch !== '') {
    // Weak comparison: the same content compressed on its way is the same.
    const same = noneMatch.trim() === '*' || tags(noneMatch).some((tag) => tag.replace(/^W\//, '') === etag);
    return same ? 304 : 200;
  }
  const since = dateOf(exchange.header('if-modified-since'));
  return since !== undefined && modified <= since ? 304 : 200;
}

/** Whether ranges are of the state that the client has the rest of. */
export function rangeHolds(exchange: Exchange, { etag, modified }: Validators): boolean {
  const condition = exchange.header('if-range').trim();
  if (condition === '') return true;
  if (condition.startsWith('"')) return condition === etag;
  return !condition.startsWith('W/') && dateOf(condition) === modified;
}

function tags(list: string): string[] {
  return list.match(/(?:W\/)?"[^"]*"/g) ?? [];
}

function dateOf(text: string): number | undefined {
  if (text === '') return undefined;
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time;
}
