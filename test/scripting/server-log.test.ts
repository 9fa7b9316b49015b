/** The log of the server in a file, and what scripts read of it (docs/interface/script-runtime.md 8.11, docs/interface/operations.md 8.2). */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EXIT } from '../../src/main/exit-codes.js';
import { lastLines } from '../../src/main/scripting/outside/programs/server-logs.js';
import { LogFile } from '../../src/shared/log-file.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { Calls } from './calls.js';

const MB = 1024 * 1024;

describe('a server whose LOG_FILE names a file', () => {
  let server: TestServer;
  let calls: Calls;
  const log = (name: string): string => join(server.folder, 'logs', name);

  beforeAll(async () => {
    server = await TestServer.start({ environment: { LOG_FILE: 'logs/own.log' } });
    calls = await Calls.on(server, { exLog: "serverlog(2, 10, retrieve('file'))", exLogs: 'getAvailableServerlogs()' });
  });
  afterAll(() => server.stop());

  it('writes what it prints', async () => {
    await calls.js(['log', 'a line of a script']);
    await expect.poll(() => readFile(log('own.log'), 'utf8')).toContain('a line of a script');
    expect((await readFile(log('own.log'), 'utf8')).trimEnd().split('\n')).toEqual(server.lines);
  });

  it('adds to the file when it starts again', async () => {
    await writeFile(log('second.log'), 'from before\n');
    const second = await TestServer.start({ environment: { LOG_FILE: log('second.log') } });
    await second.stop();
    const lines = (await readFile(log('second.log'), 'utf8')).split('\n');
    expect(lines[0]).toBe('from before');
    expect(lines.at(-2)).toMatch(/stopped$/);
    await rm(log('second.log'));
  });

  it('shows scripts its last lines, and those of older files beside it', async () => {
    for (let i = 0; i < 60; i++) await calls.js(['log', `line ${String(i)} of many`]);
    await expect.poll(() => readFile(log('own.log'), 'utf8')).toContain('line 59 of many');
    await writeFile(log('own.log.2026-01-01'), 'one of old\ntwo of old, which is long\nthree\n');
    await writeFile(log('own.log.2025-12-31.gz'), 'packed');
    await writeFile(log('other.log'), 'of somebody else');
    await mkdir(log('own.log.d'));

    const logs = [log('own.log'), log('own.log.2026-01-01')];
    expect(await calls.js(['getAvailableServerlogs'])).toEqual(logs);
    expect(await calls.ex('exLogs', {})).toEqual(logs);

    const all = String(await calls.js(['serverlog'])).split('\n');
    expect(all).toHaveLength(51);
    expect(all.at(-2)).toMatch(/line 59 of many$/);
    expect(await calls.js(['serverlog', 2, -1, logs[1]])).toBe('two of old, which is long\nthree\n');
    expect(await calls.js(['serverlog', 2, 10, logs[1]])).toBe('two of old[...]\nthree\n');
    expect(await calls.ex('exLog', { file: logs[1] })).toBe('two of old[...]\nthree\n');
    // What is none of them is not read.
    expect(await calls.js(['serverlog', 1, -1, log('other.log')])).toMatch(/line 59 of many\n$/);
    expect(await calls.js(['serverlog', 0])).toBe('');
    expect(await calls.js(['serverlog', -1])).toBe('');
  });

  it('shows them to administrators only', async () => {
    await server.admin.create('User', { name: 'jane', password: 'secret-of-jane' });
    await allow(server.admin, 'exLogs', 'user', ['POST']);
    await allow(server.admin, 'exLog', 'user', ['POST']);
    for (const name of ['/exLogs', '/exLog']) {
      const answer = await server.as('jane', 'secret-of-jane').post(name, {});
      expect([answer.status, answer.body.message]).toEqual([403, expect.stringContaining('administrators')]);
    }
  });
});

describe('a server without one', () => {
  it('has the files of others, or none', async () => {
    const server = await TestServer.start();
    try {
      const calls = await Calls.on(server, { none: 'eq(getAvailableServerlogs(), null)' });
      expect(await calls.ex('none', {})).toBe(true);
      expect(await calls.js(['serverlog'])).toBe('');
      await mkdir(join(server.folder, 'logs'));
      await writeFile(join(server.folder, 'logs', 'server.log'), 'redirected\n');
      expect(await calls.js(['getAvailableServerlogs'])).toEqual([join(server.folder, 'logs', 'server.log')]);
      expect(await calls.js(['serverlog'])).toBe('redirected\n');
    } finally {
      await server.stop();
    }
  });

  it('does not start when it cannot be written', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const { code, lines } = await TestServer.tryStart(folder, { environment: { LOG_FILE: '.' } });
    await rm(folder, { recursive: true });
    expect(code).toBe(EXIT.configuration);
    expect(lines.at(-1)).toContain('LOG_FILE');
  });
});

describe('the last lines of a file', () => {
  const withFile = async (content: string | Buffer, use: (path: string) => Promise<void>): Promise<void> => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    try {
      await writeFile(join(folder, 'log'), content);
      await use(join(folder, 'log'));
    } finally {
      await rm(folder, { recursive: true });
    }
  };

  it('are those of the whole', async () => {
    const line = fc.string({ unit: fc.constantFrom('a', 'ü', '😀', ' '), maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(line), fc.boolean(), fc.integer({ min: 0, max: 12 }), async (lines, isEnded, count) => {
        const text = lines.join('\n') + (isEnded ? '\n' : '');
        const all = text.split('\n');
        if (all.at(-1) === '') all.pop();
        await withFile(text, async (path) => {
          expect(await lastLines(path, count)).toEqual(count === 0 ? [] : all.slice(-count));
        });
      }),
      { numRuns: 50 },
    );
  });

  it('are found in long files, and in lines that are longer than what is looked at', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) => `line ${String(i)} ${'x'.repeat(40)}`);
    await withFile(`${lines.join('\n')}\n`, async (path) => {
      expect(await lastLines(path, 20_000)).toEqual(lines.slice(-20_000));
    });
    await withFile(`begun${'x'.repeat(10 * MB)}\nlast\n`, async (path) => {
      const [first = '', ...others] = await lastLines(path, 5);
      expect([first, others]).toEqual(['last', []]);
    });
  });
});

describe('a log that is faster than its disk', () => {
  it('says how many lines it lost', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
    const failed: unknown[] = [];
    const file = await LogFile.open(join(folder, 'a', 'log'), {
      failed: (error) => failed.push(error),
    });
    for (let i = 0; i < 10; i++) file.write(`${'x'.repeat(MB)}\n`);
    await expect.poll(() => readFile(join(folder, 'a', 'log'), 'utf8')).toMatch(/x\n\.\.\. 3 lines/);
    file.write('later\n');
    await expect.poll(() => readFile(join(folder, 'a', 'log'), 'utf8')).toMatch(/written\nlater\n$/);
    expect(failed).toEqual([]);
    await rm(folder, { recursive: true });
  });
});
