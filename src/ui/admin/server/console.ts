/** Running scripts to look at what comes of them (docs/interface/script-runtime.md 10.1). For administrators. */
import { send, type FieldProblem } from '../../common/request.js';
import { restPath } from './rest.js';

export type ScriptMode = 'expression' | 'javascript' | 'cypher';

/** Why a script failed. */
export interface ScriptFault {
  readonly status: number;
  readonly message: string;
  readonly errors?: readonly FieldProblem[];
  /** Lines and columns from 1; null: not known. */
  readonly script?: {
    readonly name: string;
    readonly row: number | null;
    readonly column: number | null;
    readonly message: string;
  };
}

export interface Outcome {
  readonly value: unknown;
  /** What the script wrote into the log of the server. */
  readonly log: readonly string[];
  readonly milliseconds: number;
  readonly error?: ScriptFault;
}

/** Objects are shown with their keys of this view. */
const VIEW = 'ui';

async function ask(input: unknown, signal?: AbortSignal): Promise<Outcome> {
  const path = restPath(`_console/${VIEW}`, { outputNestingDepth: 1 });
  const response = await send(path, { method: 'POST', json: input, signal });
  return ((await response.json()) as { readonly result: Outcome }).result;
}

/** Runs a line. What it does wrong is in the outcome; throws `RefusedError` where nothing was run. */
export const runLine = (mode: ScriptMode, line: string, signal?: AbortSignal): Promise<Outcome> =>
  ask({ mode, line }, signal);

/** Runs a method by its id; `object`: the one that it runs on, unless it is static. As `runLine`. */
export const runMethod = (
  method: string,
  object: string | undefined,
  args: Readonly<Record<string, unknown>>,
): Promise<Outcome> => ask({ method, ...(object === undefined ? {} : { object }), arguments: args });

/** Where a source cannot be read. */
export interface SourceProblem {
  readonly row: number;
  readonly column: number;
  readonly message: string;
}

/** Whether a source can be read; nothing is run. `wrapped`: JavaScript answers by `return`. Null: it can. */
export async function checkSource(
  source: string,
  wrapped: boolean,
  signal?: AbortSignal,
): Promise<SourceProblem | null> {
  const response = await send(restPath('_console'), { method: 'POST', json: { check: source, wrapped }, signal });
  return ((await response.json()) as { readonly result: { readonly problem: SourceProblem | null } }).result.problem;
}
