import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import type { SchemaService, WriteOptions } from '../schema/index.js';
import type { Security } from '../security/index.js';
import type { Contents } from './content.js';
import type { JobQueue } from './jobs/queue.js';
import type { Storages } from './storage/table.js';
import type { Tree } from './tree.js';
import type { Archives } from './zip/archives.js';

/** What the files room is built from. */
export interface FilesParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly security: Security;
  /** Settings of writing transactions, as they are now. */
  readonly write: () => WriteOptions;
  /** Answers with an error of any room, in the contract's error body. */
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

/** What its parts work with. */
export interface FilesContext extends FilesParts {
  readonly contents: Contents;
  readonly storages: Storages;
  readonly tree: Tree;
  readonly jobs: JobQueue;
  readonly archives: Archives;
}
