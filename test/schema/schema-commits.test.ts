/** Which schema holds while changes of it are on their way into the database. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Graph, openSqliteGraph } from '../../src/main/graph/index.js';
import {
  ALLOW_ALL,
  SchemaService,
  SYSTEM,
  type ObjectTransaction,
  type WriteOptions,
} from '../../src/main/schema/index.js';

const write: WriteOptions = {
  door: 'system',
  unknownKeys: 'ignore',
  idPattern: /^/,
  compactIds: true,
  emailPattern: /^/,
};

describe.each([
  ['on the loop', undefined],
  ['with the thread that writes', 0],
])('schema changes %s', (_, threadFrom) => {
  let path: string;
  let graph: Graph;
  let schemas: SchemaService;

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-schema-'));
    graph = await openSqliteGraph({ path, ...(threadFrom === undefined ? {} : { threadFrom }) });
    schemas = await SchemaService.start(graph, {
      dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    // A journal may refuse a transaction whose work is done, and whose schema is compiled.
    graph.journal('test', ({ changes }) => {
      if (changes.some((c) => c.entity.properties['name'] === 'Refused')) throw new Error('refused');
      return [];
    });
  });
  afterEach(async () => {
    await graph.indexesReady();
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  const change = (work: (objects: ObjectTransaction) => Promise<unknown>): Promise<unknown> =>
    schemas.write(SYSTEM, ALLOW_ALL, write, work);
  const define = (name: string, milliseconds = 0): Promise<unknown> =>
    change(async (objects) => {
      const type = objects.schema.type('SchemaNode');
      if (type === undefined) throw new Error('no SchemaNode');
      await objects.create(type, { name });
      if (milliseconds > 0) await sleep(milliseconds);
    });
  const known = (name: string): boolean => schemas.schema.type(name) !== undefined;

  test('of many transactions that share a commit count when they are committed', async () => {
    const names = Array.from({ length: 20 }, (_, i) => `Type${String(i)}`);
    await Promise.all(names.map((name) => define(name)));
    expect(names.filter((name) => !known(name))).toEqual([]);
  });

  // Milliseconds: long enough for the batch that it is in to be committed as soon as it has ended.
  test.each([0, 20])('refused at their end take no other with them, and count for nobody (%s ms)', async (duration) => {
    const seenByWriters: boolean[] = [];
    const results = await Promise.allSettled([
      define('Before'),
      define('Refused', duration),
      change((objects) => Promise.resolve(seenByWriters.push(objects.schema.type('Refused') !== undefined))),
      define('After'),
    ]);
    expect(results.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(seenByWriters).toEqual([false]);
    expect([known('Before'), known('Refused'), known('After')]).toEqual([true, false, true]);
    // Not healed by the next change alone: also when none follows.
    await Promise.allSettled([define('Last'), define('Refused', duration)]);
    expect([known('Last'), known('Refused')]).toEqual([true, false]);
    await change((objects) => {
      expect(objects.schema.type('Last')).toBeDefined();
      return Promise.resolve();
    });
  });

  test('are not seen before they are committed, whatever is committed meanwhile', async () => {
    let early = false;
    graph.onCommit((changes) => {
      const names = changes.map((c) => c.entity.properties['name']);
      if (names.includes('First') && !names.includes('Second')) early ||= known('Second') && !committedSecond;
      if (names.includes('Second')) committedSecond = true;
    });
    let committedSecond = false;
    await Promise.all([define('First', 5), define('Second', 5)]);
    expect(early).toBe(false);
    expect([known('First'), known('Second')]).toEqual([true, true]);
  });
});
