/** Finds the addresses in style sheets, on a thread: they may be long, and strangers have written them (`pages/imports/site`). */
import { outcomeOf, type Outcome } from '../outcome.js';

export interface CssUrlsJob {
  /** Sheets, or parts of them. */
  readonly texts: readonly string[];
  /** Addresses of one text. */
  readonly most: number;
}

/** An address in a text. What stands from `from` to `to` can be replaced by `url("...")`. */
export interface CssUrl {
  readonly from: number;
  readonly to: number;
  readonly address: string;
}

const STRING = String.raw`"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'`;
/** One without an end goes on to that of its line, as browsers see it. */
const UNENDED = String.raw`"(?:[^"\\\n]|\\[^])*(?:\\?$|(?=\n))|'(?:[^'\\\n]|\\[^])*(?:\\?$|(?=\n))`;
const TOKEN = new RegExp(
  [
    String.raw`\/\*[^]*?(?:\*\/|$)`,
    String.raw`(?<import>@import\b)`,
    String.raw`\burl\(\s*(?:(?:(?<quoted>${STRING})|(?<bare>(?:[^\s"'()\\]|\\[^])+))\s*)?\)`,
    `(?<text>${STRING})`,
    UNENDED,
    // A sheet that is imported is named before the end of its rule.
    '(?<end>[;{}])',
  ].join('|'),
  'gi',
);

export default function urls({ texts, most }: CssUrlsJob): Promise<Outcome<readonly (readonly CssUrl[])[]>> {
  return outcomeOf(() => texts.map((text) => urlsIn(text, most)));
}

function urlsIn(css: string, most: number): CssUrl[] {
  const found: CssUrl[] = [];
  let isImport = false;
  for (const match of css.matchAll(TOKEN)) {
    const { import: at, quoted, bare, text, end } = match.groups ?? {};
    if (at !== undefined) isImport = true;
    else if (end !== undefined) isImport = false;
    else {
      const address = bare ?? (quoted ?? (isImport ? text : undefined))?.slice(1, -1);
      if (address === undefined) continue;
      if (found.length >= most) throw new Error(`it has more than ${String(most)} addresses`);
      found.push({ from: match.index, to: match.index + match[0].length, address: unescaped(address) });
      isImport = false;
    }
  }
  return found;
}

/** What escapes of CSS stand for. */
function unescaped(text: string): string {
  return text.replace(/\\(?:([\da-f]{1,6})\s?|\r?\n|([^]))/gi, (_all, code?: string, sign?: string) => {
    if (code === undefined) return sign ?? '';
    const point = parseInt(code, 16);
    return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : '\ufffd';
  });
}
