import { spawn } from 'node:child_process';
import { chmod, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SVC } from '../support/launched.js';
import { allow } from '../support/permissions.js';
import { onNeo4j, TestServer } from '../support/server.js';

/** `svc user passwd`: whoever owns the data sets a password that was forgotten, whether the server runs or not. */
describe('svc user passwd', () => {
  let server: TestServer;
  let folder: string;
  const passwd = (
    args: readonly string[],
    input: string,
    uid?: number,
  ): Promise<{ code: number | null; out: string; err: string }> =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, [SVC, 'user', 'passwd', ...args], {
        cwd: folder,
        env: { ...process.env, SVC_TEST_DRIVER: undefined },
        ...(uid === undefined ? {} : { uid, gid: uid }),
      });
      let [out, err] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      child.stdin.on('error', () => undefined);
      child.on('error', reject);
      child.on('close', (code) => {
        resolve({ code, out, err });
      });
      child.stdin.end(input);
    });
  const status = async (name: string, password: string): Promise<number> =>
    (await server.as(name, password).get('/User')).status;

  const start = async (): Promise<void> => {
    server = await TestServer.start();
    ({ folder } = server);
  };
  const end = async (): Promise<void> => {
    await server.end();
    await rm(folder, { recursive: true, force: true });
  };

  describe('beside a server that goes on', () => {
    beforeAll(start);
    afterAll(end);

    it('finds users by their e-mail address', async () => {
      await server.admin.create('User', {
        name: 'anna',
        eMail: 'anna@example.org',
        password: 'old-one',
        isAdmin: true,
      });
      expect(await passwd(['Anna@example.org'], 'new-one\n')).toMatchObject({ code: 0 });
      await expect.poll(() => status('anna', 'new-one')).toBe(200);
      await expect.poll(() => status('anna', 'old-one')).toBe(401);
    });

    it.each([
      ['somebody who is not there', ['nobody'], 'x\n', 1, /no user nobody/],
      ['no password', ['admin'], '', 1, /nothing has changed/],
      ['an empty one', ['admin'], '\n', 1, /nothing has changed/],
      ['a password as an argument', ['admin', 'secret-word'], 'x\n', 3, /no password; try --help/],
      ['nobody', [], 'x\n', 3, /takes one name/],
      ['an option that there is not', ['admin', '--password=secret-word'], 'x\n', 3, /not understood/],
      ['settings that are not there', ['admin', '--conf', 'nothing.conf'], 'x\n', 3, /no settings file/],
    ])('refuses %s, and repeats no secret', async (_, args, input, code, said) => {
      const done = await passwd(args, input);
      expect(done.code).toBe(code);
      expect(done.err).toMatch(said);
      expect(done.err + done.out).not.toContain('secret-word');
      expect(await status('admin', 'admin')).toBe(200);
    });

    it('says that there is no database, and makes none', async () => {
      if (onNeo4j) return;
      const empty = join(folder, 'empty.conf');
      await writeFile(empty, 'database.path = nowhere\n', { mode: 0o600 });
      expect(await passwd(['admin', '--conf', empty], 'x\n')).toMatchObject({
        code: 3,
        err: expect.stringContaining('no database'),
      });
      expect(await readdir(folder)).not.toContain('nowhere');
    });

    it.skipIf(onNeo4j)('lets nobody in but who owns the database', async () => {
      const control = join(folder, 'db.control');
      expect((await stat(control)).mode & 0o777).toBe(0o700);
      expect((await stat(join(control, 'socket'))).mode & 0o777).toBe(0o600);
      if (process.getuid?.() !== 0) return;
      await chmod(folder, 0o755);
      await chmod(join(folder, 'svc.conf'), 0o644);
      const refused = await passwd(['admin'], 'theirs\n', 65_534);
      expect(refused.code).toBe(3);
      expect(refused.err).toContain('run this as that user');
      expect(await status('admin', 'admin')).toBe(200);
    });

    it.skipIf(onNeo4j).each([
      ['no JSON', 'nonsense\n', 'no JSON'],
      ['an unknown command', '{"command":"toString"}\n', 'does not know'],
      ['fields of other types', '{"command":"user passwd","name":1,"password":["x"]}\n', 'must be strings'],
    ])('the server answers %s with an error and goes on', async (_, line, said) => {
      const answer = await new Promise<string>((resolve, reject) => {
        const socket = connect(join(folder, 'db.control/socket'), () => socket.end(line));
        let text = '';
        socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
        socket.on('error', reject);
        socket.on('close', () => {
          resolve(text);
        });
      });
      expect((JSON.parse(answer) as { error: string }).error).toContain(said);
      expect(await status('admin', 'admin')).toBe(200);
    });
  });

  describe('with a server of its own', () => {
    beforeEach(start);
    afterEach(end);

    it('sets it while the server runs, at once, and ends sessions and the lock', async () => {
      await allow(server.superuser, '_login', 'anonymous', ['POST']);
      const before = await server.admin.loggedIn();
      expect((await before.get('/User')).status).toBe(200);
      for (let i = 0; i < 4; i++) await server.as('admin', 'forgotten').get('/User');
      expect(await status('admin', 'wrong')).toBe(401);
      const done = await passwd(['admin'], 'a néw one\n');
      expect(done).toMatchObject({ code: 0, err: '' });
      expect(done.out).toContain('admin');
      const login = { name: 'admin', password: 'a néw one' };
      await expect.poll(async () => (await server.as().post('/login', login)).status).toBe(200);
      // On Neo4j the command is another client of it: the server hears of the change within a second.
      await expect.poll(() => status('admin', 'admin')).toBe(401);
      await expect.poll(async () => (await before.get('/User')).status).toBe(401);
      if (onNeo4j) return;
      expect(await server.untilLogged(/password of 'admin' was set by svc user passwd/)).toHaveLength(1);
    });

    it('sets it while the server is stopped', async () => {
      await server.end();
      expect(await passwd(['admin', '--conf', join(folder, 'svc.conf')], 'another\r\n')).toMatchObject({
        code: 0,
        err: '',
      });
      server = await TestServer.start({ folder });
      expect([await status('admin', 'another'), await status('admin', 'admin')]).toEqual([200, 401]);
    });

    it('follows the password policy, running or stopped', async () => {
      const conf = join(folder, 'svc.conf');
      const lines =
        'security.passwordpolicy.complexity.enforce = true\nsecurity.passwordpolicy.complexity.minlength = 9\n';
      await writeFile(conf, `${await readFile(conf, 'utf8')}${lines}`);
      await server.reload({});
      expect(await passwd(['admin'], 'short\n')).toMatchObject({
        code: 1,
        err: expect.stringContaining('must_be_longer'),
      });
      await server.end();
      expect(await passwd(['admin'], 'short\n')).toMatchObject({
        code: 1,
        err: expect.stringContaining('must_be_longer'),
      });
      expect((await passwd(['admin'], 'Long-enough-1!\n')).code).toBe(0);
      server = await TestServer.start({ folder });
      expect(await status('admin', 'Long-enough-1!')).toBe(200);
    });

    it.skipIf(onNeo4j)('leaves nothing beside the database when the server stops', async () => {
      expect(await readdir(folder)).toContain('db.control');
      await server.end();
      expect(await readdir(folder)).not.toContain('db.control');
    });

    it.skipIf(onNeo4j)('works where nothing can be made beside the database', async () => {
      await server.end();
      await writeFile(join(folder, 'db.control'), 'in the way');
      server = await TestServer.start({ folder });
      expect(await passwd(['admin'], 'from-inside\n')).toMatchObject({ code: 0, err: '' });
      expect(await status('admin', 'from-inside')).toBe(200);
      expect(await readFile(join(folder, 'db.control'), 'utf8')).toBe('in the way');
    });

    it.skipIf(onNeo4j)('works after a server was killed, stopped or started again', async () => {
      await server.end('SIGKILL');
      expect(await passwd(['admin'], 'one\n')).toMatchObject({ code: 0, err: '' });
      server = await TestServer.start({ folder });
      expect(await passwd(['admin'], 'two\n')).toMatchObject({ code: 0, err: '' });
      expect(await status('admin', 'two')).toBe(200);
    });
  });
});
