import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { type Line, openLine, wipe } from '../graph/neo4j.js';
import { TestServer } from '../support/server.js';

const UNAVAILABLE = 15;
const NOT_WRITABLE = 11;
const NEO4J = join(import.meta.dirname, '../support/neo4j.sh');
const run = promisify(execFile);
const SECRET = 'not-the-pass-phrase';
let folder: string;
let line: Line;
/** A Neo4j that is read-only: it takes as long to start as the tests before it take, which mostly wait. */
let readOnly: { env: NodeJS.ProcessEnv; started: Promise<{ stdout: string }> };

beforeAll(async () => {
  const TMPDIR = await mkdtemp(join(tmpdir(), 'svc-test-'));
  const env = { ...process.env, TMPDIR, NEO4J_MORE_CONF: 'server.databases.read_only=neo4j' };
  readOnly = { env, started: run(NEO4J, ['start'], { env }) };
  // The test that wants it says so.
  readOnly.started.catch(() => undefined);
});
afterAll(async () => {
  const { env, started } = readOnly;
  await started.catch(() => undefined);
  await run(NEO4J, ['stop'], { env });
  await rm(env['TMPDIR'] ?? '', { recursive: true, force: true });
});
beforeEach(async () => {
  await wipe();
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  line = await openLine();
});
afterEach(async () => {
  await line.close();
  await rm(folder, { recursive: true, force: true });
});

const start = (settings: Record<string, string | number>) =>
  TestServer.tryStart(folder, { folder, settings: { 'database.connection.url': line.url, ...settings } });
const errors = (lines: readonly string[]): string[] => lines.filter((one) => / ERROR /.test(one));

it('a database that cannot be reached is tried again with growing pauses, then the server gives up', async () => {
  line.cut();
  // Pauses of 0.5, 1, 2, 4 and 8 s: the last one would end too late, or the one before it where attempts take seconds.
  const { code, lines } = await start({ 'database.connection.starttimeout': 15_000 });
  expect(code).toBe(UNAVAILABLE);
  const pauses = lines.flatMap((one) => /cannot be reached.*again in ([\d.]+) s/.exec(one)?.[1] ?? []).map(Number);
  expect(pauses.length).toBeGreaterThan(2);
  expect(pauses).toEqual([...pauses].sort((a, b) => a - b));
  expect(new Set(pauses).size).toBeGreaterThan(1);
  expect(errors(lines)).toHaveLength(1);
  expect(errors(lines)[0]).toContain('Neo4j cannot be reached');
});

it('a database that comes later is waited for', async () => {
  line.cut();
  // The driver has given up by then, and the server has begun to wait.
  const mended = (async () => {
    while (line.refused === 0) await sleep(20);
    await sleep(2500);
    line.mend();
  })();
  const { server } = await start({ 'database.connection.starttimeout': 20_000 });
  expect(server?.logged(/again in/).length).toBeGreaterThan(0);
  expect((await server?.admin.get('/User'))?.status).toBe(200);
  await mended;
  await server?.end();
});

it('a wrong password ends the start with one line that does not show it', async () => {
  const { code, lines } = await start({ 'database.connection.password': SECRET });
  expect(code).toBe(UNAVAILABLE);
  expect(errors(lines)).toHaveLength(1);
  expect(errors(lines)[0]).toContain('refuses the user name or the password');
  expect(lines.join('\n')).not.toContain(SECRET);
});

it('a wrong database name ends the start with one line', async () => {
  const { code, lines } = await start({ 'database.connection.databasename': 'nosuch' });
  expect(code).toBe(UNAVAILABLE);
  expect(errors(lines)).toHaveLength(1);
  expect(errors(lines)[0]).toMatch(/no database/i);
});

it('a read-only server ends the start with one line that says what to do', async () => {
  const { stdout } = await readOnly.started;
  const url = /NEO4J_URL=(\S+)/.exec(stdout)?.[1] ?? '';
  const { code, lines } = await start({ 'database.connection.url': url });
  expect(code).toBe(NOT_WRITABLE);
  expect(errors(lines)).toHaveLength(1);
  expect(errors(lines)[0]).toMatch(/read-only: .*neo4j:\/\//);
});
