/** Databases of older formats, as versions of that time have left them, are converted when they are opened. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSqliteGraph, openSqliteGraph, type Graph, type Predicate } from '../../src/main/graph/index.js';
import { encodeProperties } from '../../src/main/graph/sqlite/connection/codec.js';
import { Connection } from '../../src/main/graph/sqlite/connection/connection.js';
import { Names } from '../../src/main/graph/sqlite/connection/names.js';
import { NODE_AT, nodeColumns } from '../../src/main/graph/sqlite/connection/records.js';
import { textOfRow, unpack } from '../../src/main/graph/sqlite/connection/stamps.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { convert } from '../../src/main/graph/sqlite/whole/conversion.js';
import { inFormat6, inFormat7 } from './older-format.js';

const FIXTURES = new URL('fixtures/', import.meta.url);
const hex = (n: number): string => '01a2187aa49f7000800000000000' + n.toString(16).padStart(4, '0');
const [USER, OTHER] = [hex(1), hex(2)];
const MADE = 1795707020331;
const ALL = ['read', 'write', 'delete', 'accessControl'];

let path: string;
let graph: Graph | undefined;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'svc-format-'));
  older(6);
});

/** Puts the database of the fixtures there as it was in a format. */
function older(format: number): void {
  const file = new URL(`format-${String(format)}.db.gz`, FIXTURES);
  writeFileSync(join(path, 'graph.db'), gunzipSync(readFileSync(file)));
}

afterEach(async () => {
  await graph?.close();
  graph = undefined;
  rmSync(path, { recursive: true, force: true });
});

/** What was in it, as the version before has read it. */
function expected(): unknown {
  const text = gunzipSync(readFileSync(new URL('format-6.json.gz', FIXTURES))).toString();
  return JSON.parse(text, (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value;
    if ('bigint' in value) return BigInt(String(value.bigint));
    return 'number' in value ? Number(value.number) : value;
  });
}

async function everything(): Promise<unknown> {
  return graph?.read(async (tx) => ({
    nodes: (await tx.find({ kind: 'nodes' })).map((one) => ({ ...one, properties: { ...one.properties } })),
    relationships: (await tx.find({ kind: 'relationships' })).map((one) => ({
      ...one,
      properties: { ...one.properties },
    })),
  }));
}

async function ids(where: Predicate): Promise<string[]> {
  const found = await graph?.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'], where, sort: [{ key: 'n' }] }));
  return (found ?? []).map(({ id }) => id);
}

function inFile<T>(work: (db: InstanceType<typeof Library>) => T): T {
  const db = new Library(join(path, 'graph.db'));
  try {
    return work(db);
  } finally {
    db.close();
  }
}

async function findings(): Promise<string[]> {
  const found: string[] = [];
  for await (const { message } of checkSqliteGraph(path, () => undefined)) found.push(message);
  return found;
}

test.each([6, 7])('all that was in one of format %i is there, and its indexes and rights fit', async (format) => {
  older(format);
  const entries = inFile((db) => db.prepare('SELECT * FROM access_entry').all());
  // What a conversion that was ended has left is no harm.
  writeFileSync(join(path, 'graph.db-new'), 'half of a file');
  graph = await openSqliteGraph({ path });
  expect(existsSync(join(path, 'graph.db-new'))).toBe(false);
  expect(await everything()).toEqual(expected());
  expect(await ids({ op: 'equals', key: 'name', value: 'thing 12' })).toEqual([hex(112)]);
  expect(await ids({ op: 'equals', key: 'id', value: hex(112) })).toEqual([hex(112)]);
  expect(await ids({ op: 'equals', key: 'createdDate', value: MADE + 20 })).toEqual([hex(120)]);
  expect((await ids({ op: 'equals', key: 'createdBy', value: USER })).length).toBe(38);
  const access = { right: 'write', principals: [OTHER], keys: [], types: [], ids: [] } as const;
  const mine = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'], access, limit: 100 }));
  expect(mine.length).toBeGreaterThan(30);
  await graph.close();
  graph = undefined;
  expect(inFile((db) => db.prepare('SELECT * FROM access_entry').all())).toEqual(entries);
  expect(inFile((db) => db.pragma('user_version', { simple: true }))).toBe(8);
  expect(await findings()).toEqual([]);
});

