/**
 * Selectors by which elements of old pages name what they reload (`data-svc-reload-target`, docs/interface/pages.md 7.2): the one rule for what is linked when they are
 * saved, and for what is in a page by now.
 */
import type { GraphNode } from '../../../../graph/index.js';

export const RELOAD_TARGET = 'data-svc-reload-target';
/** Selectors of one element that are looked at. */
const MOST = 100;

interface Selector {
  /** What an element has to have, among others: `#id`, `.class`, `[name`, or a word that is its tag or name. */
  readonly first: string;
  readonly matches: (marks: ReadonlySet<string>) => boolean;
}

/** Selectors of several elements, each with what it is for. */
export class Selectors<T> {
  readonly #byFirst = new Map<string, (readonly [matches: Selector['matches'], meant: T])[]>();

  get isEmpty(): boolean {
    return this.#byFirst.size === 0;
  }

  /** Those that an element has. */
  add(element: GraphNode, meant: T): void {
    for (const { first, matches } of selectorsOf(element)) {
      const list = this.#byFirst.get(first);
      if (list === undefined) this.#byFirst.set(first, [[matches, meant]]);
      else list.push([matches, meant]);
    }
  }

  /** What the selectors are for that match an element. */
  *matching(element: GraphNode): Generator<T> {
    const marks = marksOf(element);
    for (const first of marks)
      for (const [matches, meant] of this.#byFirst.get(first) ?? []) if (matches(marks)) yield meant;
  }
}

function textIn({ properties }: GraphNode, key: string): string {
  const value = properties[key];
  return typeof value === 'string' ? value : '';
}

/** All that selectors may say of an element. Its name is that in the tree, and that in HTML. */
function marksOf(element: GraphNode): ReadonlySet<string> {
  const marks = new Set([textIn(element, 'tag'), `#${textIn(element, '_html_id')}`]);
  for (const key of ['name', '_html_name']) {
    const name = textIn(element, key);
    if (name !== '') marks.add(name).add(`[${name}`);
  }
  for (const one of textIn(element, '_html_class').split(/\s+/)) marks.add(`.${one}`);
  return marks;
}

function selectorsOf(element: GraphNode): Selector[] {
  return textIn(element, RELOAD_TARGET)
    .split(',')
    .slice(0, MOST)
    .flatMap((one) => selectorOf(one.trim()) ?? []);
}

const SIMPLE = /^([\w-]+)?((?:[#.][\w-]+|\[name=["']?[^"'\]]+["']?\])*)$/;

/** `#id`, `.class`, `[name=x]`, a tag or a name, also together; undefined: it is something else. */
function selectorOf(text: string): Selector | undefined {
  const found = SIMPLE.exec(text);
  if (text === '' || found === null) return undefined;
  const [, word, rest = ''] = found;
  const parts = (rest.match(/[#.][\w-]+|\[[^\]]+\]/g) ?? []).map((one) =>
    one.replace(/^\[name=["']?([^"'\]]*).*$/, '[$1'),
  );
  const all = [...(word === undefined ? [] : [word]), ...parts];
  const matches: Selector['matches'] = (marks) => all.every((one) => marks.has(one));
  // The rarest: many elements have the same tag.
  return { first: parts.find((one) => one.startsWith('#')) ?? parts[0] ?? word ?? '', matches };
}
