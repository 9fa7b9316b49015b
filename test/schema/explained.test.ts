/** What commits tell of themselves: who, how, and what has changed, with nothing that is secret. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Config } from '../../src/main/config/index.js';
import { openSqliteGraph, type Graph, type GraphNode, type Journal } from '../../src/main/graph/index.js';
import {
  ALLOW_ALL,
  explained,
  prepareInput,
  SchemaService,
  SYSTEM,
  type ExplainedChange,
  type ObjectTransaction,
  type WriteOptions,
} from '../../src/main/schema/index.js';
import { Security } from '../../src/main/security/index.js';

const ANNA = { door: 'rest', userId: 'a'.repeat(32), userName: 'anna', reason: 'test' } as const;
const HERE = { address: '127.0.0.1', remoteAddress: '127.0.0.1', header: () => '' };
const write: WriteOptions = {
  door: 'login',
  unknownKeys: 'ignore',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

interface Record {
  readonly number: number;
  readonly origin: unknown;
  readonly time: number;
  readonly changes: readonly ExplainedChange[];
}

let folder: string;
let graph: Graph;
let schemas: SchemaService;
let security: Security;
let journal: Journal;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-test-'));
  graph = await openSqliteGraph({ path: folder });
  schemas = await SchemaService.start(graph, {
    dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
    zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
    timeZone: 'UTC',
    encryptionSecret: 'a secret',
    lenientJson: false,
  });
  // In the same transaction, as a changelog would have it.
  journal = graph.journal('explained', (ending) => {
    const { changes, ...rest } = explained(ending, schemas.schema);
    return [JSON.stringify({ ...rest, changes: [...changes] } satisfies Record)];
  });
  const config = Config.of({
    'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests',
    'jsonrestservlet.user.autocreate': true,
  });
  security = await Security.start({ config, graph, schemas, write: () => write });
});
afterAll(async () => {
  await security.stop();
  await graph.indexesReady();
  await graph.close();
  await rm(folder, { recursive: true });
});

const objects = <T>(work: (tx: ObjectTransaction) => Promise<T>): Promise<T> =>
  schemas.write(SYSTEM, ALLOW_ALL, write, work, { origin: ANNA });
async function create(name: string, input: object): Promise<GraphNode> {
  const type = schemas.schema.type(name);
  if (type === undefined) throw new Error(`no type ${name}`);
  await prepareInput(schemas.schema, type, input as never);
  return objects((tx) => tx.create(type, input as never));
}
async function since(position: number): Promise<{ text: string; records: Record[] }> {
  const found = await journal.read(position, 1000);
  const records = found.map(({ text }) => JSON.parse(text) as Record);
  return { text: found.map(({ text }) => text).join('\n'), records };
}
async function last(): Promise<number> {
  return (await journal.read(0, 1000)).at(-1)?.position ?? 0;
}

it('have old and new values, who, when and what for', async () => {
  await create('SchemaNode', { name: 'Thing', schemaProperties: [{ name: 'title', propertyType: 'String' }] });
  const from = await last();
  const node = await create('Thing', { title: 'old' });
  await objects((tx) => tx.update(node, { title: 'new' }));
  await objects(async (tx) => {
    const now = await tx.tx.node(node.id);
    if (now !== undefined) await tx.delete(now);
  });
  const { records } = await since(from);
  expect(records.map(({ origin }) => origin)).toEqual([ANNA, ANNA, ANNA]);
  expect(records.map(({ number }) => number)).toEqual([0, 1, 2].map((i) => (records[0]?.number ?? 0) + i));
  const [created, changed, deleted] = records.map(({ changes }) => changes);
  expect(created?.[0]).toMatchObject({ verb: 'create', kind: 'node', id: node.id, type: 'Thing', before: {} });
  expect(created?.[0]?.after).toMatchObject({ title: 'old' });
  const title = changed?.find(({ after }) => 'title' in after);
  expect(title).toMatchObject({ verb: 'change', before: { title: 'old' }, after: { title: 'new' }, withheld: [] });
  expect(deleted?.find(({ verb }) => verb === 'delete')).toMatchObject({ before: { title: 'new' }, after: {} });
});

it('never tell secrets, whatever writes them', async () => {
  await create('SchemaNode', {
    name: 'Vault',
    schemaProperties: [
      { name: 'open', propertyType: 'String' },
      { name: 'sealed', propertyType: 'Encrypted' },
      { name: 'code', propertyType: 'Password' },
    ],
  });
  const from = await last();
  const secrets = new Set<string>();
  const collect = async (id: string, keys: readonly string[]): Promise<void> => {
    const node = await graph.read((tx) => tx.node(id));
    for (const key of keys) {
      const values = [node?.properties[key] ?? []].flat();
      if (values.length === 0) throw new Error(`${key} was not written: nothing is shown of it`);
      for (const value of values) secrets.add(String(value));
    }
  };
  const vault = await create('Vault', { open: 'to see', sealed: 'sealed text', code: 'code text' });
  await collect(vault.id, ['sealed', 'code']);
  const anna = await create('User', {
    name: 'anna',
    eMail: 'anna@example.com',
    password: 'a-password',
    proxyPassword: 'proxied',
  });
  await collect(anna.id, ['password', 'proxyPassword']);
  const cookie = await security.sessions.begin(anna.id);
  const pair = await security.tokens.issue(anna);
  await collect(anna.id, ['sessionIds', 'refreshTokens']);
  for (const one of [cookie, pair.accessToken, pair.refreshToken]) secrets.add(one);
  await expect(security.login.identify({ name: 'anna', password: 'wrong' }, HERE)).rejects.toThrow();
  await graph.write((tx) =>
    tx.updateNode(anna.id, {
      salt: 'salt value',
      twoFactorSecret: 'factor secret',
      twoFactorToken: 'factor token',
      confirmationKey: 'confirmation key',
      passwordResetKey: 'reset key',
      sessionData: 'data of a session',
    }),
  );
  await collect(anna.id, [
    'salt',
    'twoFactorSecret',
    'twoFactorToken',
    'confirmationKey',
    'passwordResetKey',
    'sessionData',
  ]);
  const [session] = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['SessionDataNode'] }));
  await collect(session?.id ?? '', ['sessionId']);
  const entry = await create('StorageConfigurationEntry', { name: 'secretKey', value: 'key of a bucket' });
  await collect(entry.id, ['value']);
  const client = await create('MQTTClient', { name: 'queue', mainBrokerURL: 'mqtt://x', password: 'queue password' });
  await collect(client.id, ['password']);
  // It keeps the secret when it is something else, and when its type is no more.
  await graph.write(async (tx) => {
    await tx.updateNode(vault.id, { sealed: 'sealed again' });
    await tx.setNodeType(vault.id, 'Thing');
    await tx.updateNode(vault.id, { sealed: 'sealed as another' });
  });
  for (const one of ['sealed again', 'sealed as another']) secrets.add(one);
  await graph.write(async (tx) => {
    await tx.setNodeType(vault.id, 'Gone');
    await tx.deleteNode(vault.id);
    await tx.deleteNode(anna.id);
  });
  const { text, records } = await since(from);
  expect([...secrets].filter((secret) => text.includes(secret))).toEqual([]);
  // What is no secret is there: the records are of these very changes.
  for (const one of ['to see', 'anna@example.com', '"passwordAttempts":1', 'secretKey', 'mqtt://x'])
    expect(text).toContain(one);
  const withheld = new Set(records.flatMap(({ changes }) => changes.flatMap((change) => change.withheld)));
  for (const key of [
    'sealed',
    'code',
    'password',
    'sessionIds',
    'refreshTokens',
    'sessionId',
    'value',
    'twoFactorSecret',
  ])
    expect(withheld).toContain(key);
});
