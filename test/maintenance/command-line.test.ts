/** `svc maintenance`: commands on a running server, by the socket of its database or by its address. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../src/main/commands/maintenance-command.js';
import { SVC } from '../support/launched.js';
import { onNeo4j, TestServer } from '../support/server.js';

let server: TestServer;
interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** `during` gets what is said on the standard error, as it comes. */
function svc(
  args: readonly string[],
  {
    password,
    input = '',
    during,
  }: { password?: string; input?: string; during?: (err: string, kill: () => void) => void } = {},
): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SVC, 'maintenance', ...args], {
      cwd: server.folder,
      env: { ...process.env, SVC_TEST_DRIVER: undefined, SVCPASSWORD: password },
    });
    let [out, err] = ['', ''];
    child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      during?.(err, () => child.kill('SIGINT'));
    });
    child.stdin.on('error', () => undefined);
    child.on('error', reject);
    child.on('close', (code) => {
      resolve({ code, out, err });
    });
    child.stdin.end(input);
  });
}
const remote = (): string[] => ['--url', server.url, '--user', 'admin'];
/** On Neo4j there is no socket. */
const here = (): { args: string[]; options: { password?: string } } =>
  onNeo4j ? { args: remote(), options: { password: 'admin' } } : { args: [], options: {} };

beforeAll(async () => {
  server = await TestServer.start();
  await server.admin.defineType('Task', [
    { name: 'state', propertyType: 'String' },
    { name: 'priority', propertyType: 'Integer' },
  ]);
  await server.admin.post('/Task', [{ name: 'a' }, { name: 'b' }]);
  await server.admin.create('User', { name: 'anna', password: 'anna' });
});
afterAll(async () => {
  await server.end();
  await rm(server.folder, { recursive: true, force: true });
});

