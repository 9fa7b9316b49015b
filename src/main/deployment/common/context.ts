import type { Config } from '../../config/index.js';
import type { Files } from '../../files/index.js';
import type { Graph } from '../../graph/index.js';
import type { Migrations } from '../../maintenance/index.js';
import type { Standstill } from '../../request/index.js';
import type { SchemaService, WriteOptions } from '../../schema/index.js';
import type { Scripting } from '../../scripting/index.js';

/** What deployments are built from. */
export interface DeploymentContext {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly files: Files;
  readonly scripting: Scripting;
  readonly migrations: Pick<Migrations, 'afterImport'>;
  /** As `_env` says it. */
  readonly version: string;
  /** Settings of writing transactions, as they are now. */
  readonly write: () => WriteOptions;
  /** Nobody is answered by this instance. */
  readonly standstill: Pick<Standstill, 'begin'>;
}
