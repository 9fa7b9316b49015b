/** How a unit is asked for, and what its errors are told as. */
import type { Origin } from '../../commits/commit.js';
import { graphError } from '../connection/connection.js';
import type { UnitLimits } from './limited.js';

export interface UnitOptions extends UnitLimits {
  readonly origin?: Origin | undefined;
  /** It uses the writer's connection: it begins when that shows all that was written. */
  readonly onLoop?: boolean;
  /** It writes much, and nothing speaks against its work being done twice: it is handed to the thread in pieces where there is one. */
  readonly large?: boolean | undefined;
}

/** What the work threw, as it is; what SQLite threw, as the graph's own error. */
export function thrown(error: unknown): Error {
  return error instanceof Error ? graphError(error) : (error as Error);
}
