/**
 * Whether the files of a database belong together and are whole, before SQLite opens them: it would take a log that breaks off in its
 * middle for one that ends there, remove one without its database, and make a database where there is none. Cheap: the log is read
 * once, of the database its head alone (`quick_check` of small ones: files.ts).
 */
import { existsSync, rmSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Library } from '../connection/library.js';
import { GraphError } from '../../errors.js';
import { type LogScan, scanLog } from './log-scan.js';
import { bootOfMachine, NOTE, readNote, type DurableNote } from './note.js';

const MAGIC = 'SQLite format 3\0';
const HEAD = 100;
/** Where the head has the schema cookie. */
const COOKIE = 40;

const RESTORE = 'restore the folder from a backup';

/**
 * Throws `GraphError` `damaged`, `log_damaged` or `log_mismatch` with what to do. Returns a line for the log where something is worth it. The lock
 * of the folder must be held, and SQLite must not have the files open in this process.
 */
export async function checkWhole(folder: string, file: string): Promise<string | undefined> {
  const [size, log, note, head] = [
    await sizeOf(file),
    await scanLog(`${file}-wal`),
    await readNote(folder),
    await headOf(file),
  ];
  if (size === 0) {
    if (log !== undefined) {
      const what = `${file}-wal is the log of a database, and ${file} is missing or empty`;
      throw new GraphError('log_mismatch', `${what}: put the database back beside its log, or ${RESTORE}.`, folder);
    }
    if (note === undefined) return undefined;
    const what = `${file} is missing or empty, and ${NOTE} says that a database was here`;
    throw new GraphError('damaged', `${what}: ${RESTORE}; to begin anew, remove the folder.`, folder);
  }
  if (head.toString('latin1', 0, MAGIC.length) !== MAGIC) {
    throw new GraphError('damaged', `${file} is not a database, or its first bytes are damaged: ${RESTORE}.`, folder);
  }
  const lost = await lostOf(file, log, note);
  checkOrder(folder, file, log, head.readUInt32BE(COOKIE));
  return lost;
}

/**
 * Whether the database, as SQLite reads it with its log, has what was noted: a log that is gone, emptied or overwritten says nothing of
 * itself. Changes nothing. Throws `GraphError` `log_damaged`.
 */
export async function checkCommits(folder: string, file: string): Promise<void> {
  const noted = (await readNote(folder))?.commit ?? 0;
  if (noted === 0) return;
  const found = commitOf(file);
  if (found >= noted) return;
  const what = `${file} with its log ends at commit ${String(found)}, and ${NOTE} says that there were ${String(noted)}`;
  const why = 'the log is gone or was overwritten, or one of them is older';
  throw new GraphError(
    'log_damaged',
    `${what}: ${why}. Put back what was there, or ${RESTORE}. To start with what is left, remove ${NOTE} beside it; the rest is lost then.`,
    folder,
  );
}

function commitOf(file: string): number {
  // To read it SQLite makes an empty log where there is none.
  const made = [`${file}-wal`, `${file}-shm`].filter((one) => !existsSync(one));
  const db = new Library(file, { readonly: true, timeout: 2000 });
  try {
    return Number(db.prepare("SELECT value FROM flag WHERE name = 'commit'").pluck().get() ?? 0);
  } finally {
    db.close();
    for (const one of made) rmSync(one, { force: true });
  }
}

/** A line about a log that breaks off; throws where something that was acknowledged must be missing. */
async function lostOf(
  file: string,
  log: LogScan | undefined,
  note: DurableNote | undefined,
): Promise<string | undefined> {
  const wal = `${file}-wal`;
  const accept = `To start with what is left, remove ${NOTE} beside it`;
  if (note !== undefined && note.frames > 0 && log === undefined && (await isOlder(file, note, wal))) {
    throw new GraphError(
      'log_damaged',
      `${wal} is missing: transactions were in it alone. Put it back or ${RESTORE}. ${accept}.`,
    );
  }
  if (log === undefined) return undefined;
  const { broken, beyond, committed, salts } = log;
  const durable = note?.salts === salts ? note.frames : 0;
  const where = `${wal} is damaged at frame ${String(broken || committed + 1)}`;
  const sameRun = note !== undefined && note.boot !== '' && note.boot === (await bootOfMachine());
  if (committed < durable || (beyond > 0 && sameRun)) {
    const behind = Math.max(beyond, durable - committed > 0 ? 1 : 0);
    const what = `${where}: at least ${String(behind)} transactions behind it cannot be read`;
    throw new GraphError(
      'log_damaged',
      `${what}. Restore the folder from a backup or a snapshot. ${accept}; they are lost then.`,
    );
  }
  if (beyond === 0) return undefined;
  return `${where}, and ${String(beyond)} transactions behind it are left out: as after a power cut, which takes what was not on the disk yet and not acknowledged`;
}

/** Each start, and each log, begins with a new schema cookie: a database of another time does not fit. */
function checkOrder(folder: string, file: string, log: LogScan | undefined, cookie: number): void {
  if (log?.firstCookie === undefined || log.lastCookie === undefined || log.committed === 0 || cookie === 0) return;
  const older = cookie < log.firstCookie - 1;
  if (!older && cookie <= log.lastCookie) return;
  const what = `${file} is ${older ? 'older' : 'newer'} than its log ${file}-wal: they are not of the same time`;
  throw new GraphError('log_mismatch', `${what}. Put back the one that belongs to the other, or ${RESTORE}.`, folder);
}

/** Whether the database was not written after the note: somebody else may have copied the log into it and removed it. */
async function isOlder(file: string, note: DurableNote, wal: string): Promise<boolean> {
  const found = await Promise.all([stat(file), stat(wal.replace(/graph\.db-wal$/, NOTE))]).catch(() => undefined);
  return found !== undefined && note.salts !== '' && found[0].mtimeMs <= found[1].mtimeMs;
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}

async function headOf(file: string): Promise<Buffer> {
  const head = Buffer.alloc(HEAD);
  try {
    const handle = await open(file, 'r');
    try {
      await handle.read(head, 0, HEAD, 0);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return head;
}
