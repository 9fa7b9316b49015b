/** OpenDocument: texts, tables, slides (odt, ods, odp and their kin). */
import type { TextSink } from '../sink.js';
import { attribute, readXml } from '../xml.js';
import type { Zip } from '../zip.js';

export function isOpenDocument(mimetype: string): boolean {
  return mimetype.startsWith('application/vnd.oasis.opendocument.');
}

/** What is deleted, and what is about a remark. */
const SKIPPED: ReadonlySet<string> = new Set(['tracked-changes', 'creator', 'date', 'initials', 'sender-initials']);
const MOST_SPACES = 100;

export async function readOpenDocument(zip: Zip, sink: TextSink): Promise<void> {
  await readParagraphs(zip, 'content.xml', sink);
  // Heads and feet of pages.
  await readParagraphs(zip, 'styles.xml', sink);
}

async function readParagraphs(zip: Zip, name: string, sink: TextSink): Promise<void> {
  let paragraphs = 0;
  let skipped = 0;
  await readXml(zip.stream(name), {
    open(element, attributes) {
      if (SKIPPED.has(element)) skipped++;
      if (skipped > 0) return;
      if (element === 'p' || element === 'h') paragraphs++;
      else if (element === 'table' && name === 'content.xml') sink.line(attribute(attributes, 'name') ?? '');
      else if (paragraphs === 0) return;
      else if (element === 's')
        sink.add(' '.repeat(Math.min(MOST_SPACES, Number(attribute(attributes, 'c') ?? 1) || 1)));
      else if (element === 'tab') sink.add('\t');
      else if (element === 'line-break') sink.add('\n');
    },
    text(some) {
      if (paragraphs > 0 && skipped === 0) sink.add(some.replace(/\s+/g, ' '));
    },
    close(element) {
      if (SKIPPED.has(element)) skipped--;
      else if (skipped === 0 && (element === 'p' || element === 'h')) {
        paragraphs--;
        sink.add('\n');
      }
    },
  });
}
