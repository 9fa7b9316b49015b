/** What axe-core finds wrong with a page: at both widths, light and dark. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type axe from 'axe-core';
import type { RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

const SOURCE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
const WIDTHS = [1440, 390] as const;

type Axe = Pick<typeof axe, 'run'>;

/** Contrasts are the most work, and a matter of colours alone; everything else is one of the structure and the width. */
const LOOKS = [
  { width: WIDTHS[0], colorScheme: 'light', contrasts: true, structure: true },
  { width: WIDTHS[0], colorScheme: 'dark', contrasts: true, structure: false },
  { width: WIDTHS[1], colorScheme: 'light', contrasts: false, structure: true },
] as const;

/**
 * Rules that are broken, with the place; and whether something is wider than the page. Leaves the page as it was found. `quickly`: a page of
 * parts that another one has, too, where they were looked at for all of it.
 */
export async function violations(page: Page, quickly = false): Promise<string[]> {
  const size = page.viewportSize() ?? { width: WIDTHS[0], height: 900 };
  const found = new Set<string>();
  // Not as a script of the page, whose policy allows none but its own.
  await page.evaluate(await readFile(SOURCE, 'utf8'));
  for (const { width, colorScheme, structure, ...look } of LOOKS) {
    const contrasts = look.contrasts && !quickly;
    if (quickly && !structure) continue;
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    if (!quickly || width === WIDTHS[0]) {
      const options: RunOptions = {
        resultTypes: ['violations'],
        ...(structure ? { rules: { 'color-contrast': { enabled: contrasts } } } : { runOnly: ['color-contrast'] }),
      };
      const result = await page.evaluate((given) => (globalThis as unknown as { axe: Axe }).axe.run(given), options);
      for (const { id, nodes } of result.violations)
        for (const { target, failureSummary = '' } of nodes)
          found.add(
            `${id} (${String(width)}, ${colorScheme}): ${target.join(' ')} ${failureSummary.replace(/\s+/g, ' ')}`,
          );
    }
    const [inner = 0, outer = 0] = await page.evaluate<number[]>('[document.documentElement.scrollWidth, innerWidth]');
    if (inner > outer) found.add(`wider than the page (${String(width)}): ${String(inner)} px`);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(size);
  return [...found];
}
