/** What is told of scripts that fail: one line of the log, and what those who may see the source are answered. */
import { FilesError, JobError } from '../../files/index.js';
import { MediaError } from '../../media/index.js';
import { WorkError } from '../../../shared/work/index.js';
import { GraphError, isElsewhere } from '../../graph/index.js';
import { HttpError } from '../../http/index.js';
import { SchemaError, type ErrorToken } from '../../schema/index.js';
import { AccessError } from '../../security/index.js';
import { happened } from '../../../shared/happened.js';
import { areStacksShort, logger } from '../../../shared/log.js';
import { GENERAL_MESSAGE, Refusal, ScriptError, TooManyScriptsError } from '../language/errors.js';
import { placeOf, placeText } from '../language/place.js';

const log = logger('scripting');

/** Errors that the log has. */
const logged = new WeakSet<Error>();

/** Part of the answer to those who may see the source; named as in the messages of editors (docs/interface: docs/interface/script-runtime.md 3.4). */
export interface ScriptInfo {
  /** As in `Place.title`. */
  readonly name: string;
  /** From 1, in the source as it is stored; null: not known. */
  readonly row: number | null;
  readonly column: number | null;
  readonly message: string;
}

/** Undefined: no script has failed. */
export function scriptInfo(error: unknown): ScriptInfo | undefined {
  const place = placeOf(error);
  if (place === undefined) return undefined;
  const { line = null, column = null } = place.position ?? {};
  return { name: place.title, row: line, column, message: detailOf(error) };
}

/** What went wrong, in a line: `TypeError: x is null`. */
export function detailOf(error: unknown): string {
  if (error instanceof ScriptError && error.detail !== GENERAL_MESSAGE) return error.detail;
  const message = error instanceof Error ? error.message : String(error);
  const tokens = error instanceof ScriptError || error instanceof SchemaError ? error.tokens : [];
  return tokens.length === 0 ? message : `${message}: ${tokens.map(tokenText).join(', ')}`;
}

function tokenText({ type, property, token, detail }: ErrorToken): string {
  const of = [type, property].filter((one) => one !== undefined).join('.');
  return [of, token, typeof detail === 'string' ? detail : ''].filter((one) => one !== '').join(' ');
}

/** `Project[uuid]:close:3:14: TypeError: x is null`; `title`: of the script, where the error does not tell. */
export function failureText(error: unknown, title: string): string {
  return `${placeText(placeOf(error) ?? { title })}: ${detailOf(error)}`;
}

/**
 * Writes the line of an error, once however often it is asked for. `how`: what came of it. What nobody expected has the server's stack.
 */
export function logFailure(error: unknown, title: string, how = ''): void {
  // The main thread runs it again.
  if (isElsewhere(error)) return;
  if (error instanceof Error) {
    if (logged.has(error)) return;
    logged.add(error);
  }
  log.warn(`${failureText(error, title)}${how}`, isExpected(error) && areStacksShort() ? undefined : error);
  tellFailure(error, title);
}

/** As an event, for those who write scripts (docs/interface/monitoring.md 5). */
function tellFailure(error: unknown, title: string): void {
  const place = placeOf(error) ?? { title };
  const { line = null, column = null } = place.position ?? {};
  const [, type, id] = /^(\w+)\[([^\]]+)\]/.exec(place.title) ?? [];
  happened('Scripting', 'Scripting Error', {
    errorName: error instanceof Error ? error.name : 'Error',
    message: detailOf(error),
    row: line,
    column,
    name: place.title,
    ...(type === undefined ? {} : { type }),
    ...(id === undefined || id === 'static' ? {} : { id }),
  });
}

/** The same for an error that is answered: not for what is no mistake of the script, but its answer, or the state of the server. */
export function logMistake(error: unknown, title: string): void {
  if (error instanceof Refusal || error instanceof TooManyScriptsError || isOfServer(error)) return;
  logFailure(error, title);
}

/** The error of a job whose script has failed; what nobody expected stays as it is, for the log of the server. `title` as in `failureText`. */
export function jobFailure(error: unknown, title: string): unknown {
  if (!(error instanceof Error) || !isExpected(error) || isOfServer(error)) return error;
  const tokens = error instanceof ScriptError || error instanceof SchemaError ? error.tokens : [];
  const place = placeText(placeOf(error) ?? { title });
  return new JobError(error.message, tokens, undefined, { message: detailOf(error), place });
}

/** Conflicts, a database that is closed or away, and the like. */
function isOfServer(error: unknown): boolean {
  return error instanceof GraphError && !['already_taken', 'not_found', 'invalid_query'].includes(error.code);
}

function isExpected(error: unknown): boolean {
  return [ScriptError, SchemaError, FilesError, MediaError, WorkError, HttpError, AccessError, GraphError].some(
    (kind) => error instanceof kind,
  );
}
