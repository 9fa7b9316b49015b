/** Whoever applies the events to what a GET has shown has what a GET shows now: with rights that change, and with streams that break (docs/interface/live.md 3, 4). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { EventStream, type Told } from '../support/event-stream.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const PASSWORD = 'correct horse';
const WRITES = 150;
/** Of each user. */
const STREAMS = 3;
const ADDRESSES = ['Task', 'Task?done=true', 'Task?name=a;b'];

let server: TestServer;
let admin: Client;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'httpservice.servlets': 'JsonRestServlet EventSourceServlet' } });
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Task',
    schemaProperties: [
      { name: 'name', propertyType: 'String', indexed: true },
      { name: 'done', propertyType: 'Boolean' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'id, name, done' }],
  });
  for (const who of ['user', 'anonymous'] as const)
    for (const signature of ['_eventSource', 'Task']) await allow(admin, signature, who, ['GET']);
});
afterAll(() => server.stop());

/** A client that keeps a list by events. */
class Follower {
  readonly #objects = new Map<string, unknown>();
  #stream: EventStream | undefined;
  #lastId = '';

  constructor(
    private readonly client: Client,
    private readonly address: string,
  ) {}

  async begin(): Promise<void> {
    this.#stream = await this.#open();
    // What changes between the two is told, too: an event counts for what is there already.
    await this.#readAll();
    void this.#follow(this.#stream);
  }

  #open(): Promise<EventStream> {
    const at = `${server.url}/svc/EventSource?subscribe=${encodeURIComponent(this.address)}`;
    return EventStream.open(at, {
      ...this.client.credentials,
      ...(this.#lastId === '' ? {} : { 'Last-Event-ID': this.#lastId }),
    });
  }

  async shown(): Promise<unknown[]> {
    return (await this.client.get(`/${this.address}`)).body.result as unknown[];
  }

  async #readAll(): Promise<void> {
    this.#objects.clear();
    for (const one of (await this.shown()) as { id: string }[]) this.#objects.set(one.id, one);
  }

  async #follow(stream: EventStream): Promise<void> {
    for (;;) {
      const [event] = await stream.events(1).catch(() => []);
      if (event === undefined) return;
      const [name, data] = event;
      if (name === 'reload') await this.#readAll();
      else this.#apply(JSON.parse(data) as Told);
    }
  }

  #apply({ action, id, object }: Told): void {
    if (action === 'delete') this.#objects.delete(id);
    else this.#objects.set(id, object);
  }

  /** As a browser does when its connection breaks. */
  async comeBack(): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) return;
    this.#lastId = await stream.lastId();
    stream.close();
    this.#stream = await this.#open();
    void this.#follow(this.#stream);
  }

  get kept(): unknown[] {
    return [...this.#objects.values()];
  }

  close(): void {
    this.#stream?.close();
  }
}

it('events make of what was there what is there', async () => {
  const users = ['eve', 'bob'];
  const ids = await Promise.all(users.map((name) => admin.create('User', { name, password: PASSWORD })));
  const clients = [admin, server.as(), ...users.map((name) => server.as(name, PASSWORD))];
  const followers = clients.flatMap((client) =>
    ADDRESSES.flatMap((address) => Array.from({ length: STREAMS }, () => new Follower(client, address))),
  );
  let tasks: string[] = [];
  const pick = <T>(from: readonly T[]): T => from[Math.floor(Math.random() * from.length)] as T;
  const isOne = (): boolean => Math.random() < 0.5;
  const values = (): Record<string, unknown> => ({
    name: pick(['a', 'b', 'c']),
    done: isOne(),
    visibleToPublicUsers: isOne(),
    visibleToAuthenticatedUsers: isOne(),
  });
  tasks = (await admin.post('/Task', Array.from({ length: 30 }, values))).body.result as string[];
  await Promise.all(followers.map((one) => one.begin()));
  for (let i = 0; i < WRITES; i++) {
    const way = Math.random();
    if (tasks.length < 5 || way < 0.2) tasks.push(await admin.create('Task', values()));
    else if (way < 0.35) {
      const id = pick(tasks);
      tasks = tasks.filter((one) => one !== id);
      await admin.delete(`/Task/${id}`);
    } else if (way < 0.5)
      await admin.post('/Security', { sourceId: pick(ids), targetId: pick(tasks), allowed: ['read'] });
    else await admin.put(`/Task/${pick(tasks)}`, values());
    if (i % 10 === 0) await pick(followers).comeBack();
  }
  // Every address shows this one to everybody.
  const last = { name: 'a', done: true, visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
  const id = await admin.create('Task', last);
  await admin.put(`/Task/${id}`, { name: 'b' });
  const sorted = (list: readonly unknown[]): string[] => list.map((one) => JSON.stringify(one)).sort();
  for (const one of followers) {
    const expected = sorted(await one.shown());
    await expect.poll(() => sorted(one.kept)).toEqual(expected);
    one.close();
  }
});
