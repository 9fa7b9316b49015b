/** A database of format 6, as the version before left it, is converted when it is opened. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { checkSqliteGraph, openSqliteGraph, type Graph, type Predicate } from '../../src/main/graph/index.js';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { inFormat6 } from './older-format.js';

const FIXTURES = new URL('fixtures/', import.meta.url);
const hex = (n: number): string => '01a2187aa49f7000800000000000' + n.toString(16).padStart(4, '0');
const [USER, OTHER] = [hex(1), hex(2)];
const MADE = 1795707020331;
const ALL = ['read', 'write', 'delete', 'accessControl'];

let path: string;
let graph: Graph | undefined;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), 'svc-format-'));
  writeFileSync(join(path, 'graph.db'), gunzipSync(readFileSync(new URL('format-6.db.gz', FIXTURES))));
});

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

test('all that was in it is there, and its indexes and rights fit', async () => {
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
  expect(inFile((db) => db.pragma('user_version', { simple: true }))).toBe(7);
  expect(await findings()).toEqual([]);
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
