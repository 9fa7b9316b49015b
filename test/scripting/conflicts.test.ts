/** Scripts that wait hold nobody up, and what they have read holds when they are committed (docs/design/transactions.md). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { until } from '../support/storage.js';

let server: TestServer;
let admin: Client;
let other: Client;
let count = 0;

/** Defines a function; its name. */
async function define(source: string): Promise<string> {
  const name = `run${String(++count)}`;
  await admin.create('SchemaMethod', { name, source: `{ ${source} }` });
  return name;
}

async function call(name: string, args: object = {}): Promise<{ status: number; result: unknown; body: unknown }> {
  const { status, body } = await admin.post(`/${name}`, args);
  return { status, result: (body as { result?: unknown }).result, body };
}

const note = async (id: string): Promise<Record<string, unknown>> =>
  (await admin.get(`/Note/${id}`)).body.result as Record<string, unknown>;

let stored: string;
let takes: string;
/** What scripts have put into the store of the application: it stays whatever becomes of them. */
const storedNow = async (key: string): Promise<number> => Number((await call(stored, { key })).result);
/** A script says by this that it has come so far. */
const HERE = '$.applicationStorePut(key, ($.applicationStoreGet(key) ?? 0) + 1);';
const here = (key: string): string => HERE.replaceAll('key', `'${key}'`);
/** Waits until something is allowed that the test says by `go`. */
const waitFor = (key: string): string => `while (!$.applicationStoreHas('go-${key}')) $.sleep(5);`;
const go = (key: string): Promise<unknown> => call(takes, { key: `go-${key}` });

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.defineType('Note', [
    { name: 'n', propertyType: 'Integer' },
    { name: 'code', propertyType: 'String', unique: true, indexed: true },
  ]);
  await admin.create('User', { name: 'other', password: 'Other-pass-1', isAdmin: true });
  await allow(admin, '_login', 'anonymous', ['POST']);
  other = server.as('other', 'Other-pass-1');
  stored = await define('return $.applicationStoreGet($.args.key) ?? 0;');
  takes = await define('$.applicationStorePut($.args.key, 1); return 1;');
});
afterAll(() => server.stop());

describe('scripts that have written and wait', () => {
  it('hold up neither writes nor logins of others', async () => {
    // A name each: the store does not count for those who come at once.
    const slow = await define(
      `$.create('Note', 'n', 1); $.applicationStorePut('slow' + $.args.at, 1); $.sleep(9000); return 'done';`,
    );
    let ended = 0;
    const running = Array.from({ length: 4 }, async (_, at) => {
      const answer = await call(slow, { at });
      ended++;
      return answer.result;
    });
    for (let at = 0; at < 4; at++)
      await until(
        () => storedNow(`slow${String(at)}`),
        (found) => found === 1,
      );
    expect((await other.post('/Note', { n: 2 })).status).toBe(201);
    await other.loggedIn();
    const quick = await define("$.create('Note', 'n', 3); return $.find('Note', 'n', 1).length;");
    expect((await call(quick)).result).toBe(0);
    expect(ended).toBe(0);
    expect(await Promise.all(running)).toEqual(['done', 'done', 'done', 'done']);
    expect((await admin.get('/Note?n=1')).body.result_count).toBe(4);
  }, 60_000);

  it('leave nothing when the server is killed', async () => {
    const id = await admin.create('Note', { n: 100 });
    const slow = await define(
      `$.find('Note', '${id}').n = 1; $.create('Note', 'n', 77); ${here('killed')} $.sleep(9000);`,
    );
    const running = call(slow).catch(() => undefined);
    await until(
      () => storedNow('killed'),
      (found) => found === 1,
    );
    await server.end('SIGKILL');
    await running;
    server = await server.restart();
    ({ admin } = server);
    other = server.as('other', 'Other-pass-1');
    expect((await note(id))['n']).toBe(100);
    expect((await admin.get('/Note?n=77')).body.result_count).toBe(0);
  }, 60_000);
});

