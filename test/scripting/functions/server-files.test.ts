/** Files and programs of the server (docs/interface/script-runtime.md 8.8), by methods over REST in both languages. */
import { chmod, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { uploaded } from '../../support/storage.js';
import { Calls } from '../calls.js';

let server: TestServer;
let calls: Calls;
const PROGRAMS: Record<string, string> = {
  'echo.sh': '#!/bin/sh\nfor one in "$@"; do printf "[%s]" "$one"; done',
  'bare.sh': 'printf "bare %s" "$1"',
  'fail.sh': '#!/bin/sh\necho half; echo "something broke" >&2; exit 3',
  'endless.sh': '#!/bin/sh\nexec yes',
  'sleep.sh': `#!/bin/sh\nsleep 60 & echo $! > "$1"; sleep 60`,
  'env.sh': '#!/bin/sh\nenv',
  'daemon.sh': '#!/bin/sh\necho begun; setsid sleep 30 & exit 0',
  'leaves.sh': '#!/bin/sh\necho begun; setsid sleep 30 >/dev/null & exit 0',
  'stays.sh': '#!/bin/sh\nexec setsid sleep 30',
  'bytes.sh': "#!/bin/sh\nprintf '\\377\\000\\001'",
};

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'echo.script': 'echo.sh',
      'Upper.Script': 'echo.sh',
      'bare.script': 'bare.sh',
      'fail.script': 'fail.sh',
      'endless.script': 'endless.sh',
      'sleep.script': 'sleep.sh',
      'env.script': 'env.sh',
      'bytes.script': 'bytes.sh',
      'daemon.script': 'daemon.sh',
      'leaves.script': 'leaves.sh',
      'stays.script': 'stays.sh',
      'up.script': '../outside.sh',
      'link.script': 'link.sh',
      'folder.script': 'folder',
      'gone.script': 'gone.sh',
      'scripts.timeout': 2,
      'scripts.maxoutput': 1,
    },
  });
  const folder = join(server.folder, 'scripts');
  await mkdir(join(folder, 'folder'), { recursive: true });
  for (const [name, source] of [...Object.entries(PROGRAMS), ['../outside.sh', '#!/bin/sh\necho out'] as const]) {
    await writeFile(join(folder, name), source);
    await chmod(join(folder, name), 0o755);
  }
  await symlink(join(server.folder, 'outside.sh'), join(folder, 'link.sh'));
  calls = await Calls.on(server, {
    exRead: "read(retrieve('name'))",
    exWrite: "concat(write(retrieve('name'), 'a', 1, null), append(retrieve('name'), '+b'), read(retrieve('name')))",
    jsExec: `{
      const { key, params, behaviour } = $.methodParameters;
      return behaviour === undefined ? $.exec(key, JSON.parse(params)) : $.exec(key, JSON.parse(params), behaviour);
    }`,
    jsBinary:
      "{ $.execBinary($.find('File', $.retrieve('id')), $.retrieve('key'), JSON.parse($.retrieve('params'))); }",
    exExec: "exec('echo.script', merge('a b', '$HOME'))",
    exOld: "exec('echo.script', 'one', 'two')",
    exBinary: "execBinary(first(find('File', 'id', retrieve('id'))), 'bytes.script')",
  });
});
afterAll(() => server.stop());

/** Lists within lists do not come through a request as they are. */
const exec = (key: string, parameters: readonly unknown[], behaviour?: number): Promise<unknown> =>
  calls.ex('jsExec', { key, params: JSON.stringify(parameters), ...(behaviour === undefined ? {} : { behaviour }) });
const refusedExec = async (key: string, parameters: readonly unknown[], behaviour?: number): Promise<string> => {
  const body = { key, params: JSON.stringify(parameters), ...(behaviour === undefined ? {} : { behaviour }) };
  const answer = await server.admin.post('/jsExec', body);
  expect(answer.status, answer.text).toBe(422);
  return answer.body.message;
};
const exchange = (name: string): string => join(server.folder, 'exchange', name);

