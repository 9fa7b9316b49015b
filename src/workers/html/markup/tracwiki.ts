/**
 * Wiki text of Trac: headings, emphasis, lists, tables, quotations, links, images and preformatted text. Other macros and links to tickets
 * and change sets stay text (docs/interface/pages.md 3.3).
 */
import { blocksHtml, preformatted, type Block, type BlockSyntax, type Cell, type ListEntry } from './blocks.js';
import { BARE_ADDRESS, escaped, image, inlineHtml, link, pageLink, type InlineSyntax, type Rule } from './inline.js';

const ADDRESS = /^(?:\/|#|\w[\w+.-]{0,30}:)/;

/** To an address, or to a page of the wiki. */
function to(target: string, html: string): string | undefined {
  const page = /^wiki:(.*)$/.exec(target)?.[1];
  if (page !== undefined) return pageLink(page, html);
  return ADDRESS.test(target) ? link(target, html) : pageLink(target, html);
}

const rules: readonly Rule[] = [
  { pattern: /!(\[\[|\[|'''|''|\*\*|\/\/|__|~~|\^|,,|`|\{\{\{|https?:)/y, html: ([, one = '']) => escaped(one) },
  { pattern: /\[\[br\]\]|\\\\(?=\s|$)/iy, html: () => '<br>' },
  { pattern: /\{\{\{([^\n]{0,5000}?)\}\}\}/y, html: ([, text = '']) => `<code>${escaped(text)}</code>` },
  { pattern: /`([^`\n]{1,5000})`/y, html: ([, text = '']) => `<code>${escaped(text)}</code>` },
  {
    pattern: /\[\[Image\(([^),\n]{1,1000})(?:,[^)\n]{0,300})?\)\]\]/y,
    html: ([, address = '']) => image(address.includes('/') ? address : `/${address}`, ''),
  },
  {
    pattern: /\[\[([^\]|\n(]{1,2000})(?:\|([^\]\n]{1,500}))?\]\]/y,
    html: ([, target = '', text], inner) => to(target.trim(), text === undefined ? escaped(target) : inner(text)),
  },
  {
    pattern: /\[((?:https?|ftp|mailto|wiki):[^\s\]]{1,2000})(?:\s+([^\]\n]{1,500}))?\]/y,
    html: ([, target = '', text], inner) =>
      to(target, text === undefined ? escaped(target.replace(/^wiki:/, '')) : inner(text)),
  },
  BARE_ADDRESS,
];

const inlineSyntax: InlineSyntax = {
  marks: [
    { text: "'''", tag: 'strong' },
    { text: "''", tag: 'em' },
    { text: '**', tag: 'strong' },
    { text: '//', tag: 'em' },
    { text: '__', tag: 'u' },
    { text: '~~', tag: 'del' },
    { text: ',,', tag: 'sub' },
    { text: '^', tag: 'sup' },
  ],
  rules,
};

function inline(text: string): string {
  return inlineHtml(text, inlineSyntax);
}

/** Two blanks a level. */
function entry(line: string): ListEntry | undefined {
  const [, blanks, mark = '', text = ''] = /^(\s{0,100})(\*|-|\d{1,9}\.|[a-zA-Z]\.)\s+(.*)$/.exec(line) ?? [];
  // In the first column a dash or a letter is a part of the text.
  if (blanks === undefined || (blanks === '' && mark !== '*')) return undefined;
  const level = Math.floor((blanks.length + 1) / 2);
  const kind = mark === '*' || mark === '-' ? 'ul' : 'ol';
  return { marks: [...Array<'ul'>(Math.max(0, level - 1)).fill('ul'), kind], text };
}

function row(line: string): readonly Cell[] | undefined {
  const text = line.trim();
  if (!text.startsWith('||')) return undefined;
  const inside = text.slice(2).replace(/\|\|\s*\\?$/, '');
  return inside.split('||').map((one) => {
    const heading = /^=(.*)=$/.exec(one.trim())?.[1];
    return { text: heading ?? one, isHeading: heading !== undefined };
  });
}

function block(line: string): Block | undefined {
  if (line.trim() !== '{{{') return undefined;
  return {
    isEnd: (one) => one.trim() === '}}}',
    // `#!python` says the language.
    html: (lines) => preformatted(/^#!\w/.test(lines[0] ?? '') ? lines.slice(1) : lines),
  };
}

const syntax: BlockSyntax = {
  inline,
  heading: (line) => {
    const [, marks, text = ''] = /^\s{0,3}(={1,6})\s+(.{1,1000}?)(?:\s+=+)?(?:\s+#\S{1,100})?\s*$/.exec(line) ?? [];
    return marks === undefined ? undefined : { level: marks.length, text };
  },
  entry,
  row,
  isRule: (line) => /^-{4,}\s*$/.test(line),
  block,
  quoted: (line) => /^(?:> ?| {2,20}(?=\S))(.*)$/.exec(line)?.[1],
  lineEnd: '\n',
};

export function tracwiki(text: string): string {
  return blocksHtml(text, syntax);
}
