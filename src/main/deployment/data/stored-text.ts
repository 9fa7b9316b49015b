/**
 * Entries of a data export made of stored text without reading it as values: most texts only have to be cut and put in order, which takes a fifth of
 * the time. What is not so simple goes by `entryText`; both write the same (docs/interface/deployment.md 4.2).
 */
import type { JsonObject } from '../../../shared/json/index.js';
import type { PropertyMap } from '../../graph/index.js';
import { prettyJson } from '../tree/json-styles.js';
import { entryText } from './entry-text.js';

/** Something is escaped, here or in the export, or JSON has no such number. */
const PECULIAR = /[\\<>&='\u2028\u2029]|9e999/;
/** Combinations of keys that are remembered. */
const MOST = 10_000;

const enum Char {
  Quote = 0x22,
  Open = 0x5b,
}

/** The keys of a text up to here. */
interface Step {
  readonly keys: readonly string[];
  readonly next: Map<string, Step>;
  /** Key and step that followed last: mostly they do again. */
  likely: { readonly key: string; readonly step: Step } | undefined;
  layout: Layout | undefined;
}

/** What stands before each value, and which value that is: those of the text, then the members. */
interface Layout {
  readonly before: readonly string[];
  readonly values: readonly number[];
}

/** Members that stand beside the stored values of an entry, as JSON; lines after the first of one are indented by two. */
export type MemberTexts = Readonly<Record<string, string>>;

export class StoredTexts {
  readonly #members: readonly string[];
  #first = newStep([]);
  #steps = 0;

  /** `decode` reads properties that are stored. */
  constructor(
    members: readonly string[],
    private readonly decode: (text: string) => PropertyMap,
  ) {
    this.#members = members;
  }

  /** `said`: the members in the order that was told. */
  entry(text: string, said: readonly string[]): string {
    const values: string[] = [];
    const step = text.startsWith('{') && !PECULIAR.test(text) ? this.#cut(text, values) : undefined;
    if (step === undefined) return this.#read(text, said);
    const { before, values: order } = (step.layout ??= this.#layout(step.keys));
    for (const one of said) values.push(one);
    let entry = '';
    for (let i = 0; i < order.length; i++) entry += (before[i] ?? '') + (values[order[i] ?? 0] ?? '');
    return `${entry}\n}`;
  }

  #read(text: string, said: readonly string[]): string {
    const more = Object.fromEntries(this.#members.map((name, i) => [name, JSON.parse(said[i] ?? 'null') as unknown]));
    return entryText(this.decode(text), more as JsonObject);
  }

  /** Takes the values out of a text; undefined: it is not so simple. */
  #cut(text: string, values: string[]): Step | undefined {
    const end = text.length - 1;
    let step = this.#first;
    let at = 1;
    while (at < end) {
      const { likely } = step;
      if (likely !== undefined && text.startsWith(likely.key, at)) {
        at += likely.key.length;
        step = likely.step;
      } else {
        const colon = text.indexOf('":', at + 1);
        if (colon < 0) return undefined;
        const key = text.slice(at, colon + 2);
        at = colon + 2;
        step = this.#follow(step, key);
      }
      const first = text.charCodeAt(at);
      let behind: number;
      if (first === Char.Quote) behind = text.indexOf('"', at + 1) + 1;
      else if (first === Char.Open) behind = endOfList(text, at);
      else behind = text.indexOf(',', at);
      if (behind <= 0) behind = end;
      values.push(first === Char.Open ? listText(text.slice(at, behind)) : text.slice(at, behind));
      at = behind + 1;
    }
    return step;
  }

  #follow(step: Step, key: string): Step {
    let next = step.next.get(key);
    if (next === undefined) {
      next = newStep([...step.keys, key]);
      if (++this.#steps > MOST) {
        this.#first = newStep([]);
        this.#steps = 0;
      } else step.next.set(key, next);
    }
    step.likely = { key, step: next };
    return next;
  }

  /** Members go before values of the same name. */
  #layout(texts: readonly string[]): Layout {
    const names = texts.map((text) => text.slice(1, -2));
    const all = new Map(names.map((name, i) => [name, i]));
    for (const [i, name] of this.#members.entries()) all.set(name, names.length + i);
    const keys = [...all.keys()].sort();
    return {
      before: keys.map((key, i) => `${i === 0 ? '{\n  ' : ',\n  '}${prettyJson(key)}: `),
      values: keys.map((key) => all.get(key) ?? 0),
    };
  }
}

function newStep(keys: readonly string[]): Step {
  return { keys, next: new Map(), likely: undefined, layout: undefined };
}

/** Behind the bracket of a list of scalars. */
function endOfList(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const bracket = text.indexOf(']', at);
    if (quote < 0 || bracket < quote) return bracket + 1;
    at = text.indexOf('"', quote + 1) + 1;
  }
  return 0;
}

/** A list of scalars with an element a line. */
function listText(text: string): string {
  if (text === '[]') return text;
  if (!text.includes('"')) return `[\n    ${text.slice(1, -1).replaceAll(',', ',\n    ')}\n  ]`;
  let lines = '';
  for (let at = 1; at < text.length - 1;) {
    const behind = text.charCodeAt(at) === Char.Quote ? text.indexOf('"', at + 1) + 1 : text.indexOf(',', at);
    lines += `${lines === '' ? '' : ',\n'}    ${text.slice(at, behind)}`;
    at = behind + 1;
  }
  return `[\n${lines}\n  ]`;
}
