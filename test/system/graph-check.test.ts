import { execFile } from 'node:child_process';
import { closeSync, openSync, readFileSync, utimesSync, writeFileSync, writeSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { until } from '../support/files.js';
import { SVC } from '../support/launched.js';
import { TestServer } from '../support/server.js';

/** `svc graph check`: nothing to say about a database that is well, a line for each thing that is not, and nothing changed. */

let made: string;
let folder: string;

const check = (...args: string[]): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    execFile(process.execPath, [SVC, 'graph', 'check', ...args], { cwd: folder }, (error, out, err) => {
      resolve({ code: error === null ? 0 : Number(error.code), out, err });
    });
  });

beforeAll(async () => {
  made = await mkdtemp(join(tmpdir(), 'svc-check-'));
  let server = await TestServer.start({ folder: made });
  await server.admin.defineType('Note', [
    { name: 'text', propertyType: 'String', indexed: true },
    { name: 'number', propertyType: 'Double', indexed: true },
    { name: 'flag', propertyType: 'Boolean', indexed: true },
    { name: 'when', propertyType: 'Date', indexed: true },
    { name: 'list', propertyType: 'StringArray', indexed: true },
  ]);
  const user = await server.admin.create('User', { name: 'anna', password: 'a good one 1' });
  for (let i = 0; i < 60; i++) {
    const note = await server.admin.create('Note', {
      text: i % 3 === 0 ? null : `Note ${'ä€😀'.repeat(i)}`,
      number: i % 2 === 0 ? i / 3 : i,
      flag: i % 4 === 0 ? null : i % 2 === 0,
      when: '2026-01-02T03:04:05+0000',
      list: i % 5 === 0 ? null : ['a', String(i)],
      visibleToPublicUsers: i % 7 === 0,
      grantees: i % 6 === 0 ? [{ id: user, allowed: ['read'] }] : [],
    });
    if (i % 10 === 0) expect((await server.admin.delete(`/Note/${note}`)).status).toBe(200);
    else if (i % 9 === 0)
      expect((await server.admin.put(`/Note/${note}`, { text: 'other', number: -0.5 })).status).toBe(200);
  }
  await server.end();
  await cp(join(made, 'db'), join(made, 'stopped'), { recursive: true, preserveTimestamps: true });
  server = await TestServer.start({ folder: made });
  for (let i = 0; i < 20; i++) await server.admin.create('Note', { text: String(i), number: i });
  // The note of what has reached the disk comes a moment later.
  const note = (): string => readFileSync(join(made, 'db/graph.db-note'), 'utf8');
  await until(async () => Number(/"commit":(\d+)/.exec(note())?.[1]) > 0, 'the note tells of the log');
  await server.end('SIGKILL');
  await cp(join(made, 'db'), join(made, 'killed'), { recursive: true, preserveTimestamps: true });
}, 120_000);
afterAll(async () => {
  await rm(made, { recursive: true, force: true });
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});
async function database(of: 'stopped' | 'killed'): Promise<string> {
  folder = await mkdtemp(join(tmpdir(), 'svc-check-'));
  await cp(join(made, of), join(folder, 'db'), { recursive: true, preserveTimestamps: true });
  return join(folder, 'db/graph.db');
}

it.each(['stopped', 'killed'] as const)('a database that was %s is well, and stays as it is', async (of) => {
  const db = await database(of);
  const files = of === 'killed' ? [db, `${db}-wal`] : [db];
  const before = files.map((file) => readFileSync(file));
  expect(await check('--path', 'db')).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^\S+\/db: all is well\n$/) as string,
  });
  expect(files.map((file, i) => readFileSync(file).equals(before[i] ?? Buffer.alloc(0)))).toEqual(
    files.map(() => true),
  );
  const server = await TestServer.start({ folder });
  expect(await server.end()).toBe(0);
  expect(await check()).toMatchObject({ code: 0 });
});

