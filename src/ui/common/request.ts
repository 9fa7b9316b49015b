/** Requests to the server that the page came from. */

/** What the server refused, in its words. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  constructor(
    /** Of HTTP; 0: the server does not answer. */
    readonly status: number,
    message: string,
    /** What is wrong, by the name of the field. */
    readonly fields: ReadonlySet<string>,
  ) {
    super(message);
  }
}

interface ErrorBody {
  readonly message?: string;
  readonly errors?: readonly { readonly property?: string }[];
}

/** Asks with JSON and returns the JSON of the answer. Throws `RefusedError`. */
export async function ask<T>(path: string, input?: unknown): Promise<T> {
  let response: Response;
  try {
    response = await fetch(path, {
      method: input === undefined ? 'GET' : 'POST',
      credentials: 'same-origin',
      ...(input === undefined ? {} : { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(input) }),
    });
  } catch {
    throw new RefusedError(0, 'The server does not answer.', new Set());
  }
  const body = (await response.json().catch(() => ({}))) as unknown;
  if (response.ok) return body as T;
  const { message, errors } = body as ErrorBody;
  const fields = (errors ?? []).flatMap(({ property }) => (property === undefined ? [] : [property]));
  throw new RefusedError(
    response.status,
    message ?? `The server answered ${String(response.status)}.`,
    new Set(fields),
  );
}
