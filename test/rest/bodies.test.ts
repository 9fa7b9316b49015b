import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cookieOf, type Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

/** Bodies are taken from those who may send them, and no more of them than the settings say. */
describe('bodies', () => {
  let server: TestServer;
  let admin: Client;
  let user: Client;
  let userId: string;

  beforeAll(async () => {
    server = await TestServer.start({
      settings: { 'httpservice.body.maxvalues': 5000, 'httpservice.body.maxobjects': 1000 },
    });
    ({ admin } = server);
    await admin.defineType('Note', [
      { name: 'text', propertyType: 'String' },
      { name: 'numbers', propertyType: 'DoubleArray' },
    ]);
    userId = await admin.create('User', { name: 'writer', password: 'writers-password' });
    user = server.as('writer', 'writers-password');
    for (const signature of ['_registration', '_resetPassword', '_login', '_logout', '_token'])
      for (const who of ['anonymous', 'user'] as const) await allow(admin, signature, who, ['POST']);
  });
  afterAll(() => server.stop());

  /** A request whose body is sent in two parts; `rest` sends the second one and gives the status. */
  async function heldBack(
    headers: Record<string, string>,
    path = '/svc/rest/Note',
  ): Promise<{ readonly socket: Socket; readonly answer: Promise<string>; rest(): void }> {
    const socket = connect(server.port, '127.0.0.1');
    await once(socket, 'connect');
    let text = '';
    const answer = new Promise<string>((resolve) => {
      socket.on('data', (chunk: Buffer) => {
        text += chunk.toString();
        if (text.includes('\r\n\r\n')) resolve(text.slice(9, 12));
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        resolve(text.slice(9, 12));
      });
    });
    const lines = Object.entries({ Host: 'localhost', 'Content-Type': 'application/json', ...headers });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
    socket.write(`POST ${path} HTTP/1.1\r\n${head}\r\n{"text":`);
    return {
      socket,
      answer,
      rest: () => {
        socket.write('"held back"}');
      },
    };
  }
  const WHOLE = { 'Content-Length': String('{"text":"held back"}'.length) };

  it.each([
    '/svc/rest/Note',
    '/svc/rest/User',
    '/svc/rest/User/me',
    '/svc/rest/maintenance/migrate',
    '/svc/rest/Nothing',
  ])('are not taken from those who may not POST to %s', async (path) => {
    const { answer, socket } = await heldBack({ 'Content-Length': '16000000' }, path);
    expect(['401', '404']).toContain(await answer);
    socket.destroy();
    expect((await server.as().post(path, '{{{')).status).toBe(Number(await answer));
  });

  it('with errors are told to those who may: before an unknown path to those who may use all', async () => {
    expect((await admin.post('/Note', '{{{')).status).toBe(400);
    expect((await admin.post('/Nothing', '{{{')).status).toBe(400);
    expect((await admin.post('/Nothing', '{}')).status).toBe(404);
    expect((await user.post('/Note', '{{{')).status).toBe(401);
  });

  describe('that arrive after the rights have gone do nothing', () => {
    const login = (): Record<string, string> => ({ 'X-User': 'writer', 'X-Password': 'writers-password', ...WHOLE });
    const notes = async (): Promise<number> => (await admin.get('/Note')).body.result_count as number;

    it('a permission for the endpoint', async () => {
      const id = await allow(admin, 'Note', 'user', ['POST']);
      const kept = await heldBack(login());
      await user.post('/Note', { text: 'while it holds' });
      const before = await notes();
      kept.rest();
      expect(await kept.answer).toBe('201');
      kept.socket.destroy();
      const lost = await heldBack(login());
      // Asked for on the same way, so that the request before it has been let in.
      await user.post('/Note', { text: 'in between' });
      expect((await admin.delete(`/ResourceAccess/${id}`)).status).toBe(200);
      lost.rest();
      expect(await lost.answer).toBe('401');
      lost.socket.destroy();
      expect(await notes()).toBe(before + 2);
    });

    it('the membership in a group, a session, and the user himself', async () => {
      const group = await admin.create('Group', { name: 'writers', members: [userId] });
      const permission = await admin.create('ResourceAccess', { signature: 'Note', flags: 4 });
      await admin.create('Security', { sourceId: group, targetId: permission, allowed: ['read'] });
      const before = await notes();
      expect((await user.post('/Note', { text: 'as a member' })).status).toBe(201);

      const member = await heldBack(login());
      expect((await user.post('/Note', { text: 'in between' })).status).toBe(201);
      expect((await admin.put(`/Group/${group}`, { members: [] })).status).toBe(200);
      member.rest();
      expect(await member.answer).toBe('401');
      member.socket.destroy();

      expect((await admin.put(`/Group/${group}`, { members: [userId] })).status).toBe(200);
      const began = await server.as().post('/login', { name: 'writer', password: 'writers-password' });
      const cookie = { Cookie: cookieOf(began, 'JSESSIONID') };
      const session = await heldBack({ ...cookie, ...WHOLE });
      expect((await server.as().post('/Note', { text: 'in between' }, cookie)).status).toBe(201);
      expect((await server.as().post('/logout', {}, cookie)).status).toBe(200);
      session.rest();
      expect(await session.answer).toBe('401');
      session.socket.destroy();

      const deleted = await heldBack(login());
      expect((await user.post('/Note', { text: 'in between' })).status).toBe(201);
      expect((await admin.delete(`/User/${userId}`)).status).toBe(200);
      deleted.rest();
      expect(await deleted.answer).toBe('401');
      deleted.socket.destroy();
      expect(await notes()).toBe(before + 4);
    });
  });

  it.each(['login', 'logout', 'token', 'registration', 'reset-password'])('of /%s are small', async (path) => {
    const answer = await server.as().post(`/${path}`, { name: 'x'.repeat(70_000) });
    expect([answer.status, answer.body.message]).toEqual([413, 'Request body is larger than 65536 bytes']);
  });

  describe('hold no more than', () => {
    const refusal = async (body: unknown): Promise<unknown[]> => {
      const answer = await admin.post('/Note', body);
      return [answer.status, (answer.body as { message?: string }).message];
    };
    const TOO_MANY_OBJECTS = [413, 'The body holds more than 1000 objects (httpservice.body.maxobjects).'];
    const TOO_MANY_VALUES = [413, 'The body holds more than 5000 values (httpservice.body.maxvalues).'];

    it('so many objects, nested ones too, in small bodies and in large ones', async () => {
      expect(await refusal(Array.from({ length: 1001 }, () => ({})))).toEqual(TOO_MANY_OBJECTS);
      expect(await refusal(`[${'{a:{}},'.repeat(501)}{}]`)).toEqual(TOO_MANY_OBJECTS);
      expect(await refusal(`[${'{"a":{}},'.repeat(200_000)}{}]`)).toEqual(TOO_MANY_OBJECTS);
      expect(
        (
          await admin.post(
            '/Note',
            Array.from({ length: 1000 }, () => ({})),
          )
        ).status,
      ).toBe(201);
    });

    it('so many values', async () => {
      const numbers = (length: number): unknown => ({ numbers: Array.from({ length }, (_, i) => i) });
      expect(await refusal(numbers(5000))).toEqual(TOO_MANY_VALUES);
      expect(await refusal(numbers(500_000))).toEqual(TOO_MANY_VALUES);
      expect(await refusal(`[[${'1,'.repeat(300_000)}]]`)).toEqual(TOO_MANY_VALUES);
      expect((await admin.post('/Note', numbers(4999))).status).toBe(201);
    });
  });
});

