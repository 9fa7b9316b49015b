import { closeSync, existsSync, openSync, readFileSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { cp, mkdtemp, rename, rm, truncate, unlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { until } from '../support/files.js';
import { TestServer } from '../support/server.js';

/** Files of a database that are damaged, or not of one time: one clear line, a code of its own, and everything left as it is. */

/** A server that was stopped, one that was killed, and one copied while it ran, a start before it was killed. */
let made: string;
let folder: string;
const FRAME = 4096 + 24;

const fill = async (server: TestServer, from: number, to: number): Promise<void> => {
  for (let i = from; i < to; i++) {
    const { status } = await server.admin.post('/Folder', { name: `folder ${String(i)}`, meta: 'x'.repeat(500) });
    expect(status).toBe(201);
  }
};

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'svc-damage-'));
  let server = await TestServer.start({ folder: made });
  await fill(server, 0, 30);
  await server.end();
  await cp(join(made, 'db'), join(made, 'stopped'), { recursive: true, preserveTimestamps: true });
  server = await TestServer.start({ folder: made });
  await fill(server, 30, 60);
  await server.end();
  server = await TestServer.start({ folder: made });
  await fill(server, 60, 120);
  // The note of what has reached the disk comes a moment later.
  const note = (): string => readFileSync(join(made, 'db/graph.db-note'), 'utf8');
  await until(async () => Number(/"frames":(\d+)/.exec(note())?.[1]) > 30, 'the note tells of the log');
  await server.end('SIGKILL');
  await rename(join(made, 'db'), join(made, 'killed'));
}, 120_000);
afterAll(async () => {
  await rm(made, { recursive: true, force: true });
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** A database of which `change` makes something else. */
async function database(of: 'stopped' | 'killed'): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'svc-damage-'));
  await cp(join(made, of), join(folder, 'db'), { recursive: true, preserveTimestamps: true });
  return join(folder, 'db/graph.db');
}

function flip(file: string, at: number): void {
  const fd = openSync(file, 'r+');
  const byte = Buffer.alloc(1);
  readSync(fd, byte, 0, 1, at);
  byte.writeUInt8(byte.readUInt8() ^ 0xff);
  writeSync(fd, byte, 0, 1, at);
  closeSync(fd);
}

async function refused(): Promise<{ code: number | null; errors: string[]; same: boolean }> {
  const files = ['graph.db', 'graph.db-wal'].map((name) => join(folder, 'db', name));
  const contents = (): (Buffer | undefined)[] =>
    files.map((file) => (existsSync(file) ? readFileSync(file) : undefined));
  const before = contents();
  const { code, server, lines } = await TestServer.tryStart(folder, { folder });
  await server?.end();
  const same = contents().every((now, i) =>
    now === undefined ? before[i] === undefined : before[i]?.equals(now) === true,
  );
  return { code, errors: lines.filter((line) => line.includes(' ERROR ')), same };
}

const restored = /backup/;
const FEWER = /with its log ends at commit \d+, and graph\.db-note says that there were \d+/;

it.each([
  [
    'a log without its database',
    21,
    /graph\.db-wal is the log of a database, and .*graph\.db is missing/,
    (db: string) => unlink(db),
  ],
  ['a log beside an empty database', 21, /graph\.db is missing or empty/, (db: string) => writeFile(db, '')],
  [
    'a database older than its log',
    21,
    /graph\.db is older than its log/,
    (db: string) => cp(join(made, 'stopped/graph.db'), db, { force: true }),
  ],
  [
    'a flipped byte in the middle of the log',
    20,
    /graph\.db-wal is damaged at frame 12: at least \d+ transactions behind it cannot be read/,
    (db: string) => {
      flip(`${db}-wal`, 32 + 11 * FRAME + 2000);
    },
  ],
  [
    'a flipped byte in the checksum of a frame',
    20,
    /damaged at frame 12/,
    (db: string) => {
      flip(`${db}-wal`, 32 + 11 * FRAME + 18);
    },
  ],
  [
    'a flipped byte in the head of the log',
    20,
    /damaged at frame 1:/,
    (db: string) => {
      flip(`${db}-wal`, 17);
    },
  ],
  [
    'a log that was cut',
    20,
    /at least 1 transactions behind it/,
    (db: string) => {
      truncateSync(`${db}-wal`, 32 + 20 * FRAME);
    },
  ],
  ['a log that is gone', 20, /graph\.db-wal is missing/, (db: string) => unlink(`${db}-wal`)],
  [
    'a log that is gone, of files that were copied without their times',
    20,
    FEWER,
    async (db: string) => {
      await unlink(`${db}-wal`);
      await utimes(db, new Date(), new Date());
    },
  ],
  [
    'an older database without a log',
    20,
    FEWER,
    async (db: string) => {
      await unlink(`${db}-wal`);
      await cp(join(made, 'stopped/graph.db'), db, { force: true });
    },
  ],
  ['a log of less than its head', 20, FEWER, (db: string) => truncate(`${db}-wal`, 10)],
  [
    'a log that was overwritten with nothing',
    20,
    FEWER,
    (db: string) => writeFile(`${db}-wal`, Buffer.alloc(statSync(`${db}-wal`).size)),
  ],
  [
    'a log that was overwritten with something',
    20,
    FEWER,
    (db: string) => writeFile(`${db}-wal`, 'text '.repeat(9000)),
  ],
])('%s: exit code %i', async (_, code, message, change) => {
  await Promise.resolve(change(await database('killed')));
  const found = await refused();
  expect(found.errors).toEqual([expect.stringMatching(message)]);
  expect(found.errors[0]).toMatch(restored);
  expect([found.code, found.same]).toEqual([code, true]);
});

