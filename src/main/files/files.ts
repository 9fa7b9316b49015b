import { join } from 'node:path';
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
import { LocalStorage } from './storage/local.js';
import { Storages } from './storage/table.js';
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
  #stopped = false;
  readonly #archives: Archives;
  readonly #resumable: Resumable;

  constructor(parts: FilesParts) {
    const { config, graph, schemas } = parts;
    this.#contents = new Contents(graph, schemas, new Storages(new LocalStorage(config.path('files.path'))));
    this.#archives = new Archives(config);
    const context: FilesContext = (this.#context = {
      ...parts,
      contents: this.#contents,
      tree: new Tree(graph, schemas),
      jobs: this.jobs,
      archives: this.#archives,
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

  /** Ends the jobs; resolves when content of files that are gone has been removed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#resumable.stop();
    await this.jobs.stop();
    await this.#archives.close();
    await this.#contents.idle();
  }
}
