/** What stands around a result (contract, Result envelope; docs/interface/lists.md 2.1), in its order. */
import type { CountResult } from '../../graph/index.js';
import { PreparedHeaders } from '../../http/index.js';
import { jsonText, newlineOf } from '../../schema/index.js';

export const JSON_HEADERS = new PreparedHeaders({ 'Content-Type': 'application/json;charset=utf-8' });

/** Counts that end the envelope. */
export interface Totals {
  readonly count: CountResult;
  /** Time spent counting, milliseconds. */
  readonly countTime: number;
}

/** What is said behind a result; times in milliseconds. */
export interface Closing {
  readonly page: { readonly page: number; readonly size: number } | undefined;
  /** Left out for anything but GET. */
  readonly queryTime: number | undefined;
  /** The limit that has cut the result. */
  readonly softLimit: number | undefined;
  readonly totals: Totals | undefined;
  readonly serializationTime: number;
}

const ZERO = '"0.000000000"';

/** Milliseconds as the envelope writes times: seconds with nine decimals. */
function seconds(milliseconds: number): string {
  if (milliseconds === 0) return ZERO;
  // Whole numbers are much quicker to write.
  return milliseconds > 0 && milliseconds < 999
    ? `"0.${String(Math.round(milliseconds * 1e6)).padStart(9, '0')}"`
    : `"${(milliseconds / 1000).toFixed(9)}"`;
}

/** The text in front of a result. */
export function openingOf(indent: boolean): string {
  return indent ? '{\n\t"result": ' : '{"result":';
}

/** The text behind a result. */
export function closingOf(indent: boolean, { page, queryTime, softLimit, totals, serializationTime }: Closing): string {
  const key = indent ? ',\n\t"' : ',"';
  const is = indent ? '": ' : '":';
  let text = '';
  if (page !== undefined) text += `${key}page${is}${String(page.page)}${key}page_size${is}${String(page.size)}`;
  if (queryTime !== undefined) text += `${key}query_time${is}${seconds(queryTime)}`;
  if (softLimit !== undefined) text += `${key}info${is}${infoOf(softLimit)}`;
  if (totals?.count.exact === true) {
    const { count } = totals.count;
    const pages = page === undefined ? Math.min(count, 1) : page.size > 0 ? Math.ceil(count / page.size) : 0;
    text += `${key}result_count${is}${String(count)}${key}page_count${is}${String(pages)}`;
    text += `${key}result_count_time${is}${seconds(totals.countTime)}`;
  }
  return `${text}${key}serialization_time${is}${seconds(serializationTime)}${newlineOf(indent, 0)}}\n`;
}

/** Said when the soft limit cut the result. */
function infoOf(softLimit: number): string {
  return jsonText({
    message: 'The result may be larger: it was cut at the soft limit.',
    limit: softLimit,
    result_size: softLimit,
    hint: 'Use _pageSize and _page, or _disableSoftLimit; the limit is the setting database.result.softlimit.',
  });
}
