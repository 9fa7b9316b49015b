/** `svc config` as operators call it (docs/interface/operations.md 1.7). */
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { onNeo4j, TestServer } from '../support/server.js';

const SVC = fileURLToPath(new URL('../../bin/svc.js', import.meta.url));

let server: TestServer;
beforeAll(async () => {
  server = await TestServer.start({ environment: { SVC_application_title: 'Given' } });
});
afterAll(() => server.stop());

async function svc(args: readonly string[], input = ''): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [SVC, 'config', ...args, '--conf', 'svc.conf'], {
    cwd: server.folder,
    env: { ...process.env, SVC_TEST_DRIVER: undefined, SVC_application_title: 'Given' },
  });
  child.stdin.end(input);
  const [out, err, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.once('exit', resolve)),
  ]);
  return { code, out, err };
}
const stored = (): Promise<string> => readFile(join(server.folder, 'svc.conf'), 'utf8');

it('changes a setting, which a running server takes at once', async () => {
  const done = await svc(['set', 'json.indentation', 'false']);
  expect(done).toMatchObject({ code: 0, err: '' });
  expect(await stored()).toMatch(/^json.indentation = false$/m);
  if (!onNeo4j) {
    expect(done.out).toBe('The running server has read it.\n');
    expect((await server.admin.get('/_env')).text).not.toMatch(/\n\t/);
  }
  expect(await svc(['get', 'json.indentation'])).toMatchObject({ code: 0, out: 'false\n' });
  expect(await svc(['reset', 'json.indentation'])).toMatchObject({ code: 0, err: '' });
  expect(await stored()).not.toMatch(/json.indentation/);
});

it('says what counts from the next start on', async () => {
  const done = await svc(['set', 'database.reader.threads', '2']);
  expect([done.code, done.out]).toEqual([
    0,
    expect.stringContaining('From the next start on: database.reader.threads'),
  ]);
});

it('takes a secret from its input, and shows none in lists', async () => {
  expect(await svc(['set', 'smtp.password', '-'], 'a secret = word\n')).toMatchObject({ code: 0, err: '' });
  expect(await svc(['get', 'smtp.password'])).toMatchObject({ code: 0, out: 'a secret = word\n' });
  const { out } = await svc(['get']);
  expect(out).toContain('smtp.password = (secret)\n');
  expect(out).toContain('application.title = Given   (environment)\n');
  expect(out).not.toContain('a secret = word');
});

it.each([
  ['a value that cannot be', ['set', 'application.http.port', 'none'], 1, /application.http.port/],
  ['a setting of the environment', ['set', 'application.title', 'x'], 3, /environment gives/],
  ['no value', ['set', 'log.level'], 3, /name and a value/],
  ['a name that there is not', ['get', 'nothing.here'], 3, /no setting 'nothing.here'/],
  ['to reset what there is not', ['reset', 'nothing.here'], 3, /no setting 'nothing.here'/],
  ['another word', ['drop', 'x'], 3, /get, set or reset/],
  ['an option', ['get', '--nothing'], 3, /not understood/],
])('refuses %s, and changes nothing', async (_, args, code, said) => {
  const before = await stored();
  const done = await svc(args);
  expect([done.code, done.out]).toEqual([code, '']);
  expect(done.err).toMatch(said);
  expect(await stored()).toBe(before);
});
