/** The Configuration Interface by its addresses: who is let in, settings, services, sessions (contract, Configuration 5 and Configuration interface). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const SECRET = 'a secret of the mail server';

describe('the Configuration Interface', () => {
  let server: TestServer;
  let cookie: string;

  beforeAll(async () => {
    server = await TestServer.start({
      settings: {
        'smtp.password': SECRET,
        'cronservice.tasks': 'tick',
        'tick.cronExpression': '0 0 0 1 1 *',
        'other.smtp.password': SECRET,
      },
      environment: { SVC_application_title: 'Given' },
    });
    cookie = cookieOf(await send('POST', '/api/login', { password: SUPERUSER_PASSWORD }));
  });
  afterAll(() => server.stop());

  function send(
    method: string,
    path: string,
    input?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return fetch(`${server.url}/svc/config${path}`, {
      method,
      redirect: 'manual',
      headers: { ...(input === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(input === undefined ? {} : { body: typeof input === 'string' ? input : JSON.stringify(input) }),
    });
  }
  const own = (
    method: string,
    path: string,
    input?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Response> => send(method, path, input, { Cookie: cookie, ...headers });
  const form = (fields: Record<string, string>, headers: Record<string, string> = {}, path = ''): Promise<Response> =>
    send('POST', path, new URLSearchParams(fields).toString(), {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...headers,
    });
  const cookieOf = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  const settings = async (): Promise<{
    settings: Record<string, unknown>[];
    dynamic: unknown[];
    restartNeeded: string[];
  }> => (await own('GET', '/api/settings')).json() as never;
  const setting = async (name: string): Promise<Record<string, unknown> | undefined> =>
    (await settings()).settings.find((one) => one['name'] === name);
  const stored = (): Promise<string> => readFile(join(server.folder, 'svc.conf'), 'utf8');

  describe('lets in', () => {
    it('nobody without the superuser password: no administrator of the database, no wrong or empty password', async () => {
      for (const path of ['/api/settings', '/api/services', '/api/maintenance', '/api/sessions', '/api/connections'])
        expect([path, (await send('GET', path)).status]).toEqual([path, 401]);
      for (const path of [
        '/api/settings',
        '/api/restart',
        '/api/reload',
        '/api/maintenance',
        '/api/services',
        '/api/connections',
      ])
        expect([path, (await send('POST', path, {})).status]).toEqual([path, 401]);
      const asAdmin = { 'X-User': 'admin', 'X-Password': 'admin' };
      expect((await send('GET', '/api/settings', undefined, asAdmin)).status).toBe(401);
      for (const password of ['', 'wrong', 'admin'])
        expect((await send('POST', '/api/login', { password })).status).toBe(401);
      expect((await send('POST', '/api/login', {})).status).toBe(401);
      for (const query of ['?reload', '?reset=log.level', '?setMaintenance=true', '?stop=CronService.default'])
        expect([query, (await send('GET', query)).status]).toEqual([query, 401]);
    });

    it('a session whose cookie no script and no other site gets', async () => {
      const answer = await send('POST', '/api/login', { password: SUPERUSER_PASSWORD });
      expect(answer.headers.get('set-cookie')).toMatch(
        /^svc_config=[\w-]{32}; Path=\/svc\/config; HttpOnly; SameSite=Strict$/,
      );
      expect((await send('GET', '/api/settings', undefined, { Cookie: `${cookie}x` })).status).toBe(401);
    });

    it('no page of another site, by link, form or script', async () => {
      for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }] as const) {
        expect((await own('GET', '?reload', undefined, headers)).status).toBe(403);
        expect((await own('GET', '/api/settings', undefined, headers)).status).toBe(403);
      }
      const origin = { Origin: 'https://evil.example' };
      expect((await own('POST', '/api/settings', { changes: {} }, origin)).status).toBe(403);
      expect((await send('POST', '/api/login', { password: SUPERUSER_PASSWORD }, origin)).status).toBe(403);
      expect((await form({ action: 'logout' }, { Cookie: cookie, ...origin })).status).toBe(403);
      await server.admin.create('CorsSetting', {
        requestUri: '/svc/config',
        acceptedOrigins: 'https://evil.example',
        allowCredentials: 'true',
      });
      expect((await own('POST', '/api/settings', { changes: {} }, origin)).status).toBe(403);
      const text = { 'Content-Type': 'text/plain' };
      expect((await own('POST', '/api/settings', '{"changes":{}}', text)).status).toBe(415);
    });
  });

  it('is a page with a policy that lets nothing else run', async () => {
    const page = await send('GET', '');
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'");
    const text = await page.text();
    const script = /src="(\/svc\/config\/assets\/[\w-]+\.js)"/.exec(text)?.[1] ?? '';
    const loaded = await fetch(`${server.url}${script}`);
    expect([loaded.status, loaded.headers.get('cache-control'), loaded.headers.get('content-encoding')]).toEqual([
      200,
      'public, max-age=31536000, immutable',
      'gzip',
    ]);
    expect((await send('GET', '/assets/nothing.js')).status).toBe(404);
    expect((await send('GET', '/api/nothing', undefined, { Cookie: cookie })).status).toBe(404);
    expect((await own('DELETE', '/api/settings')).status).toBe(405);
  });

  describe('settings', () => {
    it('are shown with their meaning, and secrets without their values', async () => {
      const text = await (await own('GET', '/api/settings')).text();
      expect(text).not.toContain(SECRET);
      expect(text).not.toContain(SUPERUSER_PASSWORD);
      expect(await setting('smtp.password')).toMatchObject({ secret: true, isSet: true, source: 'file' });
      expect(await setting('log.level')).toMatchObject({
        type: 'choice',
        value: 'INFO',
        default: 'INFO',
        source: 'default',
      });
      expect(await setting('application.title')).toMatchObject({ value: 'Given', source: 'environment' });
      expect(await setting('setup.token')).toBeUndefined();
      expect((await settings()).dynamic).toEqual([
        { name: 'tick.cronExpression', value: '0 0 0 1 1 *', source: 'file' },
        { name: 'other.smtp.password', secret: true, isSet: true, source: 'file' },
      ]);
    });

    it('are changed, count at once, and are reset', async () => {
      expect((await own('POST', '/api/settings', { changes: { 'log.level': 'DEBUG' } })).status).toBe(200);
      expect(await stored()).toMatch(/^log.level = DEBUG$/m);
      expect(await setting('log.level')).toMatchObject({ value: 'DEBUG', source: 'file' });
      expect((await own('GET', '?reset=log.level')).headers.get('location')).toBe('/svc/config');
      expect(await stored()).not.toMatch(/log.level/);
      expect((await own('POST', '/api/settings', { changes: { 'own.name': 'ä = ö' } })).status).toBe(200);
      expect((await settings()).dynamic).toContainEqual({ name: 'own.name', value: 'ä = ö', source: 'file' });
      expect((await own('POST', '/api/settings', { changes: { 'own.name': null } })).status).toBe(200);
      expect(await stored()).not.toMatch(/own.name/);
    });

    it('are all changed or none, and what is wrong is named', async () => {
      const changes = { 'json.indentation': 'false', 'application.http.port': '70000', 'log.level': 'LOUD' };
      const refused = await own('POST', '/api/settings', { changes });
      expect(refused.status).toBe(422);
      const { errors } = (await refused.json()) as { errors: { property: string }[] };
      expect(errors.map(({ property }) => property).sort()).toEqual(['application.http.port', 'log.level']);
      expect(await setting('json.indentation')).toMatchObject({ source: 'default' });
      expect(await stored()).not.toMatch(/json.indentation/);
    });

    it.each([
      ['given by the environment', { 'application.title': 'x' }, 409],
      ['hidden', { 'setup.wizard.completed': 'false' }, 422],
      ['no text', { 'log.level': 3 }, 422],
      ['no name', { 'a b': 'x' }, 422],
      ['two lines', { 'own.line': 'a\nsuperuser.password = x' }, 200],
    ])('%s', async (_, changes, status) => {
      expect((await own('POST', '/api/settings', { changes })).status).toBe(status);
      expect((await send('POST', '/api/login', { password: SUPERUSER_PASSWORD })).status).toBe(200);
    });

    it('that are read at the start alone are told', async () => {
      await own('POST', '/api/settings', { changes: { 'application.http.port': '12345' } });
      expect((await settings()).restartNeeded).toEqual(['application.http.port']);
      await own('POST', '/api/settings', { changes: { 'application.http.port': '0' } });
      expect((await settings()).restartNeeded).toEqual([]);
    });

    it('are read again from the file', async () => {
      const answer = await own('POST', '/api/reload', {});
      expect([answer.status, await answer.json()]).toEqual([200, { changed: [], restartNeeded: [] }]);
      expect((await own('GET', '?reload')).status).toBe(302);
    });

    it('come as a form, too', async () => {
      const saved = await form(
        { 'json.indentation': 'false', active_section: '#general', 'x._settings_group': 'misc' },
        { Cookie: cookie },
      );
      expect([saved.status, saved.headers.get('location')]).toEqual([302, '/svc/config#general']);
      expect(await setting('json.indentation')).toMatchObject({ value: false });
      expect((await form({ 'json.indentation': 'maybe' }, { Cookie: cookie })).status).toBe(422);
      expect((await form({ 'json.indentation': 'true' })).status).toBe(401);
      const login = await form({ action: 'login', password: SUPERUSER_PASSWORD });
      expect(login.status).toBe(302);
      expect((await send('GET', '/api/settings', undefined, { Cookie: cookieOf(login) })).status).toBe(200);
      expect((await form({ action: 'login', password: 'wrong' })).status).toBe(401);
    });
  });

  describe('services', () => {
    type Shown = { name: string; state: string; actions: string[] };
    const list = async (): Promise<Shown[]> => (await own('GET', '/api/services')).json() as never;
    const state = async (name: string): Promise<string | undefined> =>
      (await list()).find((one) => one.name === name)?.state;

    it('are listed with their states', async () => {
      const found = await list();
      expect(found.map(({ name, state: is }) => `${name} ${is}`)).toEqual([
        'NodeService running',
        'SchemaService running',
        'AgentService running',
        'CronService running',
        'HttpService running',
        'MigrationService ended',
        'StorageSyncService running',
        'ProcessTimerService absent',
      ]);
    });

    it('are stopped and started', async () => {
      expect((await own('POST', '/api/services', { name: 'CronService', action: 'stop' })).status).toBe(200);
      expect(await state('CronService')).toBe('stopped');
      expect((await own('GET', '?start=CronService.default')).headers.get('location')).toBe('/svc/config#services');
      expect(await state('CronService')).toBe('running');
      expect((await own('POST', '/api/services', { name: 'CronService', action: 'restart' })).status).toBe(200);
      for (const [name, status] of [
        ['HttpService', 422],
        ['ProcessTimerService', 422],
        ['Nothing', 404],
      ] as const)
        expect([name, (await own('POST', '/api/services', { name, action: 'stop' })).status]).toEqual([name, status]);
      expect((await own('POST', '/api/services', { name: 'CronService', action: 'kill' })).status).toBe(422);
    });

    it('work when they are started again', async () => {
      expect((await own('POST', '/api/services', { name: 'AgentService', action: 'restart' })).status).toBe(200);
      const pixel = await sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const id = await server.admin.create('Image', { name: 'r.png', base64Data: pixel.toString('base64') });
      expect((await server.admin.get(`/Image/${id}`)).body.result).toMatchObject({
        tnSmall: { name: 'r.png_thumb_9x9' },
      });
    });
  });

  describe('connections', () => {
    type Shown = Record<string, unknown> & { readonly name: string; readonly copy?: string };
    type List = { readonly running: string; readonly copy?: string; readonly connections: readonly Shown[] };
    const act = (action: string, input: object = {}): Promise<Response> =>
      own('POST', '/api/connections', { action, ...input });
    const list = async (): Promise<List> => (await own('GET', '/api/connections')).json() as never;
    const one = async (name: string): Promise<Shown | undefined> =>
      (await list()).connections.find((shown) => shown.name === name);
    const NEO = {
      driver: 'neo4j',
      url: 'bolt://127.0.0.1:9',
      username: 'neo',
      password: 'a password of neo4j',
      databasename: 'shop',
    };

    it('are kept beside the one in use, without telling passwords', async () => {
      expect((await list()).connections).toEqual([
        {
          name: 'default',
          driver: 'embedded',
          path: 'db',
          folder: join(server.folder, 'db'),
          chosen: true,
          running: true,
          fromEnvironment: false,
        },
      ]);
      const added = await act('add', { name: 'The Shop!', ...NEO });
      const text = await added.text();
      expect([added.status, text.includes('a password of')]).toEqual([200, false]);
      expect(await one('the-shop')).toMatchObject({
        driver: 'neo4j',
        url: NEO.url,
        hasPassword: true,
        chosen: false,
        copy: `svc graph copy --from sqlite:${join(server.folder, 'db')} --to neo4j:bolt://127.0.0.1:9/shop --conf ${join(server.folder, 'svc.conf')}`,
      });
      expect(await stored()).toMatch(/^the-shop.database.connection.password = a password of neo4j$/m);
      expect((await own('GET', '/api/settings').then((answer) => answer.text())).includes('a password of')).toBe(false);
    });

    it.each([
      ['add', { name: 'the-SHOP', ...NEO }, 'name', 'already_taken'],
      ['add', { name: 'default', ...NEO }, 'name', 'already_taken'],
      ['add', { name: '!', ...NEO }, 'name', 'must_not_be_empty'],
      ['add', { ...NEO }, 'name', 'invalid'],
      ['add', { name: 'b', ...NEO, url: '' }, 'url', 'must_not_be_empty'],
      ['add', { name: 'b', ...NEO, password: '' }, 'password', 'must_not_be_empty'],
      ['add', { name: 'b', ...NEO, url: 'http://x' }, 'url', 'invalid'],
      ['add', { name: 'b', driver: 'oracle' }, 'driver', 'driver_error'],
      ['add', { name: 'b', driver: 'embedded' }, 'path', 'must_not_be_empty'],
      ['add', { name: 'b', driver: 'embedded', path: 3 }, 'path', 'invalid'],
      ['add', { name: 'b', driver: 'embedded', paht: 'x' }, 'paht', 'invalid'],
      ['save', { name: 'the-shop', url: 'bolt://elsewhere:7687' }, 'password', 'invalid'],
      ['test', { name: 'the-shop', url: 'bolt://elsewhere:7687' }, 'password', 'invalid'],
      ['use', { name: 'the-shop', path: 'x' }, 'path', 'invalid'],
      ['drop', { name: 'the-shop' }, 'action', 'invalid'],
    ])('are refused: %s %o', async (action, input, property, token) => {
      const answer = await act(action, input);
      expect([answer.status, await answer.json()]).toMatchObject([422, { errors: [{ property, token }] }]);
    });

    it('have their passwords entered anew for another address, be it changed as a setting', async () => {
      const url = 'the-shop.database.connection.url';
      const alone = await own('POST', '/api/settings', { changes: { [url]: 'bolt://elsewhere:7687' } });
      expect([alone.status, (await one('the-shop'))?.['url']]).toEqual([422, NEO.url]);
      expect((await form({ [url]: 'bolt://elsewhere:7687' }, { Cookie: cookie })).status).toBe(422);
      const both = { [url]: 'bolt://elsewhere:7687', 'the-shop.database.connection.password': NEO.password };
      expect((await own('POST', '/api/settings', { changes: both })).status).toBe(200);
      expect((await act('save', { name: 'the-shop', url: NEO.url, password: NEO.password })).status).toBe(200);
    });

    it('are tested: what is wrong is said', async () => {
      const result = async (input: object): Promise<unknown> => (await act('test', input)).json();
      expect(await result({ name: 'the-shop' })).toEqual({ ok: false, message: 'Neo4j cannot be reached.' });
      const folder = join(server.folder, 'db');
      expect(await result({ name: 'default' })).toEqual({ ok: true, message: `There is a database in ${folder}.` });
      expect(await result({ driver: 'embedded', path: 'a/new/one' })).toEqual({
        ok: true,
        message: `A new database will be made in ${join(server.folder, 'a/new/one')}.`,
      });
      expect(await result({ driver: 'embedded', path: 'svc.conf' })).toMatchObject({ ok: false });
      expect((await act('test', { name: 'nothing' })).status).toBe(404);
    });

    it('are switched from the next start on, and the one before is kept', async () => {
      await act('save', { name: 'the-shop', username: 'neo 4' });
      const switched = (await (await act('use', { name: 'the-shop' })).json()) as List;
      expect(switched.copy).toMatch(
        /^svc graph copy --from sqlite:\S+ --to neo4j:bolt:\/\/127\.0\.0\.1:9\/shop --conf /,
      );
      expect(switched.connections.map(({ name, chosen, running }) => [name, chosen, running])).toEqual([
        ['the-shop', true, false],
        ['default', false, true],
      ]);
      expect(switched.connections[1]?.copy).toMatch(/--user 'neo 4' --password-file PASSWORD_FILE/);
      const conf = await stored();
      expect(conf).toMatch(/^database.driver = neo4j$/m);
      expect(conf).toMatch(/^database.connection.password = a password of neo4j$/m);
      expect(conf).toMatch(/^default.database.driver = embedded$/m);
      expect(conf).not.toMatch(/^the-shop/m);
      expect((await settings()).restartNeeded).toContain('database.driver');
      for (const name of ['the-shop', 'default']) expect((await act('remove', { name })).status).toBe(409);
      expect((await act('use', { name: 'the-shop' })).status).toBe(409);
      await act('use', { name: 'default' });
      expect((await list()).copy).toBeUndefined();
      expect(await stored()).not.toMatch(/^(database|default)\./m);
      expect((await settings()).restartNeeded).toEqual([]);
    });

    it('come as forms, too, and are removed', async () => {
      const sendForm = (path: string, fields: Record<string, string>): Promise<Response> =>
        form(fields, { Cookie: cookie }, path);
      const { databasename: database, ...rest } = NEO;
      const added = await sendForm('/add', { name: 'second', database, ...rest });
      expect([added.status, added.headers.get('location')]).toEqual([302, '/svc/config#databases']);
      expect(await one('second')).toMatchObject({ databasename: 'shop' });
      expect((await sendForm('/second/save', { username: 'other' })).status).toBe(302);
      expect((await sendForm('/second/delete', {})).status).toBe(302);
      expect((await sendForm('/second/delete', {})).status).toBe(404);
      expect((await sendForm('/second/disconnect', {})).status).toBe(404);
      expect((await act('remove', { name: 'the-shop' })).status).toBe(200);
      expect(await stored()).not.toMatch(/the-shop|second|a password of/);
      expect(server.lines.filter((line) => line.includes('a password of neo4j'))).toEqual([]);
    });
  });

  it('ends sessions: one by one, by logging out, and all others with a new password', async () => {
    const other = cookieOf(
      await send('POST', '/api/login', { password: SUPERUSER_PASSWORD }, { 'User-Agent': 'another' }),
    );
    const sessions = (await (await own('GET', '/api/sessions')).json()) as {
      id: string;
      agent: string;
      own: boolean;
    }[];
    expect(sessions.filter((one) => one.own)).toHaveLength(1);
    const id = sessions.find(({ agent }) => agent === 'another')?.id;
    expect((await own('POST', '/api/sessions', { end: id })).status).toBe(200);
    expect((await send('GET', '/api/settings', undefined, { Cookie: other })).status).toBe(401);
    const third = cookieOf(await send('POST', '/api/login', { password: SUPERUSER_PASSWORD }));
    await own('POST', '/api/settings', { changes: { 'superuser.password': 'another password' } });
    expect((await send('GET', '/api/settings', undefined, { Cookie: third })).status).toBe(401);
    expect((await own('GET', '/api/settings')).status).toBe(200);
    expect((await send('POST', '/api/login', { password: SUPERUSER_PASSWORD })).status).toBe(401);
    expect((await own('POST', '/api/logout', {})).status).toBe(200);
    expect((await own('GET', '/api/settings')).status).toBe(401);
    expect(server.lines.filter((line) => /another password|secret of the mail/.test(line))).toEqual([]);
  });

  it('ends all sessions with a password that comes with the file', async () => {
    const session = cookieOf(await send('POST', '/api/login', { password: 'another password' }));
    await writeFile(
      join(server.folder, 'svc.conf'),
      (await stored()).replace(/^superuser\.password.*$/m, 'superuser.password = a third password'),
    );
    expect((await send('POST', '/api/reload', {}, { Cookie: session })).status).toBe(200);
    expect((await send('GET', '/api/settings', undefined, { Cookie: session })).status).toBe(401);
    expect((await send('POST', '/api/login', { password: 'a third password' })).status).toBe(200);
  });
});
