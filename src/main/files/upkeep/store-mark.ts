/** The file in `files.path` that says which database its content belongs to. */
import { open, readFile, rename, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';

export const MARK = '.svc-store.json';

export interface StoreMark {
  /** Identity of the database. */
  readonly database: string;
  /** Number of a commit after all that published content here, as of some seconds before the last one. */
  readonly commit: number;
}

/** Undefined: there is none. Throws what the file system says, and for a text that is no mark. */
export async function readMark(root: string): Promise<StoreMark | undefined> {
  let text: string;
  try {
    text = await readFile(join(root, MARK), 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'EISDIR') throw new SyntaxError(`${MARK} is a folder`);
    throw error;
  }
  const { database, commit } = objectOf(text);
  if (typeof database === 'string' && typeof commit === 'number') return { database, commit };
  throw new SyntaxError(`${MARK} cannot be read`);
}

function objectOf(text: string): Record<string, unknown> {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

/** The old mark or the new one is there, whatever happens. */
export async function writeMark(root: string, mark: StoreMark): Promise<void> {
  const path = join(root, MARK);
  // Instances that share the folder do not share their names for what is not complete.
  const next = `${path}.${String(process.pid)}`;
  let handle: FileHandle | undefined;
  try {
    handle = await open(next, 'w', 0o640);
    const about = 'Which database the content in this folder belongs to. Keep it with the folder.';
    await handle.writeFile(`${JSON.stringify({ about, ...mark })}\n`);
    await handle.datasync();
  } finally {
    await handle?.close();
  }
  await rename(next, path);
}
