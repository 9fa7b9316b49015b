/** The changelog, over the real server (docs/interface/changelog.md; contract, Changelog). */
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChangelogEntry } from '../../src/main/events/index.js';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { relateTasks } from './replay.js';

/** As scripts get it. */
interface Entry extends ChangelogEntry {
  readonly targetObj?: { readonly id: string; readonly type: string } | null;
}

const SETTINGS = {
  'application.changelog.enabled': true,
  'application.changelog.user_centric.enabled': true,
  'application.encryption.secret': 'a secret of the tests',
};
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
  const task = await admin.defineType('Task', [
    { name: 'title', propertyType: 'String' },
    { name: 'count', propertyType: 'Long' },
    { name: 'due', propertyType: 'Date' },
    { name: 'words', propertyType: 'StringArray' },
    { name: 'code', propertyType: 'Encrypted' },
  ]);
  await relateTasks(admin, task);
  for (const name of ['Task', 'Task/_Id']) await allow(admin, name, 'user', ['GET', 'PUT', 'POST']);
  adminId = ((await admin.get('/User?name=admin')).body as { result: { id: string }[] }).result[0]?.id ?? '';
  janeId = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
});
afterAll(() => server.stop());

describe('over REST', () => {
  const of = async (path: string, client = admin): Promise<{ enabled: boolean; entries: Entry[]; count: number }> => {
    const { status, body, text } = await client.get(path);
    expect(status, text).toBe(200);
    const { result: shown, result_count: count } = body as {
      result: { enabled: boolean; entries: Entry[] };
      result_count: number;
    };
    return { ...shown, count };
  };

  it('answers the history of an object by pages, and what is asked for of it', async () => {
    const id = await admin.create('Task', { title: 'first' });
    await admin.put(`/Task/${id}`, { title: 'second' });
    const all = await of(`/_changelog/${id}`);
    expect(all.enabled).toBe(true);
    expect(all.entries).toEqual(
      (await changelog(id, {}, admin, true)).map((one) => expect.objectContaining({ verb: one.verb, time: one.time })),
    );
    expect(all.count).toBe(all.entries.length);
    const newest = await of(`/_changelog/${id}?key=title&_order=desc&_pageSize=1`);
    expect(newest).toMatchObject({ count: 2, entries: [{ prev: '"first"', val: '"second"' }] });
    expect((await of(`/_changelog/${id}?key=title&_order=desc&_pageSize=1&_page=2`)).entries[0]?.val).toBe('"first"');
    expect((await admin.get(`/_changelog/${id}?colour=red`)).status).toBe(400);
    expect((await admin.get(`/_changelog/${id}?timeFrom=never`)).status).toBe(422);
    expect((await admin.get('/_changelog/nobody')).status).toBe(404);
    const mine = await of(`/_userChangelog/${adminId}?target=${id}&verb=create`);
    expect(mine.entries[0]).toMatchObject({ type: 'Task', target: id, targetObj: { id, type: 'Task', name: null } });
  });

  it('answers what who asks may read, with a permission', async () => {
    const id = await admin.create('Task', { title: 'secret' });
    expect((await jane.get(`/_changelog/${id}`)).status).toBe(401);
    await allow(admin, '_changelog/_id', 'user', ['GET']);
    await allow(admin, '_userChangelog/_id', 'user', ['GET']);
    expect((await of(`/_changelog/${id}`, jane)).entries).toEqual([]);
    expect((await jane.get(`/_userChangelog/${adminId}`)).status).toBe(403);
    expect((await of(`/_userChangelog/${janeId}`, jane)).enabled).toBe(true);
  });
});

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
  });

  it('tells of links at both ends, and of relationships with their own properties', async () => {
    const [one, other] = [await admin.create('Task', { title: 'one' }), await admin.create('Task', { title: 'other' })];
    const relId = await admin.create('TaskBEFORETask', { sourceId: one, targetId: other, why: 'first' });
    await admin.put(`/TaskBEFORETask/${relId}`, { why: 'second' });
    await admin.delete(`/TaskBEFORETask/${relId}`);
    const wanted = { filters: { relType: 'BEFORE' }, rel: 'TaskBEFORETask', relId };
    expect(await changelog(one, wanted.filters)).toMatchObject([
      { verb: 'link', rel: wanted.rel, relId, relDir: 'out', target: other },
      { verb: 'unlink', rel: wanted.rel, relId, relDir: 'out', target: other },
    ]);
    expect(await changelog(other, { relDir: 'in', relType: ['TaskBEFORETask'] })).toMatchObject([
      { verb: 'link', relId, relDir: 'in', target: one },
      { verb: 'unlink', relId, relDir: 'in', target: one },
    ]);
    const own = await changelog(relId);
    expect(own.map(brief)).toEqual([
      'create TaskBEFORETask',
      'change why null "first"',
      'change why "first" "second"',
      'delete TaskBEFORETask',
    ]);
    expect((await linesOf('r', relId)).map((line) => Object.keys(line).slice(3).join(' '))).toEqual([
      'verb rel relId source target',
      'verb key prev val',
      'verb key prev val',
      'verb rel relId source target',
    ]);
    expect(own[0]).toMatchObject({ source: one, target: other });
    // Of ownership, which has no properties, the ends alone tell.
    const [owns] = await changelog(one, { relType: 'OWNS' });
    await expect(readFile(fileOf('r', owns?.relId ?? ''))).rejects.toThrow('ENOENT');
    expect(await changelog(owns?.relId ?? '', { verb: 'create' })).toMatchObject([
      { verb: 'create', rel: 'PrincipalOwnsNode', source: adminId, target: one, userName: 'admin' },
    ]);
    expect(await changelog(owns?.relId ?? '', { verb: 'link' })).toEqual([]);
  });

  it('has values as JSON, exact, and no secrets', async () => {
    const id = await admin.create('Task', {
      title: 'a\n"b"\u2028\u0000',
      code: 'to be sealed',
      due: '2026-01-02T03:04:05+0000',
    });
    const answer = await admin.put(`/Task/${id}`, '{"count": 9007199254740993, "title": null}');
    expect(answer.status, answer.text).toBe(200);
    const entries = await changelog(id, { verb: 'change' });
    expect(entries.map(brief).sort()).toEqual([
      'change count null 9007199254740993',
      'change due null 1767323045000',
      'change title "a\\n\\"b\\"\u2028\\u0000" null',
      'change title null "a\\n\\"b\\"\u2028\\u0000"',
    ]);
    await admin.put(`/User/${janeId}`, { password: 'another-secret', twoFactorSecret: 'ABCDEFGH' });
    await admin.put(`/User/${janeId}`, { password: 'secret-of-jane' });
    await changelog(janeId);
    for (const one of [id, janeId]) {
      expect(await readFile(fileOf('n', one), 'utf8')).not.toMatch(/sealed|secret|ABCDEFGH|"(password|salt|code)"/i);
    }
  });

  it('cannot be given lines of others, whatever is written, and whatever stands in the file', async () => {
    const line = `{"time":1,"userId":"${adminId}","userName":"admin","verb":"delete","target":"x","type":"Task"}`;
    const id = await admin.create('Task', { title: `\n${line}\r\n${line}\t\u2029`, words: [`\n${line}`, '\t\n'] });
    expect((await changelog(id)).map(({ verb }) => verb)).not.toContain('delete');
    expect(
      (await changelog(id, { key: ['title', 'words'] })).map(({ val = '' }) => JSON.parse(val) as unknown),
    ).toEqual([`\n${line}\r\n${line}\t\u2029`, [`\n${line}`, '\t\n']]);
    const before = await changelog(id);
    // What is no entry, or has no end, is in nobody's way.
    await appendFile(fileOf('n', id), '\nno entry\n{"time":5}\n{"time":12345,"verb":"cre');
    await admin.put(`/Task/${id}`, { title: 'behind it' });
    expect((await changelog(id, { userName: 'admin' })).slice(before.length).map(brief)).toEqual([
      `change title ${JSON.stringify(`\n${line}\r\n${line}\t\u2029`)} "behind it"`,
    ]);
  });

  it('is not kept of types that ask for none, nor of imports of applications; a setting turns it off at once', async () => {
    const quietType = await admin.defineType('Quiet', [{ name: 'title', propertyType: 'String' }], {
      changelogDisabled: true,
    });
    const quiet = await admin.create('Quiet', { title: 'unheard' });
    expect(await changelog(quiet)).toEqual([]);
    await expect(readFile(fileOf('n', quiet))).rejects.toThrow('ENOENT');
    expect((await userChangelog(adminId, { target: quiet })).map(brief)).toEqual([
      'create Quiet',
      'change title null "unheard"',
      'create PrincipalOwnsNode',
      'create Security',
    ]);
    const target = join(server.folder, 'export');
    for (const body of [
      { mode: 'export', target },
      { mode: 'import', source: target },
    ]) {
      expect((await admin.post('/maintenance/deploy', body)).status).toBe(200);
    }
    const day = Date.now() - 3_600_000;
    expect((await changelog(quietType, { timeFrom: day })).filter(({ verb }) => verb === 'delete')).toEqual([]);
    await server.reload({ 'application.changelog.enabled': false });
    const off = await admin.create('Task', { title: 'off' });
    expect([await changelog(off), (await userChangelog(adminId, { target: off })).length]).toEqual([[], 4]);
    await server.reload({ 'application.changelog.enabled': true });
    await admin.put(`/Task/${off}`, { title: 'on' });
    expect((await changelog(off)).map(brief)).toEqual(['change title "off" "on"']);
  });

  it('tells of every way to write: cascades, lists, scripts, uploads, and of nothing that was taken back', async () => {
    const parent = await admin.create('Task', { title: 'parent', parts: [{ title: 'part' }] });
    const [part = ''] = (await changelog(parent, { verb: 'link', relType: 'HAS_PART' })).map(({ target }) => target);
    expect((await changelog(part)).map(brief)).toContain('create Task');
    await admin.delete(`/Task/${parent}`);
    expect((await changelog(part)).at(-1)).toMatchObject({ verb: 'delete', target: part, type: 'Task' });
    const many = await admin.post(
      '/Task',
      Array.from({ length: 300 }, (_, i) => ({ title: `many ${String(i)}` })),
    );
    const ids = (many.body as { result: string[] }).result;
    for (const id of [ids[0] ?? '', ids[299] ?? '']) expect((await changelog(id))[0]).toMatchObject({ verb: 'create' });
    expect((await admin.delete('/Task?title=many&_inexact=1')).status).toBe(200);
    expect((await changelog(ids[150] ?? '')).at(-1)).toMatchObject({ verb: 'delete' });
    const made = (await run(
      "{ const t = $.create('Task', 'title', 'of a script'); t.title = 'again'; return t.id }",
      jane,
    )) as string;
    expect((await changelog(made, { userId: janeId })).map(brief)).toContain('change title "of a script" "again"');
    const lost = await run("{ const t = $.create('Task', 'title', 'lost'); $.rollbackTransaction(); return t.id }");
    expect(await changelog(lost as string)).toEqual([]);
    const failed = await admin.post('/Task', [{ title: 'good' }, { title: 7, count: 'no number' }]);
    expect(failed.status).toBe(422);
    expect(
      (await userChangelog(adminId, { key: 'title' })).filter(({ val }) => val === '"lost"' || val === '"good"'),
    ).toEqual([]);
    const form = new FormData();
    form.append('file', new Blob(['content']), 'note.txt');
    const headers = { 'X-User': 'admin', 'X-Password': 'admin' };
    const upload = await fetch(`${server.url}/svc/upload`, { method: 'POST', body: form, headers });
    const fileId = (await upload.text()).trim();
    expect((await changelog(fileId)).map(brief)).toEqual(
      expect.arrayContaining(['create File', 'change name null "note.txt"']),
    );
  });

  it('is empty for what never was, null for nothing, and says how it is used', async () => {
    expect(await changelog('0123456789abcdef0123456789abcdef')).toEqual([]);
    expect(await run('{ return [$.changelog(null), $.userChangelog(null)] }')).toEqual([null, null]);
    for (const source of ["changelog('no id')", 'userChangelog(7)', "user_changelog('x', false, 'verb', 'create')"]) {
      expect(await run(source)).toMatch(/^Usage: (changelog|userChangelog)\(/);
    }
  });

  it('is read where an older service has left it', async () => {
    const id = 'feed0123456789abcdef0123456789ab';
    await mkdir(dirname(fileOf('n', id)), { recursive: true });
    const head = { time: 1500000000000, userId: SUPERUSER, userName: 'superadmin' };
    const lines = [
      { ...head, verb: 'create', target: id, type: 'Old' },
      { ...head, verb: 'change', key: 'name', prev: null, val: 'before' },
      { ...head, verb: 'link', rel: 'PrincipalOwnsNode', relId: 'f'.repeat(32), relDir: 'in', target: adminId },
    ];
    await writeFile(fileOf('n', id), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    expect(await changelog(id, {}, admin, true)).toEqual([
      { ...lines[0], targetObj: null },
      { ...lines[1], prev: 'null', val: '"before"' },
      { ...lines[2], targetObj: expect.objectContaining({ id: adminId, type: 'User' }) as unknown },
    ]);
  });
});

