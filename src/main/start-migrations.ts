import { EXIT } from './exit-codes.js';
import type { Graph } from './graph/index.js';
import { CoordinatorError, MigrationError, type Migrations } from './maintenance/index.js';
import { StartError } from './start-error.js';

/** Something that is stopped at the end. */
export interface Part {
  stop(): Promise<void> | void;
}

/** What `application.migration.mode` says, before anything is served. A dry run ends the process. */
export async function migrateAtStart(migrations: Migrations, parts: readonly Part[], graph: Graph): Promise<void> {
  const end = async (): Promise<void> => {
    for (const part of parts) await part.stop();
    await graph.close();
  };
  try {
    if (await migrations.atStart()) return;
  } catch (error) {
    await end();
    if (error instanceof MigrationError) throw new StartError(error.message, EXIT.migrationFailed);
    // The contract's; 2 is that of wrong settings as well.
    if (error instanceof CoordinatorError) throw new StartError(error.message, EXIT.configuration);
    throw error;
  }
  await end();
  process.exit(EXIT.migrationDryRun);
}
