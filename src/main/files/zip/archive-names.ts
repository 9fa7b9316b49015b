import type { GraphNode } from '../../graph/index.js';
import { FilesError } from '../errors.js';
import { zipName } from './serve-zip.js';

export const ZIP_TYPE = 'application/zip';

/** The name of an archive with `.zip` behind it; without one that of what alone is in it. Throws `FilesError` 422. */
export function zipNameOf(name: string | undefined, roots: readonly GraphNode[]): string {
  if (name === undefined || name === '') return zipName(roots.length === 1 ? roots[0] : undefined);
  if (name.includes('/') || name.includes('\0')) throw new FilesError(422, 'The name of an archive has no slashes.');
  return /\.zip$/i.test(name) ? name : `${name}.zip`;
}
