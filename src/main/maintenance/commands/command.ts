/** Commands on the whole database, for administrators (contract, Maintenance; docs/interface/operations.md 9). */
import type { Cluster } from '../../cluster/index.js';
import type { Config } from '../../config/index.js';
import type { Files } from '../../files/index.js';
import type { Graph } from '../../graph/index.js';
import type { Scripting } from '../../scripting/index.js';
import type { MaintenanceMode } from '../../services/index.js';
import type { Threads } from './instance/threads.js';
import type { Actor, ObjectAccess, SchemaService, WriteOptions } from '../../schema/index.js';
import type { JsonObject, JsonValue } from '../../../shared/json/index.js';
import type { Migrations } from '../migrations/migrations.js';

/** What commands work with, and for whom. */
export interface CommandContext {
  /** The administrator who asked. */
  readonly actor: Actor;
  readonly access: ObjectAccess;
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly files: Pick<Files, 'jobs'>;
  readonly scripting: Pick<Scripting, 'running' | 'end'>;
  readonly threads: Threads;
  readonly cluster: Pick<Cluster, 'isCoordinator'>;
  readonly migrations: Pick<Migrations, 'run'>;
  readonly maintenanceMode: Pick<MaintenanceMode, 'switch' | 'baseUrl'>;
  /** Settings of what is written by a command. */
  readonly write: () => WriteOptions;
}

/** One command: a file, and a line in `table.ts`. */
export interface MaintenanceCommand {
  /** As the path names it, in its case. */
  readonly name: string;
  /** The answer says when it began and ended, and how long it took. */
  readonly tellsTimes?: boolean;
  /**
   * Does it. What it returns is the `result`: most commands have none. Throws `SchemaError` 422 for parameters that make no sense,
   * with the name of the parameter, and `CommandError`.
   */
  run(context: CommandContext, input: JsonObject): Promise<readonly JsonValue[]>;
}

/** A command that did not come to its end. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    /** Of HTTP. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}
