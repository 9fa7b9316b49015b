import type { Config } from '../../config/index.js';
import type { Graph } from '../../graph/index.js';
import type { Exchange, Handler } from '../../http/index.js';
import type { Requests } from '../../request/index.js';
import type { Actor, SchemaService } from '../../schema/index.js';
import type { Scripting } from '../../scripting/index.js';
import type { Security } from '../../security/index.js';

/** What the room of pages is built from. */
export interface PagesParts {
  readonly config: Config;
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly security: Security;
  readonly requests: Requests;
  readonly scripting: Scripting;
  /** What an id looks like. */
  readonly idPattern: () => RegExp;
  /** Answers paths of files, and comes back with those that there is no file at (`Pages.otherwise`). */
  readonly serveFile: Handler;
  /** Answers with an error of any room; `reader`: who asks, where it is known. */
  readonly sendError: (exchange: Exchange, error: unknown, reader?: Actor) => void;
  /** The same in two steps, for an error that a page may be shown for. */
  readonly explainError: (error: unknown) => ExplainedError;
}

export interface ExplainedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly send: (exchange: Exchange, reader?: Actor) => void;
}
