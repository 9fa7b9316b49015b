/** What engines promise that several instances can use at once: `Graph.watch` and `Graph.membership`. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Graph, type Lease, newId, type Notice, type Watcher } from '../../src/main/graph/index.js';
import { cypher } from './neo4j.js';

const facts = (name: string) => ({ name, host: 'h', pid: 1, port: 2, version: '1', startedAt: new Date(0) });

/** `open` opens one more instance on the same database; the first empties it. */
export function instances(openFirst: () => Promise<Graph>, openOther: () => Promise<Graph>): void {
  describe('instances on one database', () => {
    let one: Graph;
    let other: Graph;
    let heard: Notice['changes'][];
    const watcher: Watcher = {
      concerns: ({ entity }) => entity.type === 'Watched',
      changed: (entities) => {
        heard.push(entities);
      },
    };
    const create = (graph: Graph, type: string, count = 1): Promise<string[]> =>
      graph.write(async (tx) => {
        const ids = Array.from({ length: count }, () => newId());
        for (const id of ids) await tx.createNode({ id, type, properties: {} });
        return ids;
      });

    beforeEach(async () => {
      heard = [];
      one = await openFirst();
      other = await openOther();
      one.watch(watcher);
      other.watch(watcher);
    });
    afterEach(async () => {
      await one.close();
      await other.close();
    });

    test('hear by themselves of what others change, if it concerns them', async () => {
      await create(one, 'Plain');
      const ids = await create(one, 'Watched', 2);
      await expect.poll(() => heard.length).toBe(1);
      expect(heard).toEqual([ids.map((id) => ({ verb: 'create', kind: 'node', id, type: 'Watched' }))]);
      // Nobody hears of it twice, nor of what he has done himself.
      await create(other, 'Plain');
      await create(one, 'Plain');
      expect(heard).toHaveLength(1);
    });

    test('know before their next write what others have committed', async () => {
      for (let n = 1; n <= 5; n++) {
        await create(one, 'Watched');
        await other.write(() => {
          expect(heard).toHaveLength(n);
          return Promise.resolve();
        });
      }
    });

    test('are told that anything may have changed when it was too much, or notices are gone', async () => {
      await create(one, 'Watched', 1000);
      await create(other, 'Plain');
      expect(heard).toEqual(['everything']);
      heard = [];
      // A number whose notice is gone.
      await cypher("MATCH (m:_svc_meta {name: 'writer'}) SET m.notice = m.notice + 1");
      await create(other, 'Plain');
      await create(one, 'Plain');
      expect(heard).toEqual(['everything', 'everything']);
    });

    test('tell who comes to watch later of everything since they began', async () => {
      const late: unknown[] = [];
      const third = await openOther();
      try {
        const ids = await create(one, 'Watched');
        await expect.poll(() => heard.length).toBe(1);
        // Several looks long nobody watches there.
        await new Promise((resolve) => setTimeout(resolve, 700));
        third.watch({
          concerns: () => false,
          changed: (entities) => {
            late.push(entities);
          },
        });
        await expect.poll(() => late.length).toBe(1);
        expect(late).toEqual([ids.map((id) => ({ verb: 'create', kind: 'node', id, type: 'Watched' }))]);
      } finally {
        await third.close();
      }
    });

    test('find relationships of types that others have just begun to use', async () => {
      const [a = '', b = ''] = await create(one, 'Plain', 2);
      const link = (graph: Graph, type: string, relType: string): Promise<unknown> =>
        graph.write((tx) =>
          tx.createRelationship({ id: newId(), type, relType, sourceId: a, targetId: b, properties: {} }),
        );
      const typesOf = (graph: Graph): Promise<string[]> =>
        graph.read(async (tx) =>
          (await tx.find({ kind: 'relationships', types: ['PHT'] })).map((r) => `${r.type} ${r.relType}`).sort(),
        );
      await link(other, 'PHT', 'HAS');
      await link(one, 'PHD', 'HAS');
      await link(one, 'PHT', 'HAS2');
      await expect.poll(() => typesOf(other)).toEqual(['PHT HAS', 'PHT HAS2']);
      await other.write(async (tx) => {
        expect(await tx.count({ kind: 'relationships', types: ['PHT'] })).toMatchObject({ count: 2 });
      });
    });

    test('who waits behind others gives up at his own time limit', async () => {
      let work: Promise<void> | undefined;
      let end = (): void => undefined;
      const over = new Promise<void>((resolve) => (end = resolve));
      await new Promise<void>((begun) => {
        work = one.write(async () => {
          begun();
          await over;
        });
      });
      const waiting = [one, other].map((graph) => graph.write(() => Promise.resolve(), { timeout: 300 }));
      const answers = await Promise.allSettled(waiting);
      expect(answers.map((each) => each.status)).toEqual(['rejected', 'rejected']);
      // It has gone on until now: they did not wait for its end.
      end();
      await work;
    });

    test('try again to tell a watcher that failed, and do not write before it knows', async () => {
      let fails = true;
      let told = 0;
      other.watch({
        concerns: () => false,
        changed: () => {
          told++;
          if (fails) throw new Error('not now');
        },
      });
      await create(one, 'Watched');
      await expect(create(other, 'Plain')).rejects.toThrow('not now');
      fails = false;
      await create(other, 'Plain');
      expect(told).toBeGreaterThan(1);
    });

    test('have one coordinator, until it leaves or its lease ends', async () => {
      const beat = (graph: Graph, name: string, lease: number): Promise<Lease | undefined> =>
        Promise.resolve(graph.membership?.beat(facts(name), lease));
      expect(await beat(one, 'one', 60_000)).toEqual({ ours: true, term: 1 });
      expect((await beat(other, 'other', 60_000))?.ours).toBe(false);
      const both = await Promise.all(Array.from({ length: 10 }, (_, i) => beat(i % 2 ? one : other, 'x', 60_000)));
      expect(both.filter((lease) => lease?.ours)).toHaveLength(5);
      await one.membership?.leave();
      expect(await beat(other, 'other', 1)).toEqual({ ours: true, term: 2 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      expect(await beat(one, 'one', 60_000)).toEqual({ ours: true, term: 3 });
      expect((await beat(other, 'other', 60_000))?.ours).toBe(false);
      const members = (await one.membership?.members()) ?? [];
      expect(members.map(({ name, self, coordinator }) => [name, self, coordinator]).sort()).toEqual([
        ['one', true, true],
        ['other', false, false],
      ]);
      await one.membership?.tidy(-1000);
      expect(await one.membership?.members()).toEqual([]);
      // Their own nodes are made anew where they are needed.
      await create(one, 'Plain');
      expect((await beat(one, 'one', 60_000))?.ours).toBe(true);
    });
  });
}
