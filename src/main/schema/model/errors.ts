/** One entry of the `errors` array of an error body (docs/interface/rest.md 8.2). */
export interface ErrorToken {
  readonly type?: string;
  readonly property?: string;
  readonly token: string;
  readonly value?: unknown;
  readonly detail?: unknown;
  readonly keys?: readonly string[];
  readonly existingNodeUuid?: string;
  readonly method?: string;
  readonly parameter?: string;
  /** Of a table that was sent: the row, from 1 without the header, and the last line it stands on. */
  readonly row?: number;
  readonly line?: number;
}

/** Errors of one refusal that are told: a body of 50,000 objects may have as many, which would be megabytes made in one go. */
export const MOST_TOLD = 100;

/** Kinds of refusal; the rest room maps each to a status (422, 404, 403, 400, 409). */
export type RefusalKind = 'invalid' | 'not_found' | 'forbidden' | 'bad_request' | 'conflict';

/** Input or state that the schema's rules refuse: a message for people and tokens for programs. */
export class SchemaError extends Error {
  override readonly name = 'SchemaError';
  constructor(
    message: string,
    readonly tokens: readonly ErrorToken[] = [],
    readonly kind: RefusalKind = 'invalid',
    /** Ids of the objects that the tokens are about, one a token, for who knows where each of them came from. Never told to anybody. */
    readonly subjects: readonly string[] = [],
  ) {
    super(message);
  }
}

/** The refusal of a schema that makes no sense: where, and what is wrong with it. */
export function schemaProblem(type: string, property: string | undefined, token: string, detail: string): SchemaError {
  return new SchemaError(`Invalid schema: ${detail}`, [
    { type, ...(property === undefined ? {} : { property }), token, detail },
  ]);
}