describe('svc maintenance', () => {
  it('runs a command on the server of this folder, and prints its result', async () => {
    const { args, options } = here();
    const done = await svc(['setNodeProperties', 'type=Task', 'state=open', 'priority=3', ...args], options);
    expect(done).toMatchObject({ code: 0 });
    expect(JSON.parse(done.out)).toEqual({ looked: 2, changed: 2, failed: 0 });
    expect(done.err).toMatch(/setNodeProperties: 2 objects in \d+\.\d s/);
    expect((await server.admin.get('/Task/all')).body.result).toMatchObject([
      { state: 'open', priority: 3 },
      { state: 'open', priority: 3 },
    ]);
  });

  it('runs commands that are over at once', async () => {
    const { args, options } = here();
    expect(await svc(['flushCaches', ...args], options)).toMatchObject({ code: 0, out: '[]\n' });
  });

  it('runs one on a server by its address, with the password of the environment or the first line of its input', async () => {
    const one = await svc(['setNodeProperties', 'type=Task', 'state="5"', ...remote()], { password: 'admin' });
    expect(one).toMatchObject({ code: 0 });
    const two = await svc(['setNodeProperties', 'type=Task', 'priority=null', ...remote()], { input: 'admin\n' });
    expect(two).toMatchObject({ code: 0 });
    expect((await server.admin.get('/Task/all')).body.result).toMatchObject([
      { state: '5', priority: null },
      { state: '5', priority: null },
    ]);
  });

  it('takes parameters from a file and from its input', async () => {
    const { args, options } = here();
    await writeFile(join(server.folder, 'input.json'), '{"type":"Task","state":"from a file"}');
    expect((await svc(['setNodeProperties', '--input', 'input.json', ...args], options)).code).toBe(0);
    expect((await server.admin.get('/Task?state=from a file'.replaceAll(' ', '%20'))).body.result_count).toBe(2);
    const piped = { ...options, input: '{"type":"Task","state":"piped"}' };
    expect((await svc(['setNodeProperties', '--input', '-', 'priority=1', ...args], piped)).code).toBe(0);
    expect((await server.admin.get('/Task?state=piped&priority=1')).body.result_count).toBe(2);
  });

  it('tells what could not be done, and why a command was refused', async () => {
    const { args, options } = here();
    const left = await svc(['setNodeProperties', 'type=Task', 'nothing=1', ...args], options);
    expect(left.code).toBe(0);
    expect(left.err).toContain('Task has no property nothing');
    const refused = await svc(['rebuildIndex', 'type=Nothing', ...args], options);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toContain('Invalid type Nothing');
    expect(await svc(['noSuchCommand', ...args], options)).toMatchObject({ code: 1, out: '' });
    const missing = await svc(['letsencrypt', ...args], options);
    expect([missing.code, missing.err]).toEqual([1, expect.stringContaining('does not have')]);
  });

  it('is refused to others than administrators, without a word about the password', async () => {
    for (const [user, password, said] of [
      ['anna', 'anna', '401'],
      ['admin', 'not-the-one', '401'],
    ] as const) {
      const done = await svc(['flushCaches', '--url', server.url, '--user', user], { password });
      expect([done.code, done.out]).toEqual([1, '']);
      expect(done.err).toContain(said);
      expect(done.err).not.toContain('not-the-one');
    }
  });

  it.each([
    ['no command', [], 3, /name of a command/],
    ['no such option', ['flushCaches', '--password=secret-word'], 3, /not understood/],
    ['no pair', ['flushCaches', 'secret-word'], 3, /KEY=VALUE/],
    ['an address without a user', ['flushCaches', '--url', 'http://127.0.0.1'], 3, /go together/],
    ['a user without an address', ['flushCaches', '--user', 'admin'], 3, /go together/],
    [
      'both ways',
      ['flushCaches', '--conf', 'svc.conf', '--url', 'http://127.0.0.1', '--user', 'a'],
      3,
      /--url or --conf/,
    ],
    ['another protocol', ['flushCaches', '--url', 'ftp://127.0.0.1', '--user', 'a'], 3, /http:/],
    [
      'a password in the address',
      ['flushCaches', '--url', 'http://a:secret-word@127.0.0.1', '--user', 'a'],
      3,
      /no password in the address/,
    ],
    ['settings that are not there', ['flushCaches', '--conf', 'nothing.conf'], 3, /no settings file/],
    ['a file that is not there', ['flushCaches', '--input', 'nothing.json'], 3, /cannot be read/],
    ['a file that is no JSON', ['flushCaches', '--input', 'README.md'], 3, /no JSON/],
    ['nobody there', ['flushCaches', '--url', 'http://127.0.0.1:1', '--user', 'a'], 1, /cannot be reached/],
  ])('refuses %s, and repeats no secret', async (_, args, code, said) => {
    // In this process: a dozen of them would take their time.
    const told: string[] = [];
    const spies = (['stdout', 'stderr'] as const).map((stream) =>
      vi.spyOn(process[stream], 'write').mockImplementation((text) => told.push(String(text)) > 0),
    );
    vi.stubEnv('SVCPASSWORD', 'x');
    try {
      expect(await run(args)).toBe(code);
    } finally {
      for (const spy of spies) spy.mockRestore();
      vi.unstubAllEnvs();
    }
    expect(told.join('')).toMatch(said);
    expect(told.join('')).not.toContain('secret-word');
  });

  it('gives its password to nobody that another server names', async () => {
    const seen: string[] = [];
    const other = createServer((request, response) => {
      seen.push(String(request.url));
      response.writeHead(302, { Location: `${server.url}/svc/rest/User` }).end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`;
    expect(await svc(['flushCaches', '--url', url, '--user', 'admin'], { password: 'admin' })).toMatchObject({
      code: 1,
    });
    expect(seen).toEqual(['/svc/rest/maintenance/flushCaches']);
    other.close();
  });

  it('prints its help', async () => {
    const help = await svc(['--help']);
    expect([help.code, help.err]).toEqual([0, '']);
    expect(help.out).toContain('svc maintenance rebuildIndex type=Project');
  });

  it.skipIf(onNeo4j)('says that the server has to be started', async () => {
    await server.end();
    const done = await svc(['rebuildIndex']);
    expect([done.code, done.out]).toEqual([1, '']);
    expect(done.err).toMatch(/is not running: start it \(svc --conf svc\.conf\)/);
    server = await TestServer.start({ folder: server.folder });
  });
});
