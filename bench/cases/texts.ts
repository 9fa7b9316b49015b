/** Case 65: text of documents, beside pdftotext with a process for each. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { together } from '../../src/shared/together.js';
import { closePools, longWork } from '../../src/shared/work/index.js';
import type { TextJob, TextResult } from '../../src/workers/media/text/read.js';
import type { Outcome } from '../../src/workers/outcome.js';
import type { Context, Sample } from '../context.js';
import { randomNumbers } from '../dataset.js';
import { plainDocuments } from '../documents.js';
import { installed } from '../programs.js';
import { rateResult, type Result } from '../result.js';

const DOCUMENTS = 500;
const GOAL = 1;
/** Lines of a page, and words of a line. */
const LINES = 45;
const WORDS = 12;
const TIME = 60_000;

interface Document {
  /** Of the kind that the server reads, and as a PDF for the other side. */
  readonly path: string;
  readonly pdf: string;
}

/** PDF, RTF, HTML, e-mail and text in equal parts, of one to ten pages; beside each the same text as PDF. */
async function written(folder: string, count: number): Promise<Document[]> {
  await mkdir(folder, { recursive: true });
  const random = randomNumbers(65);
  const words = Array.from({ length: 3000 }, () =>
    random()
      .toString(36)
      .slice(2, 5 + Math.floor(random() * 6)),
  );
  const line = (): string =>
    Array.from({ length: WORDS }, () => words[Math.floor(random() ** 2 * words.length)] ?? '').join(' ');
  const all: Document[] = [];
  for (let i = 0; i < count; i++) {
    const pages = Array.from({ length: 1 + Math.floor(random() * 10) }, () =>
      Array.from({ length: LINES }, line).join('\n'),
    );
    const text = pages.join('\n');
    const pdf = join(folder, `${String(i)}.pdf`);
    await writeFile(pdf, plainDocuments.pdf(pages));
    const others: readonly (readonly [string, () => string | Buffer])[] = [
      ['pdf', () => ''],
      ['rtf', () => plainDocuments.rtf(text.replaceAll('\n', '\\par '))],
      ['html', () => `<!DOCTYPE html><html><body><p>${text.replaceAll('\n', '</p><p>')}</p></body></html>`],
      ['eml', () => plainDocuments.eml('subject', text, Buffer.from(text), 'attached.txt')],
      ['txt', () => text],
    ];
    const [kind, content] = others[i % others.length] ?? ['txt', () => text];
    const path = join(folder, `${String(i)}.${kind}`);
    if (kind !== 'pdf') await writeFile(path, content());
    all.push({ path, pdf });
  }
  return all;
}

/** Documents a second, so many at a time. */
async function rate(
  documents: readonly Document[],
  atOnce: number,
  read: (one: Document) => Promise<void>,
): Promise<Sample> {
  const begun = performance.now();
  await together(documents, atOnce, read);
  return { value: (1000 * documents.length) / (performance.now() - begun) };
}

/** Both sides read as many at a time as the server does by itself. */
export async function readTexts(context: Context): Promise<Result[]> {
  if (!installed('pdftotext')) {
    context.say('  left out: pdftotext is not installed');
    return [];
  }
  const documents = await written(join(context.folder, 'texts'), context.options.quick ? 20 : DOCUMENTS);
  const pool = longWork();
  const run = promisify(execFile);
  const others = async ({ pdf }: Document): Promise<void> => {
    await run('pdftotext', [pdf, '-'], { maxBuffer: 100_000_000 });
  };
  const ours = async ({ path }: Document): Promise<void> => {
    const job: TextJob = { path, name: path, contentType: '', most: 1_000_000 };
    const work = { file: 'media/text/read', what: 'reading text', time: TIME } as const;
    const outcome = await pool.run<Outcome<TextResult>>(job, work);
    const problem = 'problem' in outcome ? outcome.problem : outcome.value.problem;
    if (problem !== undefined) throw new Error(`${path}: ${problem}`);
    // Each page has more.
    if ('value' in outcome && outcome.value.text.length < LINES * WORDS) throw new Error(`${path}: there is no text`);
  };
  const about = { case: 65, title: `text of ${String(documents.length)} mixed documents`, unit: 'documents/s' };
  try {
    await rate(documents.slice(0, 10), pool.places, ours);
    const sides = await context.compare(
      () => rate(documents, pool.places, others),
      () => rate(documents, pool.places, ours),
    );
    return [rateResult({ ...about, baselineTitle: 'the same as PDF by pdftotext, a process each' }, sides, GOAL)];
  } finally {
    await closePools();
  }
}
