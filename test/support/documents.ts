/** Small documents with a text of one's own, for tests of what is read of them. */
import { plainDocuments } from '../../bench/documents.js';
import { zipOf } from './zip-builder.js';

const escaped = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

const part = (name: string, content: string | Buffer): { name: string; content: Buffer } => ({
  name,
  content: Buffer.from(content),
});

/** Archives of documents, by what they are called. */
export const documents = {
  ...plainDocuments,
  docx: (paragraphs: readonly string[]): Buffer =>
    zipOf([
      part(
        '[Content_Types].xml',
        `${XML}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
      ),
      part(
        'word/document.xml',
        `${XML}<w:document xmlns:w="w"><w:body>${paragraphs
          .map(
            (one) =>
              `<w:p><w:pPr><w:tabs><w:tab w:val="left"/></w:tabs></w:pPr><w:r><w:t>${escaped(one)}</w:t></w:r></w:p>`,
          )
          .join('')}</w:body></w:document>`,
      ),
    ]),
  xlsx: (rows: readonly (readonly string[])[]): Buffer => {
    const texts = rows.flat();
    let at = 0;
    return zipOf([
      part('[Content_Types].xml', `${XML}<Types/>`),
      part('xl/workbook.xml', `${XML}<workbook><sheets><sheet name="Harvest"/></sheets></workbook>`),
      part(
        'xl/sharedStrings.xml',
        `${XML}<sst>${texts.map((one) => `<si><t>${escaped(one)}</t></si>`).join('')}</sst>`,
      ),
      part(
        'xl/worksheets/sheet1.xml',
        `${XML}<worksheet><sheetData>${rows
          .map((row) => `<row>${row.map(() => `<c t="s"><v>${String(at++)}</v></c>`).join('')}<c><v>4711</v></c></row>`)
          .join('')}</sheetData></worksheet>`,
      ),
    ]);
  },
  pptx: (slides: readonly string[]): Buffer =>
    zipOf([
      part('[Content_Types].xml', `${XML}<Types/>`),
      ...slides.map((one, i) =>
        part(
          `ppt/slides/slide${String(i + 1)}.xml`,
          `${XML}<p:sld xmlns:a="a" xmlns:p="p"><a:p><a:r><a:t>${escaped(one)}</a:t></a:r></a:p></p:sld>`,
        ),
      ),
    ]),
  odt: (paragraphs: readonly string[], kind = 'text'): Buffer =>
    zipOf([
      { ...part('mimetype', `application/vnd.oasis.opendocument.${kind}`), stored: true },
      part(
        'content.xml',
        `${XML}<office:document-content xmlns:office="o" xmlns:text="t"><office:body>${paragraphs
          .map((one) => `<text:p>${escaped(one)}<text:s text:c="2"/></text:p>`)
          .join('')}</office:body></office:document-content>`,
      ),
    ]),
  epub: (chapters: readonly string[]): Buffer =>
    zipOf([
      { ...part('mimetype', 'application/epub+zip'), stored: true },
      part(
        'META-INF/container.xml',
        `${XML}<container><rootfiles><rootfile full-path="b/book.opf"/></rootfiles></container>`,
      ),
      part(
        'b/book.opf',
        `${XML}<package><manifest>${chapters
          .map((_, i) => `<item id="c${String(i)}" href="chapter%20${String(i)}.xhtml"/>`)
          .join(
            '',
          )}</manifest><spine>${chapters.map((_, i) => `<itemref idref="c${String(i)}"/>`).join('')}</spine></package>`,
      ),
      ...chapters.map((one, i) =>
        part(`b/chapter ${String(i)}.xhtml`, `<html><body><p>${escaped(one)}</p></body></html>`),
      ),
    ]),
};