test('the loop gets turns however large records are, and few of those are in memory at a time', async () => {
  rmSync(join(path, 'graph.db'));
  const text = 'x'.repeat(1_000_000);
  graph = await openSqliteGraph({ path });
  await graph.write(async (tx) => {
    for (let n = 0; n < 9; n++) await tx.createNode({ id: hex(n), type: 'Thing', properties: { text, n } });
  });
  await graph.close();
  graph = undefined;
  const [page_size, application_id] = inFile((db) => {
    inFormat7(db);
    return ['page_size', 'application_id'].map((name) => Number(db.pragma(name, { simple: true })));
  });
  let turns = 0;
  const count = (): void => {
    turns++;
    turn = setImmediate(count);
  };
  let turn = setImmediate(count);
  let [began, ended] = [0, 0];
  await convert({
    file: join(path, 'graph.db'),
    pragmas: { page_size: page_size ?? 0, application_id: application_id ?? 0, user_version: 8 },
    tell: (line) => {
      if (line.includes('to format')) began = turns;
      if (line.startsWith('indexes')) ended = turns;
    },
  });
  clearImmediate(turn);
  expect(ended - began).toBeGreaterThanOrEqual(3);
  graph = await openSqliteGraph({ path });
  const found = await graph.read((tx) => tx.find({ kind: 'nodes' }));
  expect(found.map(({ properties }) => [properties['n'], properties['text'] === text])).toEqual(
    Array.from({ length: 9 }, (_, n) => [n, true]),
  );
});

test('records that are written now are as small, and are found by what is not in their JSON', async () => {
  graph = await openSqliteGraph({ path });
  const stamps = { createdDate: MADE, createdBy: USER, lastModifiedDate: MADE + 7, lastModifiedBy: OTHER };
  const rights = { createdDate: MADE, allowed: ALL };
  await graph.write(async (tx) => {
    await tx.createNode({ id: hex(500), type: 'New', properties: { n: 1, ...stamps } });
    await tx.createNode({ id: hex(501), type: 'New', properties: { n: 2, createdBy: OTHER } });
    const ends = { sourceId: USER, targetId: hex(500) };
    await tx.createRelationship({ id: hex(600), type: 'S', relType: 'SECURITY', ...ends, properties: rights });
    await tx.createRelationship({ id: hex(601), type: 'L', relType: 'L', ...ends, properties: stamps });
  });
  // A property that comes later stands behind the others.
  await graph.write((tx) => tx.updateNode(hex(500), { late: true, lastModifiedBy: USER }));
  const found = async (where: Predicate): Promise<unknown> =>
    graph?.read(async (tx) => (await tx.find({ kind: 'nodes', types: ['New'], where })).map(({ id }) => id));
  expect(await found({ op: 'equals', key: 'lastModifiedDate', value: MADE + 7 })).toEqual([hex(500)]);
  expect(await found({ op: 'range', key: 'createdDate', from: MADE })).toEqual([hex(500)]);
  expect(await found({ op: 'equals', key: 'lastModifiedBy', value: USER })).toEqual([hex(500)]);
  expect(await found({ op: 'startsWith', key: 'createdBy', value: OTHER })).toEqual([hex(501)]);
  expect(await found({ op: 'isNull', key: 'lastModifiedBy' })).toEqual([hex(501)]);
  const linked = async (where: Predicate): Promise<unknown> =>
    graph?.read(async (tx) => (await tx.find({ kind: 'relationships', types: ['S', 'L'], where })).map(({ id }) => id));
  expect(await linked({ op: 'arrayContains', key: 'allowed', value: 'delete' })).toEqual([hex(600)]);
  expect(await linked({ op: 'arrayEquals', key: 'allowed', values: ALL })).toEqual([hex(600)]);
  expect(await linked({ op: 'equals', key: 'createdBy', value: USER })).toEqual([hex(601)]);
  expect(await graph.read((tx) => tx.relationship(hex(600)))).toMatchObject({ sourceId: USER, properties: rights });
  await graph.close();
  graph = undefined;
  const rows = inFile((db) =>
    db.prepare("SELECT typeof(id) AS id,props FROM node WHERE id IN (x'" + hex(500) + "',x'" + hex(501) + "')").all(),
  );
  expect(rows).toEqual([
    { id: 'blob', props: '{"n":1,"late":true}' },
    { id: 'blob', props: `{"n":2,"createdBy":"${OTHER}"}` },
  ]);
  const props = "SELECT props FROM rel WHERE id IN (x'" + hex(600) + "',x'" + hex(601) + "')";
  expect(inFile((db) => db.prepare(props).pluck().all())).toEqual([15, null]);
  expect(await findings()).toEqual([]);
  // Full-text indexes and what else is not a record are taken over as they are; there and back nothing is different.
  graph = await openSqliteGraph({ path });
  const before = await everything();
  await graph.close();
  inFile(inFormat6);
  graph = await openSqliteGraph({ path });
  expect(await everything()).toEqual(before);
});

