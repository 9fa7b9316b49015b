/**
 * Files of a data export become objects and relationships, in transactions of a size; what an id is there for is replaced, everything else stays
 * (docs/interface/deployment.md 4.3).
 */
import { createHash } from 'node:crypto';
import type { JobControl } from '../../files/index.js';
import { OWNS, SECURITY, type Origin } from '../../graph/index.js';
import { ALLOW_ALL, SchemaError, SYSTEM, type Actor, type ObjectTransaction } from '../../schema/index.js';
import { ScriptError } from '../../scripting/index.js';
import { PrincipalNames } from '../tree/principal-names.js';
import { FILES } from '../application/files/entry.js';
import type { DeploymentContext } from '../common/context.js';
import { DeploymentError, NotStarted } from '../common/errors.js';
import type { Report } from '../common/report.js';
import { WriteBehind } from '../common/write-behind.js';
import { messageOf, runScript } from '../tree/scripts.js';
import type { ExportSource } from '../tree/source.js';
import { importFiles, readDataFiles, type FilesImport } from './files-import.js';
import { entriesOf, type ListEntry } from './json-list.js';
import { nodeEntry, writeNodes } from './nodes.js';
import type { DataCounts, ImportProgress, Mark } from './progress.js';
import { linkEntry, writeLinks } from './relationships.js';

export interface DataImportOptions {
  /** Methods of users that run in a transaction (`onCreate`, `onSave`), and after it. */
  readonly innerCallbacks: boolean;
  readonly outerCallbacks: boolean;
  readonly cascade: boolean;
  readonly actor: Actor;
  /** `checkData` has been there. */
  readonly isChecked?: boolean;
}

const TITLE = 'Data Deployment Import not started';

type Kind = 'nodes' | 'relationships';
/** Among the files with lists stands that of files and folders, with the size of nodes. */
const OF_FILES: DataFile = { kind: 'files', path: FILES, type: '' };

/** Settings of how many are written in one transaction. */
const SIZES = {
  nodes: 'deployment.data.import.nodes.batchsize',
  relationships: 'deployment.data.import.relationships.batchsize',
} as const;

interface DataFile {
  readonly kind: Kind | 'files';
  readonly path: string;
  /** The type that it is named after. */
  readonly type: string;
}

/**
 * All files are read and checked before anything is written. Throws `NotStarted` for what is no data export, `DeploymentError` for a file that is
 * wrong.
 */
export async function importData(
  context: DeploymentContext,
  progress: ImportProgress,
  source: ExportSource,
  options: DataImportOptions,
  report: Report,
  job: JobControl,
): Promise<DataCounts> {
  const files = await allIn(context, source);
  if (files.length === 0 && (await source.list('nodes')) === undefined)
    throw new NotStarted(TITLE, 'The directory holds no data export: it has neither nodes nor relationships.');
  const name = await nameOf(source, files, options);
  const mark = await progress.begin(name);
  const work = new DataImport(context, progress, source, options, report, job, name, mark);
  if (mark === undefined) {
    if (options.isChecked !== true) for (const file of files) await check(context, source, file, report, job);
    await runScript(context, source, 'pre-data-deploy.conf', report, job.signal);
  } else report.inform('Going on', `An import of the same files has not ended; it goes on in ${mark.file}.`);
  const first = mark === undefined ? 0 : files.findIndex(({ path }) => path === mark.file);
  for (const file of files.slice(first)) await work.write(file);
  await runScript(context, source, 'post-data-deploy.conf', report, job.signal);
  work.tell();
  await progress.end();
  return work.counts;
}

/** Reads all files of a data export that comes with something else, before anything is written; false: there are none. Throws `DeploymentError`. */
export async function checkData(
  context: DeploymentContext,
  source: ExportSource,
  report: Report,
  job: JobControl,
): Promise<boolean> {
  const files = await allIn(context, source);
  for (const file of files) await check(context, source, file, report, job);
  return files.length > 0;
}

/** Reads a file to its end. Throws `DeploymentError`. */
async function check(
  context: DeploymentContext,
  source: ExportSource,
  { kind, path }: DataFile,
  report: Report,
  job: JobControl,
): Promise<void> {
  report.begin(`Reading ${path}`);
  if (kind === 'files') {
    await readDataFiles(context, source, job.signal);
    return;
  }
  const checkEntry = kind === 'nodes' ? nodeEntry : linkEntry;
  for await (const entries of entriesOf(path, source.bytes(path))) {
    for (const entry of entries) checkEntry(entry);
    await job.checkpoint();
  }
}

