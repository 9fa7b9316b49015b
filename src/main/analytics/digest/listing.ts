/** The events themselves, as JSON, CSV or a line of JSON each (docs/interface/analytics.md 3, 8). */
import { dateFormatter, datePattern, DEFAULT_DATE_PATTERN, TimeZone } from '../../../shared/dates/index.js';
import type { Digester, Stored } from '../../../shared/digest.js';
import { eventOf, type LoggedEvent } from './event.js';
import type { Listing } from './question.js';
import { Selected } from './selected.js';

const COLUMNS = ['id', 'timestamp', 'action', 'subject', 'object', 'message'] as const;
/** Ends the events of a list; the number of all of them follows. */
export const COUNT_MARK = '\u0000';

export class List implements Digester {
  readonly #selected: Selected;
  readonly #time: (instant: number) => string;
  #count = 0;
  #written = 0;

  constructor(
    private readonly asked: Listing,
    check: () => void,
  ) {
    this.#selected = new Selected(asked, check);
    this.#time = timeFormatter(asked.zone);
  }

  take(query: number, id: string, properties: Stored): string {
    const event = eventOf(id, properties);
    if (query < this.#selected.before) {
      this.#selected.refer(event);
      return '';
    }
    if (!this.#selected.takes(event)) return '';
    const place = this.#count++;
    if (place < this.asked.offset || this.#written >= this.asked.limit) return '';
    const first = this.#written++ === 0;
    switch (this.asked.form) {
      case 'csv':
        return (first ? HEADING : '') + this.#csv(event);
      case 'ndjson':
        return `${JSON.stringify({ id, ...this.#shown(event) })}\n`;
      default:
        return this.#json(event, first);
    }
  }

  /** How many there are goes with a list as JSON, behind it. */
  *end(): Iterable<string> {
    if (this.asked.form === 'csv' && this.#written === 0) yield HEADING;
    if (this.asked.form === 'json') yield `${COUNT_MARK}${String(this.#written)} ${String(this.#count)}`;
  }

  #shown({ subject, object, action, timestamp, message }: LoggedEvent): Record<string, string | null> {
    const time = timestamp === undefined ? null : this.#time(timestamp);
    return {
      subject: subject ?? null,
      object: object ?? null,
      action: action ?? null,
      timestamp: time,
      message: message ?? null,
    };
  }

  #json(event: LoggedEvent, first: boolean): string {
    const { indent } = this.asked;
    const text = JSON.stringify(this.#shown(event), undefined, indent ? '\t' : undefined);
    // Line ends within texts are escaped: these are those between keys.
    return (first ? '' : ',') + (indent ? `\n${text}`.replace(/\n/g, '\n\t\t') : text);
  }

  #csv(event: LoggedEvent): string {
    const values: Record<string, string | null> = { id: event.id, ...this.#shown(event) };
    return `${COLUMNS.map((column) => quoted(values[column] ?? '')).join(',')}\r\n`;
  }
}

const HEADING = `${COLUMNS.join(',')}\r\n`;

/** As RFC 4180 has it. */
function quoted(text: string): string {
  return /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replace(/"/g, '""')}"` : text;
}

/** Times as the interface writes them, in a zone. */
export function timeFormatter(zone: string): (instant: number) => string {
  return dateFormatter(datePattern(DEFAULT_DATE_PATTERN), TimeZone.of(zone) ?? TimeZone.utc);
}
