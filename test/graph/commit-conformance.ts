/** What every engine promises of commits: their numbers, who set them off, and journals. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Commit,
  type Graph,
  type GraphNode,
  newId,
  type Notice,
  type Origin,
  SYSTEM_ORIGIN,
} from '../../src/main/graph/index.js';
import { brief, type Opened, props } from './conformance.js';

const ANNA: Origin = { door: 'rest', userId: 'a'.repeat(32), userName: 'anna', reason: 'test' };

export function commitConformance(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: commits`, () => {
    let opened: Opened;
    let graph: Graph;
    let commits: Commit[];

    beforeEach(async () => {
      opened = await open();
      graph = opened.graph;
      commits = [];
      graph.onCommit((_, commit) => commits.push(commit));
    });
    afterEach(async () => {
      await opened.remove();
    });

    const create = (value: number, origin?: Origin): Promise<GraphNode> =>
      graph.write((tx) => tx.createNode({ id: newId(), type: 'Thing', properties: props({ value }) }), { origin });

    test('have numbers that grow in the order of commits, many at once too', async () => {
      const before = graph.commitNumber;
      await Promise.all(Array.from({ length: 40 }, (_, i) => create(i)));
      const numbers = commits.map((commit) => commit.number);
      expect(numbers).toHaveLength(40);
      expect(numbers).toEqual([...numbers].sort((a, b) => a - b));
      expect(new Set(numbers).size).toBe(40);
      expect(numbers[0]).toBeGreaterThan(before);
      expect(graph.commitNumber).toBe(numbers.at(-1));
    });

    test('tell who set them off, when, and what changed', async () => {
      const since = Date.now();
      const node = await create(1, ANNA);
      await graph.write((tx) => tx.updateNode(node.id, { value: 2 }));
      expect(commits.map(({ origin }) => origin)).toEqual([ANNA, SYSTEM_ORIGIN]);
      expect(commits.map(({ changes }) => changes.map(brief))).toEqual([['create Thing'], ['change value 1>2']]);
      for (const { time } of commits) {
        expect(time).toBeGreaterThanOrEqual(since);
        expect(time).toBeLessThanOrEqual(Date.now());
      }
    });

    test('are plain data, which can cross threads', async () => {
      await create(1, ANNA);
      expect(structuredClone(commits[0])).toEqual({
        ...commits[0],
        changes: commits[0]?.changes.map((c) => ({ ...c, entity: { ...c.entity, properties: { value: 1 } } })),
      });
    });

    test('are waited for by their number, as whoever reads what he has written does', async () => {
      await create(1);
      const [commit] = commits;
      await graph.reached(commit?.number ?? Infinity);
      const next = (commit?.number ?? 0) + 1;
      await expect(graph.reached(next, { timeout: 20 })).rejects.toMatchObject({ code: 'query_timeout' });
      const controller = new AbortController();
      const cancelled = graph.reached(next, { timeout: 0, signal: controller.signal });
      controller.abort();
      await expect(cancelled).rejects.toMatchObject({ code: 'aborted' });
      let keeps = 0;
      graph.caches.keep({
        name: 'test',
        dependsOn: ['Thing'],
        concerns: ({ type }) => type === 'Thing',
        changed: ({ number }) => {
          keeps = number;
        },
      });
      const reached = graph.reached(next).then(() => keeps);
      await create(2);
      // Not before those who keep something have heard of it.
      expect(await reached).toBe(commits[1]?.number);
    });

    describe('of emptying', () => {
      const kept = { nodes: ['Kept'], relationships: ['KeptWith'] };
      const quiet = { begin: () => undefined, done: () => Promise.resolve() };
      const flags = { visibleToPublicUsers: true };
      /** Two that are kept, linked, and 30 others that are linked with each other and with those. */
      async function fill(): Promise<void> {
        await graph.setIndexes([{ trait: 'Kept', types: ['Kept', 'Thing'], key: 'value', unique: false }]);
        await graph.write(async (tx) => {
          const ids: string[] = [];
          for (let i = 0; i < 32; i++) {
            const properties = props({ value: i, ...flags });
            ids.push((await tx.createNode({ id: newId(), type: i < 2 ? 'Kept' : 'Thing', properties })).id);
          }
          const link = (type: string, relType: string, from: number, to: number): Promise<unknown> =>
            tx.createRelationship({
              ...{ id: newId(), type, relType, properties: props({}) },
              ...{ sourceId: ids[from] ?? '', targetId: ids[to] ?? '' },
            });
          await link('KeptWith', 'WITH', 0, 1);
          for (let i = 0; i < 31; i++) {
            await link('Links', 'WITH', i, i + 1);
            await link('Owning', 'OWNS', i, i + 1);
          }
        });
        await graph.indexesReady();
      }
      const values = (type: string): Promise<unknown[]> =>
        graph.read(async (tx) => {
          const where = { op: 'range', key: 'value', from: 0 } as const;
          const found = await tx.find({ kind: 'nodes', types: [type], where, sort: [{ key: 'value' }] });
          return found.map(({ properties }) => properties['value']);
        });
      const counts = (): Promise<number[]> =>
        graph.read(async (tx) => {
          const all: number[] = [];
          for (const query of [
            { kind: 'nodes' },
            { kind: 'nodes', types: ['Thing'] },
            { kind: 'relationships' },
            { kind: 'relationships', types: ['KeptWith'] },
          ] as const)
            all.push((await tx.count(query)).count);
          return all;
        });

      test('say only that anything may be another, once', async () => {
        const heard: Notice[] = [];
        graph.caches.keep({
          ...{ name: 'test', dependsOn: ['Thing'], isState: true, concerns: () => true },
          changed: (notice) => {
            heard.push(notice);
          },
        });
        await fill();
        expect(await counts()).toEqual([32, 30, 63, 1]);
        expect(await values('Thing')).toHaveLength(30);
        const before = commits.length;
        heard.length = 0;
        const cleared = await graph.clear(kept, quiet, ANNA);
        if (cleared === undefined) {
          // There is no second processor, and nothing was done.
          expect(await counts()).toEqual([32, 30, 63, 1]);
          return;
        }
        expect(cleared).toEqual({ nodes: 30, relationships: 62 });
        expect(heard.map(({ changes }) => changes)).toEqual(['everything']);
        expect(commits.slice(before).flatMap(({ changes }) => changes)).toEqual([]);
        expect(await counts()).toEqual([2, 0, 1, 1]);
        expect([await values('Thing'), await values('Kept')]).toEqual([[], [0, 1]]);
        // What comes is found as ever.
        await create(7);
        expect(await values('Thing')).toEqual([7]);
        expect(await counts()).toEqual([3, 1, 1, 1]);
        expect(await graph.clear({ nodes: [], relationships: [] }, quiet)).toEqual({ nodes: 3, relationships: 1 });
        expect(await counts()).toEqual([0, 0, 0, 0]);
      });

      test('are in the way of who has read what was there', async () => {
        await fill();
        const open = graph.open({ locking: 'last', timeout: 10_000 });
        const [first] = await open.find({ kind: 'nodes', types: ['Thing'], limit: 1 });
        await open.createNode({
          id: newId(),
          type: 'Thing',
          properties: props({ value: first?.properties['value'] ?? 0 }),
        });
        if ((await graph.clear(kept, quiet)) === undefined) return open.rollBack();
        await expect(open.commit()).rejects.toMatchObject({ code: 'conflict' });
        await open.rollBack();
        expect(await values('Thing')).toEqual([]);
      });

      test('are seen as a whole by who has begun to read before', async () => {
        await fill();
        await graph.read(
          async (tx) => {
            const before = await tx.find({ kind: 'nodes', types: ['Thing'] });
            const cleared = await graph.clear(kept, quiet);
            if (cleared === undefined || graph.engine !== 'sqlite') return;
            expect(await tx.nodes(before.map(({ id }) => id))).toEqual(before);
            expect((await tx.count({ kind: 'nodes', types: ['Thing'] })).count).toBe(30);
          },
          { snapshot: true },
        );
      });
    });

    test('are told to caches without values, by number, as text that says all', async () => {
      const heard: Notice[] = [];
      const cache = graph.caches.keep({
        name: 'test',
        dependsOn: ['Other', 'KNOWS'],
        concerns: ({ type, previousType, relType }) => [type, previousType].includes('Other') || relType === 'KNOWS',
        changed: (notice) => {
          heard.push(notice);
        },
      });
      const node = await create(1);
      expect([heard, cache.state]).toEqual([[], 0]);
      const id = newId();
      await graph.write(async (tx) => {
        await tx.updateNode(node.id, { value: 2 });
        await tx.setNodeType(node.id, 'Other');
        await tx.updateNode(node.id, { secret: 'kept to itself' });
        const ends = { sourceId: node.id, targetId: node.id };
        await tx.createRelationship({ id, type: 'Knowing', relType: 'KNOWS', ...ends, properties: props({}) });
      });
      await graph.write((tx) => tx.setNodeType(node.id, 'Thing'));
      const of = { kind: 'node', id: node.id };
      const [, second, third] = commits.map(({ number }) => number);
      expect(JSON.parse(JSON.stringify(heard))).toEqual([
        {
          number: second,
          changes: [
            { ...of, verb: 'change', type: 'Other', key: 'type', previousType: 'Thing' },
            { ...of, verb: 'change', type: 'Other', key: 'secret' },
            {
              kind: 'relationship',
              id,
              verb: 'link',
              type: 'Knowing',
              relType: 'KNOWS',
              sourceId: node.id,
              targetId: node.id,
            },
          ],
        },
        { number: third, changes: [{ ...of, verb: 'change', type: 'Thing', key: 'type', previousType: 'Other' }] },
      ]);
      expect([cache.state, cache.number]).toEqual([2, third]);
      expect(graph.caches.list).toContainEqual({ name: 'test', dependsOn: ['Other', 'KNOWS'] });
    });

    test('that come while something is read for a cache keep it from being kept', async () => {
      const options = { name: 'test', dependsOn: ['Thing'], concerns: () => true, changed: () => undefined };
      const cache = graph.caches.keep(options);
      const count = (): Promise<number> =>
        graph.read(async (tx) => (await tx.find({ kind: 'nodes', types: ['Thing'] })).length);
      const kept: number[] = [];
      const keep = (found: number): void => {
        kept.push(found);
      };
      const late = async (): Promise<number> => {
        const found = await count();
        if (found < 2) await create(found);
        return found;
      };
      expect(await cache.read(late, keep)).toBe(0);
      expect(kept).toEqual([]);
      expect(await cache.current(late, keep)).toBe(2);
      expect(kept).toEqual([2]);
      expect(await cache.read(late, keep)).toBe(2);
      expect(kept).toEqual([2, 2]);
      cache.outdated();
      expect(cache.number).toBe(commits.at(-1)?.number);
    });

    test('are told to all caches, whichever of them fails', async () => {
      const heard: string[] = [];
      const cache = (name: string, fails: boolean): void => {
        graph.caches.keep({
          name,
          dependsOn: ['Thing'],
          concerns: () => true,
          changed: () => {
            heard.push(name);
            if (fails) throw new Error('not now');
          },
        });
      };
      cache('one', true);
      cache('two', false);
      await create(1);
      expect(heard).toEqual(['one', 'two']);
    });

    test('that change nothing, or fail, are none', async () => {
      await graph.write((tx) => tx.find({ kind: 'nodes', types: ['Thing'], limit: 1 }));
      const failing = graph.write(async (tx) => {
        await tx.createNode({ id: newId(), type: 'Thing', properties: props({}) });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      expect(commits).toEqual([]);
      await create(1);
      expect(commits).toHaveLength(1);
      expect(graph.commitNumber).toBe(commits[0]?.number);
    });

    test('write into journals what their writers say, and nothing else does', async () => {
      const journal = graph.journal('log', ({ number, origin, changes }) =>
        changes.map((change) => `${String(number)} ${origin.userName ?? '-'} ${change.verb}`),
      );
      const other = graph.journal('other', () => []);
      await create(1, ANNA);
      const failing = graph.write(async (tx) => {
        await tx.createNode({ id: newId(), type: 'Thing', properties: props({}) });
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow('no');
      await Promise.all([create(2), create(3)]);
      const records = await journal.read(0, 10);
      const [one, two, three] = commits.map(({ number }) => number);
      expect(records.map(({ text }) => text)).toEqual([
        `${String(one)} anna create`,
        `${String(two)} - create`,
        `${String(three)} - create`,
      ]);
      expect(records.map(({ number }) => number)).toEqual([one, two, three]);
      expect(await other.read(0, 10)).toEqual([]);
      const [first, second] = records;
      expect((await journal.read(first?.position ?? -1, 1)).map(({ number }) => number)).toEqual([two]);
      await journal.remove(second?.position ?? -1);
      expect((await journal.read(0, 10)).map(({ number }) => number)).toEqual([three]);
      journal.stop();
      await create(4);
      expect(await journal.read(0, 10)).toHaveLength(1);
    });

    test('do not happen when the writer of a journal refuses them; those beside them do', async () => {
      const journal = graph.journal('log', ({ changes }) => {
        if (changes.some((c) => c.entity.properties['value'] === 13)) throw new Error('not this one');
        return ['one'];
      });
      const outcomes = await Promise.allSettled([12, 13, 14].map((value) => create(value)));
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
      const left = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'] }));
      expect(left.map((node) => node.properties['value'])).toEqual([12, 14]);
      expect(await journal.read(0, 10)).toHaveLength(2);
    });
  });
}
