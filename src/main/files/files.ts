import { join } from 'node:path';
import type { Cluster } from '../cluster/index.js';
import type { Handler } from '../http/index.js';
import type { Actor } from '../schema/index.js';
import { logger } from '../../shared/log.js';
import { Contents } from './content.js';
import type { FilesContext, FilesParts } from './context.js';
import { fillPlaces } from './fill-places.js';
import { RequestContents } from './input-contents.js';
import { Imports } from './imports/imports.js';
import { Resumable } from './resumable/resumable.js';
import { createServe } from './serve.js';
import { JobQueue } from './jobs/queue.js';
import { FileMethods } from './methods/methods.js';
import { Mounts } from './mounts/mounts.js';
import { ToDisk } from './mounts/to-disk.js';
import { Moves } from './moves.js';
import { LocalStorage } from './storage/local.js';
import { storageLimits } from './storage/providers.js';
import { Storages } from './storage/table.js';
import { Sweep } from './sweep.js';
import { Tree } from './tree.js';
import { createUpload } from './upload.js';
import { ArchiveJobs } from './zip/archive-jobs.js';
import { Archives } from './zip/archives.js';

const log = logger('files');

/** The virtual filesystem: what the other rooms see of it. */
export class Files {
  /** Answers `/svc/upload` and below. */
  readonly upload: Handler;
  /** Answers `/svc/upload/tus` and below. */
  readonly resumable: Handler;
  /** Answers paths of files. */
  readonly serve: Handler;
  /** Work in the background on files. */
  readonly jobs = new JobQueue();
  readonly imports: Imports;
  /** What is done with the content of single files. */
  readonly methods: FileMethods;
  /** Making and extracting archives in the tree. */
  readonly archives: ArchiveJobs;
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
    this.#contents = new Contents(graph, schemas, this.#storages);
    this.#archives = new Archives(config);
    const context: FilesContext = (this.#context = {
      ...parts,
      contents: this.#contents,
      storages: this.#storages,
      tree: new Tree(graph, schemas),
      jobs: this.jobs,
      archives: this.#archives,
    });
    this.#moves = new Moves(context);
    this.#mounts = new Mounts(context, new ToDisk(context));
    this.#sweep = new Sweep({
      ...context,
      delay: () => config.get('application.filesystem.sweep.delay') * 1000,
      interval: () => config.get('application.filesystem.sweep.interval') * 3_600_000,
      age: () => config.get('application.filesystem.sweep.age') * 60_000,
    });
    this.imports = new Imports(context);
    this.methods = new FileMethods(context);
    this.upload = createUpload(context);
    this.serve = createServe(context);
    this.archives = new ArchiveJobs(context);
    this.#resumable = new Resumable(context, join(config.path('files.path'), '._svc_resumable'));
    this.resumable = this.#resumable.handler;
  }

  /** Where the contents that a request's JSON brings are stored before its transaction. */
  inputContents(actor: Actor): RequestContents {
    return new RequestContents(this.#context, actor);
  }

  /** What goes on in the background of a running server. */
  start(): void {
    fillPlaces(this.#context, () => this.#stopped).catch((error: unknown) => {
      log.error('the places of files could not be brought up to date', error);
    });
  }

  /** What one instance does for all: content goes where it belongs, directories are looked through, rubbish goes. */
  keepTidy(cluster: Cluster): void {
    cluster.onCoordinator((signal) => {
      const work = AbortSignal.any([signal, this.#end.signal]);
      this.#moves.begin(work);
      this.#mounts.begin(work);
      this.#sweep.begin(work);
    });
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
    this.#storages.close();
  }
}
