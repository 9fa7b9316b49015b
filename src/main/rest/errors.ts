/** Errors of all rooms as statuses and error bodies (contract, Errors; docs/interface/rest.md 8). */
import { AnalyticsError } from '../analytics/index.js';
import { ConfigError } from '../config/index.js';
import { ConfigurationError } from '../configuration/index.js';
import { GraphError, isElsewhere, type GraphErrorCode } from '../graph/index.js';
import { HttpError, type Exchange } from '../http/index.js';
import { JsonSyntaxError } from '../../shared/json/index.js';
import { logger } from '../../shared/log.js';
import {
  MOST_TOLD,
  PasswordQueueFullError,
  SchemaError,
  type Actor,
  type ErrorToken,
  type RefusalKind,
} from '../schema/index.js';
import { DeploymentError } from '../deployment/index.js';
import { FilesError } from '../files/index.js';
import { MediaError } from '../media/index.js';
import { WorkError, type WorkErrorCode } from '../../shared/work/index.js';
import { CommandError } from '../maintenance/index.js';
import { ScriptError, scriptInfo, type ScriptInfo } from '../scripting/index.js';
import { MaintenanceError, ServiceError } from '../services/index.js';
import { AccessError } from '../security/index.js';

const log = logger('rest');

/** A refusal this room makes itself. */
export class RestError extends Error {
  override readonly name = 'RestError';
  constructor(
    readonly status: number,
    message: string,
    readonly tokens: readonly ErrorToken[] = [],
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}

const REFUSALS: Readonly<Record<RefusalKind, number>> = {
  invalid: 422,
  not_found: 404,
  forbidden: 403,
  bad_request: 400,
  conflict: 409,
};
const GRAPH_ERRORS: Readonly<Partial<Record<GraphErrorCode, number>>> = {
  not_found: 404,
  already_taken: 422,
  query_timeout: 503,
  writer_timeout: 503,
  closed: 503,
  writer_elsewhere: 503,
  conflict: 409,
  unavailable: 503,
  unreachable: 503,
  damaged: 503,
  storage_full: 507,
  invalid_query: 422,
};

const OF_WORK: Readonly<Record<WorkErrorCode, number>> = { busy: 503, gone: 503, died: 422, memory: 422, time: 422 };
const AGAIN = { 'Retry-After': '1' };

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

interface Described {
  readonly status: number;
  readonly message: string;
  readonly tokens: readonly ErrorToken[];
  readonly headers: Readonly<Record<string, string>>;
}

/** Status, text and headers of an error of any room; what nobody expected is logged. */
export function describeError(error: unknown): Described {
  if (error instanceof RestError) return error;
  const none = { tokens: [], headers: {} };
  if (error instanceof ScriptError) {
    const { status, message, tokens } = error;
    return { status, message, tokens, headers: status === 503 ? { 'Retry-After': '1' } : {} };
  }
  if (error instanceof SchemaError)
    return { status: REFUSALS[error.kind], message: error.message, tokens: error.tokens, headers: {} };
  if (error instanceof AnalyticsError) return { ...none, status: error.status, message: error.message };
  if (error instanceof ConfigurationError) {
    const { status, message, property, headers, token = status === 409 ? 'not_changeable' : 'invalid' } = error;
    const tokens = property === undefined ? [] : [{ property, token }];
    return { status, message, tokens, headers };
  }
  if (error instanceof ConfigError) {
    const tokens = error.problems.flatMap(({ name }) =>
      name === undefined ? [] : [{ property: name, token: 'invalid' }],
    );
    return { ...none, status: tokens.length > 0 ? 422 : 503, message: error.message, tokens };
  }
  if (error instanceof MediaError) {
    return { ...none, status: error.status, message: error.message, headers: error.status === 503 ? AGAIN : {} };
  }
  if (error instanceof WorkError) {
    const status = OF_WORK[error.code];
    return { ...none, status, message: `${sentence(error.message)}.`, headers: status === 503 ? AGAIN : {} };
  }
  if (error instanceof DeploymentError) return { ...none, status: 422, message: error.message };
  if (error instanceof AccessError)
    return { ...none, status: error.status, message: error.message, headers: error.headers };
  if (error instanceof JsonSyntaxError) return { ...none, status: 400, message: error.message };
  if (error instanceof HttpError || error instanceof FilesError)
    return { ...none, status: error.status, message: error.message, headers: error.headers };
  if (error instanceof CommandError || error instanceof MaintenanceError || error instanceof ServiceError)
    return { ...none, status: error.status, message: error.message };
  if (error instanceof PasswordQueueFullError) {
    return {
      ...none,
      status: 503,
      message: 'Too many passwords are being checked; try again later.',
      headers: { 'Retry-After': '1' },
    };
  }
  if (error instanceof GraphError) {
    const status = GRAPH_ERRORS[error.code];
    if (status === 503) return { ...none, status, message: error.message, headers: { 'Retry-After': '1' } };
    if (error.code === 'already_taken') {
      return {
        status: 422,
        message: 'Unable to commit transaction, validation failed',
        tokens: [
          {
            property: 'id',
            token: 'already_taken',
            ...(error.subject === undefined ? {} : { value: error.subject, existingNodeUuid: error.subject }),
          },
        ],
        headers: {},
      };
    }
    if (status !== undefined) return { ...none, status, message: error.message };
  }
  log.error('a request failed unexpectedly', error);
  return { ...none, status: 500, message: 'The request failed because of an error in the server; see its log.' };
}

/** Characters that mean something in HTML are escaped: an error may quote what a client sent. */
function escapeHtml(json: string): string {
  return json.replace(/[<>&'=]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Text of an error body; `script`: for who may see the source of the script that failed. */
export function errorBody(status: number, message: string, tokens: readonly ErrorToken[], script?: ScriptInfo): string {
  const more = tokens.length - MOST_TOLD;
  const json = JSON.stringify(
    { code: status, message, errors: tokens.slice(0, MOST_TOLD), moreErrors: more > 0 ? more : undefined, script },
    (_, v: unknown) => (typeof v === 'bigint' ? v.toString() : v),
    2,
  );
  return `${escapeHtml(json)}\n`;
}

/**
 * Answers with the error, unless nobody is there to get it. Throws it again when an answer has begun. `reader`: who asks, where it is
 * known; administrators are told which line of which script has failed.
 */
export function sendError(exchange: Exchange, error: unknown, reader?: Actor): void {
  if (nobodyWaits(exchange) || isHandedOver(exchange, error)) return;
  answer(exchange, error, describeError(error), reader);
}

/** Whether the main thread answers, which can do what has failed here. */
function isHandedOver(exchange: Exchange, error: unknown): boolean {
  return isElsewhere(error) && exchange.handOver();
}

/** An error that something else may be shown for: it is described, and logged, once. */
export interface ExplainedError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** As `sendError` does. */
  send(exchange: Exchange, reader?: Actor): void;
}

export function explainError(error: unknown): ExplainedError {
  const described = describeError(error);
  return {
    status: described.status,
    headers: described.headers,
    send: (exchange, reader) => {
      if (!nobodyWaits(exchange)) answer(exchange, error, described, reader);
    },
  };
}

function nobodyWaits({ aborted, responded, method }: Exchange): boolean {
  return aborted || (responded && method === 'HEAD');
}

function answer(exchange: Exchange, error: unknown, described: Described, reader: Actor | undefined): void {
  const { status, message, tokens, headers } = described;
  if (exchange.responded) {
    log.warn(`an answer broke off after it had begun: ${message}`);
    // The connection has to break too: otherwise the client takes what it has for the whole answer, or waits for the rest.
    throw error;
  }
  exchange.status = status;
  exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
  for (const name of Object.keys(headers)) exchange.setHeader(name, headers[name] ?? '');
  exchange.end(errorBody(status, message, tokens, reader?.isAdmin === true ? scriptInfo(error) : undefined));
}
