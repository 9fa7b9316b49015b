/** What every engine promises of access rules (`src/main/graph/access.ts`): the part of the conformance suite about them. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type AccessRule,
  type Graph,
  newId,
  type NodeQuery,
  type PropertyMap,
  PUBLIC,
  type RelationshipQuery,
  type Step,
  USERS,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import type { Opened } from './conformance.js';

const FLAGS = [PUBLIC, USERS] as const;
const MEMBERS: Step = { relType: 'HAS', direction: 'out' };
const PARENTS: Step = { relType: 'HAS', direction: 'in' };

/** A rule for some principals, `user` alone by default. */
export function rule(changes: Partial<AccessRule> = {}): AccessRule {
  return { right: 'read', principals: ['user'], ids: [], types: [], keys: [], ...changes };
}

const NOTHING = rule({ principals: [] });

export function accessConformance(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: access`, () => {
    let opened: Opened;
    let graph: Graph;

    beforeEach(async () => {
      opened = await open();
      graph = opened.graph;
    });
    afterEach(() => opened.remove());

    const relate = (
      tx: WriteTransaction,
      relType: string,
      sourceId: string,
      targetId: string,
      properties: PropertyMap = {},
      id = newId(),
    ) => tx.createRelationship({ id, type: `X${relType}`, relType, sourceId, targetId, properties });
    const grant = (tx: WriteTransaction, who: string, node: string, allowed: string[] = ['read'], id = newId()) =>
      relate(tx, 'SECURITY', who, node, { allowed }, id);

    /** Two principals, and nodes by name: `things('a', 'b')` makes two of type Thing. */
    const things = (names: readonly string[], type = 'Thing', properties: PropertyMap = {}): Promise<void> =>
      graph.write(async (tx) => {
        for (const one of names) await tx.createNode({ id: one, type, properties: { name: one, ...properties } });
      });
    const principals = (): Promise<void> => things(['user', 'group', 'other'], 'Principal');

    /** Ids that a query finds, by the shortest way. */
    async function found(access: AccessRule | undefined, query: Omit<NodeQuery, 'kind'> = {}): Promise<string[]> {
      const asked: NodeQuery = {
        kind: 'nodes',
        types: ['Thing'],
        ...query,
        ...(access === undefined ? {} : { access }),
      };
      return (await graph.read((tx) => tx.find(asked))).map((node) => node.id);
    }

    /** The same; all other ways to ask must agree. */
    async function agreed(access: AccessRule, query: Omit<NodeQuery, 'kind'> = {}): Promise<string[]> {
      const asked: NodeQuery = { kind: 'nodes', types: ['Thing'], ...query, access };
      return graph.read(async (tx) => {
        const ids = (await tx.find(asked)).map((node) => node.id);
        const streamed: string[] = [];
        for await (const batch of tx.stream(asked)) streamed.push(...batch.map((node) => node.id));
        expect(streamed).toEqual(ids);
        const { offset: _offset, limit, ...whole } = asked;
        const all = limit === undefined ? ids : (await tx.find(whole)).map((node) => node.id);
        expect(await tx.count(whole)).toEqual({ count: all.length, exact: true });
        if (all.length > 0) {
          expect(await tx.count(whole, all.length - 1)).toEqual({ count: all.length - 1, exact: false });
        }
        const { access: _access, ...open } = whole;
        const everything = await tx.find(open);
        const answers = await tx.permitted(everything, access);
        expect(everything.filter((_, i) => answers[i]).map((node) => node.id)).toEqual(all);
        return ids;
      });
    }

    test('without a rule is everything, with an empty one nothing', async () => {
      await things(['a', 'b'], 'Thing', { [PUBLIC]: true });
      expect(await found(undefined)).toEqual(['a', 'b']);
      expect(await found(NOTHING)).toEqual([]);
      expect(await found(NOTHING, { types: ['Thing', 'None'], sort: [{ key: 'name' }] })).toEqual([]);
    });

    test('comes with the type, the id and a flag', async () => {
      await things(['a', 'b', 'c']);
      await things(['d', 'e'], 'Other');
      await graph.write(async (tx) => {
        await tx.updateNode('b', { [PUBLIC]: true });
        await tx.updateNode('c', { [PUBLIC]: false, [USERS]: 1 });
        await tx.updateNode('e', { [USERS]: true });
      });
      const types = ['Thing', 'Other'];
      const sort = [{ key: 'name' }];
      const on = (access: AccessRule): Promise<string[]> => agreed(access, { types, sort });
      expect(await on(rule({ ids: ['c', 'e', 'none'] }))).toEqual(['c', 'e']);
      expect(await on(rule({ types: ['Other', 'None'] }))).toEqual(['d', 'e']);
      expect(await on(rule({ types }))).toEqual(['a', 'b', 'c', 'd', 'e']);
      expect(await on(rule({ keys: FLAGS }))).toEqual(['b', 'e']);
      expect(await on(rule({ keys: [PUBLIC] }))).toEqual(['b']);
      expect(await on(rule({ keys: FLAGS, keysIgnoredFor: ['Other'] }))).toEqual(['b']);
      expect(await on(rule({ keys: FLAGS, keysIgnoredFor: types }))).toEqual([]);
      expect(await on(rule({ keys: FLAGS, ids: ['a'], types: ['Other'] }))).toEqual(['a', 'b', 'd', 'e']);
      expect(
        await found(rule({ ids: ['c'] }), { types: ['Thing'], where: { op: 'equals', key: 'name', value: 'b' } }),
      ).toEqual([]);
    });

    test('comes with an index of the flag as well', async () => {
      await graph.setIndexes(FLAGS.map((key) => ({ trait: 'Thing', types: ['Thing'], key, unique: false })));
      await graph.indexesReady();
      await things(['a', 'b', 'c', 'd']);
      await graph.write(async (tx) => {
        await tx.updateNode('d', { [PUBLIC]: true });
        await tx.updateNode('b', { [USERS]: true, [PUBLIC]: true });
      });
      expect(await found(rule({ keys: FLAGS }))).toEqual(['b', 'd']);
      expect(await found(rule({ keys: FLAGS }), { sort: [{ key: 'name', descending: true }] })).toEqual(['d', 'b']);
      expect(await found(rule({ keys: FLAGS, keysIgnoredFor: ['Thing'] }))).toEqual([]);
    });

    test('follows the flags of a node', async () => {
      await things(['a', 'b', 'c', 'd']);
      const [open, users] = [rule({ keys: [PUBLIC] }), rule({ keys: [USERS] })];
      const on = async (access: AccessRule, types = ['Thing']): Promise<string[]> => agreed(access, { types });
      await graph.write(async (tx) => {
        for (const one of ['a', 'b', 'c']) await tx.updateNode(one, { [PUBLIC]: true });
        await tx.updateNode('b', { [USERS]: true });
        await tx.createNode({ id: 'e', type: 'Thing', properties: { [USERS]: true, [PUBLIC]: false } });
      });
      expect([await on(open), await on(users)]).toEqual([
        ['a', 'b', 'c'],
        ['b', 'e'],
      ]);
      await graph.write(async (tx) => {
        await tx.updateNode('a', { [PUBLIC]: null });
        await tx.updateNode('b', { [PUBLIC]: false, name: 'other' });
        await tx.updateNode('d', { [PUBLIC]: 1, [USERS]: 'true' });
        await tx.setNodeType('e', 'Other');
      });
      expect([await on(open), await on(users), await on(users, ['Other'])]).toEqual([['c'], ['b'], ['e']]);
      expect(await on(rule({ keys: FLAGS, keysIgnoredFor: ['Other'] }), ['Other'])).toEqual([]);
      await graph.write(async (tx) => {
        const back = tx.savepoint(async () => {
          await tx.updateNode('a', { [PUBLIC]: true });
          await tx.updateNode('b', { [USERS]: null });
          await tx.setNodeType('c', 'Other');
          await tx.deleteNode('e');
          await tx.createNode({ id: 'f', type: 'Thing', properties: { [PUBLIC]: true } });
          throw new Error('undone');
        });
        await back.catch(() => undefined);
        expect((await tx.find({ kind: 'nodes', types: ['Thing'], access: open })).map((one) => one.id)).toEqual(['c']);
      });
      // Beside one that is committed, so that it is taken back alone.
      await Promise.allSettled([
        graph.write((tx) => tx.createNode({ id: 'g', type: 'Thing', properties: { [PUBLIC]: true } })),
        graph.write(async (tx) => {
          await tx.createNode({ id: 'h', type: 'Thing', properties: { [PUBLIC]: true, [USERS]: true } });
          throw new Error('undone');
        }),
      ]);
      expect([await on(open), await on(users), await on(users, ['Other'])]).toEqual([['c', 'g'], ['b'], ['e']]);
      await graph.write(async (tx) => {
        for (const one of ['b', 'c', 'e']) await tx.deleteNode(one);
        for (const one of ['b', 'c', 'e']) await tx.createNode({ id: one, type: 'Thing', properties: {} });
      });
      expect([await on(open), await on(users), await on(users, ['Other'])]).toEqual([['g'], [], []]);
    });

    test('comes with ownership and with grants of the right', async () => {
      await principals();
      await things(['a', 'b', 'c', 'd']);
      await graph.write(async (tx) => {
        await relate(tx, 'OWNS', 'user', 'a');
        await grant(tx, 'group', 'b', ['read', 'write']);
        await grant(tx, 'user', 'c', ['write', 'delete', 'nonsense']);
        await grant(tx, 'other', 'd');
        await relate(tx, 'SECURITY', 'user', 'd');
        await relate(tx, 'KNOWS', 'user', 'd', { allowed: ['read'] });
      });
      const both = ['user', 'group'];
      expect(await found(rule())).toEqual(['a']);
      expect(await agreed(rule({ principals: both }))).toEqual(['a', 'b']);
      expect(await found(rule({ principals: both, right: 'write' }))).toEqual(['a', 'b', 'c']);
      expect(await found(rule({ principals: both, right: 'delete' }))).toEqual(['a', 'c']);
      expect(await found(rule({ principals: both, right: 'accessControl' }))).toEqual(['a']);
      expect(await found(rule({ principals: ['other', 'none'] }))).toEqual(['d']);
    });

    test('holds for many principals', async () => {
      const groups = Array.from({ length: 40 }, (_, i) => `g${String(i)}`);
      await things(groups, 'Principal');
      await things(['a', 'b', 'c']);
      await graph.write(async (tx) => {
        await grant(tx, 'g3', 'c');
        await relate(tx, 'OWNS', 'g39', 'a');
      });
      expect(await found(rule({ principals: groups }))).toEqual(['a', 'c']);
      expect(await found(rule({ principals: groups.slice(5) }))).toEqual(['a']);
    });

    test('ends with what it came from', async () => {
      await principals();
      await things(['a', 'b']);
      const right = (one: AccessRule['right']): Promise<string[]> => found(rule({ right: one }));
      await graph.write(async (tx) => {
        await relate(tx, 'OWNS', 'user', 'a', {}, 'owns');
        await grant(tx, 'user', 'a', ['read'], 'first');
        await grant(tx, 'user', 'a', ['write'], 'second');
        await grant(tx, 'user', 'b', ['read'], 'third');
      });
      expect(await right('read')).toEqual(['a', 'b']);
      await graph.write((tx) => tx.deleteRelationship('owns'));
      expect([await right('read'), await right('write'), await right('delete')]).toEqual([['a', 'b'], ['a'], []]);
      await graph.write((tx) => tx.updateRelationship('second', { allowed: ['delete'] }));
      expect([await right('read'), await right('write'), await right('delete')]).toEqual([['a', 'b'], [], ['a']]);
      await graph.write((tx) => tx.deleteRelationship('first'));
      expect([await right('read'), await right('delete')]).toEqual([['b'], ['a']]);
      await graph.write((tx) => tx.updateRelationship('third', { allowed: null }));
      expect(await right('read')).toEqual([]);
      await graph.write((tx) => tx.updateRelationship('third', { allowed: ['read', 'write'] }));
      expect(await right('read')).toEqual(['b']);
      await graph.write((tx) => tx.deleteNode('user'));
      expect([await right('read'), await right('delete')]).toEqual([[], []]);
      await things(['user'], 'Principal');
      expect(await right('read')).toEqual([]);
    });

    test('follows a node to another type and goes with it', async () => {
      await principals();
      await things(['a', 'b']);
      await graph.write(async (tx) => {
        for (const one of ['a', 'b']) await grant(tx, 'user', one, ['read'], `r${one}`);
        await relate(tx, 'OWNS', 'user', 'a');
        await tx.setNodeType('a', 'Other');
      });
      expect(await found(rule())).toEqual(['b']);
      expect(await found(rule(), { types: ['Other'] })).toEqual(['a']);
      await graph.write((tx) => tx.deleteRelationship('ra'));
      expect(await found(rule(), { types: ['Other'] })).toEqual(['a']);
      await graph.write((tx) => tx.deleteNode('a'));
      await things(['a'], 'Other');
      expect(await found(rule(), { types: ['Other'] })).toEqual([]);
    });

    test('is asked page by page, in any order, without gaps', async () => {
      await principals();
      const names = Array.from({ length: 60 }, (_, i) => `t${String((i * 37) % 60).padStart(2, '0')}`);
      await things(names);
      await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'name', unique: false }]);
      await graph.indexesReady();
      const visible = names.filter((_, i) => i % 3 === 0);
      await graph.write(async (tx) => {
        for (const [i, one] of visible.entries()) {
          if (i % 2 === 0) await relate(tx, 'OWNS', 'user', one);
          if (i % 4 !== 2) await grant(tx, 'group', one);
        }
      });
      const access = rule({ principals: ['user', 'group'] });
      const sorted = [...visible].sort();
      for (const offset of [0, 5, 18, 40]) {
        const page = { offset, limit: 7 };
        expect(await agreed(access, page)).toEqual(visible.slice(offset, offset + 7));
        expect(await agreed(access, { ...page, sort: [{ key: 'name' }] })).toEqual(sorted.slice(offset, offset + 7));
        expect(await found(access, { ...page, sort: [{ key: 'name', descending: true }] })).toEqual(
          [...sorted].reverse().slice(offset, offset + 7),
        );
        const where = { op: 'range', key: 'name', from: 't30' } as const;
        expect(await found(access, { ...page, where })).toEqual(
          visible.filter((one) => one >= 't30').slice(offset, offset + 7),
        );
      }
    });

    test('sees the writes of its own transaction', async () => {
      await principals();
      await things(['a', 'b', 'c']);
      const query: NodeQuery = { kind: 'nodes', types: ['Thing'], access: rule() };
      await graph.write(async (tx) => {
        const ids = async (): Promise<string[]> => (await tx.find(query)).map((node) => node.id);
        const all = await tx.find({ kind: 'nodes', types: ['Thing'] });
        expect(await ids()).toEqual([]);
        await grant(tx, 'user', 'b', ['read'], 'r');
        expect(await ids()).toEqual(['b']);
        expect(await tx.permitted(all, rule())).toEqual([false, true, false]);
        expect(await tx.count(query)).toEqual({ count: 1, exact: true });
        await tx.createNode({ id: 'd', type: 'Thing', properties: {} });
        await relate(tx, 'OWNS', 'user', 'd');
        await tx.updateRelationship('r', { allowed: ['write'] });
        expect(await ids()).toEqual(['d']);
        await tx
          .savepoint(async () => {
            await grant(tx, 'user', 'a');
            await tx.setNodeType('d', 'Other');
            await tx.deleteRelationship('r');
            expect(await ids()).toEqual(['a']);
            throw new Error('undone');
          })
          .catch(() => undefined);
        expect(await ids()).toEqual(['d']);
        await tx.deleteNode('user');
        expect(await ids()).toEqual([]);
        await tx.createNode({ id: 'user', type: 'Principal', properties: {} });
        await grant(tx, 'user', 'c');
        expect(await ids()).toEqual(['c']);
        expect(await tx.permitted(all, rule())).toEqual([false, false, true]);
      });
      expect(await found(rule())).toEqual(['c']);
      await graph
        .write(async (tx) => {
          await grant(tx, 'user', 'a');
          throw new Error('undone');
        })
        .catch(() => undefined);
      expect(await found(rule())).toEqual(['c']);
    });

    test('is kept at every step', async () => {
      await principals();
      await things(['a', 'b', 'c']);
      await things(['x', 'y', 'z'], 'Part');
      await graph.write(async (tx) => {
        for (const part of ['x', 'y', 'z']) await relate(tx, 'HAS', 'a', part, {}, `a${part}`);
        await relate(tx, 'HAS', 'b', 'y');
        await relate(tx, 'HAS', 'c', 'x');
        for (const part of ['y', 'z']) await grant(tx, 'user', part);
      });
      const step: Step = { ...MEMBERS, access: rule() };
      const typed: Step = { ...step, types: ['Part'] };
      const none: Step = { ...MEMBERS, access: NOTHING };
      await graph.read(async (tx) => {
        const related = async (one: Step, limit?: number): Promise<string[][]> =>
          (await tx.related(['a', 'c', 'b'], one, limit)).map((nodes) => nodes.map((node) => node.id));
        expect(await related(step)).toEqual([['y', 'z'], [], ['y']]);
        expect(await related(typed, 1)).toEqual([['y'], [], ['y']]);
        expect(await related(none)).toEqual([[], [], []]);
        expect(await related({ ...MEMBERS, access: rule({ types: ['Part'] }) })).toEqual([
          ['x', 'y', 'z'],
          ['x'],
          ['y'],
        ]);
        const links = await tx.links(['a'], step, 1);
        expect(links.map((list) => list.map((one) => [one.relationship.id, one.node.id]))).toEqual([[['ay', 'y']]]);
      });
      const sub = (one: Step, more: Omit<NodeQuery, 'kind'> = {}): Promise<string[]> =>
        found(undefined, { types: ['Part'], from: { id: 'a', step: one }, ...more });
      expect(await sub(step)).toEqual(['y', 'z']);
      expect(await sub(step, { offset: 1, limit: 1, sort: [{ key: 'name' }] })).toEqual(['z']);
      expect(await sub(none)).toEqual([]);
      expect(
        await found(rule({ principals: [], ids: ['x', 'y'] }), { types: ['Part'], from: { id: 'a', step } }),
      ).toEqual(['y']);
      for (const one of [step, typed]) {
        const where = (predicate: NodeQuery['where']): Promise<string[]> =>
          found(undefined, predicate === undefined ? {} : { where: predicate });
        expect(await where({ op: 'relatedNone', step: one })).toEqual(['c']);
        expect(await where({ op: 'relatedAll', step: one, ids: ['y'] })).toEqual(['a', 'b']);
        expect(await where({ op: 'relatedAll', step: one, ids: ['x'] })).toEqual([]);
        expect(await where({ op: 'relatedAll', step: one, ids: ['y', 'z'] })).toEqual(['a']);
        expect(await where({ op: 'relatedExactly', step: one, ids: ['y'] })).toEqual(['b']);
        expect(await where({ op: 'relatedExactly', step: one, ids: ['z', 'y'] })).toEqual(['a']);
        expect(await where({ op: 'relatedExactly', step: one, ids: ['x'] })).toEqual([]);
        expect(await where({ op: 'relatedExactly', step: one, ids: [] })).toEqual(['c']);
        const named = (name: string) => ({ op: 'equals', key: 'name', value: name }) as const;
        expect(await where({ op: 'relatedSome', step: one, where: named('x') })).toEqual([]);
        expect(await where({ op: 'relatedSome', step: one, where: named('y') })).toEqual(['a', 'b']);
        const deep = { op: 'relatedSome', step: PARENTS, where: { op: 'relatedAll', step: one, ids: ['z'] } } as const;
        expect(await found(rule(), { types: ['Part'], where: deep })).toEqual(['y', 'z']);
        expect(await where({ op: 'not', term: { op: 'relatedSome', step: one, where: named('z') } })).toEqual([
          'b',
          'c',
        ]);
      }
    });

    test('of related nodes counts only those allowed, however many others come first', async () => {
      await principals();
      const names = Array.from({ length: 1300 }, (_, i) => `p${String(i)}`);
      await things(['a']);
      await graph.write(async (tx) => {
        for (const one of names) {
          await tx.createNode({ id: one, type: 'Part', properties: {} });
          await relate(tx, 'HAS', 'a', one);
        }
        for (const one of ['p5', 'p600', 'p1299']) await grant(tx, 'user', one);
      });
      const step: Step = { ...MEMBERS, access: rule() };
      await graph.read(async (tx) => {
        const ids = async (limit?: number): Promise<string[] | undefined> =>
          (await tx.related(['a'], step, limit))[0]?.map((node) => node.id);
        expect(await ids()).toEqual(['p5', 'p600', 'p1299']);
        expect(await ids(2)).toEqual(['p5', 'p600']);
        expect(await ids(3)).toEqual(['p5', 'p600', 'p1299']);
      });
    });

    test('of a relationship needs both ends', async () => {
      await principals();
      await things(['a', 'b', 'c']);
      await graph.write(async (tx) => {
        await relate(tx, 'HAS', 'a', 'b', {}, 'ab');
        await relate(tx, 'HAS', 'b', 'c', {}, 'bc');
        await relate(tx, 'HAS', 'a', 'c', {}, 'ac');
        await relate(tx, 'HAS', 'c', 'c', {}, 'cc');
        for (const one of ['a', 'c']) await grant(tx, 'user', one);
      });
      const ids = (query: Omit<RelationshipQuery, 'kind'>): Promise<string[]> =>
        graph.read(async (tx) => {
          const asked: RelationshipQuery = { kind: 'relationships', types: ['XHAS'], ...query };
          const all = (await tx.find(asked)).map((one) => one.id);
          const { limit: _limit, offset: _offset, ...whole } = asked;
          expect(await tx.count(whole)).toEqual({ count: (await tx.find(whole)).length, exact: true });
          return all;
        });
      expect(await ids({ access: rule() })).toEqual(['ac', 'cc']);
      expect(await ids({ access: rule(), offset: 1, limit: 1 })).toEqual(['cc']);
      expect(await ids({ access: rule(), sourceId: 'a' })).toEqual(['ac']);
      expect(await ids({ access: rule(), targetId: 'c', targetTypes: ['Thing'] })).toEqual(['ac', 'cc']);
      expect(await ids({ access: rule({ ids: ['b'] }), sourceTypes: ['Thing'] })).toEqual(['ab', 'bc', 'ac', 'cc']);
      expect(await ids({ access: NOTHING })).toEqual([]);
      expect(await ids({ access: rule({ types: ['Thing'] }), sourceTypes: ['Thing'] })).toHaveLength(4);
      // By a flag alone: the same condition on either end.
      await graph.write(async (tx) => {
        for (const one of ['b', 'c']) await tx.updateNode(one, { [PUBLIC]: true });
      });
      expect(await ids({ access: rule({ principals: [], keys: [PUBLIC] }) })).toEqual(['bc', 'cc']);
      expect(await ids({ access: rule({ principals: [], keys: FLAGS }) })).toEqual(['bc', 'cc']);
    });

    describe('propagation', () => {
      /** root > a > b > c, by HAS; the user owns root. */
      const chain = async (): Promise<void> => {
        await principals();
        await things(['root', 'a', 'b', 'c']);
        await graph.write(async (tx) => {
          await relate(tx, 'OWNS', 'user', 'root');
          for (const [from, to] of [
            ['root', 'a'],
            ['a', 'b'],
            ['b', 'c'],
          ] as const)
            await relate(tx, 'HAS', from, to);
        });
      };
      const along = (depth: number, steps = [PARENTS], fan = 1000, changes: Partial<AccessRule> = {}): AccessRule =>
        rule({ propagation: { steps, depth, fan }, ...changes });

      test('goes as far as it may', async () => {
        await chain();
        expect(await found(along(0))).toEqual(['root']);
        expect(await found(along(1))).toEqual(['root', 'a']);
        expect(await agreed(along(2))).toEqual(['root', 'a', 'b']);
        expect(await found(along(5))).toEqual(['root', 'a', 'b', 'c']);
        expect(await found(along(5, [MEMBERS]))).toEqual(['root']);
        expect(await found(along(2), { offset: 1, limit: 1, sort: [{ key: 'name' }] })).toEqual(['b']);
        expect(await found(along(5, [{ relType: 'NONE', direction: 'in' }]))).toEqual(['root']);
      });

      test('grants by principal, id and type, not by flag', async () => {
        await chain();
        await graph.write((tx) => tx.updateNode('a', { [PUBLIC]: true }));
        await things(['top'], 'Top');
        await graph.write((tx) => relate(tx, 'HAS', 'top', 'c'));
        const no = { principals: [] };
        expect(await found(along(3, [PARENTS], 1000, { ...no, keys: FLAGS }))).toEqual(['a']);
        expect(await found(along(1, [PARENTS], 1000, { ...no, ids: ['a'] }))).toEqual(['a', 'b']);
        expect(await found(along(1, [PARENTS], 1000, { ...no, types: ['Top'] }))).toEqual(['c']);
        expect(await found(along(1, [PARENTS], 1000, { right: 'write' }))).toEqual(['root', 'a']);
      });

      test('looks at the types at both ends of a step', async () => {
        await chain();
        await graph.write((tx) => tx.setNodeType('b', 'Other'));
        const on = (step: Step & { readonly nearTypes?: readonly string[] }): Promise<string[]> =>
          found(along(5, [step]), { types: ['Thing', 'Other'], sort: [{ key: 'name' }] });
        expect(await on(PARENTS)).toEqual(['a', 'b', 'c', 'root']);
        expect(await on({ ...PARENTS, nearTypes: ['Thing'] })).toEqual(['a', 'root']);
        expect(await on({ ...PARENTS, nearTypes: ['Other'] })).toEqual(['root']);
        expect(await on({ ...PARENTS, nearTypes: ['Thing', 'Other'] })).toEqual(['a', 'b', 'c', 'root']);
        expect(await on({ ...PARENTS, types: ['Thing'] })).toEqual(['a', 'b', 'root']);
        expect(await on({ ...PARENTS, types: ['Other'] })).toEqual(['root']);
        expect(await on({ ...PARENTS, types: [] })).toEqual(['root']);
      });

      test('ends in cycles and takes several kinds of steps', async () => {
        await chain();
        await graph.write(async (tx) => {
          await relate(tx, 'HAS', 'c', 'root');
          await relate(tx, 'HAS', 'c', 'c');
        });
        await things(['d', 'e']);
        await graph.write((tx) => relate(tx, 'NEXT', 'd', 'c'));
        const next: Step = { relType: 'NEXT', direction: 'out' };
        expect(await found(along(6, [PARENTS, MEMBERS]))).toEqual(['root', 'a', 'b', 'c']);
        expect(await found(along(6, [PARENTS, next]))).toEqual(['root', 'a', 'b', 'c', 'd']);
        expect(await found(along(2, [PARENTS, MEMBERS, next]))).toEqual(['root', 'a', 'b', 'c', 'd']);
        expect(await found(along(1, [next]))).toEqual(['root']);
      });

      test('does not leave a node with many relationships', async () => {
        await chain();
        await things(['p', 'q', 'r']);
        await graph.write(async (tx) => {
          await relate(tx, 'HAS', 'p', 'b');
          await relate(tx, 'NEXT', 'q', 'b');
          await relate(tx, 'HAS', 'b', 'r');
        });
        // b has two parents now: a and p.
        expect(await found(along(3, [PARENTS], 3))).toEqual(['root', 'a', 'b', 'c', 'r']);
        expect(await found(along(3, [PARENTS], 2))).toEqual(['root', 'a']);
        expect(await found(along(3, [PARENTS], 1))).toEqual(['root']);
      });

      test('reaches any number of nodes', async () => {
        await chain();
        const ids = Array.from({ length: 1200 }, newId);
        await graph.write(async (tx) => {
          for (const [i, id] of ids.entries()) {
            await tx.createNode({ id, type: 'Part', properties: { name: String(9999 - i) } });
            await relate(tx, 'HAS', 'b', id);
          }
        });
        const parts = { types: ['Part'] };
        expect(await found(along(2), parts)).toEqual([]);
        expect(await agreed(along(3), { ...parts, offset: 1190, limit: 20 })).toEqual(ids.slice(1190));
        expect(await found(along(3), { ...parts, sort: [{ key: 'name' }], limit: 3 })).toEqual(ids.slice(-3).reverse());
        expect(await found(along(3))).toEqual(['root', 'a', 'b', 'c']);
      });

      test('is part of steps, predicates and relationships', async () => {
        await chain();
        const step: Step = { ...MEMBERS, access: along(2) };
        await graph.read(async (tx) => {
          const lists = await tx.related(['root', 'a', 'b'], step);
          expect(lists.map((list) => list.map((node) => node.id))).toEqual([['a'], ['b'], []]);
          const relationships = await tx.find({ kind: 'relationships', types: ['XHAS'], access: along(1) });
          expect(relationships.map((one) => [one.sourceId, one.targetId])).toEqual([['root', 'a']]);
        });
        expect(await found(undefined, { where: { op: 'relatedNone', step } })).toEqual(['b', 'c']);
        await graph.write(async (tx) => {
          const all = await tx.find({ kind: 'nodes', types: ['Thing'] });
          await relate(tx, 'OWNS', 'user', 'b');
          expect(await tx.permitted(all, along(1))).toEqual([true, true, true, true]);
          expect(
            (await tx.find({ kind: 'nodes', types: ['Thing'], access: along(1) })).map((one) => one.id),
          ).toHaveLength(4);
        });
      });
    });
  });
}
