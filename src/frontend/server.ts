/** What is asked of the server. */

/** What the paths of the service begin with: the script lies in `svc/js/frontend/`. */
const BASE = new URL(/* @vite-ignore */ '../../../', import.meta.url);

export function address(path: string): string {
  return new URL(path, BASE).href;
}

/** What a property is wrong for. */
export interface FieldError {
  readonly property?: string;
  readonly token?: string;
}

/** What became of an action. */
export interface Outcome {
  readonly isSuccess: boolean;
  /** 0: the server was not reached. */
  readonly status: number;
  readonly result: unknown;
  readonly message: string;
  readonly errors: readonly FieldError[];
  /** Where the second step of a login is. */
  readonly next?: string;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Sends an event of an element. Never throws. */
export async function sendEvent(id: string, data: Readonly<Record<string, unknown>>): Promise<Outcome> {
  try {
    const response = await fetch(address(`svc/rest/DOMElement/${encodeURIComponent(id)}/event`), {
      method: 'POST',
      headers: { Accept: 'application/json', 'Content-Type': 'application/json' },
      body: JSON.stringify(data),
    });
    return outcomeOf(response, await response.text());
  } catch (error) {
    return { isSuccess: false, status: 0, result: null, message: String(error), errors: [] };
  }
}

function outcomeOf(response: Response, text: string): Outcome {
  const { status, headers } = response;
  let body: unknown = text;
  try {
    body = JSON.parse(text);
  } catch {
    // Methods may answer anything.
  }
  const isError = isRecord(body) && 'code' in body && 'errors' in body;
  const next = status === 202 ? secondStep(headers) : undefined;
  return {
    isSuccess: status === 200 || status === 201 || status === 202,
    status,
    result: isRecord(body) && 'result' in body ? body['result'] : body,
    message: isError && isRecord(body) ? String(body['message']) : response.statusText || String(status),
    errors: isError && isRecord(body) && Array.isArray(body['errors']) ? (body['errors'] as FieldError[]) : [],
    ...(next === undefined ? {} : { next }),
  };
}

/** The page for the second factor, with what it needs. */
function secondStep(headers: Headers): string | undefined {
  const page = headers.get('twoFactorLoginPage');
  if (page === null) return undefined;
  const query = new URLSearchParams();
  for (const name of ['token', 'qrdata']) {
    const value = headers.get(name);
    if (value !== null) query.set(name, value);
  }
  return `${page}?${query.toString()}`;
}

/** Ends the login of whoever looks at the page. */
export async function signOut(): Promise<void> {
  await fetch(address('svc/logout'), { method: 'POST', redirect: 'manual' });
}
