/** Which directories of the server deployments may read and write (`deployment.roots`). */
import { tmpdir } from 'node:os';
import { realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { Config } from '../../config/index.js';
import { directoriesIn, ImportRoots } from '../../files/index.js';
import { DeploymentError } from '../common/errors.js';
import { ifMissing } from './source.js';

/** The directory behind all links, of which the last parts need not be there. Throws `DeploymentError` for one outside of the roots. */
export async function placeOf(config: Config, path: string): Promise<string> {
  if (!isAbsolute(path)) throw new DeploymentError(`"${path.slice(0, 300)}" is no absolute path.`, 'request');
  if (path.includes('\0')) throw new DeploymentError('A path has no NUL in it.', 'request');
  let there = path;
  let found = await realpath(there).catch(ifMissing);
  while (found === undefined && dirname(there) !== there)
    found = await realpath((there = dirname(there))).catch(ifMissing);
  const place = join(found ?? '/', relative(there, path));
  const roots = await ImportRoots.at(config, [
    config.path('base.path'),
    tmpdir(),
    ...directoriesIn(config.get('application.filesystem.import.roots')),
    ...directoriesIn(config.get('deployment.roots')),
  ]);
  if (roots.allows(place)) return place;
  const why = 'it lies in none of the directories for that, or belongs to the service itself';
  throw new DeploymentError(`"${path.slice(0, 300)}" cannot be used: ${why} (setting deployment.roots).`, 'request');
}