describe('what a script has read', () => {
  it('is not lost: many that count at one object', async () => {
    const id = await admin.create('Note', { n: 0 });
    const add = await define(
      "const note = $.find('Note', $.args.id); const before = note.n; $.sleep(3); note.n = before + 1;",
    );
    const answers = await Promise.all(Array.from({ length: 20 }, () => call(add, { id })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await note(id))['n']).toBe(20);
  }, 60_000);

  it('is not lost in a method, whose object was read before it began', async () => {
    await admin.defineType('Counter', [{ name: 'n', propertyType: 'Integer' }], {
      schemaMethods: [{ name: 'add', source: '{ const before = $.this.n; $.sleep(3); $.this.n = before + 1; }' }],
    });
    const id = await admin.create('Counter', { n: 0 });
    const answers = await Promise.all(Array.from({ length: 12 }, () => admin.post(`/Counter/${id}/add`, {})));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await admin.get(`/Counter/${id}`)).body.result).toMatchObject({ n: 12 });
  }, 60_000);

  it('holds for two who look at each other (write skew), with plain requests between them', async () => {
    const [a, b] = [await admin.create('Note', { n: 1 }), await admin.create('Note', { n: 1 })];
    const leave = await define(
      "const all = [$.find('Note', $.args.a).n, $.find('Note', $.args.b).n]; $.sleep(50); if (all[0] + all[1] > 1) $.find('Note', $.args.own).n = 0;",
    );
    await Promise.all([call(leave, { a, b, own: a }), call(leave, { a, b, own: b })]);
    expect(Number((await note(a))['n']) + Number((await note(b))['n'])).toBe(1);
  });

  it('holds for a value that was free: one of two has it, the other is told as ever', async () => {
    const take = await define("$.create('Note', 'code', 'once'); $.sleep(50);");
    const statuses = (await Promise.all([call(take), call(take)])).map(({ status }) => status).sort();
    expect(statuses).toEqual([200, 422]);
    expect((await admin.get('/Note?code=once')).body.result_count).toBe(1);
  });

  it('holds where a script fails for what it has seen half of', async () => {
    const [a, b] = [await admin.create('Note', { n: 50 }), await admin.create('Note', { n: 50 })];
    const check = await define(`$.create('Note', 'n', 1234); const first = $.find('Note', '${a}').n;
      ${here('half')} ${waitFor('half')}
      if (first + $.find('Note', '${b}').n !== 100) $.error('n', 'sum');`);
    const running = call(check);
    await until(
      () => storedNow('half'),
      (found) => found === 1,
    );
    await admin.patch('/Note', [
      { id: a, n: 40 },
      { id: b, n: 60 },
    ]);
    await go('half');
    expect((await running).status).toBe(200);
    expect(await storedNow('half')).toBe(2);
    expect((await admin.get('/Note?n=1234')).body.result_count).toBe(1);
  });

  it('may be of a schema that has changed: the script runs again', async () => {
    const slow = await define(`$.create('Note', 'n', 4321); ${here('schema')} ${waitFor('schema')}`);
    const running = call(slow);
    await until(
      () => storedNow('schema'),
      (found) => found === 1,
    );
    await admin.defineType('Later');
    await go('schema');
    expect((await running).status).toBe(200);
    expect(await storedNow('schema')).toBe(2);
    expect((await admin.get('/Note?n=4321')).body.result_count).toBe(1);
  });
});

