/** A request to REST that was typed: `POST /Task {"name": "x"}`. */
export const VERBS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'] as const;
type Verb = (typeof VERBS)[number];

export interface RestLine {
  readonly verb: Verb;
  /** Below `/svc/rest`, with its query. */
  readonly path: string;
  readonly body: string | undefined;
}

export type RestFault = 'verb' | 'path' | 'body';

const ALSO: ReadonlyMap<string, Verb> = new Map([['DEL', 'DELETE']]);
const BASE = /^\/svc\/rest(?=\/|$)/;

/** The request that a line says, or what of it makes no sense. The body may stand on lines of its own. */
export function parseRest(line: string): RestLine | RestFault {
  const [, first = '', path = '', rest = ''] = /^\s*(\S+)\s*(\S*)\s*([^]*)$/.exec(line) ?? [];
  const word = first.toUpperCase();
  const verb = VERBS.find((one) => one === word) ?? ALSO.get(word);
  if (verb === undefined) return 'verb';
  const below = path.replace(BASE, '');
  // Nothing leads out of REST: other addresses have other rules.
  if (!below.startsWith('/') || /(?:^|[/\\])(?:\.|%2e){1,2}(?:[/\\?#]|$)/i.test(below) || below.includes('#'))
    return 'path';
  const body = rest.trim();
  if (body !== '') {
    try {
      JSON.parse(body);
    } catch {
      return 'body';
    }
  }
  return { verb, path: below, body: body === '' ? undefined : body };
}

export interface RestAnswer {
  /** `201 Created` */
  readonly status: string;
  readonly isGood: boolean;
  /** `result` of the envelope, where there is one; else the whole body. */
  readonly value: unknown;
  /** How many there are in all, where the server says. */
  readonly count: number | undefined;
  readonly milliseconds: number;
}

/** Sends the request; refused ones are answers as others. Rejects when the server does not answer. */
export async function sendRest({ verb, path, body }: RestLine, signal: AbortSignal): Promise<RestAnswer> {
  const began = performance.now();
  const response = await fetch(`rest${path}`, {
    method: verb,
    credentials: 'same-origin',
    headers: { Accept: 'application/json', ...(body === undefined ? {} : { 'Content-Type': 'application/json' }) },
    ...(body === undefined ? {} : { body }),
    signal,
  });
  const text = await response.text();
  const milliseconds = performance.now() - began;
  const allowed = response.headers.get('allow');
  const said = text === '' && allowed !== null ? `Allow: ${allowed}` : text;
  return {
    status: `${String(response.status)} ${response.statusText}`.trim(),
    isGood: response.ok,
    ...valueOf(said),
    milliseconds,
  };
}

function valueOf(text: string): { readonly value: unknown; readonly count: number | undefined } {
  try {
    const body = JSON.parse(text) as unknown;
    if (typeof body !== 'object' || body === null || !('result' in body)) return { value: body, count: undefined };
    const { result, result_count: count } = body as { readonly result: unknown; readonly result_count?: unknown };
    return { value: result, count: typeof count === 'number' ? count : undefined };
  } catch {
    return { value: text, count: undefined };
  }
}
