import { HttpError } from './errors.js';

/** Characters of a path that a message quotes. */
const QUOTED = 40;

/** A path, or a part of one, without its percent escapes. Throws `HttpError` 400 for a broken one. */
export function unescaped(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    throw new HttpError(400, `The path has a broken percent escape in "${path.slice(0, QUOTED)}".`);
  }
}
