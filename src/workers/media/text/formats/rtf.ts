/** Rich Text Format: the text between its commands. */
import { decoderOf } from '../charset.js';
import type { Format } from '../format.js';
import type { TextSink } from '../sink.js';

/** Groups whose text is none of the document's. */
const SKIPPED: ReadonlySet<string> = new Set(
  (
    'fonttbl colortbl stylesheet info pict object objdata datastore themedata colorschememapping latentstyles listtable ' +
    'listoverridetable revtbl rsidtbl generator xmlnstbl mmathPr filetbl fldinst bkmkstart bkmkend nonshppict pntext pntxta pntxtb'
  ).split(' '),
);
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['par', '\n'],
  ['line', '\n'],
  ['sect', '\n'],
  ['page', '\n'],
  ['row', '\n'],
  ['cell', '\t'],
  ['nestcell', '\t'],
  ['nestrow', '\n'],
  ['tab', '\t'],
  ['emdash', '\u2014'],
  ['endash', '\u2013'],
  ['bullet', '\u2022'],
  ['lquote', '\u2018'],
  ['rquote', '\u2019'],
  ['ldblquote', '\u201c'],
  ['rdblquote', '\u201d'],
  ['emspace', ' '],
  ['enspace', ' '],
  ['qmspace', ' '],
]);
/** Charsets of fonts, by their numbers. */
const FONTS: ReadonlyMap<number, string> = new Map([
  [0, 'windows-1252'],
  [77, 'macintosh'],
  [128, 'shift_jis'],
  [129, 'euc-kr'],
  [134, 'gbk'],
  [136, 'big5'],
  [161, 'windows-1253'],
  [162, 'windows-1254'],
  [163, 'windows-1258'],
  [177, 'windows-1255'],
  [178, 'windows-1256'],
  [186, 'windows-1257'],
  [204, 'windows-1251'],
  [222, 'windows-874'],
  [238, 'windows-1250'],
]);
const PAGES: ReadonlyMap<number, string> = new Map([
  [932, 'shift_jis'],
  [936, 'gbk'],
  [949, 'euc-kr'],
  [950, 'big5'],
  [65001, 'utf-8'],
  [10000, 'macintosh'],
]);
/** Groups in each other. */
const DEEPEST = 1000;
const TOKEN = /\\([a-zA-Z]{1,32})(-?\d{1,10})? ?|\\'([0-9a-fA-F]{2})|\\([^a-zA-Z])|([{}])|([^\\{}\r\n]+)/gy;
const NEWLINE = /[\r\n]+|[^]/y;

interface Group {
  skipped: boolean;
  /** Characters that stand for one that was given by its number. */
  fallback: number;
  charset: string;
}

export const rtf: Format = {
  name: 'RTF',
  is: ({ head }) => head.toString('latin1', 0, 5) === '{\\rtf',
  async read(source, { sink }) {
    new Reader(sink).read((await source.bytes()).toString('latin1'));
  },
};

class Reader {
  readonly #fonts = new Map<number, string>();
  readonly #groups: Group[] = [];
  #group: Group = { skipped: false, fallback: 1, charset: 'windows-1252' };
  #usual = 'windows-1252';
  /** Font that is being described. */
  #font: number | undefined;
  #bytes: number[] = [];
  #pass = 0;
  #inFonts = 0;

  constructor(private readonly sink: TextSink) {}

  read(text: string): void {
    let at = 0;
    while (at < text.length) {
      TOKEN.lastIndex = at;
      const token = TOKEN.exec(text);
      if (token === null) {
        NEWLINE.lastIndex = at;
        at += NEWLINE.exec(text)?.[0].length ?? 1;
        continue;
      }
      at = TOKEN.lastIndex;
      const [, word, number, hex, sign, brace, plain] = token;
      if (hex !== undefined) this.#byte(Number.parseInt(hex, 16));
      else {
        this.#flush();
        if (word === 'bin') at += Math.max(0, Number(number ?? 0));
        else if (word !== undefined) this.#command(word, number === undefined ? undefined : Number(number));
        else if (brace === '{') this.#open();
        else if (brace === '}') this.#close();
        else if (sign !== undefined) this.#sign(sign);
        else if (plain !== undefined) this.#text(plain);
      }
    }
    this.#flush();
  }

  #open(): void {
    if (this.#groups.length >= DEEPEST) throw new Error('Its groups are too deep in each other.');
    this.#groups.push(this.#group);
    this.#group = { ...this.#group };
  }

  #close(): void {
    this.#group = this.#groups.pop() ?? this.#group;
    if (this.#groups.length < this.#inFonts) this.#inFonts = 0;
    this.#pass = 0;
  }

  #byte(byte: number): void {
    if (this.#pass > 0) this.#pass--;
    else if (!this.#group.skipped) this.#bytes.push(byte);
  }

  #flush(): void {
    if (this.#bytes.length === 0) return;
    const bytes = Uint8Array.from(this.#bytes);
    this.#bytes = [];
    this.#add((decoderOf(this.#group.charset) ?? new TextDecoder('windows-1252')).decode(bytes));
  }

  #text(plain: string): void {
    const passed = Math.min(this.#pass, plain.length);
    this.#pass -= passed;
    const rest = plain.slice(passed);
    if (this.#group.skipped || rest === '') return;
    // Bytes beyond ASCII that somebody wrote without escaping them.
    if (/[\x80-\xff]/.test(rest)) {
      for (const sign of rest) this.#bytes.push(sign.charCodeAt(0));
      this.#flush();
    } else this.#add(rest);
  }

  #add(text: string): void {
    if (!this.#group.skipped) this.sink.add(text);
  }

  #sign(sign: string): void {
    if (sign === '*') this.#group.skipped = true;
    else if (sign === '~') this.#add(' ');
    else if (sign === '_') this.#add('-');
    else if (sign === '\\' || sign === '{' || sign === '}') this.#text(sign);
    else if (sign === '\n' || sign === '\r') this.#add('\n');
  }

  #command(word: string, number: number | undefined): void {
    const group = this.#group;
    if (word === 'fonttbl') this.#inFonts = this.#groups.length;
    if (SKIPPED.has(word)) group.skipped = true;
    else if (word === 'ansicpg' && number !== undefined) {
      this.#usual = PAGES.get(number) ?? `windows-${String(number)}`;
      group.charset = this.#usual;
    } else if (word === 'mac') this.#usual = group.charset = 'macintosh';
    else if (word === 'f' && number !== undefined) {
      this.#font = number;
      if (this.#inFonts === 0) group.charset = this.#fonts.get(number) ?? this.#usual;
    } else if (word === 'fcharset' && number !== undefined) {
      const charset = number === 0 ? this.#usual : FONTS.get(number);
      if (this.#font !== undefined && charset !== undefined) this.#fonts.set(this.#font, charset);
    } else if (word === 'plain') group.charset = this.#usual;
    else if (word === 'uc' && number !== undefined) group.fallback = Math.max(0, Math.min(number, 10));
    else if (word === 'u' && number !== undefined) {
      this.#pass = 0;
      this.#add(String.fromCharCode(number < 0 ? number + 65_536 : number));
      this.#pass = group.fallback;
    } else {
      const sign = SIGNS.get(word);
      if (sign !== undefined) this.#add(sign);
    }
  }
}