describe('the log of a user', () => {
  it('tells what he has changed, without himself; of nobody there is none', async () => {
    const id = (await run("{ return $.create('Task', 'title', 'hers').id }", jane)) as string;
    await jane.put(`/Task/${id}`, { title: 'hers still' });
    const entries = await userChangelog(janeId, { target: id }, admin, true);
    expect(entries.map(brief)).toEqual(expect.arrayContaining(['create Task', 'change title null "hers"']));
    for (const entry of entries) {
      expect([entry.userId, entry.userName]).toEqual([undefined, undefined]);
      expect(entry.target).toBe(id);
    }
    const [line] = (await linesOf('u', janeId)).filter(({ key, target }) => key === 'title' && target === id);
    expect(Object.keys(line ?? {})).toEqual(['time', 'verb', 'key', 'prev', 'val', 'target']);
    const verbs = new Set((await linesOf('u', janeId)).map(({ verb }) => verb));
    expect([...verbs].sort()).toEqual(['change', 'create']);
    await allow(admin, 'Task', 'anonymous', ['POST']);
    const made = await server.as().post('/Task', { title: 'of nobody' });
    const nobody = (made.body as { result: string[] }).result[0] ?? '';
    expect((await changelog(nobody))[0]).toMatchObject({ userId: 'anonymous', userName: 'anonymous' });
    await expect(readFile(fileOf('u', 'anonymous'))).rejects.toThrow('ENOENT');
  });
});

