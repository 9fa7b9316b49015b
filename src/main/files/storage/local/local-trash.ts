/** Content that was swept away: `<root>/.trash/<day>/`, by the name it had. To bring one back it is moved to where it was. */
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { storageError } from '../../errors.js';
import type { ContentId } from '../storage.js';

const FOLDER = '.trash';
const DAY = /^\d{4}-\d\d-\d\d$/;
const DAY_LENGTH = 86_400_000;

export class LocalTrash {
  constructor(
    private readonly root: string,
    private readonly pathOf: (id: ContentId) => string,
  ) {}

  /** Nothing happens when the content is gone already. */
  async put(id: ContentId): Promise<void> {
    const path = this.pathOf(id);
    const folder = join(this.root, FOLDER, new Date().toISOString().slice(0, 10));
    try {
      await mkdir(folder, { recursive: true, mode: 0o750 });
      await rename(path, join(folder, basename(path)));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageError(error, 'put the content aside');
    }
  }

  /** Removes the days that were over at a time. */
  async empty(before: number): Promise<void> {
    const days = await readdir(join(this.root, FOLDER)).catch(() => []);
    for (const day of days) {
      if (!DAY.test(day) || Date.parse(day) + DAY_LENGTH > before) continue;
      await rm(join(this.root, FOLDER, day), { recursive: true, force: true });
    }
  }
}
