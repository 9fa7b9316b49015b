/** First-time setup: the contract's table of its states, and whom the token lets in (contract, First-time setup). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Config } from '../../src/main/config/index.js';
import { Setup } from '../../src/main/configuration/index.js';
import { setLogLevel, setLogSink } from '../../src/shared/log.js';
import { TestServer } from '../support/server.js';

const NEW = { 'superuser.password': '' };
const TOKEN = /Initial setup: open http:\/\/127.0.0.1:\d+\/svc\/config and enter the token (\S+)/;

let server: TestServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

async function ask(
  path: string,
  input?: unknown,
  cookie = '',
): Promise<{ status: number; body: unknown; cookie: string; location: string | null }> {
  const answer = await fetch(`${server?.url ?? ''}${path}`, {
    method: input === undefined ? 'GET' : 'POST',
    redirect: 'manual',
    headers: { ...(input === undefined ? {} : { 'Content-Type': 'application/json' }), Cookie: cookie },
    ...(input === undefined ? {} : { body: JSON.stringify(input) }),
  });
  const text = await answer.text();
  const set = answer.headers.get('set-cookie') ?? '';
  return {
    status: answer.status,
    body: text.startsWith('{') ? (JSON.parse(text) as unknown) : text,
    cookie: set.split(';')[0] ?? '',
    location: answer.headers.get('location'),
  };
}

describe('setup incomplete', () => {
  it('leads the root to the interface, which asks for the token of the log', async () => {
    server = await TestServer.start({ settings: NEW });
    const [line = ''] = await server.untilLogged(TOKEN);
    const token = TOKEN.exec(line)?.[1] ?? '';
    for (const path of ['/', '/svc', '/svc/'])
      expect(await ask(path)).toMatchObject({ status: 302, location: '/svc/config' });
    await server.reload({ 'superuser.password': '', 'application.root.path': '/app' });
    expect(await ask('/')).toMatchObject({ status: 302, location: '/app/svc/config' });
    await server.reload({ 'superuser.password': '', 'application.root.path': '' });
    expect((await ask('/svc/config')).body).toContain('<title>Configuration</title>');
    expect((await ask('/svc/config/api/state')).body).toMatchObject({ setup: 'incomplete', loggedIn: false });
    expect((await ask('/svc/config/api/settings')).status).toBe(401);
    expect((await ask('/svc/config/api/login', { token: 'wrong' })).status).toBe(401);
    expect((await ask('/svc/config/api/login', { password: '' })).status).toBe(401);

    const { cookie } = await ask('/svc/config/api/login', { token });
    const weak = await ask('/svc/config/api/setup', { password: 'short' }, cookie);
    expect([weak.status, weak.body]).toMatchObject([422, { errors: [{ property: 'password' }] }]);
    expect((await ask('/svc/config/api/state', undefined, cookie)).body).toMatchObject({
      setup: 'incomplete',
      loggedIn: true,
    });
    const done = await ask(
      '/svc/config/api/setup',
      { password: 'a long password', database: { driver: 'embedded' } },
      cookie,
    );
    expect([done.status, done.body]).toEqual([200, { completed: true, restartNeeded: [] }]);

    expect(await ask('/')).toMatchObject({ status: 200 });
    expect(await readFile(join(server.folder, 'svc.conf'), 'utf8')).toMatch(/setup.wizard.completed = true/);
    expect((await ask('/svc/config/api/setup', { password: 'another password' }, cookie)).status).toBe(409);
    expect((await ask('/svc/config/api/login', { token })).status).toBe(401);
    expect((await ask('/svc/config/api/login', { password: 'a long password' })).status).toBe(200);
    const superuser = server.as('superadmin', 'a long password');
    expect((await superuser.get('/User')).status).toBe(200);
  });

  it('takes a token that was set before, and a database that is another one from the next start on', async () => {
    server = await TestServer.start({ settings: NEW, environment: { SVC_setup_token: 'a token of ours' } });
    await server.untilLogged(/enter the token a token of ours/);
    const { cookie } = await ask('/svc/config/api/login', { token: 'a token of ours' });
    const test = await ask(
      '/svc/config/api/connections',
      { action: 'test', driver: 'neo4j', url: 'bolt://127.0.0.1:9', password: 'x' },
      cookie,
    );
    expect(test.body).toEqual({ ok: false, message: 'Neo4j cannot be reached.' });
    expect(
      (await ask('/svc/config/api/connections', { action: 'test', driver: 'neo4j', url: 'http://x' }, cookie)).status,
    ).toBe(422);
    const database = { driver: 'neo4j', url: 'bolt://127.0.0.1:9', username: 'neo4j', password: 'secret' };
    const done = await ask('/svc/config/api/setup', { password: 'a long password', database }, cookie);
    expect(done.status).toBe(200);
    expect((done.body as { restartNeeded: string[] }).restartNeeded).toEqual(
      expect.arrayContaining(['database.driver', 'database.connection.url']),
    );
  });

  it('tells the token at every level of the log, as nobody gets in without it', () => {
    const lines: string[] = [];
    const before = setLogSink((line) => lines.push(line));
    setLogLevel('ERROR');
    try {
      new Setup(Config.of({ 'superuser.password': '', 'setup.token': 'told' })).begin('http://here');
    } finally {
      setLogLevel('INFO');
      setLogSink(before);
    }
    expect(lines.join('')).toContain('Initial setup: open http://here/svc/config and enter the token told');
  });

  it('counts wrong tokens', async () => {
    server = await TestServer.start({ settings: { ...NEW, 'security.login.maxperminute': 5 } });
    const statuses: number[] = [];
    for (let i = 0; i < 7; i++)
      statuses.push((await ask('/svc/config/api/login', { token: `wrong ${String(i)}` })).status);
    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });
});

describe('setup completed', () => {
  it('is what settings with a superuser password are', async () => {
    server = await TestServer.start();
    expect((await ask('/svc/config/api/state')).body).toMatchObject({ setup: 'completed', loggedIn: false });
    expect(await ask('/')).toMatchObject({ status: 200 });
    expect(server.logged(/Initial setup/)).toEqual([]);
  });

  it('can do without the interface', async () => {
    server = await TestServer.start({ settings: { ...NEW, 'configservlet.enabled': false } });
    expect((await ask('/svc/config')).status).toBe(404);
    expect(await ask('/')).toMatchObject({ status: 200 });
  });
});
