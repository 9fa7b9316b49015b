/** Something that is changed again and again, and seen at once by everybody who asks after a change was answered. */
import type { Connection, Got, Headers } from '../../support/many-connections.js';

/** A request, and what it shows now. */
export interface Look {
  readonly path: string;
  /** In the place of the superuser's. */
  readonly headers?: Headers;
  readonly see: (got: Got) => unknown;
  readonly expected: unknown;
  /** No more connections than these ask: it takes long. */
  readonly few?: true;
}

export interface Subject {
  readonly name: string;
  /** Changes it by this connection, which is an administrator's; resolves when the change has been answered. */
  change(by: Connection): Promise<void>;
  /** What is to be seen from then on. */
  looks(): readonly Look[];
}

export const status = (got: Got): number => got.status;

/** Sends a request that must succeed; `headers` in the place of the administrator's. */
export async function must(
  by: Connection,
  method: string,
  path: string,
  body?: unknown,
  headers?: Headers,
): Promise<Got> {
  const got = await by.send(method, path, body, headers);
  if (got.status >= 300) throw new Error(`${method} ${path} answered ${String(got.status)}: ${got.text}`);
  return got;
}

/** Creates an object by REST; its id. */
export async function made(by: Connection, type: string, body: unknown): Promise<string> {
  const { text } = await must(by, 'POST', `/svc/rest/${type}`, body);
  return (JSON.parse(text) as { result: string[] }).result[0] ?? '';
}
