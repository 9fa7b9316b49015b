import { join } from 'node:path';
import type { Cluster } from '../cluster/index.js';
import type { GraphNode } from '../graph/index.js';
import type { Handler } from '../http/index.js';
import { ALLOW_ALL, allowed, SYSTEM, type Actor, type ObjectAccess } from '../schema/index.js';
import { logger } from '../../shared/log.js';
import type { FileCallbacksPlace } from './callbacks.js';
import { Contents } from './content/content.js';
import type { FactsPlace } from './content/received.js';
import type { FilesContext, FilesParts, TemplatesPlace } from './context.js';
import { ExchangeFolder } from './server-folders/exchange-folder.js';
import { FirstSeen } from './upkeep/first-seen.js';
import { fillPlaces } from './upkeep/fill-places.js';
import { DeployedFiles } from './upload/deployed-files.js';
import { FilesBeside } from './upload/files-beside.js';
import { BroughtFiles, type BroughtFields } from './upload/brought-files.js';
import { RequestContents } from './upload/input-contents.js';
import { Imports } from './imports/imports.js';
import type { ImportScriptsPlace } from './imports/script-runner.js';
import { Resumable } from './resumable/resumable.js';
import { createServe } from './serve/serve.js';
import { JobQueue } from './jobs/queue.js';
import { FileMethods } from './methods/methods.js';
import { TemplateSources } from './methods/template-sources.js';
import { Mounts } from './mounts/mounts.js';
import { ToDisk } from './mounts/to-disk.js';
import { Moves } from './upkeep/moves.js';
import { OnDisk } from './content/on-disk.js';
import { readableContent, type FileContent } from './content/readable-content.js';
import { SmallFiles } from './content/small-files.js';
import { LocalStorage } from './storage/local/local.js';
import { storageLimits } from './storage/providers.js';
import { Storages } from './storage/table.js';
import { Sweep } from './upkeep/sweep.js';
import { Tree } from './tree/tree.js';
import { createUpload } from './upload/upload.js';
import { ArchiveJobs } from './zip/archive-jobs.js';
import type { ZipEntry } from './zip/container/writer.js';
import { fileEntry } from './zip/entries.js';
import { Archives } from './zip/archives.js';
import { ArchivesWithin } from './zip/archives-within.js';

const log = logger('files');
const MB = 1024 * 1024;

/** The virtual filesystem: what the other rooms see of it. */
export class Files {
  /** Answers `/svc/upload` and below. */
  readonly upload: Handler;
  /** Answers `/svc/upload/tus` and below. */
  readonly resumable: Handler;
  /** Answers paths of files. */
  readonly serve: Handler;
  /** Set when the rooms are put together. */
  readonly templates: TemplatesPlace = { evaluate: undefined };
  /** Set at the same time. */
  readonly callbacks: FileCallbacksPlace = { current: undefined };
  readonly importScripts: ImportScriptsPlace = { current: undefined };
  readonly facts: FactsPlace = { keys: [], of: undefined };
  /** Work in the background on files. */
  readonly jobs = new JobQueue();
  readonly imports: Imports;
  /** What is done with the content of single files. */
  readonly methods: FileMethods;
  readonly templateSources: TemplateSources;
  /** Making and extracting archives in the tree. */
  readonly archives: ArchiveJobs;
  /** The same within a transaction that is going on. */
  readonly archivesWithin: ArchivesWithin;
  /** Files of the server that scripts and other programs exchange. */
  readonly exchange: ExchangeFolder;
  /** Files made of others. */
  readonly beside: FilesBeside;
  /** Content as files of this machine. */
  readonly onDisk: OnDisk;
  readonly #contents: Contents;
  readonly #context: FilesContext;
  readonly #storages: Storages;
  readonly #moves: Moves;
  readonly #mounts: Mounts;
  readonly #sweep: Sweep;
  readonly #end = new AbortController();
  #stopped = false;
  readonly #archives: Archives;
  readonly #resumable: Resumable;

