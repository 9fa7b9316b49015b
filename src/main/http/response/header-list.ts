import { checkHeader } from './response-head.js';

/** What `parseHeaderList` makes of a text. */
export interface HeaderList {
  readonly headers: Readonly<Record<string, string>>;
  /** Why pairs were left out; one line each. */
  readonly problems: readonly string[];
}

/** These belong to single responses; for all of them they would be wrong or break the framing. */
const NOT_FOR_ALL = new Set(['content-length', 'content-encoding', 'content-type', 'set-cookie', 'location']);
const SHOWN = 80;

/**
 * Reads `name:value, name:value` (`htmlservlet.customresponseheaders`). A pair that makes no sense is left out. Values
 * may hold further colons, but no commas.
 */
export function parseHeaderList(text: string): HeaderList {
  const headers: Record<string, string> = {};
  const seen = new Map<string, string>();
  const problems: string[] = [];
  for (const pair of text.split(',')) {
    if (pair.trim() === '') continue;
    const at = pair.indexOf(':');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    const value = pair.slice(at + 1).trim();
    const problem = at < 0 ? 'there is no colon in it' : problemOf(name, value);
    if (problem !== undefined) {
      problems.push(`left out the response header '${pair.trim().slice(0, SHOWN)}': ${problem}`);
      continue;
    }
    const lower = name.toLowerCase();
    const earlier = seen.get(lower);
    if (earlier !== undefined) problems.push(`the response header '${name}' is given twice, the later one counts`);
    if (earlier !== undefined) headers[earlier] = value;
    else {
      seen.set(lower, name);
      headers[name] = value;
    }
  }
  return { headers, problems };
}

function problemOf(name: string, value: string): string | undefined {
  if (value === '') return 'it has no value';
  if (NOT_FOR_ALL.has(name.toLowerCase())) return 'this header differs from response to response';
  return checkHeader(name, value);
}
