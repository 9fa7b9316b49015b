import type { Door } from '../../graph/index.js';
import type { Asker } from '../../request/index.js';

/** Whose rights a run has: a request's context, or somebody as he is when the work is done. */
export type Caller = Asker;

/** How a transaction of the service itself differs from that of a request. */
export interface OwnTransaction {
  /** What it writes sets off no `afterCreate` and the like. */
  readonly quietly?: boolean;
  /** `de_DE`; absent: the server's. */
  readonly locale?: string;
  /** Aborted: what was written is taken back, whatever the script still does. */
  readonly signal?: AbortSignal;
  /** The work goes on with something that lives on: it is not done again when others come in between, but is the writer from its first write on. */
  readonly once?: boolean;
  /** Through which door it came; absent: that of scripts. */
  readonly door?: Door | undefined;
}
