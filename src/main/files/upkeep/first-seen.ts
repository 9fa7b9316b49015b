/**
 * Since when contents have been without a file, for storages that cannot put them aside: kept in `files.path`, so that it outlives a
 * start. What is lost of it makes contents stay longer.
 */
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContentId } from '../storage/storage.js';

const FOLDER = '.trash';

export class FirstSeen {
  constructor(private readonly root: string) {}

  /** Of these contents of a storage those that were seen here first before a time; from now on it knows of these and no others. */
  async before<T extends ContentId>(store: string, contents: readonly T[], time: number): Promise<T[]> {
    const path = join(this.root, FOLDER, `${store}.seen`);
    const known = await this.#read(path);
    const now = Date.now();
    const seen = contents.map((content) => ({ content, since: known.get(nameOf(content)) ?? now }));
    const lines = seen.map(({ content, since }) => `${nameOf(content)} ${String(since)}\n`);
    await mkdir(dirname(path), { recursive: true, mode: 0o750 });
    await writeFile(`${path}.new`, lines.join(''), { mode: 0o640 });
    await rename(`${path}.new`, path);
    return seen.filter(({ since }) => since <= time).map(({ content }) => content);
  }

  async #read(path: string): Promise<Map<string, number>> {
    const text = await readFile(path, 'utf8').catch(() => '');
    const lines = text.split('\n').map((line) => line.split(' '));
    return new Map(lines.map(([name = '', since = '']) => [name, Number(since)]));
  }
}

function nameOf({ file, key }: ContentId): string {
  return `${file}.${key}`;
}
