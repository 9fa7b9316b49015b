/** Text in images, by tesseract.js, with data of languages from packages that are installed: nothing is fetched from anywhere. */
import { access, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { Worker } from 'tesseract.js';
import { optional } from '../../../shared/optional-package.js';

/** What is recognised, and how. */
export interface OcrSettings {
  /** Names of languages as those of the packages `@tesseract.js-data/<name>`. */
  readonly languages: readonly string[];
  /** Pages and images of a document. */
  readonly pages: number;
}

/** Images larger than this are made smaller; those with more dots are not looked at. */
const LONGEST_SIDE = 3500;
const MOST_DOTS = 100_000_000;
/** Text of fewer dots has letters that are too small. */
const LEAST_SIDE = 1000;
/** Dots an inch that the engine is told, as it guesses otherwise. */
const DENSITY = 300;
/** As the packages have them; the first is more exact. */
const FOLDERS = ['4.0.0_best_int', '4.0.0'];

/** One engine a thread: to begin one takes a second. It ends with its thread. */
let engine: { readonly languages: string; readonly worker: Promise<Worker> } | undefined;

/** The text of an image, which lies at a path or is in memory. Throws errors with a message for users. */
export async function recognisedImage(image: Buffer | string, { languages }: OcrSettings): Promise<string> {
  const { default: sharp } = await optional(() => import('../sharp.js'));
  const { width, height } = await sharp(image, { limitInputPixels: MOST_DOTS }).metadata();
  const longest = Math.max(width, height);
  const target =
    longest > LONGEST_SIDE ? LONGEST_SIDE : longest < LEAST_SIDE ? Math.min(LEAST_SIDE, longest * 2) : longest;
  const prepared = await sharp(image, { limitInputPixels: MOST_DOTS })
    .autoOrient()
    .flatten({ background: 'white' })
    .greyscale()
    .resize({ width: target, height: target, fit: 'inside', withoutEnlargement: false })
    .withMetadata({ density: DENSITY })
    .png({ compressionLevel: 1 })
    .toBuffer();
  const worker = await engineFor(languages);
  const { data } = await worker.recognize(prepared, {}, { text: true });
  return data.text;
}

async function engineFor(names: readonly string[]): Promise<Worker> {
  const languages = names.join('+');
  if (engine?.languages !== languages) {
    await engine?.worker.then((worker) => worker.terminate());
    const begun = begin(names);
    engine = { languages, worker: begun };
    begun.catch(() => {
      engine = undefined;
    });
  }
  return engine.worker;
}

async function begin(names: readonly string[]): Promise<Worker> {
  const { createWorker, OEM } = await optional(() => import('tesseract.js'));
  const data = await Promise.all(names.map(dataOf));
  // All of them in one folder: a path of this machine is read, and nothing is fetched.
  const folder = await mkdtemp(join(tmpdir(), 'svc-ocr-'));
  try {
    await Promise.all(data.map((path) => copyFile(path, join(folder, basename(path)))));
    return await createWorker([...names], OEM.LSTM_ONLY, {
      langPath: folder,
      cacheMethod: 'none',
      gzip: true,
      // What it would throw by itself is what it rejects with.
      errorHandler: () => undefined,
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function dataOf(name: string): Promise<string> {
  const from = createRequire(import.meta.url);
  const wanted = `@tesseract.js-data/${name}`;
  for (const folder of FOLDERS) {
    try {
      const path = join(dirname(from.resolve(`${wanted}/package.json`)), folder, `${name}.traineddata.gz`);
      await access(path);
      return path;
    } catch {
      // The next one, or none.
    }
  }
  throw new Error(
    `Text in images cannot be read in "${name}": run \`npm install ${wanted}\` where the server is installed.`,
  );
}