describe('files of the server', () => {
  it('are written once, added to and read', async () => {
    expect(await calls.ex('exWrite', { name: 'ex.txt' })).toBe('a1.0+b');
    expect(await readFile(exchange('ex.txt'), 'utf8')).toBe('a1.0+b');
    expect(await calls.js(['write', 'js.txt', 'grün'], ['write', 'js.txt', 'other'], ['read', 'js.txt'])).toBe('grün');
    expect(await calls.js(['append', 'new.txt', 'x', 'y'], ['append', '/new.txt', 'z'], ['read', './new.txt'])).toBe(
      'xyz',
    );
    expect(await calls.ex('exRead', { name: 'nothing.txt' })).toBe('');
  });

  it('lie in the folder for them and nowhere else', async () => {
    await mkdir(exchange('sub'), { recursive: true });
    await writeFile(join(server.folder, 'secret.txt'), 'secret');
    await symlink(join(server.folder, 'secret.txt'), exchange('link.txt'));
    await symlink(server.folder, exchange('out'));
    for (const name of ['../secret.txt', 'sub/../../secret.txt', 'link.txt', 'out/secret.txt', 'out/new.txt']) {
      for (const call of [
        ['read', name],
        ['write', name, 'x'],
        ['append', name, 'x'],
      ] as const) {
        const answer = await calls.raw([...call]);
        // A name that is taken stays as it is, whatever has it.
        if (call[0] === 'write' && name === 'link.txt') continue;
        expect([answer.status, answer.body.message], call.join(' ')).toEqual([403, expect.stringMatching(/leads out/)]);
      }
    }
    expect(await readFile(join(server.folder, 'secret.txt'), 'utf8')).toBe('secret');
    await expect(readFile(join(server.folder, 'new.txt'))).rejects.toThrow();
    expect(await calls.js(['write', 'sub/in.txt', 'inside'], ['read', 'sub/in.txt'])).toBe('inside');
  });

  it('are files, and not too large', async () => {
    for (const name of ['', '.', 'sub', 'a\0b', 'js.txt/x']) {
      expect(await calls.refused(['read', name]), name).toMatch(/is no file/);
    }
    expect(await calls.refused(['write', 'nowhere/x.txt', 'x'])).toMatch(/cannot be opened: ENOENT/);
    await writeFile(exchange('large.txt'), Buffer.alloc(17 * 1024 * 1024));
    expect((await calls.raw(['read', 'large.txt'])).status).toBe(413);
  });

  it('are nowhere when no folder is set', async () => {
    await server.reload({ 'data.exchange.path': '' });
    expect((await calls.raw(['read', 'js.txt'])).status).toBe(403);
    await server.reload({ 'data.exchange.path': '.' });
    expect((await calls.raw(['read', 'svc.conf'])).status).toBe(403);
    expect((await calls.raw(['append', 'svc.conf', 'x'])).status).toBe(403);
    await server.reload({ 'data.exchange.path': 'exchange' });
  });
});

