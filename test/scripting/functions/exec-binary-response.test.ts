/** Programs of the server whose output is the answer to a request (docs/interface/script-runtime.md 4.3, 8.8). */
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, readlink, truncate, writeFile } from 'node:fs/promises';
import { request as httpRequest, type ClientRequest, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';
import { uploaded } from '../../support/storage.js';

const MB = 1024 * 1024;
const PROGRAMS: Record<string, string> = {
  bytes: "printf '\\377\\000\\001'",
  echo: 'for one in "$@"; do printf "[%s]" "$one"; done',
  fail: 'echo half; exit 3',
  nothing: 'exit 0',
  zeros: 'exec head -c "$1" /dev/zero',
  waits: 'echo begun; sleep 60 & echo $! > "$1"; wait',
};
const METHODS: Record<string, string> = {
  bytes: "{ $.execBinary($.response, 'bytes.script'); return 'not this'; }",
  es: "execBinary(response, 'bytes.script')",
  typed: `{ $.setResponseCode(202); $.setResponseHeader('Content-Type', 'text/csv'); $.setResponseHeader('X-Mine', 'yes');
    $.execBinary($.response, 'echo.script', ['a', { value: 'b', mask: true }], 0); }`,
  twice: "{ $.execBinary($.response, 'echo.script', ['1']); $.execBinary($.response, 'echo.script', ['2']); }",
  nothing: "{ $.execBinary($.response, 'nothing.script'); return 'not this'; }",
  none: '{ return typeof $.response; }',
  named: "{ $.execBinary($.response, 'echo.script', [$.methodParameters.name]); }",
  fails: "{ $.create('Task', { name: 'lost' }); $.execBinary($.response, 'fail.script'); }",
  failsLater:
    "{ $.execBinary($.response, 'bytes.script'); $.create('Task', { name: 'lost' }); $.error('name', 'is_bad'); }",
  caught: `{ $.execBinary($.response, 'echo.script', ['kept']); try { $.execBinary($.response, 'fail.script') } catch {}
    $.execBinary($.response, 'echo.script', ['too']); }`,
  taken: "{ $.execBinary($.response, 'bytes.script'); $.create('Task', { name: 'lost' }); $.rollbackTransaction(); }",
  unknown: "{ $.execBinary($.response, 'unknown.script'); }",
  inner: '{ $.bytes(); }',
  zeros: "{ $.execBinary($.response, 'zeros.script', [$.methodParameters.size]); }",
  waits: "{ $.execBinary($.response, 'waits.script', [$.methodParameters.file]); }",
};

let server: TestServer;
beforeAll(async () => {
  const settings: Record<string, string | number> = { 'uploadservlet.maxfilesize': 60 };
  for (const name of Object.keys(PROGRAMS)) settings[`${name}.script`] = `${name}.sh`;
  server = await TestServer.start({ settings });
  const folder = join(server.folder, 'scripts');
  await mkdir(folder, { recursive: true });
  for (const [name, source] of Object.entries(PROGRAMS)) {
    await writeFile(join(folder, `${name}.sh`), `#!/bin/sh\n${source}\n`);
    await chmod(join(folder, `${name}.sh`), 0o755);
  }
  const { admin } = server;
  await admin.defineType('Task');
  for (const [name, source] of Object.entries(METHODS))
    await admin.create('SchemaMethod', { name, source, returnRawResult: true });
  await admin.create('SchemaMethod', { name: 'got', source: METHODS['typed'], returnRawResult: true, httpVerb: 'GET' });
  await admin.create('SchemaMethod', { name: 'wrapped', source: METHODS['bytes'] });
});
afterAll(() => server.stop());

function begin(path: string, body?: unknown): ClientRequest {
  const data = body === undefined ? undefined : JSON.stringify(body);
  const req = httpRequest(`${server.url}/svc/rest${path}`, {
    method: data === undefined ? 'GET' : 'POST',
    headers: { 'X-User': 'admin', 'X-Password': 'admin', 'Content-Type': 'application/json' },
  });
  req.on('error', () => undefined);
  req.end(data);
  return req;
}
async function answerOf(req: ClientRequest): Promise<IncomingMessage> {
  const [answer] = (await once(req, 'response')) as [IncomingMessage];
  return answer;
}
async function bytesOf(path: string, body: unknown = {}): Promise<{ answer: IncomingMessage; bytes: Buffer }> {
  const answer = await answerOf(begin(path, body));
  const pieces: Buffer[] = [];
  for await (const piece of answer) pieces.push(piece as Buffer);
  return { answer, bytes: Buffer.concat(pieces) };
}
const textOf = async (path: string, body?: unknown): Promise<string> => (await bytesOf(path, body)).bytes.toString();
const tasks = async (): Promise<number> => (await server.admin.get('/Task')).body.result_count;

/** Temporary files that the server still has open. */
async function spools(): Promise<string[]> {
  const folder = `/proc/${String(server.child.pid)}/fd`;
  const paths = (await readdir(folder)).map((one) => join(folder, one));
  const targets = await Promise.all(paths.map((one) => readlink(one).catch(() => 'gone')));
  return paths.filter((_, i) => targets[i]?.includes('svc-spool-'));
}
const noSpools = () => vi.waitFor(async () => expect(await spools()).toEqual([]), 5000);

describe('what a program writes', () => {
  it.each(['bytes', 'es', 'inner', 'taken'])('is the answer of a method with a raw result: %s', async (name) => {
    const { answer, bytes } = await bytesOf(`/${name}`);
    expect(answer.statusCode).toBe(200);
    expect([...bytes]).toEqual([255, 0, 1]);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-length': '3',
      'x-content-type-options': 'nosniff',
    });
    expect(await tasks()).toBe(0);
  });

  it('has the status, type and headers that the script sets', async () => {
    const { answer, bytes } = await bytesOf('/typed');
    expect([answer.statusCode, bytes.toString()]).toEqual([202, '[a][b]']);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/csv', 'x-mine': 'yes', 'content-length': '6' });
  });

  it('is sent to HEAD without its bytes', async () => {
    expect((await server.admin.get('/got')).text).toBe('[a][b]');
    const head = await server.admin.send('HEAD', '/got');
    expect([head.status, head.text]).toEqual([202, '']);
    expect(head.headers).toMatchObject({ 'content-type': 'text/csv', 'content-length': '6' });
    const packed = await server.admin.send('HEAD', '/got', undefined, { 'Accept-Encoding': 'gzip' });
    expect([packed.status, packed.headers['content-length']]).toEqual([202, undefined]);
  });

  it('adds up, also over the calls of one request', async () => {
    expect(await textOf('/twice')).toBe('[1][2]');
    expect(await textOf('/named', [{ name: 'a' }, { name: 'b' }])).toBe('[a][b]');
    expect(await textOf('/caught')).toBe('[kept][too]');
  });

  it('may be nothing; without it the result is answered as ever', async () => {
    const { answer, bytes } = await bytesOf('/nothing');
    expect([answer.statusCode, bytes.length, answer.headers['content-type']]).toEqual([
      200,
      0,
      'application/octet-stream',
    ]);
    expect(await textOf('/none')).toBe('"object"\n');
  });
});

