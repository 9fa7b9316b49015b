/** Calls functions of scripts in JavaScript, by a method over REST. */
import { expect } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import type { TestServer } from '../support/server.js';

/** A function with its arguments; `{ file: id }`, `{ folder: id }` and `NULL` stand for objects and null. */
export type Call = readonly [name: string, ...args: unknown[]];

/** Null in a list does not arrive. */
export const NULL = { isNull: true };

/** Calls functions one after the other; the result is that of the last. */
const RUN = `{
  const real = (one) => one === null || typeof one !== 'object' ? one
    : Array.isArray(one) ? one.map(real)
    : one.isNull ? null
    : typeof one.file === 'string' ? $.find('File', one.file)
    : typeof one.folder === 'string' ? $.find('Folder', one.folder)
    : Object.fromEntries(Object.entries(one).map(([key, value]) => [key, real(value)]));
  let result = null;
  for (const { name, args } of $.retrieve('calls')) result = $[name](...args.map(real));
  return result;
}`;

/** The body of a request that calls these; lists directly in lists would be dropped on the way. */
export function asked(calls: readonly Call[]): unknown {
  return { calls: calls.map(([name, ...args]) => ({ name, args })) };
}

export class Calls {
  private constructor(private readonly admin: Client) {}

  /** Defines the method, and one more for each of these expressions. */
  static async on(
    server: TestServer,
    expressions: Readonly<Record<string, string>> = {},
    { admin }: Pick<TestServer, 'admin'> = server,
  ): Promise<Calls> {
    await admin.create('SchemaMethod', { name: 'run', source: RUN });
    for (const [name, source] of Object.entries(expressions)) await admin.create('SchemaMethod', { name, source });
    return new Calls(admin);
  }

  raw(...calls: Call[]): Promise<Answer> {
    return this.admin.post('/run', asked(calls));
  }

  /** What the last of them answers. */
  async js(...calls: Call[]): Promise<Answer['body']> {
    const answer = await this.raw(...calls);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.result;
  }

  /** What an expression answers. */
  async ex(name: string, body: Record<string, unknown>): Promise<Answer['body']> {
    const answer = await this.admin.post(`/${name}`, body);
    expect(answer.status, answer.text).toBe(200);
    return answer.body.result;
  }

  /** The message of the error that they end with. */
  async refused(...calls: Call[]): Promise<string> {
    const answer = await this.raw(...calls);
    expect(answer.status, answer.text).toBe(422);
    return answer.body.message;
  }

  /** What `/echo` says that it was sent. */
  async echoed(...calls: Call[]): Promise<{ method: string; headers: Record<string, string>; body: string }> {
    const { body } = await this.js(...calls);
    return typeof body === 'string' ? JSON.parse(body) : body;
  }
}
