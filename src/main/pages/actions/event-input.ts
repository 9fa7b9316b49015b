/** What a request of an event says (docs/interface/pages.md 7.3). */
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { GraphNode } from '../../graph/index.js';

/** What the browser's script sends beside the values. */
const CONTROL: ReadonlySet<string> = new Set(['htmlEvent', 'childId', 'sourceObject', 'sourceProperty']);
/** What it says of the action, and of where in a page the element is. */
const OF_SCRIPT = /^svc[A-Z]/;
const OF_PLACE = /^(?:currentObjectId|repeaterDataObjectId|request[A-Z_-].*)$/;

export interface EventInput {
  /** Values for the action. */
  readonly data: JsonObject;
  /** Texts of control, by their keys; blank ones are not there. */
  readonly control: ReadonlyMap<string, string>;
}

/** `declared`: names of the parameters of the mapping, which are values whatever they look like. */
export function eventInput(body: JsonObject, declared: ReadonlySet<string>): EventInput {
  const data = Object.create(null) as JsonObject;
  const control = new Map<string, string>();
  for (const key of Object.keys(body)) {
    const value = body[key] ?? null;
    if (CONTROL.has(key) || OF_SCRIPT.test(key)) {
      const text = controlText(value);
      if (text !== '') control.set(key, text);
    } else if (declared.has(key) || !OF_PLACE.test(key)) data[key] = value;
  }
  return { data, control };
}

/** Objects that were dragged here stand for their ids. */
function controlText(value: JsonValue): string {
  if (typeof value === 'string') return value.trim();
  if (Array.isArray(value)) return value.map(controlText).join(',');
  if (typeof value === 'object' && value !== null && typeof value['id'] === 'string') return value['id'].trim();
  return '';
}

/** What a mapping says by itself, whoever asks; undefined: it leaves it to a script in the page, or says nothing. */
export function fixedText(mapping: GraphNode, key: string): string | undefined {
  const value = mapping.properties[key];
  if (typeof value !== 'string' || value.trim() === '' || value.includes('${')) return undefined;
  return value.trim();
}