describe('bodies of many requests', () => {
  let server: TestServer;
  afterAll(() => server.stop());

  it('take no more than the budgets allow, and leave nothing behind', async () => {
    server = await TestServer.start({
      settings: {
        'httpservice.values.maxbytes': 40_000_000,
        'httpservice.values.maxbytesperaddress': 0,
        'httpservice.values.maxbytesperuser': 0,
      },
    });
    const { admin } = server;
    await admin.defineType('Note', [{ name: 'text', propertyType: 'String' }]);
    // About 25 MB as values; the first one is refused, so that none is written.
    const body = `[{"text":{}}${',{"text":"some"}'.repeat(90_000)}]`;
    const attempt = async (): Promise<void> => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => admin.post('/Note', body)));
      const statuses = answers.map((answer) => answer.status);
      expect(new Set(statuses)).toEqual(new Set([422, 503]));
      expect(answers.find((answer) => answer.status === 503)?.headers['retry-after']).toMatch(/^\d+$/);
    };
    await attempt();
    // What is alone fits; it would not if anything were still counted.
    expect((await admin.post('/Note', body)).status).toBe(422);
    await attempt();
    await server.reload({ 'httpservice.values.maxbytes': 0, 'httpservice.values.maxbytesperuser': 40_000_000 });
    await attempt();
    await server.reload({
      'httpservice.values.maxbytesperuser': 0,
      'httpservice.values.maxbytesperaddress': 40_000_000,
    });
    await attempt();
  });
});