describe('programs of the server', () => {
  it('get their parameters as they are, and answer what they write', async () => {
    expect(await calls.ex('exExec', {})).toBe('[a b][$HOME]');
    expect(await calls.ex('exOld', {})).toBe('[one][two]');
    expect(await exec('echo.script', ['; rm -rf /', '$(id)', { value: 'x' }, 7])).toBe('[; rm -rf /][$(id)][x][7]');
    expect(await exec('upper.script', [])).toBe('');
    expect(await exec('bare.script', ['x'])).toBe('bare x');
  });

  it('are logged as asked for, without what is masked', async () => {
    const secret = { value: 'very secret', mask: true };
    await exec('echo.script', ['shown', secret]);
    const [line] = await server.untilLogged(/scripting\.exec - .*shown/);
    expect(line).toMatch(/scripts\/echo\.sh "shown" \*\*\*$/);
    const before = server.logged(/scripting\.exec/).length;
    await exec('echo.script', ['quiet', secret], 0);
    await exec('echo.script', ['quiet', secret], 1);
    await sleep(50);
    expect(server.logged(/scripting\.exec/).slice(before)).toEqual([expect.stringMatching(/echo\.sh$/)]);
    expect(server.logged(/very secret|quiet/)).toEqual([]);
  });

  it('run only when a setting names them, in their folder', async () => {
    expect(await calls.refused(['exec', 'no.script'])).toMatch(/No setting no\.script/);
    expect(await calls.refused(['exec', 'application.title'])).toMatch(/No setting/);
    expect(await calls.refused(['exec', 'up.script'])).toMatch(/leads upwards/);
    expect(await calls.refused(['exec', 'link.script'])).toMatch(/symbolic link/);
    expect(await calls.refused(['exec', 'folder.script'])).toMatch(/is no file/);
    expect(await calls.refused(['exec', 'gone.script'])).toMatch(/cannot be found/);
    expect(await refusedExec('echo.script', ['a\0b'])).toMatch(/character/);
    expect(await refusedExec('echo.script', ['x'], 5)).toMatch(/0, 1 or 2/);
    await server.reload({ 'scripts.path.allowpathtraversal': true, 'scripts.path.allowsymboliclinks': true });
    expect(await calls.js(['exec', 'up.script'])).toBe('out\n');
    expect(await calls.js(['exec', 'link.script'])).toBe('out\n');
    await server.reload({ 'scripts.path.allowpathtraversal': false, 'scripts.path.allowsymboliclinks': false });
  });

  it('end when they take too long or write too much, with all that they began', async () => {
    expect(await calls.refused(['exec', 'endless.script'])).toMatch(/scripts\.maxoutput/);
    // What they leave running in a session of its own holds their output.
    expect(await calls.js(['exec', 'stays.script'])).toBe('');
    expect(await calls.js(['exec', 'daemon.script'])).toBe('begun\n');
    expect(await calls.js(['exec', 'leaves.script'])).toBe('begun\n');
    const file = join(server.folder, 'pid');
    const begun = performance.now();
    expect(await refusedExec('sleep.script', [file])).toMatch(/longer than 2 s/);
    expect(performance.now() - begun).toBeLessThan(20_000);
    const pid = Number(await readFile(file, 'utf8'));
    expect(pid).toBeGreaterThan(0);
    await sleep(100);
    const state = await readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => 'gone');
    expect(state === 'gone' || / Z /.test(state)).toBe(true);
  });

  it('that fail are logged, and do not see secrets of the server', async () => {
    expect(await calls.js(['exec', 'fail.script'])).toBe('half\n');
    expect(await server.untilLogged(/ended with 3: something broke/)).toHaveLength(1);
    const seen = (await calls.js(['exec', 'env.script'])) as unknown as string;
    expect(seen).toMatch(/^PATH=/m);
    expect(seen).not.toMatch(/PASSWORD/i);
  });

  it('fill files, for who may write to them', async () => {
    const { admin } = server;
    const id = await uploaded(admin, {}, 'target.bin', Buffer.from('old'));
    const content = async (): Promise<string> => (await admin.get(`/svc/html/${id}`)).text;
    expect(await calls.refused(['execBinary', { file: id }, 'fail.script'])).toMatch(/ended with 3/);
    expect(await content()).toBe('old');
    await calls.ex('jsBinary', { id, key: 'echo.script', params: '["new"]' });
    expect(await content()).toBe('[new]');
    await calls.ex('exBinary', { id });
    expect((await admin.get(`/File/${id}`)).body.result.size).toBe(3);
    expect(await calls.refused(['execBinary', 'no file', 'echo.script'])).toMatch(/no object/);
    await admin.create('User', { name: 'reader', password: 'Secret-pass-1' });
    await allow(admin, 'exBinary', 'user', ['POST']);
    await admin.put(`/File/${id}`, { visibleToAuthenticatedUsers: true });
    expect((await server.as('reader', 'Secret-pass-1').post('/exBinary', { id })).status).toBe(403);
  });
});
