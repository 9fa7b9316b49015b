/** Thumbnails in the tree: what links them to their original, and what they are called (docs/interface/media.md 2.2). */
import { cutName } from './file-name.js';

/** From an image to a smaller one of it; as in the database. */
export const THUMBNAIL = 'THUMBNAIL';

/** The name of a thumbnail of this size. `longest`: bytes that it may have. */
export function thumbnailName(original: string, width: number, height: number, longest?: number): string {
  const end = `_thumb_${String(width)}x${String(height)}`;
  return cutName(original, end.length, longest) + end;
}
