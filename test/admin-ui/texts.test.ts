/** The texts of the Admin UI: complete in both languages, with the same values and forms, and none that nobody shows. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';

const ADMIN = fileURLToPath(new URL('../../src/ui/admin/', import.meta.url));
const TEXTS = join(ADMIN, 'texts');

type Texts = Readonly<Record<string, string>>;

/** Names and words that are the same in both languages. */
const SAME = new Set([
  ...['AdminShell', 'CSV', 'Cypher', 'HTML', 'JSON', 'JavaScript', 'MD5', 'REST'],
  ...[
    'Administrator',
    'Code',
    'Deployment',
    'Element …',
    'Export',
    'Id',
    'Import',
    'In',
    'Log',
    'Log: {name}',
    'Name',
    'Palette',
  ],
  ...[
    'Parameter {n}',
    'Port',
    'Position',
    'Region',
    'Schema',
    'Server',
    'Sites',
    'Tag',
    'Text',
    'Traits:',
    'Uploads',
    'Version',
    'Widgets',
  ],
]);
/** What is left of a text without its values. */
const wordsOf = (text: string): string => text.replaceAll(/\{\w+\}/g, '').trim();
/** `in {name}`, `{ms} ms`. */
const SHORT = 2;

/** Each catalogue by its file. */
const catalogues = new Map<string, { readonly en: Texts; readonly de: Texts }>();
/** The source of all areas, without the texts. */
let source = '';

beforeAll(async () => {
  const shared: Record<string, Texts> = {};
  for (const file of await readdir(TEXTS)) {
    const exported = (await import(pathToFileURL(join(TEXTS, file)).href)) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(exported)) {
      if (typeof value !== 'object' || value === null) continue;
      if (name === 'en' || name === 'de') shared[name] = value as Texts;
      else if ('en' in value && 'de' in value) catalogues.set(file, value as { en: Texts; de: Texts });
    }
  }
  catalogues.set('en.ts', { en: shared['en'] ?? {}, de: shared['de'] ?? {} });
  const files = await readdir(ADMIN, { recursive: true });
  const shown = files.filter((file) => /\.tsx?$/.test(file) && !file.startsWith('texts'));
  source = (await Promise.all(shown.map((file) => readFile(join(ADMIN, file), 'utf8')))).join('\n');
});

/** Values that stand in a text, with the forms that they have for numbers. */
function valuesIn(text: string): string {
  const found = [...text.matchAll(/\{(\w+)(,(?:[^{}]|\{[^{}]*\})*)?\}/g)].map(([, name = '', forms = '']) => {
    const named = [...forms.matchAll(/(\w+)\s*\{/g)].map(([, form = '']) => form);
    return [name, ...named.sort()].join(' ');
  });
  return [...new Set(found)].sort().join(', ');
}

/** Whether a text is shown somewhere: by its key, or by one that is put together (`` `jobs.${state}` ``). */
function isShown(key: string): boolean {
  if (source.includes(`'${key}'`)) return true;
  const starts = [...source.matchAll(/`([\w.-]+)\$\{/g)].map(([, start = '']) => start);
  return starts.some((start) => key.startsWith(start));
}

/** `<file>: <key>` of all texts for which it holds. */
const where = (holds: (key: string, en: string, de: string) => boolean): readonly string[] =>
  [...catalogues].flatMap(([file, { en, de }]) =>
    Object.entries(en)
      .filter(([key, text]) => holds(key, text, de[key] ?? ''))
      .map(([key, text]) => `${file}: ${key}: ${text}`),
  );

describe('the texts of the Admin UI', () => {
  it('are there in both languages', () => {
    expect(catalogues.size).toBeGreaterThan(10);
    for (const [file, { en, de }] of catalogues) expect(Object.keys(de).sort(), file).toEqual(Object.keys(en).sort());
    expect(where((_, en, de) => en.trim() === '' || de.trim() === '')).toEqual([]);
  });

  it('have the same values and forms of numbers', () => {
    expect(where((_, en, de) => valuesIn(en) !== valuesIn(de))).toEqual([]);
  });

  it('are German where they should be', () => {
    expect(where((_, en, de) => en === de && !SAME.has(en) && wordsOf(en).length > SHORT)).toEqual([]);
  });

  it('are shown somewhere, and are in one catalogue', () => {
    expect(where((key) => !isShown(key))).toEqual([]);
    const shared = catalogues.get('en.ts')?.en ?? {};
    const twice = [...catalogues].flatMap(([file, { en }]) =>
      file === 'en.ts' ? [] : Object.keys(en).filter((key) => key in shared),
    );
    expect(twice).toEqual([]);
  });
});
