import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import type { RequestContext, Requests } from '../request/index.js';
import type { Actor, SchemaService, WriteOptions } from '../schema/index.js';
import type { Security } from '../security/index.js';
import type { Belonging } from './upkeep/belonging.js';
import type { FileCallbacksPlace } from './callbacks.js';
import type { Contents } from './content/content.js';
import type { ImportScriptsPlace } from './imports/script-runner.js';
import type { JobQueue } from './jobs/queue.js';
import type { SmallFiles } from './content/small-files.js';
import type { Storages } from './storage/table.js';
import type { EvaluateTemplate } from './serve/template-evaluation.js';
import type { Tree } from './tree/tree.js';
import type { Archives } from './zip/archives.js';

/** What the files room is built from. */
export interface FilesParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly security: Security;
  readonly requests: Requests;
  /** Whether the content belongs to the database. */
  readonly belonging: Belonging;
  /** Settings of writing transactions, as they are now. */
  readonly write: () => WriteOptions;
  /** Answers with an error of any room, in the contract's error body; `reader`: who asks, where it is known. */
  readonly sendError: (exchange: Exchange, error: unknown, reader?: Actor) => void;
  /** Answers requests for paths that no file is at that its sender may read. False: it does not. */
  readonly otherwise: (request: RequestContext, path: string) => Promise<boolean>;
  /** Answers a request for a file that has failed: with a page for the error, else with its body. */
  readonly failed: (request: RequestContext, error: unknown) => Promise<void>;
}

/** Where the files room finds what evaluates templates, once it is there. */
export interface TemplatesPlace {
  evaluate: EvaluateTemplate | undefined;
}

/** What its parts work with. */
export interface FilesContext extends FilesParts {
  readonly templates: TemplatesPlace;
  readonly callbacks: FileCallbacksPlace;
  readonly importScripts: ImportScriptsPlace;
  readonly contents: Contents;
  readonly storages: Storages;
  readonly tree: Tree;
  readonly jobs: JobQueue;
  readonly archives: Archives;
  /** Content of small files that are read often. */
  readonly small: SmallFiles;
}
