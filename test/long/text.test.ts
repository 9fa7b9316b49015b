/** What is read of documents beside other readers, and what bad documents do: in threads of the long pool, as the server runs them (docs/design/media.md 7). */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closePools, longWork, WorkError } from '../../src/shared/work/index.js';
import type { Outcome } from '../../src/workers/outcome.js';
import type { TextJob, TextResult } from '../../src/workers/media/text/read.js';
import { pdfOf } from '../../bench/documents.js';
import { documents } from '../support/documents.js';
import { zipOf } from '../support/zip-builder.js';

const run = promisify(execFile);
const MB = 1024 * 1024;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-text-'));
});
afterAll(async () => {
  await closePools();
  await rm(folder, { recursive: true, force: true });
});

/** What a thread answers, or why it did not. */
async function read(
  name: string,
  content: Buffer,
  more: Partial<TextJob> = {},
  time = 20_000,
): Promise<Outcome<TextResult>> {
  const path = join(folder, name);
  await writeFile(path, content);
  const job: TextJob = { path, name, contentType: '', most: 1_000_000, ...more };
  try {
    return await longWork().run<Outcome<TextResult>>(job, { file: 'media/text/read', what: 'reading text', time });
  } catch (error) {
    if (error instanceof WorkError) return { problem: error.code };
    throw error;
  }
}

const words = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** How many of the words are there, of 1. */
function recall(wanted: string, got: string): number {
  const left = new Map<string, number>();
  for (const word of words(got)) left.set(word, (left.get(word) ?? 0) + 1);
  const all = words(wanted);
  const there = all.filter((word) => {
    const count = left.get(word) ?? 0;
    left.set(word, count - 1);
    return count > 0;
  });
  return there.length / all.length;
}

/** Numbers from 0 to 1, the same each time. */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const textOf = (outcome: Outcome<TextResult>): string => ('value' in outcome ? outcome.value.text : '');

const VOCABULARY =
  'garden house river mountain winter apple basket village farmer snow grass tree morning evening window letter'.split(
    ' ',
  );
/** Lines of words, the same each time. */
function lines(count: number, seed = 1): string[] {
  const next = random(seed);
  return Array.from({ length: count }, () =>
    Array.from({ length: 11 }, () => VOCABULARY[Math.floor(next() * VOCABULARY.length)] ?? '').join(' '),
  );
}

describe('word recall', () => {
  it('of PDF beside pdftotext is at least 98 %', async (context) => {
    const pages = Array.from({ length: 30 }, (_, i) => lines(45, i + 1).join('\n'));
    const pdf = documents.pdf(pages);
    await writeFile(join(folder, 'reference.pdf'), pdf);
    const reference = await run('pdftotext', [join(folder, 'reference.pdf'), '-']).catch(() => undefined);
    if (reference === undefined) {
      console.warn('skipped: pdftotext is not installed (poppler-utils)');
      context.skip();
      return;
    }
    expect(words(reference.stdout).length).toBe(30 * 45 * 11);
    expect(recall(reference.stdout, textOf(await read('a.pdf', pdf)))).toBeGreaterThanOrEqual(0.98);
  });

  it('of documents beside LibreOffice is at least 98 %', async (context) => {
    const text = lines(100);
    const there = await run('soffice', ['--version']).catch(() => undefined);
    if (there === undefined) {
      console.warn('skipped: LibreOffice is not installed');
      context.skip();
    }
    for (const [name, content] of [
      ['b.odt', documents.odt(text)],
      ['b.rtf', documents.rtf(text.join('\\par '))],
    ] as const) {
      await writeFile(join(folder, name), content);
      await run('soffice', ['--headless', '--convert-to', 'txt:Text', '--outdir', folder, join(folder, name)]);
      const reference = await run('cat', [join(folder, 'b.txt')]);
      expect(recall(reference.stdout, textOf(await read(name, content)))).toBeGreaterThanOrEqual(0.98);
    }
  });
});

