/** What stands within a line of a wiki's text, for all of them: marks that open and close, and rules of each. */

/** Puts a mark of its own where it opens, and where it closes. */
export interface Mark {
  readonly text: string;
  readonly tag: string;
  /** It counts at the edge of words alone: `2*3*4` has none. */
  readonly atEdges?: boolean;
}

export interface Rule {
  /** Sticky, and bounded in how far it looks. */
  readonly pattern: RegExp;
  /** HTML of what it has found; undefined: it is none of it. */
  readonly html: (found: RegExpExecArray, inner: (text: string) => string) => string | undefined;
}

export interface InlineSyntax {
  /** Longer ones before shorter ones that they begin with. */
  readonly marks: readonly Mark[];
  readonly rules: readonly Rule[];
}

/** Texts of links in texts of links. */
const DEEPEST = 3;
const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

export function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (one) => ESCAPES[one] ?? one);
}

const SAFE = /^(?:https?|ftp|mailto|tel):/i;

/** The value of an attribute for an address; undefined: it may not be one. Addresses without a scheme are of this site. */
export function addressOf(text: string): string | undefined {
  // eslint-disable-next-line no-control-regex
  const bare = text.trim().replace(/[\u0000-\u0020]+/g, '');
  const colon = bare.indexOf(':');
  const isRelative = colon < 0 || /[/?#]/.test(bare.slice(0, colon));
  return bare !== '' && (isRelative || SAFE.test(bare)) ? escaped(bare) : undefined;
}

export function link(address: string, html: string): string | undefined {
  const href = addressOf(address);
  return href === undefined ? undefined : `<a href="${href}">${html}</a>`;
}

/** The page of a name. */
export function pageLink(name: string, html: string): string {
  const [page = '', anchor] = name.trim().split('#', 2);
  const path = page.trim() === '' ? '' : `/${encodeURIComponent(page.trim()).replaceAll('%2F', '/')}`;
  return `<a href="${escaped(path + (anchor === undefined ? '' : `#${encodeURIComponent(anchor.trim())}`))}">${html}</a>`;
}

export function image(address: string, alt: string): string | undefined {
  const src = addressOf(address);
  return src === undefined ? undefined : `<img src="${src}" alt="${escaped(alt)}">`;
}

/** Addresses that stand in a text by themselves. */
export const BARE_ADDRESS: Rule = {
  pattern: /https?:\/\/[^\s<>"[\]|{}]{1,2000}/y,
  html: ([found], inner) => {
    const address = found.replace(/[.,;:!?'*_)]+$/, '');
    const html = link(address, escaped(address));
    return html === undefined ? undefined : html + inner(found.slice(address.length));
  },
};

interface Open {
  readonly mark: Mark;
  readonly at: number;
}

export function inlineHtml(text: string, syntax: InlineSyntax, depth = 0): string {
  const { marks, rules } = syntax;
  const out: string[] = [];
  const open: Open[] = [];
  const inner = (part: string): string => (depth < DEEPEST ? inlineHtml(part, syntax, depth + 1) : escaped(part));
  let at = 0;
  reading: while (at < text.length) {
    for (const { pattern, html } of rules) {
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (found === null || found[0] === '') continue;
      // Rules are asked for what is in a link before the search goes on.
      const end = pattern.lastIndex;
      const made = html(found, inner);
      if (made === undefined) continue;
      out.push(made);
      at = end;
      continue reading;
    }
    const mark = marks.find((one) => text.startsWith(one.text, at));
    if (mark !== undefined && toggle(mark, text, at, out, open)) {
      at += mark.text.length;
      continue;
    }
    const length = mark?.text.length ?? 1;
    out.push(escaped(text.slice(at, at + length)));
    at += length;
  }
  return out.join('');
}

const WORD = /[\p{L}\p{N}]/u;

/** Opens or closes; false: it is neither here. What is never closed stays text. */
function toggle(mark: Mark, text: string, at: number, out: string[], open: Open[]): boolean {
  const before = text[at - 1] ?? ' ';
  const behind = text[at + mark.text.length] ?? ' ';
  const place = open.findLastIndex((one) => one.mark === mark);
  if (place >= 0) {
    if (mark.atEdges === true && (/\s/.test(before) || WORD.test(behind))) return false;
    const [first] = open.splice(place);
    if (first === undefined) return false;
    out[first.at] = `<${mark.tag}>`;
    out.push(`</${mark.tag}>`);
    return true;
  }
  if (mark.atEdges === true && (WORD.test(before) || /\s/.test(behind))) return false;
  open.push({ mark, at: out.length });
  out.push(escaped(mark.text));
  return true;
}
