/**
 * The clients of a soak. Each does one thing after the other, drawn from what its kind does: visitors, users with sessions, an
 * administrator. They leave as much behind as they found, so that a server that takes more and more memory does so for another reason.
 */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { randomNumbers } from '../dataset.js';
import { CREDENTIALS } from '../server-process.js';
import { ENTRY, PAGE, type Login, type World } from './world.js';

interface Answer {
  readonly status: number;
  readonly cookie: string | undefined;
  readonly text: string;
}

type Step = () => Promise<void>;
/** How often a step is drawn, beside the others of its client. */
type Steps = readonly (readonly [weight: number, step: Step])[];

/** What all clients of a process share. */
export class Traffic {
  /** Requests that were answered. */
  answers = 0;
  /** Answers that were not those expected, by request and status; there should be none. */
  readonly unexpected: Record<string, number> = {};
  private readonly agent = new Agent({ keepAlive: true, maxSockets: Infinity });

  constructor(
    readonly url: string,
    readonly world: World,
  ) {}

  /** Lets clients take steps until there were so many more answers. */
  async run(clients: readonly SoakClient[], answers: number): Promise<void> {
    const end = this.answers + answers;
    await Promise.all(
      clients.map(async (client) => {
        while (this.answers < end) await client.step();
      }),
    );
  }

  async send(
    expected: readonly number[],
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body?: string,
  ): Promise<Answer> {
    const answer = await this.once(method, path, headers, body);
    this.answers++;
    if (!expected.includes(answer.status)) {
      const what = `${method} ${path.replaceAll(/[0-9a-f]{32}/g, '<id>').replace(/\?.*/, '')} ${String(answer.status)}`;
      this.unexpected[what] = (this.unexpected[what] ?? 0) + 1;
    }
    return answer;
  }

  close(): void {
    this.agent.destroy();
  }

  private once(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>>,
    body: string | undefined,
  ): Promise<Answer> {
    const { agent } = this;
    return new Promise((resolve, reject) => {
      const sent = request(`${this.url}${path}`, { method, headers, agent }, (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (part: string) => (text += part));
        answer.on('error', reject);
        answer.on('end', () => {
          const cookie = answer.headers['set-cookie']?.find((one) => one.startsWith('JSESSIONID='));
          resolve({ status: answer.statusCode ?? 0, cookie: cookie?.split(';')[0], text });
        });
      });
      sent.on('error', (error: NodeJS.ErrnoException) => {
        // A connection that was kept may be closed by the server in the moment in which it is used again.
        if (error.code === 'ECONNRESET' && sent.reusedSocket) resolve(this.once(method, path, headers, body));
        else reject(error);
      });
      sent.end(body);
    });
  }
}

const JSON_BODY = { 'Content-Type': 'application/json' };
/** Objects of its own that a client keeps at most. */
const MOST_OWN = 20;
const BOUNDARY = 'soak-boundary';

/** One client; `seed` decides what it does. */
export abstract class SoakClient {
  protected readonly random: () => number;
  private drawn: { readonly steps: Steps; readonly sum: number } | undefined;
  private readonly own: string[] = [];

  constructor(
    protected readonly traffic: Traffic,
    seed: number,
  ) {
    this.random = randomNumbers(seed);
  }

  protected abstract get headers(): Readonly<Record<string, string>>;
  protected abstract steps(): Steps;

  async step(): Promise<void> {
    if (this.drawn === undefined) {
      const steps = this.steps();
      this.drawn = { steps, sum: steps.reduce((sum, [weight]) => sum + weight, 0) };
    }
    let at = this.random() * this.drawn.sum;
    for (const [weight, step] of this.drawn.steps) if ((at -= weight) < 0) return step();
  }

  protected get(path: string, status = 200, headers: Readonly<Record<string, string>> = {}): Step {
    return async () => void (await this.traffic.send([status], 'GET', path, { ...this.headers, ...headers }));
  }

  protected post(path: string, body: unknown, status: number): Promise<Answer> {
    return this.traffic.send([status], 'POST', path, { ...this.headers, ...JSON_BODY }, JSON.stringify(body));
  }

  protected entry(): string {
    const { entries } = this.traffic.world;
    return entries[Math.floor(this.random() * entries.length)] ?? '';
  }

  /** What every kind of client does. */
  protected reading(): Steps {
    const { traffic } = this;
    const list = `/svc/rest/${ENTRY}`;
    const page = (): string => String(1 + Math.floor(this.random() * 50));
    return [
      [40, () => this.get(`${list}/${this.entry()}`)()],
      [6, () => this.get(`${list}?_sort=rank&_pageSize=20&_page=${page()}`)()],
      [4, () => this.get(`${list}?rank=${page()}&_pageSize=5`)()],
      [6, this.get(`/${PAGE}`)],
      [20, this.get(traffic.world.file)],
      [2, this.get(traffic.world.file, 206, { Range: 'bytes=100-199' })],
      // What there is not, and never was: a name each time.
      [1, () => this.get(`/svc/rest/${ENTRY}/${randomUUID().replaceAll('-', '')}`, 404)()],
      [1, () => this.get(`/no-such-page-${randomUUID()}`, 404)()],
    ];
  }

