/** Turns an address into coordinates through a configured web service (contract, request parameters `_street` ...). */
import { RestError } from '../errors.js';
import type { Point } from './point.js';

export interface Address {
  readonly location?: string;
  readonly street?: string;
  readonly house?: string;
  readonly postalCode?: string;
  readonly city?: string;
  readonly state?: string;
  readonly country?: string;
}

const MAX_ANSWER = 1024 * 1024;

export class Geocoder {
  constructor(
    /** URL with `{address}` or single fields such as `{city}`; `{language}` and `{apikey}` are filled in too. */
    private readonly template: string,
    private readonly language: string,
    private readonly apiKey: string,
    /** Milliseconds for one look-up. */
    private readonly timeout: number,
  ) {}

  /** The point of an address; undefined when the service knows none. Throws `RestError` 503 when it does not answer. */
  async find(address: Address): Promise<Point | undefined> {
    const whole =
      address.location ??
      [[address.street, address.house], [address.postalCode, address.city], [address.state], [address.country]]
        .map((parts) => parts.filter((p) => p !== undefined && p !== '').join(' '))
        .filter((p) => p !== '')
        .join(', ');
    const fields: Readonly<Record<string, string | undefined>> = {
      ...address,
      address: whole,
      language: this.language,
      apikey: this.apiKey,
    };
    const url = this.template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(fields[name] ?? ''));
    let parsed: unknown;
    try {
      const response = await fetch(url, {
        signal: AbortSignal.timeout(this.timeout),
        headers: { accept: 'application/json' },
      });
      if (!response.ok) throw new Error(`it answered ${String(response.status)}`);
      const text = await response.text();
      if (text.length > MAX_ANSWER) throw new Error('its answer is too large');
      parsed = JSON.parse(text);
    } catch (error) {
      // The URL may hold the key and is left out.
      const reason = error instanceof Error ? error.message : 'unknown error';
      throw new RestError(503, `The geocoder did not answer: ${reason}`, [], { 'Retry-After': '5' });
    }
    // Not at start: few services have a geocoder, and zod is a hundred modules.
    const { pointIn } = await import('./geocoder-answer.js');
    return pointIn(parsed);
  }
}
