/** What the steps of the guide are made of: forms of the areas, windows of other people, pictures. */
import { readFile } from 'node:fs/promises';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import { keepPicture } from './pictures.js';

/** Where the pictures of the guide go; absent: none are made. */
const pictures = process.env['SVC_TEST_GUIDE'];
export const WINDOW = { width: 1200, height: 760 };

/** Pixels around a part of the page. */
const MARGIN = 14;

interface Size {
  /** Without what is around the part. */
  readonly tight?: boolean;
  readonly width?: number;
  readonly height?: number;
}

/** A picture of the guide, at most as wide as its window: of a part of the page, or of what a window of this size shows. */
export async function picture(
  name: string,
  shown: Page | Locator,
  { tight = false, ...size }: Size = {},
): Promise<void> {
  if (pictures === undefined) return;
  const isPage = 'viewportSize' in shown;
  const page = isPage ? shown : shown.page();
  const before = page.viewportSize() ?? WINDOW;
  const now = { ...before, ...size };
  await page.setViewportSize(now);
  if (isPage) await page.evaluate('document.getElementById("content")?.scrollTo(0, 0)');
  const box = isPage ? null : await shown.boundingBox();
  // Of a part also a little of what is around it.
  const margin = tight ? 0 : MARGIN;
  const [left, top] = [Math.max(0, (box?.x ?? 0) - margin), Math.max(0, (box?.y ?? 0) - margin)];
  const clip = {
    x: left,
    y: top,
    width: Math.min(now.width, (box?.x ?? 0) + (box?.width ?? 0) + margin) - left,
    height: Math.min(now.height, (box?.y ?? 0) + (box?.height ?? 0) + margin) - top,
  };
  await keepPicture(page, pictures, name, WINDOW.width, box === null ? undefined : clip);
  await page.setViewportSize(before);
}

/** A picture as somebody has one on their disk: hills and the sun. */
export const clubPicture = (): Promise<Buffer> =>
  sharp(
    Buffer.from(
      `<svg xmlns="http://www.w3.org/2000/svg" width="400" height="125" viewBox="0 0 640 200">
        <rect width="640" height="200" fill="#dbeafe"/><circle cx="520" cy="60" r="34" fill="#fbbf24"/>
        <path d="M0 200 L150 70 L260 160 L370 50 L560 200 Z" fill="#4f7cac"/>
        <path d="M370 50 L330 86 L362 96 L384 84 L412 92 Z" fill="#fff"/>
        <path d="M0 200 L90 140 L240 200 Z" fill="#2f5d50"/><path d="M400 200 L540 150 L640 200 Z" fill="#2f5d50"/>
      </svg>`,
    ),
  )
    .png()
    .toBuffer();

/** A window of somebody else. */
export async function another(page: Page, size = WINDOW): Promise<Page> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('a page without a browser');
  return browser.newPage({ locale: 'en-GB', viewport: size });
}

export const dialog = (page: Page): Locator => page.getByRole('dialog');
export const tab = (page: Page, name: string): Promise<void> => page.getByRole('tab', { name, exact: true }).click();

const nothing = (): Promise<void> => Promise.resolve();

/** Fills the form that a button opens, and has it created. */
async function filled(page: Page, button: string, fill: (form: Locator) => Promise<void>): Promise<void> {
  await page.getByRole('button', { name: button, exact: true }).click();
  await fill(dialog(page));
  await dialog(page).getByRole('button', { name: 'Create' }).click();
  await dialog(page).waitFor({ state: 'detached' });
}

export async function newType(page: Page, name: string): Promise<void> {
  await filled(page, 'New type', (form) => form.getByLabel('Name', { exact: true }).fill(name));
  await page.getByRole('heading', { level: 2, name }).waitFor();
}

export async function newProperty(
  page: Page,
  name: string,
  type: string,
  more: (form: Locator) => Promise<void> = nothing,
): Promise<void> {
  await filled(page, 'New property', async (form) => {
    await form.getByLabel('Name', { exact: true }).fill(name);
    await form.getByLabel('Type', { exact: true }).selectOption(type);
    await more(form);
  });
  await page.getByRole('button', { name, exact: true }).waitFor();
}

/** A new object of the type that is shown in the area Data, and a row with this name then. */
export async function newObject(page: Page, name: string, fill: (form: Locator) => Promise<void>): Promise<void> {
  await filled(page, 'New object', async (form) => {
    await form.getByLabel('name', { exact: true }).fill(name);
    await fill(form);
  });
  await page.getByRole('row').filter({ hasText: name }).waitFor();
}

/** The area Pages with a page that is open. */
export class PageWork {
  constructor(private readonly page: Page) {}

  get chosen(): Locator {
    return this.page.getByRole('region', { name: 'What is chosen' });
  }

  get preview(): FrameLocator {
    return this.page.frameLocator('iframe[title=Preview]');
  }

  private item(title: string): Locator {
    return this.page.getByRole('tree').getByRole('treeitem').filter({ hasText: title }).last();
  }

  async choose(title: string): Promise<void> {
    await this.item(title).click();
    await this.chosen.getByRole('heading', { level: 2, name: title }).waitFor();
  }

  /** Opens a node by the mark before its name. */
  unfold(title: string): Promise<void> {
    return this.item(title).locator('.twist').click();
  }

  /** Puts an element of the palette into what is chosen; it is chosen then. */
  async add(tag: string): Promise<void> {
    await this.page.getByRole('region', { name: 'Palette' }).getByRole('button', { name: tag, exact: true }).click();
    await this.chosen.getByRole('heading', { level: 2, name: tag }).waitFor();
  }

  /** Types into an editor of code. */
  async write(label: string, text: string): Promise<void> {
    await this.chosen.getByRole('textbox', { name: label, exact: true }).click();
    await this.page.keyboard.press('ControlOrMeta+A');
    await this.page.keyboard.insertText(text);
  }

  async save(): Promise<void> {
    await this.chosen.getByRole('button', { name: 'Save' }).first().click();
    await this.chosen.getByText('Not saved yet.').waitFor({ state: 'detached' });
  }
}

/** A form of the dashboard by its heading. */
export const part = (page: Page, name: 'Export' | 'Import'): Locator =>
  page.locator('form').filter({ has: page.getByRole('heading', { name, exact: true }) });

/** Has the ZIP file of what is chosen made, and downloads it. */
export async function exported(page: Page, name: string): Promise<Buffer> {
  const form = part(page, 'Export');
  await form.getByLabel('Name of the archive').fill(name);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    form.getByRole('button', { name: 'Download ZIP' }).click(),
  ]);
  await form.getByText(`The archive is with your browser: ${name}.zip`).waitFor();
  return readFile(await download.path());
}

/** Imports a ZIP file, and waits for the end of its run. */
export async function imported(page: Page, what: 'Application' | 'Data', name: string, buffer: Buffer): Promise<void> {
  const form = part(page, 'Import');
  await form.getByLabel('What').selectOption({ label: what });
  await form.getByLabel('File').setInputFiles({ name, mimeType: 'application/zip', buffer });
  await form.getByRole('button', { name: 'Import' }).click();
  await form.getByText(what === 'Data' ? 'Import of data' : 'Import of an application').waitFor();
  await form.getByText('The import has ended well.').waitFor();
}