describe('filters', () => {
  let id: string;
  let all: Entry[];
  let middle: number;
  beforeAll(async () => {
    const other = await admin.create('Task', { title: 'other' });
    id = await admin.create('Task', { title: 'first', visibleToAuthenticatedUsers: true });
    const rel = await admin.create('TaskBEFORETask', { sourceId: id, targetId: other });
    await admin.delete(`/TaskBEFORETask/${rel}`);
    const before = await changelog(id);
    middle = (before.at(-1)?.time ?? 0) + 1;
    while (Date.now() <= middle) await new Promise((resolve) => setTimeout(resolve, 2));
    await server.superuser.put(`/Task/${id}`, { title: 'second', count: 3 });
    all = await changelog(id);
  });

  const iso = (time: number): string => new Date(time).toISOString().replace(/\.\d+Z$/, '+0000');
  const rows: [string, () => object, (entry: Entry) => boolean][] = [
    ['verb', () => ({ verb: 'change' }), ({ verb }) => verb === 'change'],
    ['several verbs', () => ({ verb: ['create', 'link'] }), ({ verb }) => verb === 'create' || verb === 'link'],
    ['no verb of a list', () => ({ verb: [] }), () => false],
    ['a verb there is not', () => ({ verb: 'read' }), () => false],
    ['userId', () => ({ userId: SUPERUSER }), ({ userId }) => userId === SUPERUSER],
    ['several users', () => ({ userId: [SUPERUSER, adminId] }), () => true],
    ['userName', () => ({ userName: 'admin' }), ({ userName }) => userName === 'admin'],
    ['relType of the schema', () => ({ relType: 'TaskBEFORETask' }), ({ rel }) => rel === 'TaskBEFORETask'],
    ['relType of the database', () => ({ relType: ['BEFORE', 'OWNS'] }), ({ rel = '' }) => /BEFORE|Owns/.test(rel)],
    ['relDir', () => ({ relDir: 'in' }), ({ relDir }) => relDir === 'in'],
    ['relDir, both', () => ({ relDir: ['in', 'out'] }), ({ relDir }) => relDir !== undefined],
    ['target', () => ({ target: id }), ({ target }) => target === id],
    ['key', () => ({ key: ['title', 'none'] }), ({ key }) => key === 'title'],
    [
      'two filters',
      () => ({ key: 'title', userId: adminId }),
      ({ key, userId }) => key === 'title' && userId === adminId,
    ],
    ['filters that exclude each other', () => ({ key: 'title', verb: 'create' }), () => false],
    ['timeFrom, milliseconds', () => ({ timeFrom: middle }), ({ time }) => time >= middle],
    ['timeFrom, a text of digits', () => ({ timeFrom: String(middle) }), ({ time }) => time >= middle],
    ['timeTo, milliseconds', () => ({ timeTo: middle }), ({ time }) => time <= middle],
    ['timeFrom, ISO', () => ({ timeFrom: iso(middle + 86_400_000) }), () => false],
    ['timeTo, ISO', () => ({ timeTo: iso(middle + 86_400_000) }), () => true],
    ['timeFrom and timeTo', () => ({ timeFrom: 0, timeTo: middle, verb: 'unlink' }), ({ verb }) => verb === 'unlink'],
    ['one moment', () => ({ timeFrom: all[0]?.time, timeTo: all[0]?.time }), ({ time }) => time === all[0]?.time],
    ['nothing', () => ({ verb: null, timeFrom: null }), () => true],
  ];
  it.each(rows)('%s', async (_, filters, wanted) => {
    const found = await changelog(id, filters());
    expect(found).toEqual(all.filter(wanted));
  });

  it('take dates in scripts, and are alternating in expressions, where a key may come again', async () => {
    const count = (wanted: (entry: Entry) => boolean): number => all.filter(wanted).length;
    const later = ({ time }: Entry): boolean => time >= middle;
    expect(await run(`{ return $.changelog('${id}', false, { timeFrom: new Date(${String(middle)}) }).length }`)).toBe(
      count(later),
    );
    expect(await run(`size(changelog('${id}', false, 'verb', 'create', 'verb', 'link', 'userName', 'admin'))`)).toBe(
      count(({ verb, userName }) => (verb === 'create' || verb === 'link') && userName === 'admin'),
    );
    expect(await run(`size(changelog('${id}', false, 'timeFrom', 0, 'timeFrom', '${iso(middle + 86_400_000)}'))`)).toBe(
      0,
    );
    expect(
      await run(`{ return $.changelog($.find('Task', '${id}'), true, 'verb', 'create')[0].targetObj.title }`),
    ).toBe('second');
    expect(await run(`size(changelog('${id}', false, 'colour', 'red', 'verb', 'create', 'odd'))`)).toBe(1);
    await server.untilLogged(/no filter colour/);
    await server.untilLogged(/filter odd of the changelog has no value/);
    const bad = await admin.post('/logOf', { of: id, filters: { timeFrom: 'yesterday' } });
    expect([bad.status, bad.body.message]).toEqual([422, 'timeFrom is no time: yesterday']);
  });
});