describe('it is refused', () => {
  const refused = async (path: string): Promise<string> => {
    const answer = await server.admin.post(path, {});
    expect([answer.status, answer.headers['content-type']], answer.text).toEqual([
      422,
      'application/json;charset=utf-8',
    ]);
    return answer.body.message;
  };

  it('where the answer has a form of its own, with what to do', async () => {
    expect(await refused('/wrapped')).toMatch(/returnRawResult set to true/);
    const id = await uploaded(server.admin, {}, 'page.txt', Buffer.from("a ${execBinary(response, 'bytes.script')} b"));
    await server.admin.put(`/File/${id}`, { isTemplate: true });
    const page = await server.admin.get(`/svc/html/${id}`);
    expect([page.status, page.body.message]).toEqual([422, expect.stringMatching(/returnRawResult/)]);
  });

  it('where there is no request', async () => {
    await server.admin.create('SchemaNode', {
      name: 'Quiet',
      schemaMethods: [{ name: 'onCreate', source: "{ $.execBinary($.response, 'bytes.script'); }" }],
    });
    expect(await refused('/Quiet')).toMatch(/no response where scripts run without a request/);
  });

  it('when the program fails or is none: the answer is the error, and nothing is written', async () => {
    expect(await refused('/fails')).toMatch(/fail\.script ended with 3/);
    expect(await refused('/failsLater')).toMatch(/Server-side scripting error/);
    expect(await refused('/unknown')).toMatch(/No setting unknown\.script/);
    expect(await tasks()).toBe(0);
  });

  it('to those who may not call the method', async () => {
    expect((await server.as().post('/bytes', {})).status).toBe(401);
    await server.admin.create('User', { name: 'reader', password: 'Secret-pass-1' });
    const reader = server.as('reader', 'Secret-pass-1');
    expect((await reader.post('/bytes', {})).status).toBe(401);
    await allow(server.admin, 'bytes', 'user', ['POST']);
    expect((await reader.post('/bytes', {})).status).toBe(200);
  });

  it('when there is more than an answer may have', async () => {
    await server.reload({ 'uploadservlet.maxfilesize': 1 });
    const answer = await server.admin.post('/zeros', { size: 2 * MB });
    expect([answer.status, answer.body.message]).toEqual([413, expect.stringMatching(/1 MB/)]);
    await server.reload({ 'uploadservlet.maxfilesize': 60 });
    await noSpools();
  });
});

