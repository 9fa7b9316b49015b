/** Maintenance mode: each transition of the contract's table, against the running server (contract, States and transitions). */
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

const SETTINGS = {
  'maintenance.application.http.port': 0,
  'maintenance.message': '<b>Back at noon</b>',
  'httpservice.servlets': 'JsonRestServlet HtmlServlet EventSourceServlet HealthCheckServlet',
  'cronservice.tasks': 'tick',
  'tick.cronExpression': '* * * * * *',
};

/** Where the application answers since the mode was switched on for the `times`th time. */
async function maintenanceUrl(server: TestServer, times = 1): Promise<string> {
  const pattern = /maintenance mode: the application answers at (http:\/\/127.0.0.1:\d+)\//;
  await expect.poll(() => server.logged(pattern).length).toBe(times);
  return pattern.exec(server.logged(pattern).at(-1) ?? '')?.[1] ?? '';
}

describe('maintenance mode', () => {
  let server: TestServer;
  let there: Client;

  beforeAll(async () => {
    server = await TestServer.start({ settings: SETTINGS });
    await server.admin.create('SchemaMethod', { name: 'tick', source: "log('tick')" });
    await server.admin.post('/User', { name: 'anna', password: 'annas-password' });
  });
  afterAll(() => server.stop());

  it('is for administrators alone, and has two words', async () => {
    const anna = server.as('anna', 'annas-password');
    await server.admin.create('ResourceAccess', {
      signature: 'maintenance/maintenanceMode',
      flags: 255,
      visibleToAuthenticatedUsers: true,
    });
    expect((await anna.post('/maintenance/maintenanceMode', { action: 'enable' })).status).toBe(403);
    expect((await server.as().post('/maintenance/maintenanceMode', { action: 'enable' })).status).toBe(401);
    const wrong = await server.admin.post('/maintenance/maintenanceMode', { action: 'on' });
    expect(wrong.status).toBe(422);
    expect(wrong.body.errors).toMatchObject([{ property: 'action' }]);
    expect((await server.admin.post('/maintenance/maintenanceMode', {})).status).toBe(422);
    expect((await server.admin.get('/_env')).body.result).toMatchObject({ maintenanceModeActive: false });
  });

  it('moves the application to the maintenance port, and shows the message at the main one', async () => {
    const stream = await fetch(`${server.url}/svc/EventSource`, {
      headers: { 'X-User': 'admin', 'X-Password': 'admin', Accept: 'text/event-stream' },
    });
    const streamEnd = stream.text();
    const enabled = await server.admin.post('/maintenance/maintenanceMode', { action: 'enable' });
    expect(enabled.status).toBe(200);
    const url = await maintenanceUrl(server);
    expect(enabled.body.result).toEqual([
      {
        enabled: true,
        baseUrl: expect.stringContaining(new URL(url).port) as unknown,
        formerUrl: expect.stringContaining(String(server.port)) as unknown,
      },
    ]);
    there = new Client(url, 'admin', 'admin');
    expect((await there.get('/_env')).body.result).toMatchObject({ maintenanceModeActive: true });
    const page = await fetch(server.url);
    expect([page.status, page.headers.get('retry-after'), page.headers.get('content-type')]).toEqual([
      503,
      '120',
      'text/html;charset=utf-8',
    ]);
    expect(await page.text()).toContain('<b>Back at noon</b>');
    expect((await fetch(`${server.url}/any/path`)).status).toBe(503);
    const port = new URL(there.url).port;
    expect(await streamEnd).toContain(`{"type":"MAINTENANCE","enabled":true,"baseUrl":"http://127.0.0.1:${port}"}`);
    await server.untilLogged(/CronService is stopped/);
    await server.untilLogged(/StorageSyncService is stopped/);
  });

  it('answers programs at the main port with the body of an error', async () => {
    const refused = await server.admin.post('/User', { name: 'x' });
    expect(refused.status).toBe(503);
    expect(refused.body).toEqual({ code: 503, message: 'The service is in maintenance mode', errors: [] });
    expect((await there.get('/User?name=x')).body.result).toEqual([]);
  });

  it('tells load balancers at the main port that it lives, and is not ready', async () => {
    const ask = async (path: string, method = 'GET'): Promise<unknown[]> => {
      const answer = await fetch(`${server.url}/svc/health${path}`, { method });
      return [answer.status, answer.headers.get('retry-after'), await answer.text()];
    };
    expect(await ask('/live')).toEqual([200, null, '']);
    expect(await ask('/ready')).toEqual([503, '120', '']);
    expect(await ask('', 'HEAD')).toEqual([503, '120', '']);
    expect(await ask('')).toEqual([503, '120', expect.stringContaining('The service is in maintenance mode.')]);
    expect((await ask('', 'POST'))[0]).toBe(405);
    expect((await there.get('/svc/health/ready')).status).toBe(200);
  });

  it('says so when it is asked for once more, and changes nothing', async () => {
    expect((await there.post('/maintenance/maintenanceMode', { action: 'enable' })).status).toBe(200);
    await server.untilLogged(/maintenance mode is on already/);
    expect((await there.get('/User?name=anna')).body.result_count).toBe(1);
  });

  it('survives a restart', async () => {
    expect(await readFile(join(server.folder, 'svc.conf'), 'utf8')).toContain('maintenance.enabled = true');
    server = await server.restart({ settings: { ...SETTINGS, 'maintenance.enabled': true } });
    there = new Client(await maintenanceUrl(server), 'admin', 'admin');
    expect((await fetch(server.url)).status).toBe(503);
    expect((await there.get('/User?name=anna')).body.result_count).toBe(1);
    await server.untilLogged(/CronService is not started in maintenance mode/);
    expect(server.logged(/the task tick ended/)).toEqual([]);
  });

  it('shows files of an own page, and nothing outside of its folder', async () => {
    await server.reload({ 'maintenance.resource.path': 'nowhere' });
    expect(await (await fetch(server.url)).text()).toContain('<b>Back at noon</b>');
    await server.untilLogged(/WARN .*there is no folder .*nowhere/);
    const folder = join(server.folder, 'page');
    await mkdir(folder);
    await writeFile(join(folder, 'index.html'), '<h1>Own page</h1>');
    await writeFile(join(folder, 'style.css'), 'h1 { color: red }');
    await symlink(join(server.folder, 'svc.conf'), join(folder, 'out.css'));
    await server.reload({ 'maintenance.resource.path': folder });
    const page = await fetch(server.url);
    expect([page.status, await page.text()]).toEqual([503, '<h1>Own page</h1>']);
    const style = await fetch(`${server.url}/style.css`);
    expect([style.status, await style.text()]).toEqual([200, 'h1 { color: red }']);
    for (const path of ['/out.css', '/nothing.css', '/%2e%2e/svc.conf', '/..%2fsvc.conf']) {
      const answer = await fetch(`${server.url}${path}`, { redirect: 'manual' });
      expect([path, answer.status, answer.headers.get('location')]).toEqual([path, 302, '/']);
    }
  });

  it('ends at once: the main port serves again, and services run', async () => {
    expect((await there.post('/maintenance/maintenanceMode', { action: 'disable' })).status).toBe(200);
    expect((await server.admin.get('/User?name=anna')).body.result_count).toBe(1);
    expect((await server.admin.get('/_env')).body.result).toMatchObject({ maintenanceModeActive: false });
    await server.untilLogged(/the task tick ended/);
    await expect
      .poll(() =>
        there.get('/User').then(
          () => 'answers',
          () => 'gone',
        ),
      )
      .toBe('gone');
    expect(await readFile(join(server.folder, 'svc.conf'), 'utf8')).not.toContain('maintenance.enabled');
  });

  it('can be switched by scripts', async () => {
    const source = "{ $.maintenance('maintenanceMode', { action: 'enable' }); }";
    await server.admin.create('SchemaMethod', { name: 'shut', source });
    expect((await server.admin.post('/maintenance/globalSchemaMethods/shut')).status).toBe(200);
    there = new Client(await maintenanceUrl(server, 2), 'admin', 'admin');
    expect((await there.get('/_env')).body.result).toMatchObject({ maintenanceModeActive: true });
    expect((await there.post('/maintenance/maintenanceMode', { action: 'disable' })).status).toBe(200);
    await expect.poll(async () => (await server.admin.get('/_env')).status).toBe(200);
  });

  it('answers every request while it is switched', async () => {
    let going = true;
    const seen = new Map<number, number>();
    const ask = async (): Promise<void> => {
      while (going) {
        const { status } = await server.admin.get('/User?name=anna');
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    };
    const asking = Promise.all(Array.from({ length: 8 }, ask));
    // What fails is told below.
    asking.catch(() => undefined);
    await server.admin.post('/maintenance/maintenanceMode', { action: 'enable' });
    there = new Client(await maintenanceUrl(server, 3), 'admin', 'admin');
    await expect.poll(() => seen.get(503) ?? 0).toBeGreaterThan(20);
    await there.post('/maintenance/maintenanceMode', { action: 'disable' });
    const before = seen.get(200) ?? 0;
    await expect.poll(() => (seen.get(200) ?? 0) - before).toBeGreaterThan(20);
    going = false;
    await asking;
    expect([...seen.keys()].sort()).toEqual([200, 503]);
  });
});

describe('maintenance mode that cannot be', () => {
  it('leaves everything as it was where the port is taken, or the environment decides', async () => {
    const other = await TestServer.start();
    const server = await TestServer.start({ settings: { 'maintenance.application.http.port': other.port } });
    try {
      const refused = await server.admin.post('/maintenance/maintenanceMode', { action: 'enable' });
      expect(refused.status).toBe(503);
      expect(refused.body.message).toContain(String(other.port));
      expect((await server.admin.get('/User')).status).toBe(200);
    } finally {
      await server.stop();
    }
    const fixed = await TestServer.start({
      settings: { 'maintenance.application.http.port': 0 },
      environment: { SVC_maintenance_enabled: 'false' },
    });
    try {
      const refused = await fixed.admin.post('/maintenance/maintenanceMode', { action: 'enable' });
      expect([refused.status, refused.body.message]).toEqual([
        409,
        'The environment sets maintenance.enabled, so it cannot be switched here.',
      ]);
    } finally {
      await fixed.stop();
      await other.stop();
    }
  });
});
