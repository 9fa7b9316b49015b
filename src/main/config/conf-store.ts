import { randomBytes } from 'node:crypto';
import { chown, open, readFile, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Only the owner may read the settings (specification, Configuration 7). */
export const CONF_MODE = 0o600;

/** What was read from the disk. */
export interface ConfFile {
  readonly text: string;
  /** Permission bits. */
  readonly mode: number;
  /** The bytes were no UTF-8 and were read as ISO-8859-1, one character a byte. */
  readonly latin1: boolean;
}

/** Reads the settings file; undefined when there is none. Other errors of the file system are thrown. */
export async function readConfFile(path: string): Promise<ConfFile | undefined> {
  try {
    const [bytes, { mode }] = await Promise.all([readFile(path), stat(path)]);
    return { ...decode(bytes), mode: mode & 0o777 };
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Files of the older format are ISO-8859-1, so bytes that are no UTF-8 are taken for that. */
export function decode(bytes: Uint8Array): { text: string; latin1: boolean } {
  try {
    return { text: new TextDecoder('utf-8', { fatal: true }).decode(bytes), latin1: false };
  } catch {
    return { text: Buffer.from(bytes).toString('latin1'), latin1: true };
  }
}

/**
 * Replaces the settings file as a whole: after a crash it is the old one or the new one. Mode 0600. A symbolic link
 * stays, its target is replaced; the owner stays where this process may give files away.
 *
 * A file that is itself a mount point (a container with one file mounted) cannot be replaced; it is written in place.
 */
export async function writeConfFile(path: string, text: string): Promise<void> {
  const target = await realpath(path).catch((error: unknown) => {
    if (isCode(error, 'ENOENT')) return path;
    throw error;
  });
  const folder = dirname(target);
  const temporary = join(folder, `.${basename(target)}.${randomBytes(6).toString('hex')}.tmp`);
  try {
    const file = await open(temporary, 'wx', CONF_MODE);
    try {
      await file.writeFile(text, 'utf8');
      // The mask of the process may have taken bits away.
      await file.chmod(CONF_MODE);
      await keepOwner(target, temporary);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    if (!isCode(error, 'EBUSY')) throw error;
    await writeInPlace(target, text);
    return;
  }
  await withHandle(open(folder, 'r'), (handle) => handle.sync());
}

async function writeInPlace(target: string, text: string): Promise<void> {
  await withHandle(open(target, 'r+'), async (file) => {
    const bytes = Buffer.from(text, 'utf8');
    await file.write(bytes, 0, bytes.length, 0);
    await file.truncate(bytes.length);
    await file.chmod(CONF_MODE);
    await file.sync();
  });
}

async function withHandle(opening: Promise<FileHandle>, use: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await opening;
  try {
    await use(handle);
  } finally {
    await handle.close();
  }
}

/** A server started by root must not take the file away from the account it belongs to. */
async function keepOwner(target: string, temporary: string): Promise<void> {
  try {
    const [before, now] = await Promise.all([stat(target), stat(temporary)]);
    if (before.uid !== now.uid || before.gid !== now.gid) await chown(temporary, before.uid, before.gid);
  } catch (error) {
    if (!isCode(error, 'ENOENT') && !isCode(error, 'EPERM')) throw error;
  }
}

/** Whether a thrown value is a file system error with this code. */
export function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
