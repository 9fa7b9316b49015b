/** What axe-core finds wrong with a page: at both widths, light and dark. */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const SOURCE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');
export const WIDTHS = [1440, 390] as const;
const SCHEMES = ['light', 'dark'] as const;

interface Found {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
  }[];
}
interface Axe {
  run(): Promise<Found>;
}

/** Rules that are broken, with the place; and whether something is wider than the page. Leaves the page as it was found. */
export async function violations(page: Page): Promise<string[]> {
  const size = page.viewportSize() ?? { width: WIDTHS[0], height: 900 };
  const found = new Set<string>();
  // Not as a script of the page, whose policy allows none but its own.
  await page.evaluate(await readFile(SOURCE, 'utf8'));
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const result = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run());
      for (const { id, nodes } of result.violations)
        for (const { target, failureSummary = '' } of nodes)
          found.add(
            `${id} (${String(width)}, ${colorScheme}): ${String(target)} ${failureSummary.replace(/\s+/g, ' ')}`,
          );
    }
    const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
    if ((inner ?? 0) > (outer ?? 0)) found.add(`wider than the page (${String(width)}): ${String(inner)} px`);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(size);
  return [...found];
}
