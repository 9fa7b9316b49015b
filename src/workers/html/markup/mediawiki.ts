/**
 * Wikitext of MediaWiki: headings, emphasis, lists, definitions, tables, links, images, preformatted text and a few tags. Templates, references,
 * magic words and attributes stay text, or are left out (docs/interface/pages.md 3.3).
 */
import {
  blocksHtml,
  preformatted,
  rowHtml,
  type Block,
  type BlockSyntax,
  type Cell,
  type ListEntry,
} from './blocks.js';
import { BARE_ADDRESS, escaped, image, inlineHtml, link, pageLink, type InlineSyntax, type Rule } from './inline.js';

/** Tags that a text may have, without attributes. */
const TAGS = 'b|i|s|u|del|ins|sub|sup|small|big|code|tt|kbd|var|cite|em|strong|q|blockquote';

const rules: readonly Rule[] = [
  { pattern: /<nowiki>([^]{0,20000}?)<\/nowiki>/iy, html: ([, text = '']) => escaped(text) },
  { pattern: /<!--[^]{0,20000}?-->/y, html: () => '' },
  { pattern: /<br\s{0,5}\/?>/iy, html: () => '<br>' },
  {
    pattern: new RegExp(`<(/?)(${TAGS})>`, 'iy'),
    html: ([, end = '', name = '']) => `<${end}${name.toLowerCase() === 'big' ? 'strong' : name.toLowerCase()}>`,
  },
  {
    pattern: /\[\[(?:File|Image):([^\]|\n]{1,500})((?:\|[^\]|\n]{0,500}){0,10})\]\]/iy,
    html: ([, name = '', options = '']) => {
      const [, ...given] = options.split('|');
      const alt = given.filter(
        (one) => !/^(?:thumb|frame|frameless|left|right|center|none|border|\d+(?:x\d+)?px)$/i.test(one),
      );
      return image(`/${encodeURIComponent(name.trim())}`, alt.at(-1) ?? name.trim());
    },
  },
  { pattern: /\[\[Category:[^\]\n]{1,500}\]\]/iy, html: () => '' },
  {
    pattern: /\[\[([^\]|\n]{1,500})(?:\|([^\]\n]{0,500}))?\]\]([a-z]{0,50})/y,
    html: ([, name = '', text, tail = ''], inner) =>
      pageLink(name, (text === undefined || text === '' ? escaped(name) : inner(text)) + tail),
  },
  {
    pattern: /\[((?:https?|ftp|mailto):[^\s\]]{1,2000})(?:[ \t]+([^\]\n]{1,500}))?\]/iy,
    html: ([, address = '', text], inner) => link(address, text === undefined ? escaped(address) : inner(text)),
  },
  BARE_ADDRESS,
];

const inlineSyntax: InlineSyntax = {
  marks: [
    { text: "'''", tag: 'b' },
    { text: "''", tag: 'i' },
  ],
  rules,
};

const KINDS = { '*': 'ul', '#': 'ol', ';': 'dl', ':': 'dl' } as const;

function entry(line: string): ListEntry | undefined {
  const [, marks, text = ''] = /^([*#;:]{1,50})(.*)$/.exec(line) ?? [];
  if (marks === undefined) return undefined;
  const kinds = [...marks].map((one) => KINDS[one as keyof typeof KINDS]);
  return { marks: kinds, text, isTerm: marks.endsWith(';') };
}

function block(line: string): Block | undefined {
  if (line.trimStart().startsWith('{|')) return { isEnd: (one) => one.trimStart().startsWith('|}'), html: tableHtml };
  const [, tag, rest = ''] = /^<(pre|syntaxhighlight|source)(?:\s[^>]{0,200})?>(.*)$/i.exec(line) ?? [];
  if (tag === undefined) return undefined;
  const end = `</${tag.toLowerCase()}>`;
  const first = rest === '' ? [] : [rest];
  if (rest.toLowerCase().includes(end)) {
    return { isEnd: () => true, html: () => preformatted([rest.slice(0, rest.toLowerCase().indexOf(end))]) };
  }
  return { isEnd: (one) => one.toLowerCase().includes(end), html: (lines) => preformatted([...first, ...lines]) };
}

/** Attributes before a cell have no meaning here. */
function cellOf(text: string, isHeading: boolean): Cell {
  const [, attributes, rest] = /^([^|[{]{0,200})\|(?!\|)(.*)$/.exec(text) ?? [];
  return { text: attributes === undefined ? text : (rest ?? ''), isHeading };
}

function tableHtml(lines: readonly string[]): string {
  const rows: Cell[][] = [];
  let caption = '';
  let row: Cell[] | undefined;
  for (const one of lines) {
    const line = one.trim();
    if (line.startsWith('|+')) caption = `<caption>${inline(cellOf(line.slice(2), false).text.trim())}</caption>`;
    else if (line.startsWith('|-')) row = undefined;
    else if (line.startsWith('|') || line.startsWith('!')) {
      const isHeading = line.startsWith('!');
      if (row === undefined) rows.push((row = []));
      row.push(
        ...line
          .slice(1)
          .split(isHeading ? /!!|\|\|/ : '||')
          .map((text) => cellOf(text, isHeading)),
      );
    } else {
      const last = row?.pop();
      if (last !== undefined && line !== '') row?.push({ ...last, text: `${last.text} ${line}` });
      else if (last !== undefined) row?.push(last);
    }
  }
  return `<table>${caption}<tbody>${rows.map((cells) => rowHtml(cells, inline)).join('')}</tbody></table>`;
}

function inline(text: string): string {
  return inlineHtml(text, inlineSyntax);
}

const syntax: BlockSyntax = {
  inline,
  heading: (line) => {
    const [, marks, text = ''] = /^(={1,6})(?!=)(.{1,1000}?)\1\s*$/.exec(line) ?? [];
    return marks === undefined ? undefined : { level: marks.length, text };
  },
  entry,
  isRule: (line) => /^-{4,}\s*$/.test(line),
  block,
  lineEnd: '\n',
};

export function mediawiki(text: string): string {
  return blocksHtml(text, syntax);
}
