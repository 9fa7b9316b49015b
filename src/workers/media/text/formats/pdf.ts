/** PDF: the text of its pages, and of pages that are images what is recognised on them. */
import { join } from 'node:path';
import type { PDFDocumentProxy, PDFPageProxy } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { optional } from '../../../../shared/optional-package.js';
import type { Format, Reading } from '../format.js';
import { pdfEngine, pdfFolder } from './pdf-engine.js';
import { recognisedImage, type OcrSettings } from '../ocr.js';

/** Pages of a document that are read. */
const PAGES = 10_000;
/** Letters and digits that a page has which is no image of one. */
const LEAST_SIGNS = 16;
const SIGNS = /[\p{L}\p{N}]/gu;
/** Images of a page that are recognised, their smallest side, and dots of all of them together. */
const IMAGES = 20;
const LEAST_SIDE = 30;
const MOST_DOTS = 100_000_000;

export const pdf: Format = {
  name: 'PDF',
  // Some have something else in front of it.
  is: ({ head }) => head.subarray(0, 1024).includes('%PDF-'),
  async read(source, reading) {
    const { getDocument, VerbosityLevel } = await pdfEngine();
    const folder = (name: string): string => `${join(pdfFolder(), name)}/`;
    const task = getDocument({
      data: new Uint8Array(await source.bytes()),
      verbosity: VerbosityLevel.ERRORS,
      isEvalSupported: false,
      enableXfa: false,
      disableFontFace: true,
      useSystemFonts: false,
      useWorkerFetch: false,
      isOffscreenCanvasSupported: false,
      isImageDecoderSupported: false,
      maxImageSize: MOST_DOTS,
      cMapUrl: folder('cmaps'),
      standardFontDataUrl: folder('standard_fonts'),
      wasmUrl: folder('wasm'),
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
    text = `${text}\n${await textInImages(page, ocr)}`;
  }
  sink.line(text);
}

/**
 * What is recognised on the images of a page. They are taken as they are: nothing draws pages, as that is done by native code, which ended
 * the process with a page of one image.
 */
async function textInImages(page: PDFPageProxy, ocr: OcrSettings): Promise<string> {
  const { OPS } = await pdfEngine();
  const { fnArray, argsArray } = await page.getOperatorList();
  const texts: string[] = [];
  let dots = 0;
  for (const [i, operator] of fnArray.entries()) {
    const isNamed = operator === OPS.paintImageXObject;
    if ((!isNamed && operator !== OPS.paintInlineImageXObject) || texts.length >= IMAGES) continue;
    const given = (argsArray[i] as readonly unknown[])[0];
    const image = isNamed ? await objectOf(page, String(given)) : given;
    if (!isImage(image) || Math.min(image.width, image.height) < LEAST_SIDE) continue;
    dots += image.width * image.height;
    if (dots > MOST_DOTS) break;
    texts.push(await recognisedImage(await encoded(image, page.rotate), ocr));
  }
  return texts.join('\n');
}

/** An image as the package decodes it. */
interface PageImage {
  readonly width: number;
  readonly height: number;
  /** `ImageKind`: a bit, three bytes or four for each dot. */
  readonly kind: number;
  readonly data: Uint8Array;
}

function isImage(value: unknown): value is PageImage {
  return (
    typeof value === 'object' &&
    value !== null &&
    'data' in value &&
    ArrayBuffer.isView(value.data) &&
    'width' in value &&
    'height' in value &&
    'kind' in value
  );
}

/** What a name of the page stands for, when it is there. */
function objectOf(page: PDFPageProxy, name: string): Promise<unknown> {
  const objects = (name.startsWith('g_') ? page.commonObjs : page.objs) as {
    get(name: string, then: (value: unknown) => void): void;
  };
  return new Promise((resolve) => objects.get(name, resolve));
}

async function encoded({ width, height, kind, data }: PageImage, rotate: number): Promise<Buffer> {
  const { default: sharp } = await optional(() => import('../../sharp.js'));
  const { ImageKind } = await pdfEngine();
  const bits = kind === ImageKind.GRAYSCALE_1BPP;
  const channels = bits ? 1 : kind === ImageKind.RGB_24BPP ? 3 : 4;
  const dots = bits ? bytesOfBits(data, width, height) : data;
  return sharp(dots, { raw: { width, height, channels } }).rotate(rotate).png({ compressionLevel: 1 }).toBuffer();
}

/** A byte for each dot that is a bit; rows begin with a byte. */
function bytesOfBits(data: Uint8Array, width: number, height: number): Uint8Array {
  const bytes = new Uint8Array(width * height);
  const row = (width + 7) >> 3;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to++)
      bytes[to] = ((data[y * row + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) === 0 ? 0 : 255;
  }
  return bytes;
}
