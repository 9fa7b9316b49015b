/** `svc schema`: between a file and an instance, which is reached by its folder, running or stopped, or at an address. */
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { run } from '../../../src/main/commands/schema-command.js';
import { setLogLevel } from '../../../src/shared/log.js';
import { SVC } from '../../support/launched.js';
import { onNeo4j, TestServer } from '../../support/server.js';
import { EMPTY, exported, makeLibrary } from './library.js';

let server: TestServer;
let folder: string;

interface Done {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** As users run it: with the launcher, in a process of its own, in the folder. */
const launched = (args: readonly string[], input = ''): Promise<Done> =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [SVC, 'schema', ...args], {
      cwd: folder,
      env: { ...process.env, SVC_TEST_DRIVER: undefined },
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

/** The same in this process, which takes a hundredth of the time. */
async function schema(args: readonly string[]): Promise<Done> {
  const said = { out: '', err: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      said[name === 'stdout' ? 'out' : 'err'] += String(text);
      return true;
    }),
  );
  try {
    return { code: await run(args), ...said };
  } finally {
    for (const spy of spies) spy.mockRestore();
    setLogLevel('INFO');
  }
}

const file = (name: string): string => join(folder, name);
/** Names the instance by its settings. */
const here = (): string[] => ['--conf', file('svc.conf')];

/** A schema with one more type. */
const withShelf = (text: string): string =>
  JSON.stringify({ ...(JSON.parse(text) as object), definitions: { ...definitionsOf(text), Shelf: {} } });
const definitionsOf = (text: string): object => (JSON.parse(text) as { definitions: object }).definitions;

beforeAll(async () => {
  server = await TestServer.start();
  ({ folder } = server);
  await makeLibrary(server.admin);
});
afterAll(async () => {
  await server.end();
  await rm(folder, { recursive: true, force: true });
});

/** The same commands, whichever way the instance is reached. */
async function keepsAlike(ways: readonly string[]): Promise<void> {
  const saved = await schema(['export', file('first.json'), ...ways]);
  expect(saved).toEqual({ code: 0, out: '', err: '' });
  const text = await readFile(file('first.json'), 'utf8');
  expect(await schema(['export', '-', ...ways])).toEqual({ code: 0, out: `${text}\n`, err: '' });
  expect(await schema(['diff', file('first.json'), ...ways])).toEqual({ code: 0, out: '', err: '' });
  await writeFile(file('second.json'), withShelf(text));
  const added = 'added type Shelf\n';
  expect(await schema(['diff', file('second.json'), ...ways])).toEqual({ code: 1, out: added, err: '' });
  const tried = await schema(['apply', file('second.json'), '--dry-run', ...ways]);
  expect(tried).toEqual({ code: 0, out: added, err: '1 differences; nothing has changed.\n' });
  expect((await schema(['diff', file('first.json'), ...ways])).code).toBe(0);
  const done = await schema(['apply', file('second.json'), ...ways]);
  expect(done).toEqual({ code: 0, out: added, err: '1 differences were applied.\n' });
  expect(await schema(['diff', file('first.json'), ...ways])).toEqual({
    code: 1,
    out: 'removed type Shelf\n',
    err: '',
  });
  expect((await schema(['apply', file('first.json'), ...ways])).code).toBe(0);
  expect((await schema(['diff', file('first.json'), ...ways])).code).toBe(0);
  await writeFile(file('wrong.json'), '{"definitions":{"A":{"properties":{"b":{"type":"string","enum":[]}}}}}');
  for (const args of [
    ['apply', file('wrong.json'), '--dry-run'],
    ['apply', file('wrong.json')],
  ])
    expect(await schema([...args, ...ways])).toMatchObject({
      code: 1,
      err: expect.stringContaining('names no members'),
    });
  expect((await schema(['diff', file('first.json'), ...ways])).code).toBe(0);
}

