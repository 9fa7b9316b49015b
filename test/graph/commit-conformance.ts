/** What every engine promises of commits: their numbers, who set them off, and journals. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Commit,
  type Graph,
  type GraphNode,
  newId,
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
