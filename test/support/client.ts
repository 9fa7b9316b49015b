/** A REST client for tests, and the one builder of types and objects. */
import { request as httpRequest } from 'node:http';
import { searchAnswer } from './secrets.js';

/** An answer, its body parsed when it is JSON. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // Tests look into answers of many shapes; a precise type for each would hide what they check.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly body: any;
}

/** `name=value` of a cookie that an answer sets; empty when it does not. */
export function cookieOf(answer: Answer, name: string): string {
  const lines = [answer.headers['set-cookie'] ?? []].flat();
  return lines.find((line) => line.startsWith(`${name}=`))?.split(';')[0] ?? '';
}

export interface PropertySpec {
  readonly name: string;
  readonly propertyType: string;
  readonly [key: string]: unknown;
}

export class Client {
  /** The last answers of status 500 or more, and of 400 or more, to any client: what a test that fails may have run into. */
  private static readonly refusals = { failed: '', refused: '' };

  static lastRefusals(): string[] {
    const { failed, refused } = Client.refusals;
    return [failed, refused].filter((one) => one !== '');
  }

  static forgetRefusals(): void {
    Object.assign(Client.refusals, { failed: '', refused: '' });
  }

  private static note(status: number, request: string, text: string): void {
    if (status < 400) return;
    Client.refusals[status < 500 ? 'refused' : 'failed'] =
      `${request} answered ${String(status)} ${text.replace(/\s+/g, ' ').slice(0, 200)}`;
  }

  constructor(
    readonly url: string,
    readonly name?: string,
    readonly password?: string,
    /** Sent with every request. */
    readonly headers: Readonly<Record<string, string>> = {},
  ) {}

  /** Logs in with the credentials of this client; a client that sends the session's cookie instead of them. */
  async loggedIn(): Promise<Client> {
    const answer = await new Client(this.url).post('/login', { name: this.name, password: this.password });
    if (answer.status !== 200) throw new Error(`login answered ${String(answer.status)}: ${answer.text}`);
    return new Client(this.url, undefined, undefined, { Cookie: cookieOf(answer, 'JSESSIONID') });
  }

  /** Headers that say who asks. */
  get credentials(): Record<string, string> {
    return {
      ...(this.name === undefined ? {} : { 'X-User': this.name }),
      ...(this.password === undefined ? {} : { 'X-Password': this.password }),
    };
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const data =
      body === undefined ? undefined : typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const req = httpRequest(
        `${this.url}${path.startsWith('/svc') ? '' : '/svc/rest'}${path}`,
        {
          method,
          headers: {
            ...this.credentials,
            ...(data === undefined
              ? {}
              : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(data) }),
            ...this.headers,
            ...headers,
          },
        },
        (res) => {
          const chunks: Buffer[] = [];
          res.on('data', (c: Buffer) => chunks.push(c));
          res.on('error', reject);
          res.on('end', () => {
            const text = Buffer.concat(chunks).toString();
            let parsed: unknown;
            try {
              parsed = JSON.parse(text);
            } catch {
              parsed = undefined;
            }
            const status = res.statusCode ?? 0;
            Client.note(status, `${method} ${path}`, text);
            searchAnswer(this.url, `${method} ${path}`, text);
            resolve({ status, headers: res.headers, text, body: parsed });
          });
        },
      );
      req.on('error', reject);
      req.end(data);
    });
  }
  get(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send('GET', path, undefined, headers);
  }
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('POST', path, body, headers);
  }
  put(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('PUT', path, body, headers);
  }
  patch(path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer> {
    return this.send('PATCH', path, body, headers);
  }
  delete(path: string, headers?: Record<string, string>): Promise<Answer> {
    return this.send('DELETE', path, undefined, headers);
  }

  /** Creates one object; returns its uuid. */
  async create(type: string, body: unknown): Promise<string> {
    const answer = await this.post(`/${type}`, body);
    if (answer.status !== 201) throw new Error(`POST /${type} answered ${String(answer.status)}: ${answer.text}`);
    return (answer.body as { result: string[] }).result[0] ?? '';
  }
  /** Defines a type whose properties are all in its public view; returns the SchemaNode's uuid. */
  defineType(
    name: string,
    properties: readonly PropertySpec[] = [],
    more: Record<string, unknown> = {},
  ): Promise<string> {
    return this.create('SchemaNode', {
      name,
      schemaProperties: properties,
      schemaViews: [{ name: 'public', nonGraphProperties: properties.map((p) => p.name).join(', ') }],
      ...more,
    });
  }
  /** Relates two types; returns the SchemaRelationshipNode's uuid. */
  relate(
    sourceId: string,
    relationshipType: string,
    targetId: string,
    more: Record<string, unknown> = {},
  ): Promise<string> {
    return this.create('SchemaRelationshipNode', {
      sourceId,
      targetId,
      relationshipType,
      sourceMultiplicity: '1',
      targetMultiplicity: '*',
      ...more,
    });
  }
}
