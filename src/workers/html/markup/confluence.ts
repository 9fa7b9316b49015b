/**
 * Wiki markup of Confluence: headings, emphasis, lists, tables, links, images and the macros code, noformat, quote, panel, info, note, tip, warning
 * and color. Other macros stay text (docs/interface/pages.md 3.3).
 */
import { blocksHtml, preformatted, type Block, type BlockSyntax, type Cell, type ListEntry } from './blocks.js';
import { BARE_ADDRESS, escaped, image, inlineHtml, link, pageLink, type InlineSyntax, type Rule } from './inline.js';

const rules: readonly Rule[] = [
  { pattern: /\\\\(?=\s|$)/y, html: () => '<br>' },
  { pattern: /\\([*_\-+^~?{}[\]!|#])/y, html: ([, one = '']) => escaped(one) },
  { pattern: /\{\{([^{}\n]{1,1000})\}\}/y, html: ([, text = ''], inner) => `<code>${inner(text)}</code>` },
  { pattern: /\{color(?::[#\w]{1,30})?\}/y, html: () => '' },
  {
    pattern: /!([^\s!|]{1,1000})(?:\|([^!\n]{0,300}))?!/y,
    html: ([, address = '', options = '']) => {
      const [, alt = ''] = /(?:^|,)\s*alt="?([^",]*)/.exec(options) ?? [];
      return image(address.includes('/') ? address : `/${address}`, alt);
    },
  },
  {
    pattern: /\[(?:([^\]|\n]{1,500})\|)?([^\]|\n]{1,2000})(?:\|[^\]\n]{0,300})?\]/y,
    html: ([, text, target = ''], inner) => {
      const html = text === undefined ? escaped(target.replace(/^#/, '')) : inner(text);
      if (/^(?:\/|\w[\w+.-]{0,30}:)/.test(target)) return link(target, html);
      return pageLink(target, html);
    },
  },
  { pattern: /---(?!-)/y, html: () => '\u2014' },
  BARE_ADDRESS,
];

const edge = (text: string, tag: string) => ({ text, tag, atEdges: true });

const inlineSyntax: InlineSyntax = {
  marks: [
    edge('*', 'strong'),
    edge('_', 'em'),
    edge('??', 'cite'),
    edge('-', 'del'),
    edge('+', 'ins'),
    edge('^', 'sup'),
    edge('~', 'sub'),
  ],
  rules,
};

function inline(text: string): string {
  return inlineHtml(text, inlineSyntax);
}

const KINDS = { '*': 'ul', '-': 'ul', '#': 'ol' } as const;

function entry(line: string): ListEntry | undefined {
  const [, marks, text = ''] = /^\s{0,20}([*#]{1,50}|-)\s+(.*)$/.exec(line) ?? [];
  return marks === undefined ? undefined : { marks: [...marks].map((one) => KINDS[one as keyof typeof KINDS]), text };
}

/** Bars within links and images separate nothing. */
function row(line: string): readonly Cell[] | undefined {
  const text = line.trim();
  if (!text.startsWith('|')) return undefined;
  const cells: Cell[] = [];
  const parts = text.matchAll(/(\|\|?)((?:\[[^\]\n]{0,2500}\]|![^\s!]{1,1000}!|[^|])*)/g);
  for (const [, bars = '', inside = ''] of parts) cells.push({ text: inside, isHeading: bars.length === 2 });
  // Behind the last bar there is nothing.
  if (cells.at(-1)?.text.trim() === '') cells.pop();
  return cells.length > 0 ? cells : undefined;
}

function block(line: string): Block | undefined {
  const [, name, rest = ''] =
    /^\s{0,20}\{(code|noformat|quote|panel|info|note|tip|warning)(?::[^}\n]{0,300})?\}(.*)$/.exec(line) ?? [];
  if (name === undefined) return undefined;
  const end = `{${name}}`;
  const asHtml = (lines: readonly string[], blocks: (lines: readonly string[]) => string): string => {
    if (name === 'code' || name === 'noformat') return preformatted(lines);
    return name === 'quote'
      ? `<blockquote>${blocks(lines)}</blockquote>`
      : `<div class="${name}">${blocks(lines)}</div>`;
  };
  const at = rest.indexOf(end);
  if (at >= 0) return { isEnd: () => true, html: (_, blocks) => asHtml([rest.slice(0, at)], blocks) };
  const first = rest.trim() === '' ? [] : [rest];
  return { isEnd: (one) => one.trim() === end, html: (lines, blocks) => asHtml([...first, ...lines], blocks) };
}

const syntax: BlockSyntax = {
  inline,
  heading: (line) => {
    const [, level, text = ''] = /^\s{0,20}h([1-6])\.\s+(.*)$/.exec(line) ?? [];
    return level === undefined ? undefined : { level: Number(level), text };
  },
  entry,
  row,
  isRule: (line) => /^\s*-{4,5}\s*$/.test(line),
  block,
  quoted: (line) => /^\s{0,20}bq\.\s+(.*)$/.exec(line)?.[1],
  lineEnd: '<br>',
};

export function confluence(text: string): string {
  return blocksHtml(text, syntax);
}