test('nodes of one shape are written without the names of their properties, and read and found as before', async () => {
  rmSync(join(path, 'graph.db'));
  graph = await openSqliteGraph({ path });
  const stamps = { createdDate: MADE, createdBy: USER, lastModifiedDate: MADE, lastModifiedBy: USER };
  const flags = { visibleToPublicUsers: false, visibleToAuthenticatedUsers: true };
  const of = (i: number): Record<string, string | number | boolean | bigint | (string | number)[]> => ({
    name: `"${String(i)}", [\\]`,
    'a "key".[0]': i % 2 === 0 ? -0 : 1e300,
    list: ['one', i],
    ...flags,
    isOn: i % 3 === 0,
    n: i,
    ...(i === 31 ? { large: 2n ** 60n } : {}),
    ...(i === 30 ? {} : stamps),
    ...(i === 32 ? { visibleToPublicUsers: 'maybe' } : {}),
  });
  const all = Array.from({ length: 40 }, (_, i) => i);
  await graph.write(async (tx) => {
    for (const i of all) await tx.createNode({ id: hex(700 + i), type: 'Thing', properties: of(i) });
  });
  const check = async (): Promise<void> => {
    const nodes = (await graph?.read((tx) => tx.nodes(all.map((i) => hex(700 + i))))) ?? [];
    expect(nodes.map((node) => JSON.stringify(Object.entries(node?.properties ?? {}), digits))).toEqual(
      all.map((i) => JSON.stringify(Object.entries(of(i)), digits)),
    );
    expect(await ids({ op: 'equals', key: 'name', value: '"33", [\\]' })).toEqual([hex(733)]);
    expect((await ids({ op: 'equals', key: 'a "key".[0]', value: 1e300 })).length).toBe(20);
    expect(await ids({ op: 'arrayContains', key: 'list', value: 34 })).toEqual([hex(734)]);
    expect(await ids({ op: 'arrayEquals', key: 'list', values: ['one', 2] })).toEqual([hex(702)]);
    expect((await ids({ op: 'equals', key: 'isOn', value: true })).length).toBe(14);
    expect((await ids({ op: 'equals', key: 'visibleToPublicUsers', value: false })).length).toBe(39);
    expect((await ids({ op: 'equals', key: 'visibleToAuthenticatedUsers', value: true })).length).toBe(40);
    expect(await ids({ op: 'range', key: 'n', from: 38 })).toEqual([hex(738), hex(739)]);
    expect((await ids({ op: 'isNull', key: 'other' })).length).toBe(40);
    expect((await ids({ op: 'isEmpty', key: 'list' })).length).toBe(0);
    expect(await ids({ op: 'equals', key: 'large', value: 2n ** 60n })).toEqual([hex(731)]);
    expect(await ids({ op: 'equals', key: 'visibleToPublicUsers', value: 'maybe' })).toEqual([hex(732)]);
  };
  await check();
  await graph.close();
  const shaped = "SELECT count(*) FROM node WHERE props LIKE '[%'";
  // The first few of a shape have none, nor those with what is exact in no JSON, or no flag in the place of one.
  expect(inFile((db) => db.prepare(shaped).pluck().get())).toBe(40 - 7 - 2);
  expect(await findings()).toEqual([]);
  graph = await openSqliteGraph({ path });
  await check();
  await graph.setIndexes(['n', 'list'].map((key) => ({ trait: 'Thing', types: ['Thing'], key, unique: false })));
  await check();
  await graph.write((tx) => tx.updateNode(hex(735), { n: 1000, name: null, added: true }));
  expect((await graph.read((tx) => tx.node(hex(735))))?.properties).toMatchObject({ n: 1000, added: true });
  await graph.close();
  graph = undefined;
  // What makes texts of rows without decoding them tells the same.
  const connection = new Connection(join(path, 'graph.db'), { cacheMegabytes: 1, guard: { check: () => undefined } });
  const names = new Names();
  names.load(connection);
  for (const row of connection.all(`SELECT ${nodeColumns('n')} FROM node n`, [])) {
    expect(textOfRow(row, NODE_AT, names.textOf)).toBe(encodeProperties(unpack(row, NODE_AT, names.textOf)));
  }
  connection.close();
  // As docs/design/sqlite.md says.
  const asObject = `SELECT (SELECT json_group_object(k.key, iif(k.type='text', n.props->k.value, json(k.type))) FROM json_each(s.text) k)
    FROM node n JOIN name_table s ON s.id=n.props->>0 WHERE n.props LIKE '[%' AND n.id=x'${hex(710)}'`;
  expect(JSON.parse(String(inFile((db) => db.prepare(asObject).pluck().get())))).toEqual({
    name: '"10", [\\]',
    'a "key".[0]': -0,
    list: ['one', 10],
    ...flags,
    isOn: false,
    n: 10,
  });
});