  constructor(parts: FilesParts) {
    const { config, graph, schemas } = parts;
    this.#storages = new Storages(graph, schemas, {
      local: new LocalStorage(config.path('files.path')),
      timeout: () => config.get('application.filesystem.storage.timeout'),
      mounts: { followSymlinks: () => config.get('application.filesystem.mount.followsymlinks') },
      ...storageLimits(config),
    });
    this.#contents = new Contents(graph, schemas, this.#storages, this.facts);
    this.onDisk = new OnDisk({
      storages: this.#storages,
      read: (place, range, signal) => this.#contents.readPlace(place, range, signal),
      folder: join(config.path('files.path'), '._svc_media', 'tmp'),
    });
    this.#archives = new Archives(config);
    const context: FilesContext = (this.#context = {
      ...parts,
      templates: this.templates,
      callbacks: this.callbacks,
      importScripts: this.importScripts,
      contents: this.#contents,
      storages: this.#storages,
      tree: new Tree(graph, schemas),
      jobs: this.jobs,
      archives: this.#archives,
      small: new SmallFiles(config.get('application.filesystem.cache.size') * MB),
    });
    this.#moves = new Moves(context);
    this.#mounts = new Mounts(context, new ToDisk(context));
    this.#sweep = new Sweep({
      ...context,
      delay: () => config.get('application.filesystem.sweep.delay') * 1000,
      interval: () => config.get('application.filesystem.sweep.interval') * 3_600_000,
      age: () => config.get('application.filesystem.sweep.age') * 60_000,
      kept: () => config.get('application.filesystem.sweep.trash') * 86_400_000,
      firstSeen: new FirstSeen(config.path('files.path')),
    });
    this.imports = new Imports(context);
    this.methods = new FileMethods(context);
    this.templateSources = new TemplateSources(context);
    this.upload = createUpload(context);
    this.serve = createServe(context);
    this.exchange = new ExchangeFolder(config);
    this.archives = new ArchiveJobs(context);
    this.archivesWithin = new ArchivesWithin(context);
    this.beside = new FilesBeside(context);
    this.#resumable = new Resumable(context, join(config.path('files.path'), '._svc_resumable'));
    this.resumable = this.#resumable.handler;
  }

  /** Where the contents that a request's JSON brings are stored before its transaction. */
  inputContents(actor: Actor): RequestContents {
    return new RequestContents(this.#context, actor);
  }

  /** What is brought from elsewhere for somebody, to become files of his; `end` has to be called behind its transaction. */
  bringing(actor: Actor, access: ObjectAccess, fields: BroughtFields): BroughtFiles {
    return new BroughtFiles(this.#context, actor, access, fields);
  }

  /** Files of an application that is imported; `end` has to be called behind its transaction. */
  deploying(): DeployedFiles {
    return new DeployedFiles(this.#context);
  }

  /** The content of a file as it is stored, scripts in it included: for administrators. */
  rawContentOf(file: GraphNode, signal?: AbortSignal): AsyncIterable<Buffer> {
    return this.#contents.read(file, undefined, signal);
  }

  /** An archive of entries of the caller's, made as it is read. */
  archiveOf(entries: AsyncIterable<ZipEntry>): AsyncGenerator<Uint8Array, void> {
    return this.#archives.inBackground(entries);
  }

  /** The content of a file as it is stored, for such an archive: for administrators. */
  storedEntry(file: GraphNode, name: string, signal: AbortSignal): ZipEntry {
    return fileEntry(this.#context, { actor: SYSTEM, access: ALLOW_ALL, signal }, file, name);
  }

  /** The committed file at a path (decoded), for who may read it and all folders above; undefined: he sees none. */
  fileAt(path: string, access: ObjectAccess): Promise<GraphNode | undefined> {
    const { graph, schemas, tree } = this.#context;
    return graph.read(async (tx) => {
      const chain = (await tree.find(tx, path)) ?? [];
      for (const node of chain) if (!(await allowed(tx, access, 'read', node))) return undefined;
      const file = chain.at(-1);
      return file !== undefined && schemas.schema.typeOf(file).hasTrait('File') ? file : undefined;
    });
  }

  /** The content of a file that its reader may read, for those who pass it on. Throws `FilesError` 422 when it is evaluated. */
  contentOf(file: GraphNode): FileContent {
    return readableContent(this.#contents, file);
  }

  /** What goes on in the background of a running server. */
  start(): void {
    fillPlaces(this.#context, () => this.#stopped).catch((error: unknown) => {
      log.error('the places of files could not be brought up to date', error);
    });
  }

  /** What one instance does for all: content goes where it belongs. */
  keepTidy(cluster: Cluster): void {
    cluster.onCoordinator((signal) => {
      this.#moves.begin(AbortSignal.any([signal, this.#end.signal]));
    });
  }

  /** What one instance does for all unless it is told not to: mounted directories are looked through, rubbish goes. Returns what ends it. */
  syncStorages(cluster: Cluster): () => void {
    return cluster.onCoordinator((signal) => {
      const work = AbortSignal.any([signal, this.#end.signal]);
      this.#mounts.begin(work);
      this.#sweep.begin(work);
    });
  }

  /** No content is removed for so many milliseconds from now on (0: it may be): somebody copies what there is. */
  keepContent(milliseconds: number): void {
    this.#contents.keep(milliseconds);
  }

  /** Ends the jobs; resolves when content of files that are gone has been removed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#resumable.stop();
    this.#end.abort();
    await this.jobs.stop();
    await this.#archives.close();
    await this.#moves.stop();
    await this.#mounts.stop();
    await this.#sweep.stop();
    await this.#contents.idle();
    await this.#context.belonging.stop();
    this.#storages.close();
  }
}
