/** Paragraphs, headings, lists, tables and blocks of a wiki's text, for all of them. */
import { escaped } from './inline.js';

/** An entry of a list: one mark a level. */
export interface ListEntry {
  readonly marks: readonly ('ul' | 'ol' | 'dl')[];
  readonly text: string;
  /** Of a list of definitions: it is what is defined. */
  readonly isTerm?: boolean;
}

export interface Cell {
  readonly text: string;
  readonly isHeading: boolean;
}

export interface Block {
  /** HTML of the lines between the first and the last; `blocks` makes it of lines like these. */
  readonly html: (lines: readonly string[], blocks: (lines: readonly string[]) => string) => string;
  /** Whether this line is the last; it is not a part of what is in it. */
  readonly isEnd: (line: string) => boolean;
}

export interface BlockSyntax {
  readonly inline: (text: string) => string;
  readonly heading: (line: string) => { readonly level: number; readonly text: string } | undefined;
  readonly entry: (line: string) => ListEntry | undefined;
  readonly row?: (line: string) => readonly Cell[] | undefined;
  readonly isRule: (line: string) => boolean;
  readonly block: (line: string) => Block | undefined;
  /** A line that is a quotation, without its mark. */
  readonly quoted?: (line: string) => string | undefined;
  /** Between the lines of a paragraph. */
  readonly lineEnd: string;
}

/** Blocks in blocks, and levels of lists. */
const DEEPEST = 20;

export function blocksHtml(text: string, syntax: BlockSyntax): string {
  return blocks(text.replace(/\r\n?/g, '\n').split('\n'), syntax, 0);
}

/** Lines of which each is something; the first that is not ends them. */
function taken<T>(lines: readonly string[], from: number, read: (line: string) => T | undefined): T[] {
  const all: T[] = [];
  for (let i = from; i < lines.length; i++) {
    const one = read(lines[i] ?? '');
    if (one === undefined) break;
    all.push(one);
  }
  return all;
}

function blocks(lines: readonly string[], syntax: BlockSyntax, depth: number): string {
  const out: string[] = [];
  let paragraph: string[] = [];
  const close = (): void => {
    if (paragraph.length > 0) out.push(`<p>${paragraph.map(syntax.inline).join(syntax.lineEnd)}</p>`);
    paragraph = [];
  };
  const within = (inside: readonly string[]): string =>
    depth < DEEPEST ? blocks(inside, syntax, depth + 1) : `<p>${inside.map(escaped).join('<br>')}</p>`;
  for (let i = 0; i < lines.length;) {
    const line = lines[i] ?? '';
    const block = syntax.block(line);
    if (block !== undefined) {
      close();
      let end = i + 1;
      while (end < lines.length && !block.isEnd(lines[end] ?? '')) end++;
      out.push(block.html(lines.slice(i + 1, end), within));
      i = end + 1;
      continue;
    }
    const heading = syntax.heading(line);
    if (line.trim() === '') close();
    else if (heading !== undefined) {
      close();
      const tag = `h${String(Math.min(6, Math.max(1, heading.level)))}`;
      out.push(`<${tag}>${syntax.inline(heading.text.trim())}</${tag}>`);
    } else if (syntax.isRule(line)) {
      close();
      out.push('<hr>');
    } else {
      const several = severalHtml(lines, i, syntax, within);
      if (several !== undefined) {
        close();
        out.push(several.html);
        i += several.count;
        continue;
      }
      paragraph.push(line.trim());
    }
    i++;
  }
  close();
  return out.join('\n');
}

/** What several lines are together. */
function severalHtml(
  lines: readonly string[],
  from: number,
  syntax: BlockSyntax,
  within: (inside: readonly string[]) => string,
): { readonly html: string; readonly count: number } | undefined {
  const entries = taken(lines, from, syntax.entry);
  if (entries.length > 0) return { html: listHtml(entries, syntax), count: entries.length };
  const rows = syntax.row === undefined ? [] : taken(lines, from, syntax.row);
  if (rows.length > 0) return { html: tableHtml(rows, syntax), count: rows.length };
  const quoted = syntax.quoted === undefined ? [] : taken(lines, from, syntax.quoted);
  return quoted.length > 0 ? { html: `<blockquote>${within(quoted)}</blockquote>`, count: quoted.length } : undefined;
}

/** Lists in lists, by the marks of their entries. */
function listHtml(entries: readonly ListEntry[], { inline }: BlockSyntax): string {
  const open: { readonly tag: 'ul' | 'ol' | 'dl'; item: string }[] = [];
  let html = '';
  const shrink = (length: number): void => {
    for (let last = open.at(-1); last !== undefined && open.length > length; last = open.at(-1)) {
      html += `</${last.item}></${last.tag}>`;
      open.pop();
    }
  };
  for (const { marks: all, text, isTerm } of entries) {
    const marks = all.slice(0, DEEPEST);
    let same = 0;
    while (same < open.length && same < marks.length && open[same]?.tag === marks[same]) same++;
    shrink(same);
    const item = marks.at(-1) === 'dl' ? (isTerm === true ? 'dt' : 'dd') : 'li';
    const last = open.at(-1);
    if (same === marks.length && last !== undefined) {
      html += `</${last.item}><${item}>`;
      last.item = item;
    }
    for (const tag of marks.slice(same)) {
      const own = open.length + 1 === marks.length ? item : tag === 'dl' ? 'dd' : 'li';
      html += `<${tag}><${own}>`;
      open.push({ tag, item: own });
    }
    html += inline(text.trim());
  }
  shrink(0);
  return html;
}

function tableHtml(rows: readonly (readonly Cell[])[], { inline }: BlockSyntax): string {
  return `<table><tbody>${rows.map((cells) => rowHtml(cells, inline)).join('')}</tbody></table>`;
}

export function rowHtml(cells: readonly Cell[], inline: (text: string) => string): string {
  const html = cells.map(({ text, isHeading }) => {
    const tag = isHeading ? 'th' : 'td';
    return `<${tag}>${inline(text.trim())}</${tag}>`;
  });
  return `<tr>${html.join('')}</tr>`;
}

/** Lines as they are. */
export function preformatted(lines: readonly string[]): string {
  return `<pre>${lines.map(escaped).join('\n')}</pre>`;
}
