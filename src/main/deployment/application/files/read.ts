/** The files and entries of an export, matched and checked (docs/interface/deployment.md 2.5). */
import type { JsonObject } from '../../../../shared/json/index.js';
import type { DeploymentContext } from '../../common/context.js';
import { DeploymentError } from '../../common/errors.js';
import type { Report } from '../../common/report.js';
import type { ExportSource } from '../../tree/source.js';
import { ROOT } from './contents.js';
import { checkedFile, type FileEntry } from './entry.js';

const PROBLEMS = 'Encountered problems during import of files';

export interface FilesRead {
  /** Folders before what is in them. */
  readonly entries: readonly FileEntry[];
  /** Paths of entries without file. */
  readonly absent: readonly string[];
  /** Paths of files without entry. */
  readonly unknown: readonly string[];
}

/** `said`: what `files.json` says. Throws `DeploymentError` that names the entry. */
export async function readFiles(
  { write }: Pick<DeploymentContext, 'write'>,
  source: ExportSource,
  said: ReadonlyMap<string, JsonObject>,
  signal: AbortSignal,
): Promise<FilesRead> {
  const { idPattern } = write();
  const unknown: string[] = [];
  const absent: string[] = [];
  const seen = new Set<string>();
  const ids = new Map<string, string>();
  const entries: FileEntry[] = [];
  const add = (path: string, properties: JsonObject, isFolder: boolean): void => {
    seen.add(path);
    const entry = checkedFile(path, properties, isFolder, idPattern);
    const other = ids.get(entry.id);
    if (other !== undefined) throw new DeploymentError(`${entry.place} has the id of ${other}.`);
    ids.set(entry.id, path);
    // They are made of their images.
    if (isFolder || properties['isThumbnail'] !== true) entries.push(entry);
  };
  const walk = async (folder: string): Promise<void> => {
    for (const { name, isFolder } of (await source.list(ROOT + folder)) ?? []) {
      signal.throwIfAborted();
      const path = `${folder}/${name}`;
      const properties = said.get(path);
      if (properties === undefined) unknown.push(path);
      else {
        add(path, properties, isFolder);
        if (isFolder) await walk(path);
      }
    }
  };
  await walk('');
  for (const [path, properties] of said) {
    if (seen.has(path)) continue;
    // Folders of which nothing is left where empty folders are not kept.
    if ('isTemplate' in properties) absent.push(path);
    else add(path, properties, true);
  }
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return { entries, absent, unknown };
}

/** Warns of what was not made as it stands there. */
export function tellProblems(report: Report, { absent, unknown }: FilesRead, renamed: ReadonlySet<string>): void {
  const lists = [
    ['in files.json, but not on the disk', absent],
    ['on the disk, but not in files.json', unknown],
    ['renamed, as there is another one at its path', [...renamed]],
  ] as const;
  const problems = lists.flatMap(([what, paths]) => (paths.length === 0 ? [] : [`${what}: ${paths.join(', ')}`]));
  if (problems.length > 0) report.warn(PROBLEMS, problems.join('; '));
}