/** Those of users and groups first, so that owners are there; then files, and all else by name. */
async function allIn(context: DeploymentContext, source: ExportSource): Promise<DataFile[]> {
  const [principals, others] = await filesOf(context, source, 'nodes');
  const [ofPrincipals, links] = await filesOf(context, source, 'relationships');
  const withFiles = (await source.state(FILES)) === undefined ? [] : [OF_FILES];
  return [...principals, ...withFiles, ...others, ...ofPrincipals, ...links];
}

/** By name, those of users and groups apart. */
async function filesOf(
  { schemas }: DeploymentContext,
  source: ExportSource,
  kind: Kind,
): Promise<readonly [principals: DataFile[], others: DataFile[]]> {
  const files = ((await source.list(kind)) ?? [])
    .filter(({ name, isFolder }) => !isFolder && name.endsWith('.json'))
    .map(({ name }) => ({ kind, path: `${kind}/${name}`, type: name.slice(0, -'.json'.length) }));
  const arePrincipals = ({ type }: DataFile): boolean => schemas.schema.type(type)?.hasTrait('Principal') === true;
  return [files.filter(arePrincipals), files.filter((file) => !arePrincipals(file))];
}

/** The same text: the same files, as they were, imported in the same way. */
async function nameOf(source: ExportSource, files: readonly DataFile[], options: DataImportOptions): Promise<string> {
  const { innerCallbacks, outerCallbacks, cascade } = options;
  const hash = createHash('sha256').update(JSON.stringify([innerCallbacks, outerCallbacks, cascade]));
  for (const { path } of files) hash.update(JSON.stringify([path, await source.state(path)]));
  return hash.digest('hex');
}

class DataImport {
  readonly counts: DataCounts;
  readonly #principals = new PrincipalNames();
  readonly #missingTypes = new Set<string>();
  readonly #wrongValues = new Set<string>();
  readonly #failed = new Map<string, number>();
  readonly #reason: string;

  constructor(
    private readonly context: DeploymentContext,
    private readonly progress: ImportProgress,
    private readonly source: ExportSource,
    private readonly options: DataImportOptions,
    private readonly report: Report,
    private readonly job: JobControl,
    private readonly name: string,
    private readonly mark: Mark | undefined,
  ) {
    this.counts = { created: 0, replaced: 0, relationships: 0, failed: 0, ...mark?.counts };
    this.#reason = `data import, job ${String(job.id)}`;
  }

