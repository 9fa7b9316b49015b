/** Files and folders of a data export become those of the instance, a transaction for a number of them (docs/interface/deployment.md 4.3). */
import type { ObjectTransaction } from '../../schema/index.js';
import { together } from '../../../shared/together.js';
import { AT_ONCE, FileContents, type StoredFile } from '../application/files/contents.js';
import { FILES } from '../application/files/entry.js';
import { MadeFiles } from '../application/files/make.js';
import { readFiles, tellProblems, type FilesRead } from '../application/files/read.js';
import type { DeploymentContext } from '../common/context.js';
import { DeploymentError } from '../common/errors.js';
import type { Report } from '../common/report.js';
import type { PrincipalNames } from '../tree/principal-names.js';
import type { ExportSource } from '../tree/source.js';
import { PARENTS } from './files-export.js';

export interface DataFiles extends FilesRead {
  /** Paths of folders that are only there because of what is in them. */
  readonly parents: ReadonlySet<string>;
}

/** Undefined: the export has no files. Throws `DeploymentError` that names file and entry. */
export async function readDataFiles(
  context: DeploymentContext,
  source: ExportSource,
  signal: AbortSignal,
): Promise<DataFiles | undefined> {
  const said = await source.objects(FILES);
  if (said === undefined) return undefined;
  const parents = await source.json(PARENTS);
  if (parents !== undefined && (!Array.isArray(parents) || parents.some((one) => typeof one !== 'string')))
    throw new DeploymentError(`${PARENTS}: a list of paths is expected here.`);
  return { ...(await readFiles(context, source, said, signal)), parents: new Set((parents ?? []) as string[]) };
}

export interface FilesImport {
  readonly context: DeploymentContext;
  readonly source: ExportSource;
  readonly report: Report;
  readonly principals: PrincipalNames;
  /** Entries that an import which has not ended has made. */
  readonly done: number;
  /** Entries of one transaction. */
  readonly size: number;
  /** Runs the transaction of a number of entries; `done`: with how many of all. */
  readonly transaction: (
    entries: readonly StoredFile[],
    done: number,
    work: (objects: ObjectTransaction) => Promise<void>,
  ) => Promise<void>;
}

/** Makes or replaces them, folders first; contents are stored before the transaction that has their files. */
export async function importFiles(
  { context, source, report, principals, done, size, transaction }: FilesImport,
  read: DataFiles,
): Promise<void> {
  const { entries, parents } = read;
  report.begin(`Importing ${FILES}`);
  const made = new MadeFiles(parents);
  const before = entries.slice(0, done);
  for (let at = done; at < entries.length; at += size) {
    const contents = new FileContents(context, source);
    try {
      const part: StoredFile[] = [];
      await together(entries.slice(at, at + size), AT_ONCE, async (entry, i) => {
        part[i] = await contents.of(entry);
      });
      await transaction(part, at + part.length, async (objects) => {
        await made.know(objects, before);
        await made.make({ objects, principals }, part, contents.deploying);
      });
    } finally {
      await contents.deploying.end();
    }
  }
  tellProblems(report, read, made.renamed);
}