  /** Creates, changes and deletes objects of its own. */
  protected writing(): Steps {
    const { own } = this;
    const path = (): string => `/svc/rest/${ENTRY}/${own[Math.floor(this.random() * own.length)] ?? ''}`;
    const remove = async (): Promise<void> => {
      const id = own.shift();
      if (id !== undefined) await this.traffic.send([200], 'DELETE', `/svc/rest/${ENTRY}/${id}`, this.headers);
    };
    return [
      [
        6,
        async () => {
          if (own.length >= MOST_OWN) return remove();
          const { text } = await this.post(`/svc/rest/${ENTRY}`, { name: randomUUID(), rank: 1 }, 201);
          const [id] = (JSON.parse(text) as { result: string[] }).result;
          if (id !== undefined) own.push(id);
        },
      ],
      [
        6,
        async () => {
          if (own.length === 0) return;
          const body = JSON.stringify({ text: randomUUID(), rank: Math.floor(this.random() * 1000) });
          await this.traffic.send([200], 'PUT', path(), { ...this.headers, ...JSON_BODY }, body);
        },
      ],
      [5, remove],
      [2, async () => void (await this.post(`/svc/rest/${ENTRY}/${this.entry()}/double`, {}, 200))],
      [0.2, async () => void (await this.post(`/svc/rest/${ENTRY}/${this.entry()}/fail`, {}, 422))],
      [0.5, async () => void (await this.post(`/svc/rest/${ENTRY}`, { name: 'refused', rank: 'no number' }, 422))],
    ];
  }
}

/** Somebody without a login, who tries one now and then. */
export class Visitor extends SoakClient {
  protected readonly headers = {};

  protected steps(): Steps {
    const wrong = async (): Promise<void> => {
      await this.post('/svc/rest/login', { name: `nobody-${randomUUID()}`, password: 'wrong' }, 401);
    };
    return [...this.reading(), [1, this.get('/svc/rest/User', 401)], [0.1, wrong]];
  }
}

/** A user with a session, which ends now and then: by a logout, or by another login. */
export class User extends SoakClient {
  private cookie: string | undefined;

  constructor(
    traffic: Traffic,
    seed: number,
    private readonly login: Login,
  ) {
    super(traffic, seed);
  }

  protected get headers(): Readonly<Record<string, string>> {
    return this.cookie === undefined ? {} : { Cookie: this.cookie };
  }

  override async step(): Promise<void> {
    await (this.cookie === undefined ? this.begin() : super.step());
  }

  protected steps(): Steps {
    return [
      ...this.reading(),
      ...this.writing(),
      [0.1, () => this.begin()],
      [
        0.2,
        async () => {
          await this.post('/svc/rest/logout', {}, 200);
          this.cookie = undefined;
        },
      ],
    ];
  }

  private async begin(): Promise<void> {
    const { cookie } = await this.post('/svc/rest/login', this.login, 200);
    this.cookie = cookie;
  }
}

/** The administrator, by password in each request: objects in lists, files, users, the schema. */
export class Administrator extends SoakClient {
  protected readonly headers = CREDENTIALS;

  protected steps(): Steps {
    return [
      ...this.reading(),
      ...this.writing(),
      [1, this.get('/svc/rest/User?_pageSize=10')],
      [0.2, this.get('/svc/health')],
      [2, () => this.list()],
      [2, () => this.file()],
      [0.1, () => this.passing('User', { name: randomUUID(), password: 'Passing-password-1' })],
      [0.02, () => this.passing('SchemaNode', { name: `Passing${randomUUID().replaceAll('-', '')}` })],
    ];
  }

  private async list(): Promise<void> {
    const objects = Array.from({ length: 20 }, (_, rank) => ({ name: randomUUID(), rank }));
    const { text } = await this.post(`/svc/rest/${ENTRY}`, objects, 201);
    for (const id of (JSON.parse(text) as { result: string[] }).result) await this.remove(ENTRY, id);
  }

  private async file(): Promise<void> {
    const body =
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="${randomUUID()}.txt"\r\n\r\n` +
      `${'text '.repeat(400)}\r\n--${BOUNDARY}--\r\n`;
    const headers = { ...this.headers, 'Content-Type': `multipart/form-data; boundary=${BOUNDARY}` };
    const { text } = await this.traffic.send([200, 201], 'POST', '/svc/upload', headers, body);
    await this.get(`/${text}`)();
    await this.remove('File', text);
  }

  /** Made and removed at once. */
  private async passing(type: string, object: object): Promise<void> {
    const { text } = await this.post(`/svc/rest/${type}`, object, 201);
    for (const id of (JSON.parse(text) as { result: string[] }).result) await this.remove(type, id);
  }

  private async remove(type: string, id: string): Promise<void> {
    await this.traffic.send([200], 'DELETE', `/svc/rest/${type}/${id}`, this.headers);
  }
}

/** So many clients: of twenty one is the administrator, nine are users, and ten visitors. */
export function soakClients(traffic: Traffic, count: number): SoakClient[] {
  const { users } = traffic.world;
  return Array.from({ length: count }, (_, i) => {
    if (i % 20 === 0) return new Administrator(traffic, i);
    const login = users[i % users.length];
    return i % 2 === 1 || login === undefined ? new Visitor(traffic, i) : new User(traffic, i, login);
  });
}
