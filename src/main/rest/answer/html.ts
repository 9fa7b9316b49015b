/** The result as a tree a person can read in a browser (docs/interface/rest.md 2.2, `Accept` with `text/html`). */
import { escapeMarkup } from '../../../shared/escape-markup.js';
import { parseJson, type JsonValue } from '../../../shared/json/index.js';

/** Results beyond this are sent as JSON after all: a browser has no use for a tree of that size. */
export const HTML_LIMIT = 1024 * 1024;

const UUID = /^[a-fA-F0-9]{32}$/;

function scalar(value: string | number | bigint | boolean | null): string {
  if (typeof value === 'string' && UUID.test(value)) return `<a href="/svc/rest/${value}/all">${value}</a>`;
  return `<code>${escapeMarkup(typeof value === 'string' ? value : String(value))}</code>`;
}

function tree(value: JsonValue): string {
  if (value === null || typeof value !== 'object') return scalar(value);
  const entries: [string, JsonValue][] = Array.isArray(value)
    ? value.map((v, i) => [String(i), v])
    : Object.entries(value);
  if (entries.length === 0) return `<code>${Array.isArray(value) ? '[]' : '{}'}</code>`;
  return `<ul>${entries.map(([key, v]) => `<li><b>${escapeMarkup(key)}</b> ${tree(v)}</li>`).join('')}</ul>`;
}

/** An HTML page without script for an envelope's JSON text. */
export async function htmlPage(path: string, json: string): Promise<string> {
  const title = escapeMarkup(path);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title></head>
<body><h1>${title}</h1>${tree(await parseJson(json, { restArrays: false, maxDepth: 1024 }))}</body></html>
`;
}