it.each([
  [
    'a missing entry of an index',
    "DELETE FROM prop_index WHERE rowid IS NULL OR (type,key,value,node) IN (SELECT type,key,value,node FROM prop_index WHERE value='other' LIMIT 1)",
    /index of Note\.text: node \w+ is not in it with its value/,
  ],
  [
    'a relationship without an end',
    'UPDATE rel SET target=999999 WHERE pk=(SELECT max(pk) FROM rel)',
    /relationship \w+ ends at a node that is not there/,
  ],
  [
    'a wrong counter',
    "UPDATE counter SET n=n+1 WHERE kind='node' AND type=(SELECT id FROM name_table WHERE text='Note')",
    /counter of Note: \d+ instead of \d+/,
  ],
  [
    'a wrong counter of a visibility flag',
    "INSERT OR REPLACE INTO counter VALUES ('flag',2*(SELECT id FROM name_table WHERE text='Note'),77)",
    /counter of Note: 77 instead of \d+/,
  ],
  [
    'properties that cannot be read',
    "UPDATE node SET props='{' WHERE pk=(SELECT max(pk) FROM node)",
    /node \w+ has properties that cannot be read|malformed JSON/,
  ],
  [
    'a byte in a property that no text has',
    `UPDATE node SET props=CAST(x'7b2261223a22ff227d' AS TEXT) WHERE pk=(SELECT max(pk) FROM node)`,
    /node \w+ has properties that cannot be read/,
  ],
  [
    'a byte in a property of a relationship that no text has',
    `UPDATE rel SET props=CAST(x'7b2261223a22ff227d' AS TEXT) WHERE pk=(SELECT max(pk) FROM rel)`,
    /relationship \w+ has properties that cannot be read/,
  ],
  [
    'a user beside the properties that nobody knows',
    'UPDATE node SET maker=9999 WHERE pk=(SELECT max(pk) FROM node WHERE maker IS NOT NULL)',
    /node \w+ was made or changed by a user whose number nobody has/,
  ],
  [
    'rights without a node',
    'UPDATE access_entry SET node=999999 WHERE rowid IS NULL OR node=(SELECT max(node) FROM access_entry)',
    /rights: an entry for row 999999, which is no node of its type/,
  ],
  [
    'a node of no type',
    'UPDATE node SET type=9999 WHERE pk=(SELECT max(pk) FROM node)',
    /node \w+ has no type that is known/,
  ],
])('%s: exit code 19', async (_, change, message) => {
  const file = await database('stopped');
  const db = new Library(file);
  db.exec(change.replace('rowid IS NULL OR ', ''));
  db.close();
  const { code, out } = await check('--path', 'db');
  expect(out).toMatch(message);
  expect(code).toBe(19);
});

it('flipped bytes in the database: 19; in the log: 20', async () => {
  let db = await database('stopped');
  const write = (file: string, at: number): void => {
    const fd = openSync(file, 'r+');
    writeSync(fd, Buffer.alloc(64, 0xa5), 0, 64, at);
    closeSync(fd);
  };
  write(db, 4096 * 5);
  const first = await check('--path', 'db');
  expect([first.code, first.out]).toEqual([19, expect.stringMatching(/: damaged\n$/)]);
  await rm(folder, { recursive: true });
  db = await database('killed');
  write(`${db}-wal`, 32 + 4120 * 6 + 100);
  const second = await check('--path', 'db');
  expect([second.code, second.out]).toEqual([20, expect.stringMatching(/graph\.db-wal is damaged at frame 7/)]);
});

it('a log that was emptied: 20', async () => {
  const db = await database('killed');
  writeFileSync(`${db}-wal`, '');
  utimesSync(db, new Date(), new Date());
  const { code, out } = await check('--path', 'db');
  expect([code, out]).toEqual([20, expect.stringMatching(/graph\.db-note says that there were \d+/)]);
});

it('a database that a server has open: 12; none: 15; a wrong command line: 3', async () => {
  await database('stopped');
  const server = await TestServer.start({ folder });
  expect(await check()).toMatchObject({
    code: 12,
    err: expect.stringContaining('is in use by another process') as string,
  });
  await server.end();
  expect((await check('--path', 'nowhere')).code).toBe(15);
  expect((await check('--conf', 'nowhere')).code).toBe(3);
  expect((await check('--what')).code).toBe(3);
  expect(await readFile(join(folder, 'svc.conf'), 'utf8')).toContain('database.path');
});
