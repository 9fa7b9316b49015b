/** The changelog, over the real server (docs/interface/changelog.md; contract, Changelog). */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

interface Entry {
  readonly verb: string;
  readonly time: number;
  readonly userId?: string;
  readonly userName?: string;
  readonly target?: string;
  readonly type?: string;
  readonly rel?: string;
  readonly relId?: string;
  readonly relDir?: string;
  readonly source?: string;
  readonly key?: string;
  readonly prev?: string;
  readonly val?: string;
  readonly targetObj?: { readonly id: string; readonly type: string } | null;
}

const SETTINGS = { 'application.changelog.enabled': true, 'application.changelog.user_centric.enabled': true };
const SUPERUSER = '0'.repeat(32);

let server: TestServer;
let admin: Client;
let adminId: string;
let jane: Client;
let janeId: string;

async function result(client: Client, path: string, body: unknown): Promise<unknown> {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { result: unknown }).result;
}
const changelog = (of: string, filters = {}, client = admin, resolve = false): Promise<Entry[]> =>
  result(client, '/logOf', { of, resolve, filters }) as Promise<Entry[]>;
const userChangelog = (of: string, filters = {}, client = admin, resolve = false): Promise<Entry[]> =>
  result(client, '/userLogOf', { of, resolve, filters }) as Promise<Entry[]>;
/** The result of a script of an administrator. */
let scripts = 0;
async function run(source: string, client = admin): Promise<unknown> {
  const name = `script${String(++scripts)}`;
  await admin.create('SchemaMethod', { name, source });
  await allow(admin, name, 'user', ['POST']);
  return result(client, `/${name}`, {});
}

/** Where a file of the log is. */
function fileOf(kind: 'n' | 'r' | 'u', id: string): string {
  return join(server.folder, 'changelog', kind, ...id.slice(0, 4), id);
}
async function linesOf(kind: 'n' | 'r' | 'u', id: string): Promise<Entry[]> {
  const text = await readFile(fileOf(kind, id), 'utf8');
  expect(text.endsWith('\n')).toBe(true);
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Entry);
}
const brief = ({ verb, key, prev, val, rel, relDir, type }: Entry): string =>
  [verb, type ?? rel, relDir, ...(key === undefined ? [] : [key, prev, val])]
    .filter((one) => one !== undefined)
    .join(' ');

beforeAll(async () => {
  server = await TestServer.start({ settings: SETTINGS });
  ({ admin } = server);
  for (const [name, called] of [
    ['logOf', 'changelog'],
    ['userLogOf', 'userChangelog'],
  ] as const) {
    const source = `{ const { of, resolve, filters } = $.args; return $.${called}(of, resolve, filters) }`;
    await admin.create('SchemaMethod', { name, source });
    await allow(admin, name, 'user', ['POST']);
  }
  await admin.defineType('Task', [
    { name: 'title', propertyType: 'String' },
    { name: 'count', propertyType: 'Long' },
    { name: 'due', propertyType: 'Date' },
    { name: 'words', propertyType: 'StringArray' },
    { name: 'code', propertyType: 'Encrypted' },
  ]);
  adminId = ((await admin.get('/User?name=admin')).body as { result: { id: string }[] }).result[0]?.id ?? '';
  janeId = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
});
afterAll(() => server.stop());

describe('the log of an object', () => {
  it('tells who has made, changed and deleted it, in files of the layout of the reference', async () => {
    const id = await admin.create('Task', { title: 'old', count: 1 });
    await admin.put(`/Task/${id}`, { title: 'new', words: ['a', 'b'] });
    await admin.delete(`/Task/${id}`);
    const entries = await changelog(id);
    expect(entries.map(brief).filter((one) => !one.includes('link'))).toEqual([
      'create Task',
      'change title null "old"',
      'change count null 1',
      'change title "old" "new"',
      'change words null ["a","b"]',
      'delete Task',
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ userId: adminId, userName: 'admin' });
    const lines = await linesOf('n', id);
    expect(lines).toHaveLength(entries.length);
    expect(Object.keys(lines[0] ?? {})).toEqual(['time', 'userId', 'userName', 'verb', 'target', 'type']);
    expect(Object.keys(lines[1] ?? {})).toEqual(['time', 'userId', 'userName', 'verb', 'key', 'prev', 'val']);
    void SUPERUSER;
    void run;
    void userChangelog;
    void jane;
    void janeId;
    void appendFile;
    void mkdir;
    void writeFile;
    void dirname;
  });
});