describe('OCR', () => {
  it('of a rendered page, and of the same in a PDF, has at least 95 % of the words', async () => {
    const text = lines(12);
    const page = text.map((line, i) => `<text x="50" y="${String(80 + 66 * i)}">${line}</text>`).join('');
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1700" height="900" font-size="34" font-family="sans-serif">
      <rect width="1700" height="900" fill="white"/>${page}</svg>`;
    const png = await sharp(Buffer.from(svg)).png().toBuffer();
    const jpeg = await sharp(png).jpeg().toBuffer();
    const ocr = { languages: ['eng'], pages: 5 };
    const image = await read('page.png', png, { ocr }, 60_000);
    expect(recall(text.join(' '), textOf(image))).toBeGreaterThanOrEqual(0.95);
    const scan = await read('scan.pdf', documents.scan(jpeg, 1700, 900), { ocr }, 60_000);
    expect(recall(text.join(' '), textOf(scan))).toBeGreaterThanOrEqual(0.95);
    expect(await read('page.png', png, { ocr: { languages: ['xyz'], pages: 5 } })).toEqual({
      problem: expect.stringContaining('@tesseract.js-data/xyz') as string,
    });
    expect(await read('page.png', png)).toMatchObject({ value: { text: '' } });
  });
});

describe('bombs', () => {
  const laughs = Array.from(
    { length: 10 },
    (_, i) => `<!ENTITY l${String(i)} "${`&l${String(i - 1)};`.repeat(i === 0 ? 0 : 10)}lol">`,
  ).join('');
  const xml = `<?xml version="1.0"?><!DOCTYPE x [${laughs}]><w:document><w:p><w:t>&l9;</w:t></w:p></w:document>`;
  const word = (document: Buffer): Buffer =>
    zipOf([
      { name: '[Content_Types].xml', content: Buffer.from('<Types/>') },
      { name: 'word/document.xml', content: document },
    ]);
  /** Archives in each other, each several times. */
  const nested = (depth: number): Buffer => {
    let inner = zipOf([{ name: 'zeros.txt', content: Buffer.alloc(8 * MB) }]);
    for (let i = 0; i < depth; i++)
      inner = zipOf(Array.from({ length: 8 }, (_, j) => ({ name: `${String(j)}.zip`, content: inner })));
    return inner;
  };
  const loop = (): Buffer =>
    Buffer.from(
      documents
        .pdf(['one'])
        .toString('latin1')
        .replace('/Kids [4 0 R]', '/Kids [2 0 R]')
        .replace('/Count 1', '/Count 9'),
      'latin1',
    );

  it.each([
    ['entities that grow', 'a.docx', () => word(Buffer.from(xml))],
    ['zeros in a document', 'b.docx', () => word(Buffer.alloc(300 * MB))],
    ['an archive in a document', 'c.docx', () => word(nested(2))],
    ['archives in each other', 'd.zip', () => nested(5)],
    ['elements in each other', 'e.docx', () => word(Buffer.from('<a>'.repeat(500_000)))],
    ['elements of HTML', 'f.html', () => Buffer.from(`<html>${'<div>'.repeat(500_000)}`)],
    ['groups of RTF', 'g.rtf', () => Buffer.from(`{\\rtf1${'{'.repeat(2_000_000)}`)],
    ['pages that are in each other', 'h.pdf', loop],
    [
      'lists of Markdown',
      'i.md',
      () => Buffer.from('> '.repeat(100_000) + '[a]('.repeat(50_000) + '*a_'.repeat(50_000)),
    ],
    [
      'mails in each other',
      'j.eml',
      () => Buffer.from(`From: a\nTo: b\nSubject: c\nMIME-Version: 1.0\nContent-Type: message/rfc822\n\n`.repeat(5000)),
    ],
    ['a text without an end', 'k.txt', () => Buffer.alloc(50 * MB, 'word ')],
  ])('%s end soon and in little memory', async (_, name, content) => {
    const bytes = content();
    const begun = performance.now();
    const outcome = await read(name, bytes);
    expect(performance.now() - begun).toBeLessThan(15_000);
    if ('value' in outcome) expect(outcome.value.text.length).toBeLessThanOrEqual(1_000_000);
    expect(textOf(outcome)).not.toContain('lollol');
    expect(outcome).not.toEqual({ problem: 'died' });
  });
});

describe('streams of a PDF', () => {
  it('unpack to no more than a document may have', async () => {
    const zeros = deflateSync(Buffer.alloc(400 * MB, ' '));
    const large = Buffer.concat([
      Buffer.from(`<< /Filter /FlateDecode /Length ${String(zeros.length)} >>\nstream\n`),
      zeros,
      Buffer.from('\nendstream'),
    ]);
    const contents = Array.from({ length: 8 }, (_, i) => `${String(4 + i)} 0 R`).join(' ');
    const bomb = pdfOf([
      Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
      Buffer.from('<< /Type /Pages /Count 1 /Kids [3 0 R] >>'),
      Buffer.from(`<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Resources << >> /Contents [${contents}] >>`),
      ...Array.from({ length: 8 }, () => large),
    ]);
    let most = 0;
    const before = process.memoryUsage().rss;
    const timer = setInterval(() => (most = Math.max(most, process.memoryUsage().rss - before)), 10);
    // 3 GB are unpacked: other tests may have the processors.
    const outcome = await read('bomb.pdf', bomb, {}, 120_000);
    clearInterval(timer);
    expect(outcome).not.toEqual({ problem: 'time' });
    expect(most).toBeLessThan(1200 * MB);
  });
});

describe('documents with wrong bytes', () => {
  const text = lines(20);
  it.each([
    ['pdf', documents.pdf([text.join('\n')])],
    ['docx', documents.docx(text)],
    ['xlsx', documents.xlsx([text])],
    ['pptx', documents.pptx(text)],
    ['odt', documents.odt(text)],
    ['epub', documents.epub(text)],
    ['rtf', documents.rtf(text.join('\\par '))],
    ['eml', documents.eml('subject', text.join('\n'), documents.odt(text), 'a.odt')],
    ['html', Buffer.from(`<!DOCTYPE html><html><body><p>${text.join('<p>')}</body></html>`)],
    ['zip', zipOf([{ name: 'a.txt', content: Buffer.from(text.join('\n')) }])],
  ])('300 of %s end no thread and take no long time', async (kind, good) => {
    const next = random(kind.length);
    const odd: unknown[] = [];
    for (let i = 0; i < 300; i++) {
      const bad = Buffer.from(good);
      const whole = Math.floor(next() * 4);
      for (let j = 0; j <= whole * 4; j++) bad[Math.floor(next() * bad.length)] = Math.floor(next() * 256);
      const cut = next() < 0.2 ? bad.subarray(0, Math.floor(next() * bad.length)) : bad;
      const outcome = await read(`bad.${kind}`, cut, {}, 5000);
      if ('problem' in outcome && ['died', 'memory', 'time'].includes(outcome.problem)) odd.push([i, outcome]);
    }
    expect(odd).toEqual([]);
  });
});
