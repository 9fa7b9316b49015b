/** That the content in `files.path` is that of the database. */
import type { Config } from '../config/index.js';
import { EXIT } from '../exit-codes.js';
import { Belonging, BelongingError, type BelongingErrorCode } from '../files/index.js';
import type { Graph } from '../graph/index.js';
import type { SchemaService } from '../schema/index.js';
import { StartError } from '../start-error.js';

const EXIT_CODES: Readonly<Record<BelongingErrorCode, number>> = {
  mismatch: EXIT.filesMismatch,
  not_writable: EXIT.filesNotWritable,
  full: EXIT.diskFull,
};

/** Closes the graph where it is not. Throws `StartError`. */
export async function openBelonging(config: Config, graph: Graph, schemas: SchemaService): Promise<Belonging> {
  try {
    return await Belonging.check({ config, graph, schemas });
  } catch (error) {
    await graph.close();
    if (error instanceof BelongingError) throw new StartError(error.message, EXIT_CODES[error.code]);
    throw error;
  }
}
