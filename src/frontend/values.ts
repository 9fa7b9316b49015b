/** Values of an action: what stands in the attributes of its element, or what they point to (docs/interface/pages.md 7.4). */
import { uploadFiles } from './upload.js';

export type Value = string | number | boolean | null | readonly Value[] | { readonly [key: string]: Value };

/** Where something has happened. */
export interface Place {
  readonly element: HTMLElement;
  /** What was dropped. */
  readonly dragged?: Value | undefined;
}

const CALL = /^\s*(css|name|id|json|data)\(([^]*)\)\s*$/;
/** Parameters of the page that an element is in. */
const OF_PAGE = /^request[A-Z_-]/;
const ITEM = '[data-repeater-data-object-id]';

/** Selector of the inputs that an attribute points to; undefined: it holds its value itself. */
function selectorOf(text: string): string | undefined {
  const [, kind, argument = ''] = CALL.exec(text) ?? [];
  switch (kind) {
    case 'css':
      return argument;
    case 'name':
      return `[name="${CSS.escape(argument)}"]`;
    case 'id':
      return `[data-svc-id="${CSS.escape(argument)}"]`;
    default:
      return undefined;
  }
}

/** Inputs that an attribute points to: those of the same item of a repeater, where it has some. */
export function inputsOf(text: string, element: Element): readonly HTMLElement[] {
  const selector = selectorOf(text);
  if (selector === undefined) return [];
  for (let item = element.closest(ITEM); item !== null; item = item.parentElement?.closest(ITEM) ?? null) {
    const found = [...(item.matches(selector) ? [item] : []), ...item.querySelectorAll(selector)];
    if (found.length > 0) return found as HTMLElement[];
  }
  return [...document.querySelectorAll<HTMLElement>(selector)];
}

/** What an attribute stands for; undefined: it is not sent. A promise where files have to be uploaded. */
export function valueOf(text: string, place: Place): Value | undefined | Promise<Value | undefined> {
  const [, kind, argument = ''] = CALL.exec(text) ?? [];
  if (kind === undefined) return text;
  if (kind === 'json') return parsed(argument, text);
  if (kind === 'data') return draggedValue(place.dragged, argument);
  const inputs = inputsOf(text, place.element);
  if (inputs.length === 0) return null;
  const values = inputs.map(inputValue);
  const isWaiting = values.some((value) => value instanceof Promise);
  return isWaiting ? later(values, inputs) : joined(values as (Value | undefined)[], inputs);
}

async function later(
  values: readonly (Value | undefined | Promise<Value>)[],
  inputs: readonly HTMLElement[],
): Promise<Value | undefined> {
  const all: (Value | undefined)[] = [];
  for (const value of values) all.push(await value);
  return joined(all, inputs);
}

function parsed(json: string, otherwise: string): Value {
  try {
    return JSON.parse(json) as Value;
  } catch {
    return otherwise;
  }
}

/** Of several inputs all values; of radio buttons the one that is chosen. */
function joined(values: readonly (Value | undefined)[], inputs: readonly HTMLElement[]): Value | undefined {
  if (inputs.length === 1) return values[0];
  const sent = values.filter((value) => value !== undefined);
  return inputs.every((one) => one instanceof HTMLInputElement && one.type === 'radio') ? sent[0] : sent;
}

function draggedValue(dragged: Value | undefined, key: string): Value | undefined {
  if (dragged === undefined || key === '') return dragged;
  if (typeof dragged !== 'object' || dragged === null || Array.isArray(dragged)) return undefined;
  return (dragged as { readonly [key: string]: Value })[key];
}

/** The value of one input as it is sent; undefined: it is not. */
export function inputValue(input: HTMLElement): Value | undefined | Promise<Value> {
  if (input instanceof HTMLInputElement) return fieldValue(input);
  if (input instanceof HTMLSelectElement && input.multiple) {
    return [...input.selectedOptions].map(({ value }) => value);
  }
  const value = 'value' in input ? input.value : input.textContent;
  return typeof value === 'string' && value !== '' ? value : null;
}

function fieldValue(input: HTMLInputElement): Value | undefined | Promise<Value> {
  const { type, value, checked } = input;
  if (type === 'file') return uploadFiles(input);
  if (type === 'checkbox' || type === 'radio') {
    if (!input.hasAttribute('value')) return checked;
    return checked ? value : undefined;
  }
  if (value === '') return null;
  return type === 'datetime-local' ? new Date(value).toISOString() : value;
}

/** All values of an element by their keys, and the one it has itself, being an input with a name. */
export async function valuesOf(place: Place): Promise<Record<string, Value>> {
  const values: Record<string, Value> = {};
  for (const [key, text] of Object.entries(place.element.dataset)) {
    // It is for parts that are loaded, and long.
    if (key === 'svcRenderState' || text === undefined) continue;
    // What the address of the page says is a text, whatever it looks like.
    const value = OF_PAGE.test(key) ? text : await valueOf(text, place);
    if (value !== undefined) values[key] = value;
  }
  const name = place.element.getAttribute('name');
  if (name !== null && name !== '' && 'value' in place.element) {
    const own = await inputValue(place.element);
    if (own !== undefined) values[name] = own;
  }
  return values;
}
