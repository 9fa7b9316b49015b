/** How many files and connections the system lets this process have open. */
import { readFile } from 'node:fs/promises';

/** Undefined where the system does not tell (other than Linux), or has no limit. */
export async function openFileLimit(): Promise<number | undefined> {
  let text: string;
  try {
    text = await readFile('/proc/self/limits', 'utf8');
  } catch {
    return undefined;
  }
  const soft = /^Max open files\s+(\d+)/m.exec(text)?.[1];
  return soft === undefined ? undefined : Number(soft);
}
