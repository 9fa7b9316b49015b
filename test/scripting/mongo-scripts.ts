/** Scripts that talk to a server of MongoDB, by methods over REST. */
import { expect } from 'vitest';
import type { Answer } from '../support/client.js';
import type { TestServer } from '../support/server.js';

export class MongoScripts {
  private names = 0;

  constructor(
    private readonly server: TestServer,
    private readonly port: number,
  ) {}

  get url(): string {
    return `mongodb://127.0.0.1:${String(this.port)}`;
  }

  /** JavaScript that defines `url`, and `c`: a collection that nobody else has. */
  collection(): string {
    return `const url = '${this.url}', c = $.mongodb(url, 'test', 'c${String(++this.names)}');`;
  }

  async evaluated(source: string): Promise<Answer> {
    const name = `run${String(++this.names)}`;
    await this.server.admin.create('SchemaMethod', { name, source });
    return this.server.admin.post(`/${name}`, {});
  }

  /** What a script answers. */
  async answered(source: string): Promise<unknown> {
    const { status, text, body } = await this.evaluated(source);
    expect(status, text).toBe(200);
    return body.result;
  }

  /** What JavaScript with a collection `c` answers. */
  js(source: string): Promise<unknown> {
    return this.answered(`{ ${this.collection()} ${source} }`);
  }

  /** The message of the error that a script ends with. */
  async refused(source: string): Promise<string> {
    const { status, text, body } = await this.evaluated(source);
    expect(status, text).toBe(422);
    return body.message;
  }
}
