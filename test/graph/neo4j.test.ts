import neo4j from 'neo4j-driver';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Graph,
  GraphError,
  type IndexDefinition,
  type NodeQuery,
  type ReadTransaction,
  newId,
  openNeo4jGraph,
  StatementLog,
  type LoggedStatement,
  type StoredValue,
} from '../../src/main/graph/index.js';
import { Database } from '../../src/main/graph/neo4j/connection/database.js';
import { COMMON, propertyName } from '../../src/main/graph/neo4j/connection/names.js';
import { exclusive } from '../support/neo4j-lock.js';
import { accessConformance } from './access-conformance.js';
import { accessRuns } from './access-model.js';
import { commitConformance } from './commit-conformance.js';
import { comparisonConformance } from './comparison-conformance.js';
import { conformance, type Opened, props } from './conformance.js';
import { instances } from './instances.js';
import { modelRuns } from './model-runs.js';
import { textConformance } from './text-conformance.js';
import { BESIDE, COMMIT_SENT, cypher, neo4jOptions, neo4jUrl, openEmpty, openLine, wipe } from './neo4j.js';

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof GraphError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'none';
}

if (neo4jUrl === undefined) test.skip('Neo4j: set NEO4J_URL', () => undefined);
else {
  exclusive();
  afterAll(wipe);

  conformance('neo4j', openEmpty);
  accessConformance('neo4j', openEmpty);
  comparisonConformance('neo4j', openEmpty);
  textConformance('neo4j', openEmpty);
  commitConformance('neo4j', openEmpty);

  instances(
    async () => (await openEmpty()).graph,
    () => openNeo4jGraph(neo4jOptions()),
  );

  describe('the neo4j engine', () => {
    let opened: Opened;
    let graph: Graph;
    let statements: LoggedStatement[];

    beforeEach(async () => {
      statements = [];
      const log = new StatementLog((one) => statements.push(one));
      log.all = true;
      opened = await openEmpty({ statements: log });
      graph = opened.graph;
    });
    afterEach(() => opened.remove());

    // More of both: test/long/graph-neo4j.
    test('leaves what the model says after random histories', () => modelRuns(graph, 40, 10));

    test('allows what the model says by random rules of access', () => accessRuns(graph, 6, 10));

    test('takes names and values of any text', async () => {
      const names = [
        'a`b',
        "a'b",
        'a"b',
        '\\u0060) DETACH DELETE n //',
        '`) DETACH DELETE n //',
        'x'.repeat(1000),
        '',
        'NodeInterface',
        '_svc_meta',
        'a\u0000b',
        '\u{1F600}',
      ];
      for (const name of names) {
        const id = newId();
        await graph.write(async (tx) => {
          await tx.createNode({ id, type: name, properties: props({ [name]: name, value: "' OR 1=1 //" }) });
          await tx.createRelationship({
            id: newId(),
            type: name,
            relType: name,
            sourceId: id,
            targetId: id,
            properties: {},
          });
        });
        const step = { relType: name, direction: 'out' as const };
        await graph.read(async (tx) => {
          const query = { kind: 'nodes' as const, types: [name] };
          const where = { op: 'equals' as const, key: name, value: name };
          expect((await tx.find({ ...query, where, sort: [{ key: name }] })).map((one) => one.id)).toEqual([id]);
          expect((await tx.related([id], step))[0]?.map((one) => one.type)).toEqual([name]);
          const [found] = await tx.find({ kind: 'relationships', types: [name] });
          expect([found?.type, found?.relType]).toEqual([name, name]);
          expect(await tx.relationship(found?.id ?? '')).toEqual(found);
          expect(await tx.count(query)).toEqual({ count: 1, exact: true });
        });
      }
      expect((await graph.read((tx) => tx.count({ kind: 'nodes' }))).count).toBe(names.length);
    });

    test('keeps values that an index or Neo4j itself cannot hold', async () => {
      await graph.setIndexes(['text', 'list'].map((key) => ({ trait: 'T', types: ['T'], key, unique: false })));
      await graph.indexesReady();
      const long = '\u{1F600}'.repeat(20_000);
      const values = { text: long, list: Array.from({ length: 5000 }, (_, i) => `n${String(i)}`), big: 2n ** 70n };
      const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'T', properties: values }));
      const read = async () => (await graph.read((tx) => tx.node(id)))?.properties;
      expect(await read()).toEqual(props(values));
      const matching = async (where: object): Promise<number> =>
        (await graph.read((tx) => tx.find({ kind: 'nodes', types: ['T'], where: where as never }))).length;
      expect(await matching({ op: 'equals', key: 'text', value: long })).toBe(1);
      expect(await matching({ op: 'equals', key: 'text', value: long.slice(0, 1900) })).toBe(0);
      expect(await matching({ op: 'in', key: 'text', values: [long] })).toBe(1);
      expect(await matching({ op: 'range', key: 'text', from: long })).toBe(1);
      expect(await matching({ op: 'range', key: 'text', to: long.slice(2) })).toBe(0);
      expect(await matching({ op: 'arrayContains', key: 'list', value: 'n4999' })).toBe(1);
      const changed = { text: 'short', list: ['x'], big: NaN };
      await graph.write((tx) => tx.updateNode(id, changed));
      expect(await read()).toEqual(props(changed));
      expect(await matching({ op: 'isNull', key: 'big' })).toBe(1);
    });

    test('writes many nodes and what links them as it was given, in few statements', async () => {
      const hubs = [newId(), newId()];
      await graph.write(async (tx) => {
        for (const id of hubs) await tx.createNode({ id, type: 'Hub', properties: {} });
      });
      const some = [1, 2.5, -0, 2n ** 60n, 'text', true, ['a', 'b'], [1, 2], 'constant'];
      const nodes = Array.from({ length: 100 }, (_, i) => ({
        id: newId(),
        type: i % 3 === 0 ? 'A' : 'B',
        properties: {
          same: 'constant',
          list: ['x', 'y'],
          n: i,
          [`only ${String(i % 7)}`]: some[i % some.length] ?? 0,
          often: some[i % 4] ?? 0,
        },
      }));
      const links: { id: string; type: string; relType: string; sourceId: string; targetId: string }[] = [];
      const link = (relType: string, sourceId: string, targetId: string): void => {
        links.push({ id: newId(), type: `T${relType}`, relType, sourceId, targetId });
      };
      for (const [i, { id }] of nodes.entries()) {
        link('OWNS', hubs[0] ?? '', id);
        if (i % 2 === 0) link('IN', id, hubs[i % 4 === 0 ? 0 : 1] ?? '');
        // Twice the same, to itself, to one that is new as well, and one that nobody else has.
        if (i % 10 === 0) link('OWNS', hubs[0] ?? '', id);
        if (i % 5 === 0) link('SELF', id, id);
        if (i > 0) link('NEXT', nodes[i - 1]?.id ?? '', id);
        if (i === 50) link('RARE', id, hubs[1] ?? '');
      }
      statements.length = 0;
      await graph.write(async (tx) => {
        for (const node of nodes) await tx.createNode(node);
        for (const one of links) await tx.createRelationship({ ...one, properties: { of: one.sourceId, same: 1 } });
      });
      expect(
        statements.filter(({ text }) => text.startsWith('MATCH (o0') || text.startsWith('UNWIND')).length,
      ).toBeLessThan(14);
      await graph.read(async (tx) => {
        const ids = nodes.map(({ id }) => id);
        expect(await tx.nodes(ids)).toEqual(
          nodes.map(({ id, type, properties }) => ({ kind: 'node', id, type, properties: props(properties) })),
        );
        const found = await Promise.all(links.map(({ id }) => tx.relationship(id)));
        expect(found).toEqual(
          links.map((one) => ({ kind: 'relationship', ...one, properties: props({ of: one.sourceId, same: 1 }) })),
        );
        expect(await tx.find({ kind: 'nodes', types: ['A', 'B'] })).toHaveLength(100);
        expect((await tx.find({ kind: 'nodes', types: ['B'], limit: 50 })).map(({ id }) => id)).toEqual(
          nodes
            .filter(({ type }) => type === 'B')
            .slice(0, 50)
            .map(({ id }) => id),
        );
      });
    });

    test('reads one node in one statement, a page with its count in two', async () => {
      const { id } = await graph.write((tx) =>
        tx.createNode({ id: newId(), type: 'T', properties: { secret: 'xyz' } }),
      );
      const asked = (): string[] => statements.map(({ text }) => text).filter((text) => !BESIDE.test(text));
      statements.length = 0;
      await graph.read((tx) => tx.node(id));
      expect(asked()).toHaveLength(1);
      await graph.read(async (tx) => {
        await tx.find({ kind: 'nodes', types: ['T'], limit: 20 });
        await tx.count({ kind: 'nodes', types: ['T'] }, 10_000);
      });
      expect(asked()).toHaveLength(3);
      expect(statements.map(({ text }) => text).join()).not.toContain('xyz');
    });

    test('serves sorted pages and filters from indexes', async () => {
      await graph.setIndexes([{ trait: 'T', types: ['T'], key: 'n', unique: false }]);
      await graph.indexesReady();
      const plan = async (query: object): Promise<string> =>
        (await graph.explain({ kind: 'nodes', types: ['T'], ...query }))
          .filter((one) => one.startsWith('rows plan'))
          .join('\n');
      expect(await plan({ where: { op: 'equals', key: 'n', value: 1 } })).toContain('NodeIndexSeek');
      expect(await plan({ where: { op: 'equals', key: 'id', value: 'x' } })).toContain('NodeUniqueIndexSeek');
      expect(await plan({ sort: [{ key: 'n' }], limit: 20 })).toMatch(/Partial(Sort|Top)/);
      expect(await plan({ limit: 20 })).toContain('NodeIndexSeek');
    });

    describe('indexes change', () => {
      const query: NodeQuery = {
        kind: 'nodes',
        types: ['T'],
        where: { op: 'range', key: 'n', from: 10 },
        sort: [{ key: 'n' }],
      };
      const indexOn = (key: string): IndexDefinition => ({ trait: 'T', types: ['T'], key, unique: false });
      beforeEach(async () => {
        await graph.write(async (tx) => {
          for (let n = 0; n < 50; n++) await tx.createNode({ id: newId(), type: 'T', properties: { n } });
        });
        await graph.setIndexes([indexOn('n')]);
        await graph.indexesReady();
      });

      test('reads that lose theirs on the way are done again', async () => {
        const [{ name = '', text = '' } = {}] = await cypher<{ name: string; text: string }>(
          "SHOW INDEXES YIELD name, properties, createStatement AS text WHERE properties = ['type', $key] RETURN name, text",
          { key: propertyName('n') },
        );
        const errors: string[] = [];
        let reads = 0;
        const until = Date.now() + 6000;
        const reading = async (read: (tx: ReadTransaction) => Promise<unknown>): Promise<void> => {
          for (; Date.now() < until; reads++)
            await graph.read(read).catch((error: unknown) => errors.push(String(error)));
        };
        const inStream = async (tx: ReadTransaction): Promise<void> => {
          let count = 0;
          for await (const batch of tx.stream(query)) count += batch.length;
          expect(count).toBe(40);
        };
        // As an instance does it: giving up soon, so that nothing stands still.
        const database = new Database(neo4jOptions());
        const changing = async (): Promise<void> => {
          for (let drop = true; Date.now() < until; drop = !drop) {
            const change = database.runTogether([drop ? `DROP INDEX ${name} IF EXISTS` : text], 1000);
            await change.catch(() => undefined);
            await new Promise((resolve) => setTimeout(resolve, 20));
          }
          await database.close();
        };
        await Promise.all([
          changing(),
          reading(async (tx) => expect(await tx.find(query)).toHaveLength(40)),
          reading(inStream),
          reading(inStream),
        ]);
        expect([reads > 3, errors]).toEqual([true, []]);
      });

      test('reads wait for a new one only shortly, though it waits for a transaction', async () => {
        const { url, user, password } = neo4jOptions();
        const driver = neo4j.driver(url, neo4j.auth.basic(user, password), { telemetryDisabled: true });
        const session = driver.session({ database: 'neo4j' });
        try {
          const other = `other${newId()}`;
          const tx = session.beginTransaction();
          const [label, key] = [COMMON, propertyName('n')];
          const hint = `USING INDEX n:${label}(type, ${key})`;
          await tx.run(`MATCH (n:${label}) ${hint} WHERE n.type = 'T' AND n.${key} > 10 RETURN n ORDER BY n.${key}`);
          await graph.setIndexes([indexOn('n'), indexOn(other)]);
          void graph.indexesReady();
          // The transaction and what waits for it.
          const waits =
            'SHOW TRANSACTIONS YIELD activeLockCount AS n, elapsedTime AS t WHERE n > 0 AND t.milliseconds > 300 RETURN n';
          await expect.poll(() => cypher(waits)).toHaveLength(2);
          // A statement that is not planned yet: planning asks for the locks of indexes.
          const unknown = {
            kind: 'nodes',
            types: ['T'],
            where: { op: 'equals', key: 'n', value: 10 },
            sort: [{ key: other }],
          } as const;
          expect(await graph.read((read) => read.find(unknown), { timeout: 10_000 })).toHaveLength(1);
          await tx.commit();
          const made = 'SHOW INDEXES YIELD properties AS p WHERE p[1] = $key RETURN p';
          await expect.poll(() => cypher(made, { key: propertyName(other) })).toHaveLength(1);
        } finally {
          await driver.close();
        }
      });
    });

    test('notices that somebody has dropped a full-text index, and makes it again', async () => {
      const text = { name: 'T_text_fulltext', kind: 'nodes', label: 'T', types: ['T'], key: 'text' } as const;
      await graph.setIndexes([], [text]);
      await graph.indexesReady();
      await graph.write((tx) => tx.createNode({ id: 'a', type: 'T', properties: { text: 'garden' } }));
      const found = (): Promise<readonly { id: string }[]> =>
        graph.read((tx) => tx.search(text.name, { op: 'words', text: 'garden' }, { offset: 0, limit: 9 }));
      await expect.poll(found).toMatchObject([{ id: 'a' }]);
      const [index] = await cypher<{ name: string }>(
        "SHOW INDEXES YIELD name, type WHERE type = 'FULLTEXT' RETURN name",
      );
      await cypher(`DROP INDEX ${index?.name ?? ''}`);
      expect(await failure(found())).toMatch(/^unavailable: .*being built/);
      await graph.indexesReady();
      expect(await found()).toMatchObject([{ id: 'a' }]);
    });

    test('drops an index some time after nobody wants it any more, and takes long texts until then', async () => {
      const others = await openNeo4jGraph({ ...neo4jOptions(), indexGrace: 8000 });
      let later: Graph | undefined;
      const there = async (): Promise<number> =>
        (await cypher("SHOW INDEXES YIELD name, properties WHERE properties = ['type', 'passing'] RETURN name")).length;
      try {
        await others.setIndexes([{ trait: 'T', types: ['T'], key: 'passing', unique: false }]);
        await others.indexesReady();
        await others.setIndexes([]);
        await others.indexesReady();
        expect(await there()).toBe(1);
        later = await openNeo4jGraph(neo4jOptions());
        for (const by of [others, later]) {
          const passing = 'x'.repeat(100_000);
          const { id } = await by.write((tx) => tx.createNode({ id: newId(), type: 'T', properties: { passing } }));
          expect((await by.read((tx) => tx.node(id)))?.properties).toEqual({ passing });
        }
        expect(await there()).toBe(1);
        await expect.poll(there).toBe(0);
      } finally {
        await later?.close();
        await others.close();
      }
    });

    test('knows that no value is missing only as long as that is so', async () => {
      await graph.setIndexes([{ trait: 'T', types: ['T'], key: 'n', unique: false }]);
      await graph.indexesReady();
      const other = await openNeo4jGraph(neo4jOptions());
      const query = { kind: 'nodes' as const, types: ['T'], sort: [{ key: 'n', descending: true }], limit: 3 };
      const page = async () => (await graph.read((tx) => tx.find(query))).map(({ id }) => id);
      const known = async (): Promise<boolean> =>
        (await graph.explain(query)).some((one) => one.startsWith('rows: ') && one.includes('gaps'));
      const make = (by: Graph, type: string, properties: Record<string, StoredValue>): Promise<string> =>
        by.write(async (tx) => (await tx.createNode({ id: newId(), type, properties })).id);
      try {
        await other.setIndexes([{ trait: 'T', types: ['T'], key: 'n', unique: false }]);
        const [one, two, three] = [
          await make(graph, 'T', { n: 1 }),
          await make(graph, 'T', { n: 2 }),
          await make(graph, 'T', { n: 3 }),
        ];
        expect(await page()).toEqual([three, two, one]);
        await expect.poll(known).toBe(true);
        expect(await page()).toEqual([three, two, one]);
        // Made without a value, by another instance; then with one.
        const made = await make(other, 'T', {});
        expect(await page()).toEqual([made, three, two]);
        await other.write((tx) => tx.updateNode(made, { n: 0 }));
        // All is looked at again when a minute is over.
        vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 61_000 });
        await expect.poll(known).toBe(true);
        vi.useRealTimers();
        expect(await page()).toEqual([three, two, one]);
        // Taken away by another instance.
        await other.write((tx) => tx.updateNode(one, { n: null }));
        expect(await page()).toEqual([one, three, two]);
        await other.write((tx) => tx.updateNode(one, { n: [1] }));
        expect(await page()).toEqual([one, three, two]);
        // Made long before, and of this type only now.
        const old = await make(graph, 'Other', {});
        await make(graph, 'T', { n: 4 });
        await other.write((tx) => tx.setNodeType(old, 'T'));
        expect((await page()).slice(0, 2)).toEqual([old, one]);
      } finally {
        vi.useRealTimers();
        await other.close();
      }
    });

    test('serialises writers of several instances', async () => {
      const other = await openNeo4jGraph(neo4jOptions());
      try {
        const { id } = await graph.write((tx) => tx.createNode({ id: newId(), type: 'Counter', properties: { n: 0 } }));
        const add = (one: Graph): Promise<unknown> =>
          one.write(async (tx) => tx.updateNode(id, { n: Number((await tx.node(id))?.properties['n']) + 1 }));
        await Promise.all(Array.from({ length: 40 }, (_, i) => add(i % 2 === 0 ? graph : other)));
        expect((await graph.read((tx) => tx.node(id)))?.properties['n']).toBe(40);
        const taken = newId();
        const create = (one: Graph) => one.write((tx) => tx.createNode({ id: taken, type: 'T', properties: {} }));
        const results = await Promise.all([failure(create(graph)), failure(create(other))]);
        expect(results.filter((one) => one === 'none')).toHaveLength(1);
        expect(results.filter((one) => one.startsWith('already_taken'))).toHaveLength(1);
        // A relationship of a kind that only the other instance has made so far.
        const link = { id: newId(), type: 'AB', relType: 'B', sourceId: id, targetId: id, properties: {} };
        await other.write((tx) => tx.createRelationship(link));
        expect(await graph.read((tx) => tx.find({ kind: 'relationships', types: ['AB'] }))).toHaveLength(1);
        expect((await graph.read((tx) => tx.relationship(link.id)))?.relType).toBe('B');
      } finally {
        await other.close();
      }
    });

    test('ends a query in the database at its time limit or signal', async () => {
      await graph.write(async (tx) => {
        for (let i = 0; i < 3000; i++) {
          await tx.createNode({ id: newId(), type: 'T', properties: { text: 'ab'.repeat(500) + String(i) } });
        }
      });
      const terms = Array.from({ length: 60 }, (_, i) => ({
        op: 'contains' as const,
        key: 'text',
        value: `c${String(i)}`,
        ignoreCase: true,
      }));
      const query = { kind: 'nodes' as const, types: ['T'], where: { op: 'or' as const, terms } };
      expect(await failure(graph.read((tx) => tx.find(query), { timeout: 20 }))).toMatch(/^query_timeout/);
      const controller = new AbortController();
      const cancelled = failure(graph.read((tx) => tx.find(query), { signal: controller.signal }));
      setTimeout(() => {
        controller.abort();
      }, 50);
      expect(await cancelled).toMatch(/^aborted/);
      const { url, user, password } = neo4jOptions();
      const driver = neo4j.driver(url, neo4j.auth.basic(user, password));
      await new Promise((resolve) => setTimeout(resolve, 200));
      const text = 'SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery CONTAINS "toLower" RETURN count(*)';
      const { records } = await driver.executeQuery(text);
      await driver.close();
      expect(Number(records[0]?.get(0))).toBeLessThanOrEqual(1);
    });

    test('sends a list again as long as nothing of it has been given out', async () => {
      const ids = Array.from({ length: 3000 }, () => newId());
      await graph.write(async (tx) => {
        for (const id of ids) await tx.createNode({ id, type: 'T', properties: {} });
      });
      const line = await openLine();
      const lost = await openNeo4jGraph({ ...neo4jOptions(), url: line.url });
      const listed = (between: () => void): Promise<string[]> =>
        lost.read(async (tx) => {
          const found: string[] = [];
          for await (const batch of tx.stream({ kind: 'nodes', types: ['T'] })) {
            found.push(...batch.map(({ id }) => id));
            between();
          }
          return found;
        });
      try {
        line.loseNextAnswer();
        expect(await listed(() => undefined)).toEqual(ids);
        const cut = (): void => {
          line.cut();
          line.mend();
        };
        expect(await failure(listed(cut))).toBe('unavailable: Neo4j cannot be reached.');
      } finally {
        line.mend();
        await lost.close();
        await line.close();
      }
    });

    test('knows what became of a commit whose answer was lost, and works on after an outage', async () => {
      const line = await openLine();
      const cut = await openNeo4jGraph({ ...neo4jOptions(), url: line.url });
      try {
        const id = newId();
        await cut.write(async (tx) => {
          await tx.createNode({ id, type: 'T', properties: {} });
          line.loseNextAnswer(COMMIT_SENT);
        });
        expect((await graph.read((tx) => tx.node(id)))?.id).toBe(id);
        line.cut();
        const create = () => cut.write((tx) => tx.createNode({ id: newId(), type: 'T', properties: {} }));
        expect(await failure(cut.read((tx) => tx.node(id)))).toBe('unavailable: Neo4j cannot be reached.');
        expect(await failure(create())).toBe('unavailable: Neo4j cannot be reached.');
        line.mend();
        expect((await cut.read((tx) => tx.node(id)))?.id).toBe(id);
        await create();
        const broken = cut.write(async (tx) => {
          await tx.createNode({ id: newId(), type: 'T', properties: {} });
          line.cut();
          line.mend();
          await tx.count({ kind: 'nodes' });
        });
        expect(await failure(broken)).toBe('unavailable: Neo4j cannot be reached.');
        expect(await graph.read((tx) => tx.count({ kind: 'nodes' }))).toEqual({ count: 2, exact: true });
      } finally {
        await cut.close();
        await line.close();
      }
    });

    test('says in one line what is wrong, without credentials', async () => {
      const options = neo4jOptions();
      const wrong = await failure(openNeo4jGraph({ ...options, password: 'not-the-secret' }));
      expect(wrong).toBe('unavailable: Neo4j refuses the user name or the password.');
      expect(await failure(openNeo4jGraph({ ...options, database: 'nosuchdatabase' }))).toBe(
        'unavailable: Neo4j has no database of the configured name.',
      );
      expect(await failure(openNeo4jGraph({ ...options, url: 'bolt://127.0.0.1:1' }))).toBe(
        'unreachable: Neo4j cannot be reached.',
      );
    });
  });
}
