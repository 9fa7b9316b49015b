/** Loads pdf.js for reading: without the native code that it would draw pages with, and with a limit of what it unpacks. */
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import type * as Pdf from 'pdfjs-dist/legacy/build/pdf.mjs';
import { optional } from '../../../../shared/optional-package.js';
import { limitUnpacking } from './pdf-memory.js';

export type PdfEngine = typeof Pdf;

const CANVAS = '@napi-rs/canvas';
/** What the package asks for of browsers when it is loaded, and only drawing needs. */
const OF_BROWSERS = ['DOMMatrix', 'ImageData', 'Path2D'] as const;

let engine: Promise<PdfEngine> | undefined;

export function pdfEngine(): Promise<PdfEngine> {
  return (engine ??= optional(load));
}

/** Where its files are. */
export function pdfFolder(): string {
  return dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json'));
}

/**
 * The package loads a library for drawing, if that is installed. It takes longer to load than the package itself, and is native code that
 * documents of strangers could end the process with: another module has its place.
 */
function load(): Promise<PdfEngine> {
  const exports = Object.fromEntries(OF_BROWSERS.map((name) => [name, class {}]));
  const own = createRequire(import.meta.url);
  try {
    const inPackage = createRequire(own.resolve('pdfjs-dist/package.json'));
    const path = inPackage.resolve(CANVAS);
    inPackage.cache[path] = { id: path, filename: path, path: dirname(path), loaded: true, exports } as NodeJS.Module;
  } catch {
    // One of them is not installed.
  }
  for (const name of OF_BROWSERS) Object.assign(globalThis, { [name]: exports[name] });
  limitUnpacking();
  return import('pdfjs-dist/legacy/build/pdf.mjs');
}
