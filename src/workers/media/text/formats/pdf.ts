/** PDF: the text of its pages, and of pages that are images what is recognised on them. */
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { optional } from '../../../../shared/optional-package.js';
import type { Format, Reading } from '../format.js';
import { recognised } from '../ocr.js';

/** Pages of a document that are read. */
const PAGES = 10_000;
/** Letters and digits that a page has which is no image of one. */
const LEAST_SIGNS = 16;
const SIGNS = /[\p{L}\p{N}]/gu;
/** Dots an inch of a page that is recognised, where a page has 72; and how large it becomes at most. */
const DENSITY = 220;
const MOST_DOTS = 12_000_000;
const USER_UNITS = 72;

const packagePath = (): string => dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));

const load = () => optional(() => import('pdfjs-dist/legacy/build/pdf.mjs'));

export const pdf: Format = {
  name: 'PDF',
  // Some have something else in front of it.
  is: ({ head }) => head.subarray(0, 1024).includes('%PDF-'),
  async read(source, reading) {
    const { getDocument, VerbosityLevel } = await load();
    const folder = (name: string): string => `${join(packagePath(), name)}/`;
    const task = getDocument({
      data: new Uint8Array(await source.bytes()),
      verbosity: VerbosityLevel.ERRORS,
      isEvalSupported: false,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      cMapUrl: folder('cmaps'),
      standardFontDataUrl: folder('standard_fonts'),
      wasmUrl: pathToFileURL(folder('wasm')).href,
    });
    try {
      await readPages(await opened(task.promise), reading);
    } finally {
      await task.destroy();
    }
  },
};

async function opened(promise: Promise<PDFDocumentProxy>): Promise<PDFDocumentProxy> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof Error && error.name === 'PasswordException') {
      throw new Error('It is protected by a password.', { cause: error });
    }
    throw new Error('The PDF is broken.', { cause: error });
  }
}

async function readPages(document: PDFDocumentProxy, reading: Reading): Promise<void> {
  const count = Math.min(document.numPages, PAGES);
  let [read, problem] = [0, undefined as unknown];
  for (let number = 1; number <= count; number++) {
    let page: PDFPageProxy;
    try {
      page = await document.getPage(number);
    } catch (error) {
      problem ??= error;
      continue;
    }
    read++;
    await readPage(page, reading);
    page.cleanup();
  }
  if (read === 0 && problem !== undefined) throw new Error('No page of the PDF can be read.', { cause: problem });
}

async function readPage(page: PDFPageProxy, { sink, ocr, budget }: Reading): Promise<void> {
  const { items } = await page.getTextContent();
  let text = '';
  for (const item of items) {
    if (!('str' in item)) continue;
    text += item.str;
    if (item.hasEOL) text += '\n';
    if (text.length > sink.room) break;
  }
  if (ocr !== undefined && (text.match(SIGNS)?.length ?? 0) < LEAST_SIGNS && budget.recognised > 0) {
    budget.recognised--;
    text = await recognised(await drawn(page), ocr);
  }
  sink.line(text);
}

/** The page as an image. */
async function drawn(page: PDFPageProxy): Promise<Buffer> {
  const { createCanvas } = await optional(() => import('@napi-rs/canvas'));
  const size = page.getViewport({ scale: 1 });
  const fitting = Math.sqrt(MOST_DOTS / Math.max(1, size.width * size.height));
  const viewport = page.getViewport({ scale: Math.min(DENSITY / USER_UNITS, fitting) });
  const canvas = createCanvas(Math.max(1, Math.ceil(viewport.width)), Math.max(1, Math.ceil(viewport.height)));
  // Its type is that of browsers.
  await page.render({ canvas: canvas as never, viewport }).promise;
  return canvas.encode('png');
}