describe('large output', () => {
  const SIZE = 50 * MB;
  /** Most memory that the server had so far, bytes. */
  const most = async (): Promise<number> => {
    const status = await readFile(`/proc/${String(server.child.pid)}/status`, 'utf8');
    return Number(/VmHWM:\s*(\d+) kB/.exec(status)?.[1]) * 1024;
  };
  const count = async (answer: IncomingMessage): Promise<number> => {
    let size = 0;
    for await (const piece of answer) size += (piece as Buffer).length;
    return size;
  };

  it('is sent as fast as it is taken, and needs no memory', async () => {
    const some = await Promise.all([1, 2].map(() => answerOf(begin('/zeros', { size: 16 * MB }))));
    await Promise.all(some.map(count));
    const before = await most();
    const answers = await Promise.all([1, 2].map(() => answerOf(begin('/zeros', { size: SIZE }))));
    expect(answers[0]?.headers['content-length']).toBe(String(SIZE));
    // Nobody reads for a while.
    await sleep(300);
    expect(await Promise.all(answers.map(count))).toEqual([SIZE, SIZE]);
    expect((await most()) - before).toBeLessThan(0.6 * SIZE);
    await noSpools();
  });

  it('is forgotten when the client goes away', async () => {
    const req = begin('/zeros', { size: SIZE });
    const answer = await answerOf(req);
    expect(await spools()).toHaveLength(1);
    answer.destroy();
    await noSpools();
    expect(await textOf('/twice')).toBe('[1][2]');
  });

  it('that cannot be read any more ends the connection, and is logged', async () => {
    const answer = await answerOf(begin('/zeros', { size: SIZE }));
    const [file = ''] = await spools();
    await truncate(file, 0);
    await expect(count(answer)).rejects.toThrow();
    expect(await server.untilLogged(/an answer broke off after it had begun/)).toHaveLength(1);
    await noSpools();
  });
});

it('a program ends when the client goes away', async () => {
  const file = join(server.folder, 'pid');
  const req = begin('/waits', { file });
  let pid = 0;
  for (let i = 0; i < 500 && !(pid > 0); i++) {
    await sleep(10);
    pid = Number(await readFile(file, 'utf8').catch(() => '0'));
  }
  expect(pid).toBeGreaterThan(0);
  req.destroy();
  const state = (): Promise<string> => readFile(`/proc/${String(pid)}/stat`, 'utf8').catch(() => 'gone');
  for (let i = 0; i < 300 && !/^gone$| Z /.test(await state()); i++) await sleep(10);
  expect(await state()).toMatch(/^gone$| Z /);
});