describe('who is no administrator', () => {
  it('reads of what he may read, and of nobody but himself', async () => {
    const hidden = await admin.create('Task', { title: 'hidden' });
    const open = await admin.create('Task', { title: 'open', visibleToAuthenticatedUsers: true });
    const seen = await admin.create('Task', { title: 'seen', visibleToAuthenticatedUsers: true });
    await admin.create('TaskBEFORETask', { sourceId: open, targetId: hidden });
    await admin.create('TaskBEFORETask', { sourceId: open, targetId: seen });
    expect(await changelog(hidden, {}, jane)).toEqual([]);
    expect((await changelog(open, { key: 'title' }, jane)).map(brief)).toEqual(['change title null "open"']);
    // Objects he may not see are not told by their links either.
    const links = { relType: 'BEFORE' };
    expect((await changelog(open, links, admin)).map(({ target }) => target)).toEqual([hidden, seen]);
    expect((await changelog(open, links, jane)).map(({ target }) => target)).toEqual([seen]);
    const [link] = await changelog(open, links, jane, true);
    expect(link?.targetObj).toMatchObject({ id: seen });
    const refused = await jane.post('/userLogOf', { of: adminId });
    expect([refused.status, refused.body.message]).toEqual([403, 'What others have changed is for administrators.']);
    await admin.delete(`/Task/${open}`);
    expect(await changelog(open, {}, jane)).toEqual([]);
    expect((await changelog(open)).at(-1)).toMatchObject({ verb: 'delete' });
  });

  it('reads of himself what he may read now', async () => {
    const id = (await run("{ return $.create('Task', 'title', 'mine').id }", jane)) as string;
    const own = { target: id, key: 'title' };
    expect((await userChangelog(janeId, own, jane)).map(brief)).toEqual(['change title null "mine"']);
    await admin.put(`/Task/${id}`, { owner: adminId });
    const grants = (await admin.get(`/Security?targetId=${id}&sourceId=${janeId}`)).body as {
      result: { id: string }[];
    };
    for (const grant of grants.result) await admin.delete(`/Security/${grant.id}`);
    expect(await userChangelog(janeId, own, jane)).toEqual([]);
    expect(await userChangelog(janeId, own)).toHaveLength(1);
  });
});

it('what was written down is there after a restart, once', async () => {
  const id = await admin.create('Task', { title: 'kept' });
  // What the older service has left is from 2017.
  expect(await changelog('feed0123456789abcdef0123456789ab')).not.toEqual([]);
  server = await server.restart({ settings: { ...SETTINGS, 'application.changelog.retention': 1 } });
  ({ admin } = server);
  jane = server.as('jane', 'secret-of-jane');
  const entries = await changelog(id);
  expect(entries.filter(({ verb }) => verb === 'create')).toHaveLength(1);
  await admin.put(`/Task/${id}`, { title: 'after' });
  expect((await changelog(id, { verb: 'change', key: 'title' })).map(brief)).toEqual([
    'change title null "kept"',
    'change title "kept" "after"',
  ]);
  await server.untilLogged(/old entries were removed from 1 files of the changelog/);
  expect(await changelog('feed0123456789abcdef0123456789ab')).toEqual([]);
});
