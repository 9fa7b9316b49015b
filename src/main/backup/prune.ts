/** Removes backups that are old, and pieces that no backup needs any more. */
import { removeChunks } from './chunks.js';
import { backupsIn, readManifest, removeManifest } from './manifest.js';
import type { BackupPlace } from './places/index.js';

const DAY = 86_400_000;

/** What was removed. */
export interface Pruned {
  readonly backups: number;
  readonly chunks: number;
}

/** Removes backups older than `days`, but for the last one, and what they alone needed. Throws `BackupError`. */
export async function pruneBackups(place: BackupPlace, days: number, now = Date.now()): Promise<Pruned> {
  const all = await backupsIn(place);
  const old = all.slice(0, -1).filter(({ written }) => now - written > days * DAY);
  for (const { name } of old) await removeManifest(place, name);
  const gone = new Set(old.map(({ name }) => name));
  const named = new Set<string>();
  for (const { name } of all) {
    if (gone.has(name)) continue;
    for (const { chunks } of (await readManifest(place, name)).files) for (const hash of chunks) named.add(hash);
  }
  // Younger ones may belong to a backup that is being made.
  return { backups: old.length, chunks: await removeChunks(place, named, now - DAY) };
}
