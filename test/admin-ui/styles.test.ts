/** Styles of an area stay while others are looked at: no two of them may mean different things by one class. */
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ADMIN = 'src/ui/admin';

it('gives each class that stands by itself to one area', async () => {
  const files = (await readdir(ADMIN, { recursive: true })).filter((name) => name.endsWith('.css'));
  expect(files.length).toBeGreaterThan(5);
  const areas = new Map<string, Set<string>>();
  for (const file of files) {
    const text = (await readFile(join(ADMIN, file), 'utf8')).replaceAll(/\/\*.*?\*\//gs, '');
    const [area = ''] = file.split('/');
    // Selectors at the beginning of a line; within media queries stands what is said outside of them, too.
    for (const [, selectors = ''] of text.matchAll(/^([^\s{}@][^{}]*)\{/gm))
      for (const selector of selectors.split(',').map((one) => one.trim()))
        if (/^\.[\w-]+$/.test(selector)) areas.set(selector, (areas.get(selector) ?? new Set()).add(area));
  }
  const shared = [...areas].filter(([, of]) => of.size > 1).map(([name, of]) => `${name}: ${[...of].join(', ')}`);
  expect(shared).toEqual([]);
});
