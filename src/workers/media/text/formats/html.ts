/** HTML and XML: the text between the tags. */
import { Parser } from 'htmlparser2';
import { behindRemarks } from '../../../../shared/markup-start.js';
import { decodedText, isBinary } from '../charset.js';
import type { Format } from '../format.js';
import type { TextSink } from '../sink.js';
import { endingOf, type Source } from '../source.js';

/** What no reader sees. */
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style', 'template', 'noscript', 'svg', 'math', 'object']);
/** What does not end a line. */
const INLINE: ReadonlySet<string> = new Set(
  (
    'a abbr acronym b bdi bdo big cite code data del dfn em font i img ins kbd label mark meter output q rp rt ruby s samp small ' +
    'span strike strong sub sup time tt u var wbr'
  ).split(' '),
);
const CELLS: ReadonlySet<string> = new Set(['td', 'th', 'option']);
const SPACES = /\s+/g;
/** Bytes of markup for a character of text, as far as they are read. */
const MARKUP = 50;
/** Elements in each other. */
const DEEPEST = 5000;
const PIECE = 64 * 1024;

interface Events {
  readonly open?: (name: string, attributes: Readonly<Record<string, string>>) => void;
  readonly text: (text: string) => void;
  readonly close: (name: string) => void;
}

/** Hands the text of HTML to the sink. Throws `Enough`. */
export function addHtml(html: string, sink: TextSink): void {
  let hidden = 0;
  let pre = 0;
  readMarkup(html, false, {
    open(name, { alt }) {
      if (HIDDEN.has(name)) hidden++;
      if (hidden > 0) return;
      if (name === 'pre') pre++;
      if (!INLINE.has(name) && !CELLS.has(name)) sink.add('\n');
      if (name === 'img' && alt !== undefined) sink.add(` ${alt} `);
    },
    text(text) {
      if (hidden === 0) sink.add(pre > 0 ? text : text.replace(SPACES, ' '));
    },
    close(name) {
      if (HIDDEN.has(name)) hidden = Math.max(0, hidden - 1);
      else if (hidden > 0) return;
      else if (CELLS.has(name)) sink.add('\t');
      else if (!INLINE.has(name)) sink.add('\n');
      if (name === 'pre') pre = Math.max(0, pre - 1);
    },
  });
}

/** The same of XML: each element is a line. */
function addXml(xml: string, sink: TextSink): void {
  readMarkup(xml, true, {
    text: (text) => sink.add(text.replace(SPACES, ' ')),
    close: () => sink.add('\n'),
  });
}

function readMarkup(markup: string, xmlMode: boolean, { open, text, close }: Events): void {
  let depth = 0;
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        if (++depth > DEEPEST) throw new Error('Its elements are too deep in each other.');
        open?.(name, attributes);
      },
      ontext: text,
      onclosetag(name) {
        depth--;
        close(name);
      },
    },
    { xmlMode, decodeEntities: true },
  );
  for (let at = 0; at < markup.length; at += PIECE) parser.write(markup.slice(at, at + PIECE));
  parser.end();
}

/** The charset that a document names itself. */
function charsetIn(head: Buffer): string | undefined {
  const text = head.toString('latin1', 0, 2048);
  return (/^<\?xml[^>]*?encoding=["']([\w-]+)/.exec(text) ?? /<meta[^>]+charset=["']?\s*([\w-]+)/i.exec(text))?.[1];
}

/** As much as may become the text that is wanted. */
async function markupOf(source: Source, { room }: TextSink): Promise<string> {
  return decodedText(await source.bytes(room * MARKUP), charsetIn(source.head));
}

const startOf = (head: Buffer): string => head.toString('latin1').replaceAll('\0', '').slice(0, 2048);

export const html: Format = {
  name: 'HTML',
  is: ({ head, name, contentType }) => {
    const start = startOf(head);
    if (/^<(?:!doctype\s+html|html)[\s>]/i.test(behindRemarks(start.replace(/^[^<]{0,8}/, '')))) return true;
    const named =
      ['html', 'htm', 'xhtml'].includes(endingOf(name)) || /^(?:text\/html|application\/xhtml)/.test(contentType);
    return named && !isBinary(head) && /<[a-z!]/i.test(start);
  },
  async read(source, { sink }) {
    addHtml(await markupOf(source, sink), sink);
  },
};

export const xml: Format = {
  name: 'XML',
  is: ({ head }) => /^[^<]{0,8}\s*<\?xml\s/.test(startOf(head)),
  async read(source, { sink }) {
    addXml(await markupOf(source, sink), sink);
  },
};