describe('svc schema', () => {
  it('works with a running server', async () => {
    await keepsAlike(here());
    const text = await exported(server.admin);
    expect(await readFile(file('first.json'), 'utf8')).toBe(text);
    expect(await launched(['apply', '-'], withShelf(text))).toMatchObject({ code: 0, out: 'added type Shelf\n' });
    expect((await server.admin.get('/Shelf')).status).toBe(200);
    expect((await launched(['apply', 'first.json'])).code).toBe(0);
    expect(await launched(['export', '-'])).toEqual({ code: 0, out: `${text}\n`, err: '' });
  });

  it('works with a server at an address', async () => {
    vi.stubEnv('SVCPASSWORD', 'admin');
    await keepsAlike(['--url', server.url, '--user', 'admin']);
    const login = (name: string, url = server.url): string[] => [...['--url', url, '--user', name]];
    const told = await schema(['diff', file('first.json'), ...login('nobody')]);
    expect(told).toMatchObject({ code: 2, out: '', err: expect.stringContaining('answered 401') });
    const silent = await schema(['apply', file('first.json'), ...login('admin', 'http://127.0.0.1:9')]);
    expect(silent).toMatchObject({ code: 1, err: expect.stringContaining('cannot be reached') });
    await server.admin.create('User', { name: 'reader', password: 'a good one 1' });
    vi.unstubAllEnvs();
    const given = await launched(['apply', 'second.json', '--url', server.url, '--user', 'reader'], 'a good one 1\n');
    expect(given).toMatchObject({ code: 1, out: '', err: expect.stringContaining('answered 401') });
    expect((await schema(['diff', file('first.json'), ...here()])).code).toBe(0);
  });

  it('reads scripts in files beside the document', async () => {
    await schema(['export', file('first.json'), ...here()]);
    const document = {
      definitions: {
        Note: { methods: { go: { source: './Note/methods/go' }, gone: { source: './Note/methods/gone' } } },
      },
      methods: [{ name: 'sum', source: './_globalMethods/sum' }],
    };
    for (const [path, content] of [
      ['tree/schema.json', JSON.stringify(document)],
      ['tree/Note/methods/go', '1 + 1'],
      ['tree/_globalMethods/sum', '2 + 2'],
    ] as const) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const done = await schema(['apply', file('tree/schema.json'), ...here()]);
    expect(done).toMatchObject({ code: 0, err: expect.stringContaining('Note/methods/gone is missing') });
    const text = (await schema(['export', '-', ...here()])).out;
    expect(text).toContain('"source": "1 + 1"');
    expect(text).toContain('"source": "2 + 2"');
    expect((await schema(['apply', file('first.json'), ...here()])).code).toBe(0);
  });

  it.each<[RegExp, string[]]>([
    [/say export, diff or apply/, []],
    [/say export, diff or apply/, ['toString', 'x']],
    [/takes one file/, ['diff']],
    [/takes one file/, ['diff', 'a', 'b']],
    [/not understood/, ['diff', 'a', '--colour']],
    [/--dry-run is for apply/, ['export', 'a', '--dry-run']],
    [/--url or --conf/, ['export', 'a', '--url', 'http://x', '--conf', 'svc.conf']],
    [/go together/, ['export', 'a', '--user', 'admin']],
    [/go together/, ['export', 'a', '--url', 'http://x']],
    [/begins with http/, ['export', 'a', '--url', 'ftp://x', '--user', 'admin']],
    [/cannot be read/, ['diff', 'nothing.json']],
    [/no settings file/, ['export', 'a', '--conf', 'nothing.conf']],
    [/has to be in SVCPASSWORD/, ['apply', '-', '--url', 'http://x', '--user', 'admin']],
  ])('says %s', async (said, args) => {
    expect(await schema(args)).toMatchObject({ code: 3, out: '', err: expect.stringMatching(said) });
  });

  it('works with a database whose server is stopped', async () => {
    await server.end();
    await keepsAlike(here());
    expect((await launched(['apply', '-'], EMPTY)).code).toBe(0);
    server = await TestServer.start({ folder });
    expect((await server.admin.get('/Book')).status).toBe(404);
    // On Neo4j nobody else's command has to ask the server.
    if (!onNeo4j) expect(server.logged(/commands .* reach this server only/)).toEqual([]);
  });
});
