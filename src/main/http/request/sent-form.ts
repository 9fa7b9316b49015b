/** Forms that are sent to pages, and to files that are templates: their fields are parameters of the request (docs/interface/pages.md 2.7). */
import { HttpError } from '../errors.js';
import type { Exchange } from '../exchange.js';
import { readMultipart, type MultipartLimits } from './multipart.js';

/** Bytes of a body. */
const LIMIT = 1024 * 1024;
const MOST_FIELDS = 1000;
const ENCODED = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;
const MULTIPART = /^multipart\/form-data\s*(?:;|$)/i;
const LIMITS: MultipartLimits = {
  bodySize: LIMIT,
  fieldSize: LIMIT,
  fieldsSize: LIMIT,
  parts: MOST_FIELDS,
  filesAtOnce: 1,
};

/** In their order; a name may come several times. */
export type SentFields = readonly (readonly [name: string, value: string])[];

/** Whether a request brings a form. */
export function bringsForm(exchange: Exchange): boolean {
  if (exchange.method !== 'POST') return false;
  const type = exchange.header('content-type');
  return ENCODED.test(type) || MULTIPART.test(type);
}

/** The fields of the form that a request brings, in its order. Throws `HttpError` 400, 413, 415. */
export async function sentFields(exchange: Exchange): Promise<SentFields> {
  const fields: (readonly [string, string])[] = [];
  if (MULTIPART.test(exchange.header('content-type'))) {
    await readMultipart(exchange, LIMITS, {
      field: (name, value) => {
        fields.push([name, value]);
      },
      file: () => Promise.reject(new HttpError(415, 'Pages take no files: they are sent to /svc/upload.')),
    });
  } else {
    const text = (await exchange.readBody(LIMIT)).toString();
    // Each field but the last ends with one: counted before they are made.
    if (separatorsIn(text) >= MOST_FIELDS)
      throw new HttpError(413, `The form has more than ${String(MOST_FIELDS)} fields.`);
    fields.push(...new URLSearchParams(text));
  }
  exchange.bodyDone();
  return fields;
}

function separatorsIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('&'); at >= 0; at = text.indexOf('&', at + 1)) count++;
  return count;
}
