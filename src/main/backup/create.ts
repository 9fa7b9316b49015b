/** Makes a backup (docs/design/backup.md). */
import { existsSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { contentPath, MARK } from '../files/index.js';
import { SqliteSnapshot, type NamedContent } from '../graph/index.js';
import { Chunks } from './chunks.js';
import { BackupError } from './errors.js';
import { backupsIn, nameOf, newHead, readManifest, writeManifest, type BackedUpFile } from './manifest.js';
import type { BackupPlace } from './places/index.js';

/** Bytes of a piece: of the database, whose changes are scattered, and of content. */
const DATABASE_PIECE = 256 * 1024;
const CONTENT_PIECE = 1024 * 1024;

export interface BackupSource {
  /** `database.path` of an embedded database. */
  readonly database: string;
  /** `files.path` */
  readonly files: string;
  /** Version of the program. */
  readonly svc: string;
}

export interface BackupReport {
  readonly name: string;
  readonly contents: number;
  /** Contents that lie in other storages, and have to be kept there. */
  readonly elsewhere: number;
  /** What was not in the place before. */
  readonly chunks: number;
  readonly bytes: number;
}

/** Makes one; resolves when it is durable. Throws `BackupError`. */
export async function createBackup(
  source: BackupSource,
  place: BackupPlace,
  time = new Date(),
  tell: (text: string) => void = () => undefined,
): Promise<BackupReport> {
  const name = nameOf(time);
  const backups = await backupsIn(place);
  if (backups.some((one) => one.name === name)) throw new BackupError(`there is a backup ${name} already.`);
  const chunks = await Chunks.open(place);
  const before = await knownContents(place, backups.at(-1)?.name, chunks);
  const files: BackedUpFile[] = [];
  // Before the snapshot: it must not name a later commit.
  const mark = await ownFile(chunks, source.files, MARK, 'mark', { mayLack: true });
  if (mark !== undefined) files.push(mark);
  const snapshot = SqliteSnapshot.open(source.database);
  let named: readonly NamedContent[];
  try {
    for (const path of snapshot.files) {
      tell(`copying ${path}`);
      files.push(await fileOf(chunks, join(source.database, path), path, 'database', DATABASE_PIECE));
    }
    named = [...snapshot.contents()];
  } finally {
    // As soon as may be: the log of the database cannot begin anew while it is open.
    snapshot.close();
  }
  tell('copying content');
  let [contents, elsewhere] = [0, 0];
  for (const { id, key } of named) {
    const path = contentPath(id, key);
    if (path === undefined) {
      elsewhere++;
      continue;
    }
    const kept =
      before.get(path) ?? (await ownFile(chunks, source.files, path, 'content', { mayLack: key === undefined }));
    if (kept === undefined) continue;
    contents++;
    files.push(kept);
  }
  await writeManifest(place, name, { head: newHead(source.svc, time), files });
  return { name, contents, elsewhere, ...chunks.written };
}

/** A file below `files.path`; undefined: it lacks, and may: the mark of an instance without files, content of nodes that are no files but have a size. */
async function ownFile(
  chunks: Chunks,
  root: string,
  path: string,
  kind: BackedUpFile['kind'],
  { mayLack }: { readonly mayLack: boolean },
): Promise<BackedUpFile | undefined> {
  if (mayLack && !existsSync(join(root, path))) return undefined;
  return fileOf(chunks, join(root, path), path, kind, CONTENT_PIECE);
}

/** Contents of the backup before, all of whose pieces are there. */
async function knownContents(
  place: BackupPlace,
  name: string | undefined,
  chunks: Chunks,
): Promise<ReadonlyMap<string, BackedUpFile>> {
  if (name === undefined) return new Map();
  const { files } = await readManifest(place, name);
  const whole = files.filter((file) => file.kind === 'content' && file.chunks.every((hash) => chunks.has(hash)));
  return new Map(whole.map((file) => [file.path, file]));
}

/** Keeps a file in pieces, up to its length as it is now: what is written behind it meanwhile belongs to a later state. */
async function fileOf(
  chunks: Chunks,
  path: string,
  name: string,
  kind: BackedUpFile['kind'],
  piece: number,
): Promise<BackedUpFile> {
  const file = await open(path, 'r').catch((error: unknown) => {
    throw new BackupError(`${path} cannot be read: ${String(error)}`, { cause: error });
  });
  try {
    const { size } = await file.stat();
    const hashes: string[] = [];
    for (let at = 0; at < size; at += piece) {
      const bytes = Buffer.allocUnsafe(Math.min(piece, size - at));
      const { bytesRead } = await file.read(bytes, 0, bytes.length, at);
      if (bytesRead !== bytes.length) throw new BackupError(`${path} has become shorter.`);
      hashes.push(await chunks.keep(bytes));
    }
    return { path: name, kind, size, chunks: hashes };
  } finally {
    await file.close();
  }
}
