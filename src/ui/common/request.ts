/** Requests to the server that the page came from. */

/** What is wrong with one field. */
export interface FieldProblem {
  readonly property?: string;
  readonly token?: string;
  readonly detail?: string;
}

/** What the server refused, in its words. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(
    /** Of HTTP; 0: the server does not answer; `FAULT`: the page itself has failed. */
    readonly status: number,
    message: string,
    /** What is wrong, by the name of the field. */
    readonly fields: ReadonlySet<string>,
    readonly problems: readonly FieldProblem[] = [],
    /** `reason` of a refused login. */
    readonly reason = '',
  ) {
    super(message);
  }
}

/** `RefusedError.status` of what no server has refused. */
export const FAULT = -1;

/** What `fetch`, the body of an answer and `import()` throw when the connection is lost, in the words of the browsers: these have no type of their own. */
const LOST = /failed to fetch|network ?error|load failed|error in input stream|error loading dynamically/i;

/** Any error as a refusal, to be shown. A fault of the page itself is one too, and the browser's console is told of it. */
export function asRefusal(error: unknown): RefusedError {
  if (error instanceof RefusedError) return error;
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof TypeError && LOST.test(message)) return new RefusedError(0, message, new Set());
  reportError(error);
  return new RefusedError(FAULT, message, new Set());
}

interface ErrorBody {
  readonly message?: string;
  readonly error?: string;
  readonly errors?: readonly FieldProblem[];
}

/** Asks with JSON and returns the JSON of the answer. Throws `RefusedError`. */
export async function ask<T>(path: string, input?: unknown): Promise<T> {
  const response = await send(path, input === undefined ? { method: 'GET' } : { method: 'POST', json: input });
  return (await response.json().catch(() => ({}))) as T;
}

/** What is sent: JSON, or a body as it is. */
export interface Sending {
  readonly method: string;
  readonly json?: unknown;
  readonly body?: BodyInit;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Sends a request and returns the answer when it is a good one (2xx). Throws `RefusedError`, and what an aborted signal throws. */
export async function send(path: string, { method, json, body, headers, signal }: Sending): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json',
        ...(json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    if (signal?.aborted === true) throw error;
    tellRefused();
    throw new RefusedError(0, 'The server does not answer.', new Set());
  }
  if (!response.ok) {
    if (response.status === 401) tellRefused();
    throw await refusalOf(response);
  }
  return response;
}

/** Whoever watches the connection looks at once, and not when it is time. */
function tellRefused(): void {
  dispatchEvent(new Event('svc:refused'));
}

async function refusalOf(response: Response): Promise<RefusedError> {
  const text = await response.text().catch(() => '');
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // Some addresses refuse in plain text.
    if (text !== '' && text.length < 500 && !text.startsWith('<')) body = { message: text };
  }
  const problems = body.errors ?? [];
  const fields = problems.flatMap(({ property }) => (property === undefined ? [] : [property]));
  const message = body.message ?? body.error ?? `The server answered ${String(response.status)}.`;
  return new RefusedError(response.status, message, new Set(fields), problems, response.headers.get('reason') ?? '');
}
