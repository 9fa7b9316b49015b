/** What stands in tags of pages. */
import { expect } from 'vitest';
import type { Client } from '../../support/client.js';
import { getPage } from '../../support/pages.js';

/** Attributes, as they are written, of the only element of a tag in a page. */
export async function attributesOf(client: Client, path: string, tag: string): Promise<Record<string, string>> {
  const { text, status } = await getPage(client, path);
  expect(status).toBe(200);
  const all = [...text.matchAll(new RegExp(`<${tag}((?: [^\\s=>]+(?:="[^"]*")?)*)>`, 'g'))];
  expect(all.length).toBe(1);
  const found: Record<string, string> = {};
  for (const [, name = '', value = ''] of (all[0]?.[1] ?? '').matchAll(/ ([^\s=>]+)="([^"]*)"/g)) {
    expect(found).not.toHaveProperty(name);
    found[name] = value;
  }
  return found;
}
