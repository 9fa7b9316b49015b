/** Connections that stay open, each of its own: which of several threads has one is the system's choice, and remains. */
import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Got {
  readonly status: number;
  readonly text: string;
  readonly headers: IncomingHttpHeaders;
}

export type Headers = Readonly<Record<string, string>>;

export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  /** `headers`: of every request. */
  constructor(
    private readonly url: string,
    private readonly headers: Headers,
  ) {}

  /** Rejects when the connection is closed before the answer is complete; the next request opens another one. */
  send(method: string, path: string, body?: unknown, headers: Headers = this.headers): Promise<Got> {
    return new Promise((resolve, reject) => {
      const sent = request(
        this.url + path,
        { method, agent: this.#agent, headers: { ...headers, 'Content-Type': 'application/json' } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8');
          answer.on('data', (chunk: string) => (text += chunk));
          answer.on('error', reject);
          answer.on('end', () => {
            resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers });
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
export function connectionsTo(url: string, many: number, headers: Headers): Connection[] {
  return Array.from({ length: many }, () => new Connection(url, headers));
}

/** `result` of an answer of REST. */
export function resultOf(got: Got): unknown {
  return (JSON.parse(got.text) as { result: unknown }).result;
}

export function statusOf({ status }: Got): number {
  return status;
}

/** What all of them answer to the same request, each answer once. */
export async function answers<T>(all: readonly Connection[], path: string, of: (got: Got) => T): Promise<T[]> {
  const got = await Promise.all(all.map((one) => one.send('GET', path)));
  const texts = new Set(got.map((one) => JSON.stringify(of(one))));
  return [...texts].map((text) => JSON.parse(text) as T);
}