describe('methods that run with a plain request', () => {
  it('hold up nobody while they wait', async () => {
    await admin.defineType('Slow', [], {
      schemaMethods: [{ name: 'onCreate', source: `{ ${here('onCreate')} ${waitFor('onCreate')} }` }],
    });
    let isOver = false;
    const running = admin.post('/Slow', { name: 'a' }).finally(() => {
      isOver = true;
    });
    await until(
      () => storedNow('onCreate'),
      (found) => found === 1,
    );
    expect((await other.post('/Note', { n: 9 })).status).toBe(201);
    await other.loggedIn();
    expect(isOver).toBe(false);
    await go('onCreate');
    expect((await running).status).toBe(201);
    expect((await admin.get('/Slow')).body.result_count).toBe(1);
  }, 60_000);

  it('lose no update of others, and happen once', async () => {
    const id = await admin.create('Note', { n: 0 });
    await admin.defineType('Counted', [{ name: 'number', propertyType: 'Integer' }], {
      schemaMethods: [
        {
          name: 'onCreate',
          source: `{ const note = $.find('Note', '${id}'); const before = note.n; $.sleep(3); note.n = before + 1; $.this.number = before; }`,
        },
      ],
    });
    const answers = await Promise.all(Array.from({ length: 12 }, () => admin.post('/Counted', {})));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 201));
    expect((await note(id))['n']).toBe(12);
    const numbers = ((await admin.get('/Counted?_sort=number')).body.result as { number: number }[]).map(
      ({ number }) => number,
    );
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => i));
  }, 60_000);

  it('are not run again when they have reached out', async () => {
    const id = await admin.create('Note', { n: 0 });
    // Programs are not configured here: to have tried one is enough.
    await admin.defineType('Out', [], {
      schemaMethods: [
        {
          name: 'onCreate',
          source: `{ const before = $.find('Note', '${id}').n; try { $.exec('no.such.program'); } catch (e) {} ${here('exec')} ${waitFor('exec')} }`,
        },
      ],
    });
    const running = admin.post('/Out', {});
    await until(
      () => storedNow('exec'),
      (found) => found === 1,
    );
    await other.put(`/Note/${id}`, { n: 1 });
    await go('exec');
    expect(await running).toMatchObject({ status: 409, body: { code: 409, errors: [{ token: 'conflict' }] } });
    expect((await admin.get('/Out')).body.result_count).toBe(0);
  }, 60_000);
});

describe('a script that others come in between of', () => {
  it('comes to its end though they never stop', async () => {
    const id = await admin.create('Note', { n: 0, code: 'busy' });
    const slow = await define(
      `const note = $.find('Note', '${id}'); note.code = 'seen' + note.n; ${here('busy')} $.sleep(100);`,
    );
    let isOver = false;
    const running = call(slow).finally(() => {
      isOver = true;
    });
    for (let i = 1; !isOver; i++) await other.put(`/Note/${id}`, { n: i });
    expect((await running).status).toBe(200);
    expect(await storedNow('busy')).toBeGreaterThan(1);
    expect((await note(id))['code']).toMatch(/^seen\d+$/);
  }, 60_000);

  it('is not run again when it has reached out, and says so', async () => {
    const id = await admin.create('Note', { n: 0 });
    const slow = await define(`const before = $.find('Note', '${id}').n;
      $.doInNewTransaction(() => { $.create('Note', 'n', 555); });
      ${here('out')} ${waitFor('out')} $.create('Note', 'n', 556);`);
    const running = call(slow);
    await until(
      () => storedNow('out'),
      (found) => found === 1,
    );
    await other.put(`/Note/${id}`, { n: 1 });
    await go('out');
    expect(await running).toMatchObject({
      status: 409,
      body: { code: 409, message: expect.stringContaining('doInNewTransaction()'), errors: [{ token: 'conflict' }] },
    });
    expect(await storedNow('out')).toBe(1);
    expect((await admin.get('/Note?n=555')).body.result_count).toBe(1);
    expect((await admin.get('/Note?n=556')).body.result_count).toBe(0);
  });

  it('is no obstacle to itself: what its doInNewTransaction changes is no conflict', async () => {
    const id = await admin.create('Note', { n: 0 });
    const script = await define(`const note = $.find('Note', '${id}'); const before = note.n;
      $.doInNewTransaction(() => { note.n = 5; }); note.n = note.n + before + 1; return note.n;`);
    expect(await call(script)).toMatchObject({ status: 200, result: 6 });
    expect((await note(id))['n']).toBe(6);
  });

  it('has what it wrote into its answer once', async () => {
    const id = await admin.create('Note', { n: 0 });
    const script = await define(`$.addHeader('X-Tried', 'x'); const note = $.find('Note', '${id}'); note.n = note.n + 1;
      $.setResponseHeader('X-Seen', String($.applicationStoreGet('answer') ?? 0)); $.print('p'); $.store('s', ($.retrieve('s') ?? '') + 's');
      ${here('answer')} ${waitFor('answer')} return undefined;`);
    const running = admin.post(`/${script}`, {});
    await until(
      () => storedNow('answer'),
      (found) => found === 1,
    );
    await other.put(`/Note/${id}`, { n: 10 });
    await go('answer');
    const answer = await running;
    expect(answer.status).toBe(200);
    expect(answer.headers['x-seen']).toBe('1');
    expect(answer.text.match(/p/g)).not.toBe(null);
    expect((await note(id))['n']).toBe(11);
  });
});