test.each([6, 7])('a full disk leaves one of format %i as it was', async (format) => {
  const [disk, taken] = [join(path, 'disk'), join(path, 'disk', 'other')];
  mkdirSync(disk);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=400k', 'tmpfs', disk], { stdio: 'ignore' });
  } catch {
    console.warn('skipped: mount is not allowed');
    return;
  }
  path = disk;
  try {
    older(format);
    const file = join(disk, 'graph.db');
    const before = readFileSync(file);
    // What is left is enough for all but the new file.
    writeFileSync(taken, Buffer.alloc(400 * 1024 - before.length - 60 * 1024));
    await expect(openSqliteGraph({ path })).rejects.toMatchObject({ code: 'storage_full' });
    expect(inFile((db) => db.pragma('user_version', { simple: true }))).toBe(format);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(existsSync(`${file}-new`)).toBe(false);
    rmSync(taken);
    graph = await openSqliteGraph({ path });
    expect(await everything()).toEqual(expected());
    await graph.close();
    graph = undefined;
  } finally {
    path = dirname(disk);
    execFileSync('umount', [disk]);
  }
});

test('what stands beside the JSON is checked', async () => {
  graph = await openSqliteGraph({ path });
  await graph.close();
  graph = undefined;
  const changed = (set: string): unknown => inFile((db) => db.prepare(`UPDATE node SET ${set}`).run());
  changed(`maker=9999 WHERE id=x'${hex(112)}'`);
  changed(`changed=NULL WHERE id=x'${hex(113)}'`);
  changed(`props='[9999,1]' WHERE id=x'${hex(114)}'`);
  changed(`changed=32767 WHERE id=x'${hex(115)}'`);
  changed(`props=json_set(props,'$.createdBy','x') WHERE id=x'${hex(116)}' AND props LIKE '{%'`);
  const found = (await findings()).filter((one) => one.startsWith('node'));
  expect(found.sort().join('\n')).toBe(
    [
      `node ${hex(112)} was made or changed by a user whose number nobody has`,
      `node ${hex(113)} has only some of the numbers beside its properties`,
      `node ${hex(114)} has properties that cannot be read`,
      `node ${hex(115)} was made or changed by a user whose number nobody has`,
    ].join('\n'),
  );
});

/** Tells -0 and long integers apart, too. */
function digits(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${String(value)}n` : Object.is(value, -0) ? '-0' : value;
}
