import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { TestServer, type ServerOptions } from '../support/server.js';

/** Clean start and stop: each way to fail has one clear line and an exit code of its own. */
describe('start and stop', () => {
  const folders: string[] = [];
  const newFolder = async (): Promise<string> => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-start-'));
    folders.push(folder);
    return folder;
  };
  afterEach(async () => {
    for (const folder of folders.splice(0)) {
      await chmod(folder, 0o700).catch(() => undefined);
      await rm(folder, { recursive: true, force: true });
    }
  });
  const failing = async (
    folder: string,
    options: ServerOptions = {},
  ): Promise<{ code: number | null; errors: string[] }> => {
    const { code, server, lines } = await TestServer.tryStart(folder, options);
    if (server !== undefined) {
      await server.end();
      throw new Error('the server started');
    }
    return { code, errors: lines.filter((l) => l.includes(' ERROR ')) };
  };

  it('a taken port: exit code 10 and one line that names it', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await sleep(50);
    const address = blocker.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, errors } = await failing(await newFolder(), { settings: { 'application.http.port': port } });
    blocker.close();
    expect(code).toBe(10);
    expect(errors).toHaveLength(1);
    expect(errors[0]).toContain(String(port));
  });

  it('a database that another process has open: exit code 12', async () => {
    const folder = await newFolder();
    const first = await TestServer.start({ folder });
    const { code, errors } = await failing(folder);
    await first.end();
    expect([code, errors.length]).toEqual([12, 1]);
    // The lock dies with its owner.
    const next = await TestServer.start({ folder });
    await next.end('SIGKILL');
    const last = await TestServer.start({ folder });
    expect(await last.end()).toBe(0);
  });

  it('a database of a newer version: exit code 13', async () => {
    const folder = await newFolder();
    await (await TestServer.start({ folder })).end();
    const db = new Library(join(folder, 'db', 'graph.db'));
    db.pragma('user_version = 9999');
    db.close();
    const { code, errors } = await failing(folder);
    expect([code, errors.length]).toEqual([13, 1]);
  });

  it('a database folder that cannot be made: exit code 11', async () => {
    const folder = await newFolder();
    await writeFile(join(folder, 'file'), '');
    const { code, errors } = await failing(folder, { settings: { 'database.path': 'file/db' } });
    expect([code, errors.length]).toEqual([11, 1]);
    expect(errors[0]).toContain('file/db');
  });

  it.each([
    ['a value of the wrong type', 'application.http.port', 'many'],
    ['a value that is no choice', 'log.level', 'LOUD'],
  ])('%s: exit code 2, named with its line', async (_, name, value) => {
    const { code, errors } = await failing(await newFolder(), { settings: { [name]: value } });
    expect([code, errors.length]).toEqual([2, 1]);
    expect(errors[0]).toMatch(new RegExp(`svc\\.conf.*${name}|${name}.*line`));
  });

  it('an unknown key is named, kept in the file, and the server starts', async () => {
    const server = await TestServer.start({ settings: { 'my.own.key': 'kept' } });
    expect(await server.untilLogged(/WARN .*my\.own\.key/)).toHaveLength(1);
    await server.end();
    expect(await readFile(join(server.folder, 'svc.conf'), 'utf8')).toContain('my.own.key = kept');
    folders.push(server.folder);
  });

  it('the first start writes an owner-only svc.conf with a generated superuser password', async () => {
    const folder = await newFolder();
    const server = await TestServer.start({
      folder,
      noConf: true,
      environment: { SVC_application_http_port: '0', SVC_application_host: '127.0.0.1' },
    });
    const text = await readFile(join(folder, 'svc.conf'), 'utf8');
    const password = /^superuser\.password = (\S{16,})$/m.exec(text)?.[1] ?? '';
    expect((await stat(join(folder, 'svc.conf'))).mode & 0o777).toBe(0o600);
    expect(text.split('\n').filter((l) => l !== '' && !l.startsWith('#'))).toHaveLength(1);
    expect((await server.as('superadmin', password).get('/User')).status).toBe(200);
    expect(server.lines.join('\n')).not.toContain(password);
    expect(await server.end()).toBe(0);
  });

  it('the environment wins over the file and is not written to it', async () => {
    const folder = await newFolder();
    const server = await TestServer.start({
      folder,
      settings: { 'initialuser.name': 'fromfile' },
      environment: { SVC_initialuser_name: 'fromenvironment' },
    });
    expect((await server.as('fromenvironment', 'admin').get('/me')).status).toBe(200);
    await server.end();
    expect(await readFile(join(folder, 'svc.conf'), 'utf8')).not.toContain('fromenvironment');
  });

  it('log.level takes effect at once when the settings are read again', async () => {
    const server = await TestServer.start();
    const conf = join(server.folder, 'svc.conf');
    const warnings = (): number => server.logged(/ WARN .*no resource access permission/).length;
    await server.as().get('/User');
    expect(warnings()).toBe(1);
    const text = await readFile(conf, 'utf8');
    const reload = async (level: string): Promise<void> => {
      await writeFile(conf, `${text}log.level = ${level}\n`, { mode: 0o600 });
      server.child.kill('SIGHUP');
    };
    /** Whether a refused request is logged; the log comes a moment later. */
    const warns = async (): Promise<boolean> => {
      const before = warnings();
      await server.as().get('/User');
      await sleep(500);
      return warnings() > before;
    };
    await reload('NONSENSE');
    await server.untilLogged(/ WARN .*kept the settings as they are: .*log\.level/);
    await reload('ERROR');
    await expect.poll(warns).toBe(false);
    // It does not say so at this level.
    await reload('NONSENSE');
    await sleep(1000);
    expect(await warns()).toBe(false);
    await reload('INFO');
    await expect.poll(warns).toBe(true);
    await server.stop();
  });

  it('SIGTERM lets a running request finish', async () => {
    const server = await TestServer.start();
    await server.admin.defineType('Slow');
    const source =
      "{ $.log('it runs'); $.sleep(300); for (let i = 0; i < 1000; i++) $.create('Slow'); return 'done'; }";
    await server.admin.create('SchemaMethod', { name: 'slow', source });
    const running = server.admin.post('/slow');
    await server.untilLogged(/it runs/);
    const code = server.end();
    const { status, body } = await running;
    expect([status, body.result]).toEqual([200, 'done']);
    expect(await code).toBe(0);
    expect(server.logged(/finishing 1 running/)).toHaveLength(1);
    const again = await TestServer.start({ folder: server.folder });
    expect((await again.admin.get('/Slow?_pageSize=1')).body.result_count).toBe(1000);
    await again.end();
    folders.push(server.folder);
  });

  it('the server goes on when nobody reads its log any more', async () => {
    const server = await TestServer.start();
    const gone = once(server.child.stdout as Readable, 'close');
    server.child.stdout?.destroy();
    await gone;
    for (let i = 0; i < 3; i++) {
      server.child.kill('SIGHUP'); // which it logs
      await sleep(200);
      expect((await server.admin.get('/User')).status).toBe(200);
    }
    await server.stop();
  });

  it('lines of the log have time, level and logger', async () => {
    const server = await TestServer.start();
    for (const line of server.lines)
      expect(line).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (INFO |WARN |ERROR) org\.svc\.[\w.]+ - /);
    await server.stop();
  });
});
