/** The list of what belongs to a backup: JSON lines, compressed. The first says what it is, the last how many there were before it. */
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { BackupError } from './errors.js';
import type { BackupPlace } from './places/index.js';

const pack = promisify(gzip);
const unpack = promisify(gunzip);
const FOLDER = 'backups/';
const END = '.gz';
const FORMAT = 1;

/** A file of the backup: its pieces in order, and its size in bytes. */
export interface BackedUpFile {
  /** Of the database: its name in `database.path`. Of a content: where it lies below `files.path`. */
  readonly path: string;
  readonly kind: 'database' | 'content' | 'mark';
  readonly size: number;
  readonly chunks: readonly string[];
}

export interface BackupHead {
  readonly format: number;
  readonly svc: string;
  /** ISO 8601. */
  readonly time: string;
}

export interface Manifest {
  readonly head: BackupHead;
  readonly files: readonly BackedUpFile[];
}

/** Name of a backup by its time: it sorts as time does. */
export function nameOf(time: Date): string {
  return time
    .toISOString()
    .replace(/[-:]/g, '')
    .replace(/\.\d+Z$/, 'Z');
}

/** Names of the backups in a place, the oldest first, with when they were written. */
export async function backupsIn(
  place: BackupPlace,
): Promise<readonly { readonly name: string; readonly written: number }[]> {
  const found: { name: string; written: number }[] = [];
  for await (const { name, written } of place.list(FOLDER))
    if (name.endsWith(END)) found.push({ name: name.slice(FOLDER.length, -END.length), written });
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

export async function writeManifest(place: BackupPlace, name: string, { head, files }: Manifest): Promise<void> {
  const lines = [
    JSON.stringify(head),
    ...files.map((file) => JSON.stringify(file)),
    JSON.stringify({ files: files.length }),
  ];
  await place.put(`${FOLDER}${name}${END}`, await pack(`${lines.join('\n')}\n`));
}

export function newHead(svc: string, time: Date): BackupHead {
  return { format: FORMAT, svc, time: time.toISOString() };
}

/** Throws `BackupError` for one that is not there, not whole, or of a newer version. */
export async function readManifest(place: BackupPlace, name: string): Promise<Manifest> {
  let lines: string[];
  try {
    lines = (await unpack(await place.get(`${FOLDER}${name}${END}`))).toString('utf8').trimEnd().split('\n');
  } catch (error) {
    throw new BackupError(
      `the backup ${name} cannot be read: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  const [head, ...rest] = lines.map((line) => JSON.parse(line) as unknown);
  const end = rest.pop() as { readonly files?: number } | undefined;
  if ((head as BackupHead | undefined)?.format !== FORMAT)
    throw new BackupError(`the backup ${name} has a format that this version of svc does not know.`);
  if (end?.files !== rest.length) throw new BackupError(`the list of the backup ${name} is not whole.`);
  return { head: head as BackupHead, files: rest as BackedUpFile[] };
}

export async function removeManifest(place: BackupPlace, name: string): Promise<void> {
  await place.remove(`${FOLDER}${name}${END}`);
}