  /** Writes a file, or what is left of it. */
  async write(file: DataFile): Promise<void> {
    const { config, schemas } = this.context;
    const { path, kind } = file;
    if (kind === 'files') {
      await this.#files();
      return;
    }
    if (kind === 'relationships') {
      const relation = schemas.schema.relations.get(file.type);
      if (relation === undefined) {
        this.#missingTypes.add(file.type);
        return;
      }
      if (relation.relType === OWNS || relation.relType === SECURITY) {
        this.report.warn('Not imported', `${path}: owners and grantees stand with the objects.`);
        return;
      }
    }
    this.report.begin(`Importing ${path}`);
    const size = config.get(SIZES[kind]);
    const done = this.mark?.file === path ? this.mark.done : 0;
    let batch: ListEntry[] = [];
    const behind = new WriteBehind();
    const write = (): Promise<void> => {
      const next = batch;
      batch = [];
      return behind.next(() => this.#batch(file, next));
    };
    try {
      for await (const entries of entriesOf(path, this.source.bytes(path), done)) {
        for (const entry of entries) if (batch.push(entry) >= size) await write();
      }
      if (batch.length > 0) await write();
    } finally {
      await behind.end();
    }
  }

  tell(): void {
    const { report } = this;
    this.#principals.tell(report);
    report.warnOfAll('Missing Type(s)', this.#missingTypes);
    report.warnOfAll('Values that their property cannot hold', this.#wrongValues);
    const failed = [...this.#failed].map(([type, count]) => `${type} (${String(count)})`);
    report.warnOfAll('Failed Relationship(s) for Type(s)', failed);
  }

  async #files(): Promise<void> {
    const { context, source, report, job, mark, counts } = this;
    const read = await readDataFiles(context, source, job.signal);
    if (read === undefined) return;
    const done = mark?.file === FILES ? mark.done : 0;
    const size = context.config.get(SIZES.nodes);
    const transaction: FilesImport['transaction'] = (part, at, work) =>
      this.#noted(OF_FILES, part, at, async (objects) => {
        const there = await objects.tx.nodes(part.map(({ id }) => id));
        await work(objects);
        const replaced = there.filter((node) => node !== undefined).length;
        counts.replaced += replaced;
        counts.created += part.length - replaced;
      });
    await importFiles({ context, source, report, principals: this.#principals, done, size, transaction }, read);
  }

  async #batch(file: DataFile, batch: readonly ListEntry[]): Promise<void> {
    const done = (batch.at(-1)?.at ?? 0) + 1;
    await this.#noted(file, batch, done, (objects) =>
      file.kind === 'nodes' ? this.#nodes(objects, batch) : this.#links(objects, file.type, batch),
    );
  }

  /** A transaction of a number of entries that also notes how far the import is. One that cannot be written is a warning. */
  async #noted(
    file: DataFile,
    batch: readonly Pick<ListEntry, 'place'>[],
    done: number,
    work: (objects: ObjectTransaction) => Promise<void>,
  ): Promise<void> {
    const { counts, job, report } = this;
    await job.checkpoint();
    const before = { ...counts };
    try {
      await this.progress.noting(this.#reason, { import: this.name, file: file.path, done, counts }, () =>
        this.#transaction(async (objects) => {
          // It may begin anew.
          Object.assign(counts, before);
          this.#principals.forget();
          await work(objects);
        }),
      );
    } catch (error) {
      Object.assign(counts, before);
      // What else goes wrong goes wrong with the next one, too. Methods of users may refuse some.
      const isOfBatch = error instanceof SchemaError || error instanceof ScriptError;
      if (!isOfBatch && !(file.kind === 'files' && error instanceof DeploymentError)) throw error;
      const [first, last] = [batch[0]?.place ?? '', batch.at(-1)?.place ?? ''];
      report.warn('A batch could not be imported', `${first} to ${last}: ${messageOf(error)}`);
    }
    const created = counts.created - before.created + (counts.relationships - before.relationships);
    job.chunk({ objects: batch.length, created, ignored: counts.failed - before.failed });
  }

  async #nodes(objects: ObjectTransaction, batch: readonly ListEntry[]): Promise<void> {
    const { counts } = this;
    const { created, replaced } = await writeNodes(objects, batch.map(nodeEntry), {
      principals: this.#principals,
      cascade: this.options.cascade,
      missingType: (name) => this.#missingTypes.add(name),
      wrongValue: this.#wrongValue,
    });
    counts.created += created;
    counts.replaced += replaced;
  }

  async #links(objects: ObjectTransaction, type: string, batch: readonly ListEntry[]): Promise<void> {
    const { counts } = this;
    const relation = objects.schema.relations.get(type);
    if (relation === undefined) return;
    const { made, failed } = await writeLinks(objects, relation, batch.map(linkEntry), this.#wrongValue);
    counts.relationships += made;
    counts.failed += failed;
    if (failed > 0) this.#failed.set(type, (this.#failed.get(type) ?? 0) + failed);
  }

  readonly #wrongValue = (type: string, key: string): void => {
    this.#wrongValues.add(`${type}.${key}`);
  };

  /** One transaction: nothing is checked, and no method of users runs but those that were asked for. */
  async #transaction(work: (objects: ObjectTransaction) => Promise<void>): Promise<void> {
    const { schemas, write } = this.context;
    const { innerCallbacks, outerCallbacks, actor } = this.options;
    const reason = this.#reason;
    const origin: Origin = { door: 'deployment', userId: actor.id, userName: actor.name, reason };
    const options = { ...write(), door: 'deployment', reason } as const;
    if (!innerCallbacks && !outerCallbacks) {
      await schemas.writeMany(SYSTEM, ALLOW_ALL, options, work, origin);
      return;
    }
    const whole = async (objects: ObjectTransaction): Promise<void> => {
      await work(objects);
      if (!innerCallbacks) objects.settled.push([0, objects.tx.changes().length]);
    };
    await schemas.write(SYSTEM, ALLOW_ALL, options, whole, { origin, timeout: 0 }, { quietly: !outerCallbacks });
  }
}
