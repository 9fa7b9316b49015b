import type { Names } from './plan.js';

const WORD = (name: string): RegExp => new RegExp(`\\b${name}\\b`);
const CHILDREN = WORD('children');
const PARENT = WORD('parent');
const LINK = WORD('link');
const TEMPLATE = WORD('template');

/** Which names a text with scripts may mention: making them for all scripts would cost more than most scripts do. */
export function namesIn(text: string): Names {
  return {
    children: CHILDREN.test(text),
    parent: PARENT.test(text),
    link: LINK.test(text),
    template: TEMPLATE.test(text),
  };
}
