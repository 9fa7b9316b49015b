/** Pictures that are kept in the project, and small enough to be. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';

type Clip = NonNullable<NonNullable<Parameters<Page['screenshot']>[0]>['clip']>;

/** Leaves a picture of what a window shows, or of a part of it, at most so many pixels wide: `name`.png in a folder. */
export async function keepPicture(page: Page, folder: string, name: string, width: number, clip?: Clip): Promise<void> {
  await mkdir(folder, { recursive: true });
  const png = await page.screenshot({ animations: 'disabled', caret: 'hide', ...(clip === undefined ? {} : { clip }) });
  await sharp(png)
    .resize({ width, withoutEnlargement: true })
    .png({ palette: true, colours: 96, effort: 10 })
    .toFile(join(folder, `${name}.png`));
}
