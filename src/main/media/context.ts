import type { Config } from '../config/index.js';
import type { Graph } from '../graph/index.js';
import type { Files } from '../files/index.js';
import type { SchemaService, WriteOptions } from '../schema/index.js';
import type { Security } from '../security/index.js';
import type { Attempts } from './processing/attempts.js';
import type { Tools } from './video/tools.js';

/** What the media room is built from. */
export interface MediaParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly security: Security;
  readonly files: Files;
  /** Settings of writing transactions, as they are now. */
  readonly write: () => WriteOptions;
}

/** What its parts work with. */
export interface MediaContext extends MediaParts {
  readonly attempts: Attempts;
  /** Programs that work on videos. */
  readonly tools: Tools;
}