it.each([
  [
    'flipped bytes at its beginning',
    /first bytes are damaged/,
    (db: string) => {
      flip(db, 3);
    },
  ],
  [
    'a flipped page size',
    /damaged/,
    (db: string) => {
      flip(db, 16);
    },
  ],
  [
    'a flipped byte in an interior page',
    /damaged/,
    (db: string) => {
      flip(db, rootOf(db) * 4096 + 5);
    },
  ],
  [
    'half of it',
    /damaged/,
    (db: string) => {
      truncateSync(db, Math.floor(statSync(db).size / 8192) * 4096);
    },
  ],
  ['nothing in it', /missing or empty/, (db: string) => writeFile(db, '')],
  ['no file', /missing or empty/, (db: string) => unlink(db)],
  [
    'something else',
    /not a database/,
    (db: string) => writeFile(db, 'this is a text, and no database at all\n'.repeat(200)),
  ],
])('a database with %s: exit code 19, and never a new one', async (_, message, change) => {
  await Promise.resolve(change(await database('stopped')));
  const found = await refused();
  expect(found.errors).toEqual([expect.stringMatching(message)]);
  expect(found.errors[0]).toMatch(restored);
  expect([found.code, found.same]).toEqual([19, true]);
});

/** The first interior page of a table or index: its number from 0. */
function rootOf(db: string): number {
  const bytes = readFileSync(db);
  for (let page = 1; page < bytes.length / 4096; page++) if ([2, 5].includes(bytes.readUInt8(page * 4096))) return page;
  throw new Error('no interior page');
}

it('a log that just ends early is no damage: what was being written when the server was killed', async () => {
  const db = await database('killed');
  const bytes = readFileSync(`${db}-wal`);
  // Half of a further frame.
  await writeFile(`${db}-wal`, Buffer.concat([bytes, bytes.subarray(32, 32 + 2000)]));
  const server = await TestServer.start({ folder });
  expect((await server.admin.get('/Folder?_pageSize=1')).body.result_count).toBe(120);
  expect(await server.end()).toBe(0);
});

it('a database that was copied together by other means is served without its log, and so is an older one after a stop', async () => {
  const db = await database('killed');
  // Closing it copies the log into it and removes that.
  new Library(db).exec('SELECT count(*) FROM node').close();
  expect(existsSync(`${db}-wal`)).toBe(false);
  let server = await TestServer.start({ folder });
  expect((await server.admin.get('/Folder?_pageSize=1')).body.result_count).toBe(120);
  expect(await server.end()).toBe(0);
  await cp(join(made, 'stopped/graph.db'), db, { force: true });
  server = await TestServer.start({ folder });
  expect((await server.admin.get('/Folder?_pageSize=1')).body.result_count).toBe(30);
  expect(await server.end()).toBe(0);
});

it('what is left of a damaged log is served once its note is removed', async () => {
  const db = await database('killed');
  flip(`${db}-wal`, 32 + 40 * FRAME + 2000);
  expect((await refused()).code).toBe(20);
  await unlink(join(folder, 'db/graph.db-note'));
  const server = await TestServer.start({ folder });
  expect((await server.admin.get('/Folder?_pageSize=1')).body.result_count).toBeGreaterThanOrEqual(60);
  expect(server.logged(/is damaged at frame 41, and \d+ transactions behind it are left out/)).toHaveLength(1);
  expect(await server.end()).toBe(0);
});
