/** What is a ZIP archive: documents of several files, and archives of documents. */
import type { Format, Reading } from '../format.js';
import { sourceOf } from '../source.js';
import { Zip } from '../zip.js';
import { EPUB, readEpub } from './epub.js';
import { isOfficeOpen, readOfficeOpen } from './office-open.js';
import { isOpenDocument, readOpenDocument } from './open-document.js';

export const archive: Format = {
  name: 'ZIP',
  is: ({ head }) => head.toString('latin1', 0, 4) === 'PK\x03\x04',
  read: (source, reading) =>
    Zip.with(source, reading.budget, async (zip) => {
      if (isOfficeOpen(zip)) return readOfficeOpen(zip, reading.sink);
      const kind = (await zip.bytes('mimetype', 200).catch(() => undefined))?.toString('latin1').trim() ?? '';
      if (isOpenDocument(kind)) return readOpenDocument(zip, reading.sink);
      if (kind === EPUB) return readEpub(zip, reading.sink);
      return readEntries(zip, reading);
    }),
};

/** Files of an archive: their names, and their texts. */
async function readEntries(zip: Zip, { sink, budget, within }: Reading): Promise<void> {
  for (const name of zip.names) {
    sink.line(name);
    if (zip.sizeOf(name) > budget.unpacked) continue;
    let content: Buffer | undefined;
    try {
      content = await zip.bytes(name);
    } catch (error) {
      if (budget.unpacked < 0) throw error;
    }
    if (content !== undefined) await within(sourceOf(content, name));
  }
}
