/** Office Open XML: texts, tables, slides (docx, xlsx, pptx and their kin). */
import type { TextSink } from '../sink.js';
import { attribute, readXml } from '../xml.js';
import type { Zip } from '../zip.js';

/** Whether an archive is such a document. */
export function isOfficeOpen(zip: Zip): boolean {
  return zip.names.includes('[Content_Types].xml');
}

export async function readOfficeOpen(zip: Zip, sink: TextSink): Promise<void> {
  const sheets = zip.named(/^xl\/worksheets\/[^/]+\.xml$/);
  if (sheets.length > 0) await readSheets(zip, sheets, sink);
  const parts = [
    /^word\/header\d*\.xml$/,
    /^word\/document\d*\.xml$/,
    /^word\/(?:footnotes|endnotes|comments)\.xml$/,
    /^word\/footer\d*\.xml$/,
    /^ppt\/slides\/[^/]+\.xml$/,
    /^ppt\/notesSlides\/[^/]+\.xml$/,
    /^(?:xl|ppt)\/comments\/?[^/]*\.xml$/,
    /^xl\/drawings\/[^/]+\.xml$/,
    /^(?:word|ppt|xl)\/diagrams\/data[^/]*\.xml$/,
  ];
  for (const pattern of parts) for (const name of zip.named(pattern)) await readParagraphs(zip, name, sink);
}

/** What is replaced by something that is read, or was deleted. */
const SKIPPED: ReadonlySet<string> = new Set(['Fallback', 'delText', 'instrText', 'rPh', 'posOffset']);
const SIGNS: ReadonlyMap<string, string> = new Map([
  ['tab', '\t'],
  ['br', '\n'],
  ['cr', '\n'],
  ['noBreakHyphen', '-'],
  ['ptab', '\t'],
]);

/** Text is in `t`, paragraphs are `p`; in texts, in slides and in drawings. */
async function readParagraphs(zip: Zip, name: string, sink: TextSink): Promise<void> {
  let skipped = 0;
  let text = 0;
  let properties = 0;
  await readXml(zip.stream(name), {
    open(element) {
      if (SKIPPED.has(element)) skipped++;
      else if (element === 't') text++;
      // Stops of tabulators are called like these.
      else if (element === 'pPr' || element === 'rPr') properties++;
      else if (skipped === 0 && properties === 0) sink.add(SIGNS.get(element) ?? '');
    },
    text(some) {
      if (skipped === 0 && text > 0) sink.add(some);
    },
    close(element) {
      if (SKIPPED.has(element)) skipped--;
      else if (element === 't') text--;
      else if (element === 'pPr' || element === 'rPr') properties--;
      else if (skipped === 0 && element === 'p') sink.add('\n');
    },
  });
}

/** Texts that cells refer to, by their numbers, as far as text is wanted. */
async function sharedTexts(zip: Zip, most: number): Promise<string[]> {
  const texts: string[] = [];
  let one = '';
  let length = 0;
  let [text, skipped] = [0, 0];
  await readXml(zip.stream('xl/sharedStrings.xml'), {
    open(element) {
      if (element === 'si') one = '';
      else if (element === 't') text++;
      else if (element === 'rPh') skipped++;
    },
    text(some) {
      if (text === 0 || skipped > 0 || length > most) return;
      one += some;
      length += some.length;
    },
    close(element) {
      if (element === 't') text--;
      else if (element === 'rPh') skipped--;
      else if (element === 'si') texts.push(one);
    },
  });
  return texts;
}

async function readSheets(zip: Zip, sheets: readonly string[], sink: TextSink): Promise<void> {
  await readXml(zip.stream('xl/workbook.xml'), {
    open(element, attributes) {
      if (element === 'sheet') sink.line(attribute(attributes, 'name') ?? '');
    },
  });
  const texts = await sharedTexts(zip, 2 * sink.room);
  for (const name of sheets) {
    let kind = '';
    let value = false;
    let cell = '';
    await readXml(zip.stream(name), {
      open(element, attributes) {
        if (element === 'c') [kind, cell] = [attribute(attributes, 't') ?? 'n', ''];
        else if (element === 'v' || element === 't') value = true;
      },
      text(some) {
        if (value && cell.length <= sink.room) cell += some;
      },
      close(element) {
        if (element === 'v' || element === 't') value = false;
        else if (element === 'c') {
          const shown = kind === 's' ? (texts[Number(cell)] ?? '') : cell;
          if (shown !== '') sink.add(`${shown}\t`);
        } else if (element === 'row') sink.add('\n');
      },
    });
  }
}
