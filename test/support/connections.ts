/** Connections to a server of several threads. */
import { Agent, request } from 'node:http';
import type { TestServer } from './server.js';

/** An answer. */
export interface Got {
  readonly status: number;
  readonly text: string;
}

/** One connection that stays open: to which thread is the system's choice. */
export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly server: TestServer,
    private readonly headers: Readonly<Record<string, string>>,
  ) {}

  send(method: string, path: string, body?: unknown): Promise<Got> {
    return new Promise((resolve, reject) => {
      const sent = request(
        this.server.url + path,
        { method, agent: this.#agent, headers: { ...this.headers, 'Content-Type': 'application/json' } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => {
            resolve({ status: answer.statusCode ?? 0, text });
          });
        },
      );
      sent.on('error', reject);
      sent.end(body === undefined ? undefined : JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** So many of them. */
export function connectionsTo(
  server: TestServer,
  count: number,
  headers: Readonly<Record<string, string>>,
): readonly Connection[] {
  return Array.from({ length: count }, () => new Connection(server, headers));
}

/** What all of them answer to the same request, each answer once. */
export async function answers<T>(all: readonly Connection[], path: string, of: (got: Got) => T): Promise<T[]> {
  const got = await Promise.all(all.map((one) => one.send('GET', path)));
  const texts = new Set(got.map((one) => JSON.stringify(of(one))));
  return [...texts].map((text) => JSON.parse(text) as T);
}

export const status = (got: Got): number => got.status;
export const result = (got: Got): unknown => (JSON.parse(got.text) as { result: unknown }).result;
