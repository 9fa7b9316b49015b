import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { file, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const MB = 1024 * 1024;
/** Where the server was before, it has to be again after an attack; and so much more it may take meanwhile. */
const BACK_WITHIN = 100 * MB;
const BACK_IN = 30_000;
/** Of the heap; enough for the budgets, and too little for any of the attacks without them. */
const HEAP_MB = 600;

/** What ends a process by filling its memory. It goes on, answers others meanwhile, and gives the memory back. */
describe('attacks on the memory', () => {
  let server: TestServer;
  /** Of the server, which the launcher has started. */
  let pid: string;
  let admin: Client;
  let user: Client;
  const login = {
    user: 'X-User: writer\r\nX-Password: writers-password\r\n',
    admin: 'X-User: admin\r\nX-Password: admin\r\n',
  };

  beforeAll(async () => {
    server = await TestServer.start({
      launched: true,
      settings: {
        'application.heap.max_size': `${String(HEAP_MB)}m`,
        // One that has crashed is to be seen.
        'application.restart': false,
        'httpservice.connections.maxperaddress': 1000,
      },
    });
    const launcher = String(server.child.pid);
    pid = (await readFile(`/proc/${launcher}/task/${launcher}/children`, 'utf8')).trim();
    ({ admin } = server);
    await admin.defineType('Note', [{ name: 'text', propertyType: 'String' }]);
    await admin.create('User', { name: 'writer', password: 'writers-password' });
    await allow(admin, 'Note', 'user', ['POST']);
    user = server.as('writer', 'writers-password');
  });
  afterAll(() => server.stop());

  async function memory(): Promise<number> {
    server.assertAlive();
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
  }

  /** Runs an attack; the server has to answer others while it lasts, and to have its memory back soon after. */
  async function attack(run: () => Promise<void>): Promise<void> {
    expect((await admin.get('/Note?_pageSize=1')).status).toBe(200);
    const before = await memory();
    await run();
    expect((await admin.get('/Note?_pageSize=1')).status).toBe(200);
    const after = await memory();
    const end = Date.now() + BACK_IN;
    let now = after;
    while (now > before + BACK_WITHIN) {
      if (Date.now() > end)
        throw new Error(`${String(before >> 20)} MB before, ${String(after >> 20)} after, ${String(now >> 20)} now`);
      await sleep(200);
      now = await memory();
    }
  }

  /** Opens a connection that sends a request's beginning; what it hears first is its status. */
  async function open(text: string | Buffer): Promise<{ socket: Socket; status: Promise<string> }> {
    const socket = connect(server.port, '127.0.0.1');
    const status = new Promise<string>((resolve) => {
      socket.once('readable', () => {
        resolve(String(socket.read(12)).slice(9));
      });
      socket.on('error', () => undefined);
      socket.once('close', () => {
        resolve('closed');
      });
    });
    await once(socket, 'connect');
    socket.write(text);
    return { socket, status };
  }

  const NESTED = Buffer.from(`[${'{"a":{}},'.repeat(1_855_000)}{}]`);

  it('eight nested bodies of nobody are refused before they are taken', async () => {
    await attack(async () => {
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => server.as().post('/User', NESTED)));
      for (const answer of answers) if (answer.status === 'fulfilled') expect(answer.value.status).toBe(401);
      expect((await server.as().post('/User', '{}')).status).toBe(401);
    });
  });

  it('eight nested bodies of a user are bounded', async () => {
    await attack(async () => {
      const answers = await Promise.allSettled(Array.from({ length: 8 }, () => user.post('/Note', NESTED)));
      for (const answer of answers)
        if (answer.status === 'fulfilled') expect([413, 503]).toContain(answer.value.status);
    });
  });

  it('eight bodies of a user whose objects are within the bounds fill the budget', async () => {
    const body = Buffer.from(`[{"text":[]}${',{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8}'.repeat(95_000)}]`);
    await attack(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => user.post('/Note', body)));
      const statuses = answers.map((answer) => answer.status);
      for (const status of statuses) expect([422, 503]).toContain(status);
      expect(statuses).toContain(503);
    });
    expect((await admin.get('/Note')).body.result_count).toBe(0);
  });

  it.each(['Content-Length', 'Transfer-Encoding'] as const)(
    'two hundred small bodies that unpack to 16 MB hold no more than their budget (%s)',
    async (framing) => {
      const packed = gzipSync(Buffer.alloc(16_700_000, 0x20), { level: 9 });
      const whole = framing === 'Content-Length';
      const size = whole ? `Content-Length: ${String(packed.length)}` : 'Transfer-Encoding: chunked';
      const ask = `POST /svc/rest/Note HTTP/1.1\r\nHost: localhost\r\n${login.user}Content-Encoding: gzip\r\n${size}\r\n\r\n`;
      const body = whole
        ? [packed]
        : [Buffer.from(`${packed.length.toString(16)}\r\n`), packed, Buffer.from('\r\n0\r\n\r\n')];
      await attack(async () => {
        const before = await memory();
        let most = 0;
        const opened = await Promise.all(
          Array.from({ length: 200 }, () => open(Buffer.concat([Buffer.from(ask), ...body]))),
        );
        const answers = Promise.all(opened.map(({ status }) => status));
        let over = false;
        void answers.then(() => (over = true));
        while (!over) {
          most = Math.max(most, await memory());
          await sleep(20);
        }
        expect(most - before).toBeLessThan(700 * MB);
        const statuses = await answers;
        for (const status of statuses) expect(['201', '422', '503']).toContain(status);
        expect(statuses).toContain('503');
        for (const { socket } of opened) socket.destroy();
      });
    },
  );

  it('a million empty objects are too many', async () => {
    await attack(async () => {
      const answer = await user.post('/Note', `[${'{},'.repeat(999_999)}{}]`);
      expect([answer.status, answer.body.message]).toEqual([
        413,
        'The body holds more than 100000 objects (httpservice.body.maxobjects).',
      ]);
    });
  });

  it.each(['user', 'admin'] as const)('bodies of an %s that never end hold no more than their budget', async (who) => {
    const length = 15_900_000;
    const part = Buffer.alloc(length - 1, 0x20);
    await attack(async () => {
      const before = await memory();
      const head = `POST /svc/rest/Note HTTP/1.1\r\nHost: localhost\r\n${login[who]}Content-Length: ${String(length)}\r\n\r\n`;
      const opened = [];
      for (let i = 0; i < 130; i++) {
        const one = await open(head);
        one.socket.write(part);
        opened.push(one);
      }
      // The budget of one address takes eight of them, and refuses others.
      const refused = opened.map(({ status }) => status);
      expect(['503', 'closed']).toContain(await Promise.any(refused));
      await expect.poll(async () => (await admin.get('/Note')).status).toBe(200);
      expect((await memory()) - before).toBeLessThan(400 * MB);
      for (const { socket } of opened) socket.destroy();
    });
  });

  it('three hundred clients that ask for the content of a large file in JSON and do not read are bounded', async () => {
    const id = await uploaded(admin, file('large.txt', 'A'.repeat(15_000_000)));
    const ask =
      `POST /svc/rest/File/${id}/getContent HTTP/1.1\r\nHost: localhost\r\n${login.admin}` +
      'Content-Length: 22\r\n\r\n{"encoding":"UTF-8"  }';
    await attack(async () => {
      const before = await memory();
      const opened = await Promise.all(Array.from({ length: 300 }, () => open(ask)));
      const statuses = await Promise.all(opened.map(({ status }) => status));
      for (const status of statuses) expect(['200', '503']).toContain(status);
      expect(statuses).toContain('200');
      expect(statuses).toContain('503');
      expect((await memory()) - before).toBeLessThan(400 * MB);
      for (const { socket } of opened) socket.destroy();
    });
  });

  it('clients that ask for a long list and do not read are bounded', async () => {
    await admin.defineType('Entry', [{ name: 'text', propertyType: 'String' }]);
    const entries = Array.from({ length: 3000 }, () => ({ text: 'x'.repeat(1800) }));
    expect((await admin.post('/Entry', entries)).status).toBe(201);
    const ask = `GET /svc/rest/Entry HTTP/1.1\r\nHost: localhost\r\n${login.admin}\r\n`;
    await attack(async () => {
      const opened = await Promise.all(Array.from({ length: 180 }, () => open(ask)));
      const statuses = await Promise.all(opened.map(({ status }) => status));
      const served = statuses.filter((status) => status === '200').length;
      // The budget of one address has room for so many at once.
      expect(served).toBeGreaterThan(50);
      expect(served).toBeLessThanOrEqual(128);
      expect(statuses.filter((status) => status === '503')).toHaveLength(180 - served);
      for (const { socket } of opened) socket.destroy();
    });
    expect((await admin.get('/Entry')).body.result_count).toBe(3000);
  });

  describe('a list of large objects leaves as it is read', () => {
    const COUNT = 30;
    const LENGTH = 9_000_000;
    beforeAll(async () => {
      await admin.defineType('Tome', [{ name: 'text', propertyType: 'String' }]);
      for (let i = 0; i < COUNT; i++)
        await admin.create('Tome', { name: `tome ${String(i)}`, text: 'x'.repeat(LENGTH) });
    });

    it.each(['', '?_pageSize=30', '?_sort=name', '?_sort=name&_pageSize=30', '?text=xx&_inexact=1'])(
      '/Tome%s',
      async (query) => {
        await attack(async () => {
          const before = await memory();
          let most = 0;
          const { name = '', password = '' } = admin;
          const answer = await fetch(`${admin.url}/svc/rest/Tome${query}`, {
            headers: { 'X-User': name, 'X-Password': password },
          });
          expect(answer.status).toBe(200);
          let length = 0;
          for await (const piece of answer.body ?? []) {
            const at = length;
            length += (piece as Uint8Array).length;
            if (length >> 24 !== at >> 24) most = Math.max(most, await memory());
          }
          expect(length).toBeGreaterThan(COUNT * LENGTH);
          expect((most - before) / MB).toBeLessThan(130);
        });
      },
    );
  });

  describe('three hundred clients that ask for a large object and do not read', () => {
    let id: string;
    beforeAll(async () => {
      id = await admin.create('Note', { text: 'x"ä'.repeat(3_000_000) });
    });

    it.each([
      ['', ''],
      ['', 'Accept-Encoding: gzip\r\n'],
      ['/text', ''],
      ['/all', 'Connection: close\r\n'],
    ])('as /Note/<id>%s with %j', async (rest, headers) => {
      await attack(async () => {
        const before = await memory();
        const opened = [];
        const ask = `GET /svc/rest/Note/${id}${rest} HTTP/1.1\r\nHost: localhost\r\n${login.admin}${headers}\r\n`;
        for (let i = 0; i < 300; i++) opened.push(await open(ask));
        for (const status of await Promise.all(opened.map((one) => one.status)))
          expect(['200', '503']).toContain(status);
        expect((await memory()) - before).toBeLessThan(350 * MB);
        const whole = await admin.get(`/Note/${id}`);
        expect([whole.status, (whole.body as { result: { text: string } }).result.text.length]).toEqual([
          200, 9_000_000,
        ]);
        for (const { socket } of opened) socket.destroy();
      });
    });
  });
});
