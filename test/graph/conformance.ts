/** What every engine of the graph promises. `sqlite.test.ts` runs it here; another engine adds one file. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Change,
  type Graph,
  type GraphNode,
  GraphError,
  newId,
  type NodeQuery,
  type Predicate,
  type PropertyMap,
  type SortKey,
  type Step,
} from '../../src/main/graph/index.js';

/** An empty graph and what removes it. */
export interface Opened {
  readonly graph: Graph;
  remove(): Promise<void>;
}

const OWNS: Step = { relType: 'OWNS', direction: 'out' };
const OWNED: Step = { relType: 'OWNS', direction: 'in' };

export function props(values: Record<string, PropertyMap[string]>): PropertyMap {
  return Object.assign(Object.create(null) as object, values);
}

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof GraphError ? error.code : String(error);
  }
  return 'none';
}

/** A short form of a change for comparisons. */
export function brief(change: Change): string {
  if (change.verb === 'change') return `change ${change.key} ${String(change.previous)}>${String(change.value)}`;
  return `${change.verb} ${change.entity.type}`;
}

/** `queues`: a write waits for those before it, whatever it does. */
export function conformance(name: string, open: () => Promise<Opened>, { queues = true } = {}): void {
  describe(name, () => {
    let opened: Opened;
    let graph: Graph;

    beforeEach(async () => {
      opened = await open();
      graph = opened.graph;
    });
    afterEach(async () => {
      await opened.remove();
    });

    const create = (type: string, properties: PropertyMap = {}, id = newId()): Promise<GraphNode> =>
      graph.write((tx) => tx.createNode({ id, type, properties }));
    const link = (sourceId: string, targetId: string, properties: PropertyMap = {}, id = newId()) =>
      graph.write((tx) =>
        tx.createRelationship({ id, type: 'UserOWNSThing', relType: 'OWNS', sourceId, targetId, properties }),
      );
    const names = async (query: Omit<NodeQuery, 'kind'>): Promise<unknown[]> =>
      (await graph.read((tx) => tx.find({ kind: 'nodes', ...query }))).map((node) => node.properties['name']);
    const where = (predicate: Predicate, sort: readonly SortKey[] = [{ key: 'name' }]): Promise<unknown[]> =>
      names({ types: ['Thing'], where: predicate, sort });

    describe('nodes', () => {
      test('are read as they were created', async () => {
        const id = newId();
        const created = await create('Thing', { name: 'a', n: 1, f: 1.5, b: false, list: ['x', 'y'] }, id);
        const read = await graph.read((tx) => tx.node(id));
        expect(read).toEqual(created);
        expect(read).toEqual({
          kind: 'node',
          id,
          type: 'Thing',
          properties: props({ name: 'a', n: 1, f: 1.5, b: false, list: ['x', 'y'] }),
        });
        expect(Object.getPrototypeOf(read?.properties)).toBe(null);
      });

      test('come in the order asked for', async () => {
        const [a, b] = [await create('Thing'), await create('Thing')];
        const found = await graph.read((tx) => tx.nodes([b.id, 'none', a.id]));
        expect(found.map((node) => node?.id)).toEqual([b.id, undefined, a.id]);
      });

      test('have unique ids', async () => {
        const { id } = await create('Thing', { name: 'first' });
        expect(await failure(create('Other', {}, id))).toBe('already_taken');
        expect((await graph.read((tx) => tx.node(id)))?.type).toBe('Thing');
      });

      test('change, lose keys, keep what is equal', async () => {
        const { id } = await create('Thing', { a: 1, b: 'x', c: [1, 2] });
        const changes: string[] = [];
        graph.onCommit((list) => changes.push(...list.map(brief)));
        const after = await graph.write((tx) => tx.updateNode(id, { a: 2, b: null, c: [1, 2], d: true, e: null }));
        expect(after.properties).toEqual(props({ a: 2, c: [1, 2], d: true }));
        expect(await graph.read((tx) => tx.node(id))).toEqual(after);
        expect(changes).toEqual(['change a 1>2', 'change b x>null', 'change d null>true']);
        expect(await failure(graph.write((tx) => tx.updateNode('none', { a: 1 })))).toBe('not_found');
      });

      test('change their type', async () => {
        const { id } = await create('Thing', { name: 'x' });
        await graph.write((tx) => tx.setNodeType(id, 'Other'));
        expect((await graph.read((tx) => tx.node(id)))?.type).toBe('Other');
        expect(await names({ types: ['Thing'] })).toEqual([]);
        expect(await names({ types: ['Other'] })).toEqual(['x']);
        expect(await graph.read((tx) => tx.count({ kind: 'nodes', types: ['Other'] }))).toEqual({
          count: 1,
          exact: true,
        });
      });

      test('take their relationships with them', async () => {
        const [user, thing] = [await create('User'), await create('Thing')];
        const relationship = await link(user.id, thing.id);
        const loop = await link(user.id, user.id);
        const changes: Change[] = [];
        graph.onCommit((list) => changes.push(...list));
        await graph.write((tx) => tx.deleteNode(user.id));
        expect(changes).toEqual([
          { verb: 'unlink', entity: relationship },
          { verb: 'unlink', entity: loop },
          { verb: 'delete', entity: user },
        ]);
        expect(await graph.read((tx) => tx.relationship(relationship.id))).toBe(undefined);
        expect(await graph.read((tx) => tx.count({ kind: 'relationships' }))).toEqual({ count: 0, exact: true });
        expect(await failure(graph.write((tx) => tx.deleteNode(user.id)))).toBe('not_found');
      });

      test('with many relationships are deleted whole', async () => {
        const { id } = await create('User');
        await graph.write(async (tx) => {
          for (let i = 0; i < 700; i++) {
            const thing = await tx.createNode({ id: newId(), type: 'Thing', properties: {} });
            const relationship = {
              id: newId(),
              type: 'T',
              relType: 'OWNS',
              sourceId: id,
              targetId: thing.id,
              properties: {},
            };
            await tx.createRelationship(relationship);
          }
        });
        const verbs: string[] = [];
        graph.onCommit((list) => verbs.push(...list.map((change) => change.verb)));
        await graph.write((tx) => tx.deleteNode(id));
        expect(verbs).toEqual([...Array.from({ length: 700 }, () => 'unlink'), 'delete']);
      });
    });

    describe('relationships', () => {
      test('are read as they were created, and change', async () => {
        const [user, thing] = [await create('User'), await create('Thing')];
        const created = await link(user.id, thing.id, { since: 1 });
        expect(await graph.read((tx) => tx.relationship(created.id))).toEqual(created);
        const changed = await graph.write((tx) => tx.updateRelationship(created.id, { since: null, role: 'x' }));
        expect(changed.properties).toEqual(props({ role: 'x' }));
        expect(await graph.read((tx) => tx.relationship(created.id))).toEqual(changed);
        await graph.write((tx) => tx.deleteRelationship(created.id));
        expect(await graph.read((tx) => tx.relationship(created.id))).toBe(undefined);
        expect(await failure(graph.write((tx) => tx.deleteRelationship(created.id)))).toBe('not_found');
        expect(await failure(graph.write((tx) => tx.updateRelationship(created.id, {})))).toBe('not_found');
      });

      test('need both ends and an unused id', async () => {
        const [user, thing] = [await create('User'), await create('Thing')];
        const { id } = await link(user.id, thing.id);
        expect(await failure(link(user.id, 'none'))).toBe('not_found');
        expect(await failure(link('none', thing.id))).toBe('not_found');
        expect(await failure(link(user.id, thing.id, {}, id))).toBe('already_taken');
      });

      test('lead to nodes in the order they were linked', async () => {
        const user = await create('User');
        const things = [
          await create('Thing', { name: 'a' }),
          await create('Other', { name: 'b' }),
          await create('Thing', { name: 'c' }),
        ];
        for (const thing of [...things].reverse()) await link(user.id, thing.id);
        await graph.read(async (tx) => {
          const lists = await tx.related([user.id, 'none', things[0]?.id ?? ''], OWNS);
          expect(lists.map((list) => list.map((node) => node.properties['name']))).toEqual([['c', 'b', 'a'], [], []]);
          const some = await tx.related([user.id], { ...OWNS, types: ['Thing'] }, 1);
          expect(some.map((list) => list.map((node) => node.properties['name']))).toEqual([['c']]);
          const back = await tx.links([things[1]?.id ?? ''], OWNED);
          expect(back[0]?.map((one) => [one.node.id, one.relationship.sourceId, one.relationship.targetId])).toEqual([
            [user.id, user.id, things[1]?.id],
          ]);
          const out = await tx.links([user.id], { ...OWNS, types: ['Other'] });
          expect(out[0]?.map((one) => one.node.properties['name'])).toEqual(['b']);
          expect(await tx.related([user.id], { relType: 'NONE', direction: 'out' })).toEqual([[]]);
          expect(await tx.relTypes(user.id, 'out')).toEqual([OWNS.relType]);
          expect(await tx.relTypes(user.id, 'in')).toEqual([]);
          expect(await tx.relTypes('none', 'out')).toEqual([]);
        });
      });

      test('are found by types, ends and properties', async () => {
        const [user, other, thing] = [await create('User'), await create('User'), await create('Thing', { name: 't' })];
        const first = await link(user.id, thing.id, { role: 'a' });
        const second = await link(other.id, thing.id, { role: 'b' });
        await graph.write((tx) =>
          tx.createRelationship({
            id: newId(),
            type: 'UserKNOWSUser',
            relType: 'KNOWS',
            sourceId: user.id,
            targetId: other.id,
            properties: {},
          }),
        );
        const find = async (query: object): Promise<string[]> =>
          (await graph.read((tx) => tx.find({ kind: 'relationships', ...query }))).map((one) => one.id);
        expect(await find({ types: ['UserOWNSThing'] })).toEqual([first.id, second.id]);
        expect(await find({ types: ['UserOWNSThing'], sort: [{ key: 'role', descending: true }], limit: 1 })).toEqual([
          second.id,
        ]);
        expect(await find({ sourceId: other.id })).toEqual([second.id]);
        expect(await find({ targetId: thing.id })).toEqual([first.id, second.id]);
        expect(await find({ targetId: thing.id, sourceId: user.id })).toEqual([first.id]);
        expect(await find({ targetTypes: ['Thing'], offset: 1 })).toEqual([second.id]);
        expect(await find({ sourceTypes: ['Thing'] })).toEqual([]);
        expect(await find({ where: { op: 'equals', key: 'relType', value: 'KNOWS' } })).toHaveLength(1);
        expect(await find({ where: { op: 'equals', key: 'sourceId', value: other.id } })).toEqual([second.id]);
        const ends = (key: string, values: string[]): object => ({ where: { op: 'in', key, values }, limit: 9 });
        expect(await find({ types: ['UserOWNSThing'], ...ends('sourceId', [other.id, user.id, newId()]) })).toEqual([
          first.id,
          second.id,
        ]);
        expect(await find(ends('targetId', [thing.id, user.id]))).toEqual([first.id, second.id]);
        expect(await find(ends('targetId', []))).toEqual([]);
        expect(await graph.read(async (tx) => tx.types?.([other.id, newId(), thing.id]))).toEqual(
          graph.engine === 'sqlite' ? ['User', undefined, 'Thing'] : undefined,
        );
        expect(await find({ where: { op: 'equals', key: 'id', value: second.id } })).toEqual([second.id]);
        expect(await find({ where: { op: 'equals', key: 'role', value: 'a' } })).toEqual([first.id]);
        expect(await graph.read((tx) => tx.count({ kind: 'relationships', types: ['UserOWNSThing'] }))).toEqual({
          count: 2,
          exact: true,
        });
        // What a transaction has found free is taken once it has used it.
        const twice = graph.write(async (tx) => {
          const [id, made] = [newId(), { type: 'UserOWNSThing', relType: 'OWNS', sourceId: user.id, properties: {} }];
          await tx.find({ kind: 'relationships', where: { op: 'in', key: 'id', values: [id] } });
          for (let i = 0; i < 2; i++) await tx.createRelationship({ id, targetId: thing.id, ...made });
        });
        await expect(twice).rejects.toMatchObject({ code: 'already_taken' });
        expect(await graph.read((tx) => tx.count({ kind: 'relationships', targetId: thing.id }))).toEqual({
          count: 2,
          exact: true,
        });
      });
    });

    for (const indexed of [false, true]) {
      describe(indexed ? 'queries with indexes' : 'queries', () => {
        beforeEach(async () => {
          if (!indexed) return;
          const keys = ['name', 'n', 'b', 'mixed', 'list'];
          await graph.setIndexes(
            keys.map((key) => ({ trait: 'Thing', types: ['Thing', 'Other'], key, unique: false })),
          );
          await graph.indexesReady();
        });

        test('compare by value and kind', async () => {
          await create('Thing', { name: 'one', mixed: 1 });
          await create('Thing', { name: 'true', mixed: true });
          await create('Thing', { name: 'text', mixed: '1' });
          await create('Thing', { name: 'false', mixed: false });
          await create('Thing', { name: 'empty', mixed: '' });
          await create('Thing', { name: 'list', mixed: ['1'] });
          await create('Thing', { name: 'none' });
          const key = 'mixed';
          expect(await where({ op: 'equals', key, value: 1 })).toEqual(['one']);
          expect(await where({ op: 'equals', key, value: '1' })).toEqual(['text']);
          expect(await where({ op: 'equals', key, value: true })).toEqual(['true']);
          expect(await where({ op: 'equals', key, value: false, orNull: true })).toEqual(['false', 'none']);
          expect(await where({ op: 'in', key, values: [1, true, '1', 'x'] })).toEqual(['one', 'text', 'true']);
          expect(await where({ op: 'in', key, values: [] })).toEqual([]);
          expect(await where({ op: 'isNull', key })).toEqual(['none']);
          expect(await where({ op: 'not', term: { op: 'isNull', key } })).toHaveLength(6);
          expect(await where({ op: 'not', term: { op: 'equals', key, value: 1 } })).toHaveLength(6);
          expect(await where({ op: 'isEmpty', key })).toEqual(['empty', 'none']);
          expect(await where({ op: 'range', key, from: '' })).toEqual(['empty', 'text']);
          expect(await where({ op: 'range', key, from: 0 })).toEqual(['one']);
          expect(await where({ op: 'range', key, to: 5 })).toEqual(['one']);
          expect(await where({ op: 'range', key, to: 'z' })).toEqual(['empty', 'text']);
          expect(await where({ op: 'range', key, to: true })).toEqual(['false', 'true']);
          expect(await where({ op: 'equals', key: 'none such', value: 1 })).toEqual([]);
        });

        test('compare text', async () => {
          for (const name of ['Äpfel', 'äpfel mit birnen', 'apfel', '100%', 'a_b', '']) await create('Thing', { name });
          const key = 'name';
          expect(await where({ op: 'contains', key, value: 'pfel' })).toEqual(['apfel', 'Äpfel', 'äpfel mit birnen']);
          expect(await where({ op: 'contains', key, value: 'ÄPFEL', ignoreCase: true })).toEqual([
            'Äpfel',
            'äpfel mit birnen',
          ]);
          expect(await where({ op: 'contains', key, value: '%' })).toEqual(['100%']);
          expect(await where({ op: 'contains', key, value: '_' })).toEqual(['a_b']);
          expect(await where({ op: 'startsWith', key, value: 'ä' })).toEqual(['äpfel mit birnen']);
          expect(await where({ op: 'startsWith', key, value: 'ä', ignoreCase: true })).toEqual([
            'Äpfel',
            'äpfel mit birnen',
          ]);
          expect(await where({ op: 'startsWith', key, value: '' })).toHaveLength(6);
          expect(await where({ op: 'endsWith', key, value: 'fel' })).toEqual(['apfel', 'Äpfel']);
          expect(await where({ op: 'endsWith', key, value: 'BIRNEN', ignoreCase: true })).toEqual(['äpfel mit birnen']);
          expect(await where({ op: 'isEmpty', key })).toEqual(['']);
        });

        test('compare ranges', async () => {
          for (const n of [-1.5, 0, 1, 2, 10]) await create('Thing', { name: String(n), n });
          const order: readonly SortKey[] = [{ key: 'n' }];
          expect(await where({ op: 'range', key: 'n', from: 0, to: 2 }, order)).toEqual(['0', '1', '2']);
          expect(
            await where({ op: 'range', key: 'n', from: 0, to: 2, fromExclusive: true, toExclusive: true }, order),
          ).toEqual(['1']);
          expect(await where({ op: 'range', key: 'n', to: 0 }, order)).toEqual(['-1.5', '0']);
          expect(await where({ op: 'range', key: 'n', from: 2, fromExclusive: true }, order)).toEqual(['10']);
          const both: Predicate = {
            op: 'or',
            terms: [
              { op: 'equals', key: 'n', value: 10 },
              { op: 'range', key: 'n', to: 0 },
            ],
          };
          expect(await where(both, [{ key: 'n', descending: true }])).toEqual(['10', '0', '-1.5']);
          expect(await where({ op: 'and', terms: [] }, order)).toHaveLength(5);
          expect(await where({ op: 'or', terms: [] }, order)).toHaveLength(0);
        });

        test('look into arrays', async () => {
          await create('Thing', { name: 'ab', list: ['a', 'b'] });
          await create('Thing', { name: 'ba', list: ['b', 'a'] });
          await create('Thing', { name: 'empty', list: [] });
          await create('Thing', { name: 'numbers', list: [1, 2.5] });
          await create('Thing', { name: 'none' });
          await create('Thing', { name: 'text', list: 'a' });
          const key = 'list';
          expect(await where({ op: 'arrayEquals', key, values: ['a', 'b'] })).toEqual(['ab']);
          expect(await where({ op: 'arrayEquals', key, values: [] })).toEqual(['empty']);
          expect(await where({ op: 'arrayEquals', key, values: [1, 2.5] })).toEqual(['numbers']);
          expect(await where({ op: 'arrayContains', key, value: 'a' })).toEqual(['ab', 'ba']);
          expect(await where({ op: 'arrayContains', key, value: 1 })).toEqual(['numbers']);
          expect(await where({ op: 'arrayContains', key, value: 'A', partial: true })).toEqual(['ab', 'ba']);
          expect(await where({ op: 'isEmpty', key })).toEqual(['empty', 'none']);
          expect(await where({ op: 'isNull', key })).toEqual(['none']);
        });

        test('sort with missing values last, or first when descending', async () => {
          for (const [name, n] of [
            ['c', 2],
            ['a', 1],
            ['d', 2],
          ] as const)
            await create('Thing', { name, n });
          await create('Thing', { name: 'b' });
          const types = ['Thing'];
          expect(await names({ types, sort: [{ key: 'n' }, { key: 'name', descending: true }] })).toEqual([
            'a',
            'd',
            'c',
            'b',
          ]);
          expect(await names({ types, sort: [{ key: 'n', descending: true }, { key: 'name' }] })).toEqual([
            'b',
            'c',
            'd',
            'a',
          ]);
          expect(await names({ types, sort: [{ key: 'name' }], offset: 1, limit: 2 })).toEqual(['b', 'c']);
          expect(await names({ types, sort: [{ key: 'name', descending: true }], offset: 3 })).toEqual(['a']);
          expect(await names({ types })).toEqual(['c', 'a', 'd', 'b']);
          expect(await names({ types, limit: 0 })).toEqual([]);
          expect(await names({ types, offset: 2, limit: 1 })).toEqual(['d']);
        });

        test('sort text by code point, false before true', async () => {
          for (const name of ['b', 'B', 'ä', 'a', '\u{1F600}', '\uffee'])
            await create('Thing', { name, b: name > 'a' });
          expect(await names({ types: ['Thing'], sort: [{ key: 'name' }] })).toEqual([
            'B',
            'a',
            'b',
            'ä',
            '\uffee',
            '\u{1F600}',
          ]);
          expect((await names({ types: ['Thing'], sort: [{ key: 'b' }, { key: 'name' }] })).slice(0, 2)).toEqual([
            'B',
            'a',
          ]);
        });

        test('page through ties and several types without gaps', async () => {
          await graph.write(async (tx) => {
            for (let i = 0; i < 60; i++) {
              await tx.createNode({
                id: newId(),
                type: i % 3 === 0 ? 'Other' : 'Thing',
                properties: { name: String(i), n: i % 4 },
              });
            }
          });
          for (const sort of [[], [{ key: 'n' }], [{ key: 'n', descending: true }], [{ key: 'x' }]]) {
            const all = await names({ types: ['Thing', 'Other'], sort });
            expect(new Set(all).size).toBe(60);
            const paged: unknown[] = [];
            for (let offset = 0; offset < 60; offset += 7) {
              paged.push(...(await names({ types: ['Thing', 'Other'], sort, offset, limit: 7 })));
            }
            expect(paged).toEqual(all);
          }
        });

        test('address id and type', async () => {
          const [a, b] = [await create('Thing', { name: 'a' }), await create('Other', { name: 'b' })];
          expect(await names({ where: { op: 'equals', key: 'id', value: a.id } })).toEqual(['a']);
          expect(await names({ where: { op: 'in', key: 'id', values: [b.id, a.id, 'x', 5] } })).toEqual(['a', 'b']);
          expect(await names({ where: { op: 'equals', key: 'id', value: 5 } })).toEqual([]);
          expect(await names({ types: ['Thing'], where: { op: 'equals', key: 'id', value: b.id } })).toEqual([]);
          expect(await names({ where: { op: 'equals', key: 'type', value: 'Other' } })).toEqual(['b']);
          expect(await names({ sort: [{ key: 'type', descending: true }] })).toEqual(['a', 'b']);
          expect(await names({ sort: [{ key: 'id' }] })).toEqual(['a', 'b']);
          expect(await names({ where: { op: 'startsWith', key: 'type', value: 'Thi' } })).toEqual(['a']);
          expect(await names({ where: { op: 'isNull', key: 'id' } })).toEqual([]);
        });

        test('follow relationships', async () => {
          const [anna, ben, carl] = [
            await create('User', { name: 'anna' }),
            await create('User', { name: 'ben' }),
            await create('User', { name: 'carl' }),
          ];
          const [x, y] = [await create('Thing', { name: 'x', n: 1 }), await create('Thing', { name: 'y', n: 2 })];
          await link(anna.id, x.id);
          await link(anna.id, y.id);
          await link(ben.id, y.id);
          const users = (predicate: Predicate): Promise<unknown[]> => names({ types: ['User'], where: predicate });
          expect(await users({ op: 'relatedNone', step: OWNS })).toEqual(['carl']);
          expect(await users({ op: 'relatedAll', step: OWNS, ids: [y.id] })).toEqual(['anna', 'ben']);
          expect(await users({ op: 'relatedAll', step: OWNS, ids: [y.id, x.id] })).toEqual(['anna']);
          expect(await users({ op: 'relatedAll', step: OWNS, ids: [] })).toEqual(['anna', 'ben', 'carl']);
          expect(await users({ op: 'relatedExactly', step: OWNS, ids: [y.id] })).toEqual(['ben']);
          expect(await users({ op: 'relatedExactly', step: OWNS, ids: [y.id, x.id, x.id] })).toEqual(['anna']);
          expect(await users({ op: 'relatedExactly', step: OWNS, ids: [] })).toEqual(['carl']);
          expect(await users({ op: 'relatedExactly', step: OWNS, ids: ['none'] })).toEqual([]);
          expect(await users({ op: 'relatedSome', step: OWNS, where: { op: 'equals', key: 'n', value: 2 } })).toEqual([
            'anna',
            'ben',
          ]);
          expect(
            await users({
              op: 'relatedSome',
              step: { ...OWNS, types: ['Thing'] },
              where: { op: 'equals', key: 'n', value: 1 },
            }),
          ).toEqual(['anna']);
          expect(
            await users({ op: 'relatedSome', step: { ...OWNS, types: ['Other'] }, where: { op: 'and', terms: [] } }),
          ).toEqual([]);
          expect(await users({ op: 'not', term: { op: 'relatedAll', step: OWNS, ids: [y.id] } })).toEqual(['carl']);
          expect(await users({ op: 'relatedNone', step: { relType: 'NONE', direction: 'in' } })).toHaveLength(3);
          const deep: Predicate = {
            op: 'relatedSome',
            step: OWNS,
            where: { op: 'relatedSome', step: OWNED, where: { op: 'equals', key: 'name', value: 'ben' } },
          };
          expect(await users(deep)).toEqual(['anna', 'ben']);
          expect(
            await users({ op: 'relatedSome', step: OWNS, where: { op: 'equals', key: 'id', value: x.id } }),
          ).toEqual(['anna']);
          expect(
            await names({
              types: ['Thing'],
              from: { id: anna.id, step: OWNS },
              sort: [{ key: 'n', descending: true }],
            }),
          ).toEqual(['y', 'x']);
          expect(
            await names({ from: { id: y.id, step: OWNED }, where: { op: 'contains', key: 'name', value: 'e' } }),
          ).toEqual(['ben']);
          expect(await names({ from: { id: carl.id, step: OWNS } })).toEqual([]);
          expect(await graph.read((tx) => tx.count({ kind: 'nodes', from: { id: anna.id, step: OWNS } }))).toEqual({
            count: 2,
            exact: true,
          });
        });

        test('measure distances', async () => {
          await create('Thing', { name: 'Berlin', lat: 52.52, lon: 13.405 });
          await create('Thing', { name: 'Potsdam', lat: 52.39, lon: 13.06 });
          await create('Thing', { name: 'Paris', lat: 48.86, lon: 2.35 });
          await create('Thing', { name: 'nowhere' });
          const near = (kilometres: number): Predicate => ({
            op: 'distance',
            latitudeKey: 'lat',
            longitudeKey: 'lon',
            latitude: 52.52,
            longitude: 13.4,
            kilometres,
          });
          expect(await where(near(5))).toEqual(['Berlin']);
          expect(await where(near(50))).toEqual(['Berlin', 'Potsdam']);
          expect(await where({ op: 'not', term: near(50) })).toEqual(['Paris', 'nowhere']);
        });

        test('count, and stop counting', async () => {
          for (let i = 0; i < 10; i++) await create('Thing', { name: `x${String(i)}`, n: i % 2 });
          const count = (query: Omit<NodeQuery, 'kind'>, limit?: number) =>
            graph.read((tx) => tx.count({ kind: 'nodes', ...query }, limit));
          expect(await count({ types: ['Thing'] })).toEqual({ count: 10, exact: true });
          expect(await count({ types: ['Thing'] }, 10)).toEqual({ count: 10, exact: true });
          expect(await count({ types: ['Thing'] }, 9)).toEqual({ count: 9, exact: false });
          expect(await count({ types: ['Thing'], limit: 2, offset: 3 })).toEqual({ count: 10, exact: true });
          expect(await count({ types: ['None'] })).toEqual({ count: 0, exact: true });
          const odd: Predicate = { op: 'equals', key: 'n', value: 1 };
          expect(await count({ types: ['Thing'], where: odd, sort: [{ key: 'name' }] })).toEqual({
            count: 5,
            exact: true,
          });
          expect(await count({ types: ['Thing'], where: odd }, 4)).toEqual({ count: 4, exact: false });
          expect(await count({ types: ['Thing'], where: { op: 'contains', key: 'name', value: 'x' } }, 100)).toEqual({
            count: 10,
            exact: true,
          });
        });

        test('stream everything once, in order', async () => {
          await graph.write(async (tx) => {
            for (let i = 0; i < 1000; i++)
              await tx.createNode({ id: newId(), type: 'Thing', properties: { name: String(i), n: (i * 7) % 1000 } });
          });
          for (const sort of [[], [{ key: 'n' }], [{ key: 'none', descending: true }]]) {
            const query: NodeQuery = { kind: 'nodes', types: ['Thing'], sort, offset: 10, limit: 900 };
            const streamed: string[] = [];
            await graph.read(async (tx) => {
              for await (const batch of tx.stream(query)) {
                expect(batch.length).toBeLessThanOrEqual(256);
                streamed.push(...batch.map((node) => node.id));
              }
            });
            expect(streamed).toEqual((await graph.read((tx) => tx.find(query))).map((node) => node.id));
          }
        });

        test('see the writes of their own transaction only', async () => {
          await create('Thing', { name: 'a', n: 1 });
          await graph.write(async (tx) => {
            const b = await tx.createNode({ id: newId(), type: 'Thing', properties: { name: 'b', n: 2 } });
            const query: NodeQuery = { kind: 'nodes', types: ['Thing'], sort: [{ key: 'n', descending: true }] };
            expect((await tx.find(query)).map((node) => node.properties['name'])).toEqual(['b', 'a']);
            expect(await tx.count({ kind: 'nodes', types: ['Thing'] })).toEqual({ count: 2, exact: true });
            expect(await graph.read((other) => other.count({ kind: 'nodes', types: ['Thing'] }))).toEqual({
              count: 1,
              exact: true,
            });
            expect(await graph.read((other) => other.node(b.id))).toBe(undefined);
            expect(await names({ types: ['Thing'], sort: [{ key: 'n' }] })).toEqual(['a']);
            await tx.updateNode(b.id, { n: 0 });
            expect((await tx.find(query)).map((node) => node.properties['name'])).toEqual(['a', 'b']);
            await tx.deleteNode(b.id);
            expect((await tx.find(query)).map((node) => node.properties['name'])).toEqual(['a']);
          });
        });
      });
    }

    describe('values', () => {
      test('of all kinds survive', async () => {
        const values: PropertyMap = {
          big: 9223372036854775807n,
          negative: -9223372036854775808n,
          bigs: [9007199254740993n, -9007199254740993n],
          safe: Number.MAX_SAFE_INTEGER,
          double: 2 ** 60,
          tiny: 5e-324,
          huge: 1.7976931348623157e308,
          infinity: Infinity,
          minus: -Infinity,
          nan: NaN,
          zero: -0,
          digits: 'text with 12345678901234567890 and "quotes" \\ \u0000 \u2028',
          empty: '',
          none: [],
          texts: ['null', '9e999', ''],
          flags: [true, false],
        };
        const { id } = await create('Thing', values);
        // A second node reads it past any cache of the first.
        await graph.write((tx) => tx.updateNode(id, { touched: true }));
        const read = (await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'] })))[0];
        expect(read?.properties).toEqual(props({ ...values, touched: true }));
        expect(Object.is(read?.properties['zero'], -0)).toBe(true);
      });

      test('of 64 bits compare exactly', async () => {
        const base = 2n ** 62n;
        for (let i = 0n; i < 4n; i++) await create('Thing', { name: String(i), n: base + i });
        expect(await where({ op: 'equals', key: 'n', value: base + 2n })).toEqual(['2']);
        expect(await where({ op: 'range', key: 'n', from: base + 1n, to: base + 2n })).toEqual(['1', '2']);
        expect(await where({ op: 'isNull', key: 'none' }, [{ key: 'n', descending: true }])).toEqual([
          '3',
          '2',
          '1',
          '0',
        ]);
        await graph.setIndexes([{ trait: 'Thing', types: ['Thing'], key: 'n', unique: false }]);
        await graph.indexesReady();
        expect(await where({ op: 'equals', key: 'n', value: base + 2n })).toEqual(['2']);
        expect(await where({ op: 'isNull', key: 'none' }, [{ key: 'n' }])).toEqual(['0', '1', '2', '3']);
      });

      test('have keys of any text', async () => {
        const keys = [
          '__proto__',
          'constructor',
          'a"b',
          "a'b",
          'a\\b',
          'a.b',
          '',
          '[0]',
          '$',
          'a\u0000b',
          'ä\u{1F600}',
          '#-1',
          'null',
        ];
        const values = props(Object.fromEntries(keys.map((key, i) => [key, i])));
        const { id } = await create('Thing', values);
        const node = await graph.read((tx) => tx.node(id));
        expect(Object.keys(node?.properties ?? {}).sort()).toEqual([...keys].sort());
        const check = async (): Promise<void> => {
          for (const [i, key] of keys.entries()) {
            const found = await graph.read((tx) =>
              tx.find({ kind: 'nodes', types: ['Thing'], where: { op: 'equals', key, value: i }, sort: [{ key }] }),
            );
            expect(
              found.map((one) => one.id),
              key,
            ).toEqual([id]);
          }
        };
        await check();
        await graph.setIndexes(keys.map((key) => ({ trait: 'Thing', types: ['Thing'], key, unique: false })));
        await graph.indexesReady();
        await check();
      });

      test("are the caller's no more once written", async () => {
        const list = ['a'];
        const properties = { list };
        const { id } = await create('Thing', properties);
        Object.assign(properties, { extra: 1 });
        expect((await graph.read((tx) => tx.node(id)))?.properties).toEqual(props({ list: ['a'] }));
      });
    });

    describe('transactions', () => {
      test('are serialised from their beginning', async () => {
        const { id } = await create('Counter', { n: 0 });
        const once = (): Promise<unknown> =>
          graph.write(async (tx) => {
            const before = Number((await tx.node(id))?.properties['n']);
            await new Promise((resolve) => setImmediate(resolve));
            await tx.updateNode(id, { n: before + 1 });
          });
        await Promise.all(Array.from({ length: 50 }, once));
        expect((await graph.read((tx) => tx.node(id)))?.properties['n']).toBe(50);
      });

      test('run side by side without touching each other', async () => {
        const work = Array.from({ length: 300 }, (_, i) =>
          graph.write(async (tx) => {
            await tx.createNode({ id: `n${String(i)}`, type: 'Thing', properties: { name: String(i) } });
            if (i % 3 === 0) throw new Error('no');
            await tx.createNode({ id: `m${String(i)}`, type: 'Thing', properties: { name: String(i) } });
          }),
        );
        const results = await Promise.allSettled(work);
        expect(results.filter((one) => one.status === 'rejected')).toHaveLength(100);
        expect(await graph.read((tx) => tx.count({ kind: 'nodes', types: ['Thing'] }))).toEqual({
          count: 400,
          exact: true,
        });
        expect(await names({ types: ['Thing'], where: { op: 'in', key: 'id', values: ['n0', 'n3', 'm3'] } })).toEqual(
          [],
        );
      });

      test('leave nothing when the work fails, after any number of steps', async () => {
        const a = await create('Thing', { name: 'a' });
        const b = await create('Thing', { name: 'b' });
        const relationship = await link(a.id, b.id, { x: 1 });
        const steps = 8;
        for (let fail = 0; fail < steps; fail++) {
          const notified: unknown[] = [];
          const stop = graph.onCommit((list) => notified.push(list));
          const id = newId();
          await expect(
            graph.write(async (tx) => {
              const todo = [
                () => tx.createNode({ id, type: `New${String(fail)}`, properties: { fresh: 1 } }),
                () => tx.updateNode(a.id, { name: 'changed' }),
                () =>
                  tx.createRelationship({
                    id: newId(),
                    type: 'T',
                    relType: 'R',
                    sourceId: id,
                    targetId: a.id,
                    properties: {},
                  }),
                () => tx.updateRelationship(relationship.id, { x: 2 }),
                () => tx.deleteRelationship(relationship.id),
                () => tx.setNodeType(b.id, 'Other'),
                () => tx.deleteNode(a.id),
              ];
              for (const [i, step] of todo.entries()) {
                if (i === fail) throw new Error('stop');
                await step();
              }
              throw new Error('stop');
            }),
          ).rejects.toThrow('stop');
          stop();
          expect(notified).toEqual([]);
          expect(await names({ types: ['Thing'], sort: [{ key: 'name' }] })).toEqual(['a', 'b']);
          expect(await graph.read((tx) => tx.relationship(relationship.id))).toEqual(relationship);
          expect(await graph.read((tx) => tx.count({ kind: 'nodes' }))).toEqual({ count: 2, exact: true });
          expect(await graph.read((tx) => tx.count({ kind: 'relationships' }))).toEqual({ count: 1, exact: true });
        }
        await create('New1', { name: 'later' });
        expect(await names({ types: ['New1'] })).toEqual(['later']);
      });

      test('nest: a failed savepoint is gone, the rest stays', async () => {
        const { id } = await create('Thing', { n: 0 });
        const lists: string[][] = [];
        graph.onCommit((list) => lists.push(list.map(brief)));
        await graph.write(async (tx) => {
          await tx.updateNode(id, { n: 1 });
          await tx
            .savepoint(async () => {
              await tx.updateNode(id, { n: 2 });
              await tx.savepoint(() => tx.createNode({ id: newId(), type: 'Inner', properties: {} }));
              expect(tx.changes()).toHaveLength(3);
              throw new Error('undo');
            })
            .catch(() => undefined);
          expect(tx.changes()).toHaveLength(1);
          expect((await tx.node(id))?.properties['n']).toBe(1);
          expect(await tx.count({ kind: 'nodes' })).toEqual({ count: 1, exact: true });
          await tx.savepoint(() => tx.updateNode(id, { m: 5 }));
        });
        expect(lists).toEqual([['change n 0>1', 'change m null>5']]);
        expect((await graph.read((tx) => tx.node(id)))?.properties).toEqual(props({ n: 1, m: 5 }));
        expect(await graph.read((tx) => tx.count({ kind: 'nodes', types: ['Inner'] }))).toEqual({
          count: 0,
          exact: true,
        });
      });

      test('go on after a statement that failed', async () => {
        const { id } = await create('Thing', { name: 'a' });
        await graph.write(async (tx) => {
          expect(await failure(tx.createNode({ id, type: 'Thing', properties: {} }))).toBe('already_taken');
          await tx.createNode({ id: newId(), type: 'Thing', properties: { name: 'b' } });
        });
        expect(await names({ types: ['Thing'] })).toEqual(['a', 'b']);
      });

      test('tell of their changes in order, before they resolve', async () => {
        const seen: string[] = [];
        const stop = graph.onCommit((list) => seen.push(list.map(brief).join()));
        await Promise.all([1, 2, 3].map((n) => create(`T${String(n)}`).then(() => seen.push(`resolved ${String(n)}`))));
        for (const n of [1, 2, 3]) {
          expect(seen.indexOf(`create T${String(n)}`)).toBeLessThan(seen.indexOf(`resolved ${String(n)}`));
        }
        expect(seen.filter((one) => one.startsWith('create'))).toEqual(['create T1', 'create T2', 'create T3']);
        stop();
        await create('T4');
        expect(seen).toHaveLength(6);
      });

      test('are closed when they have ended', async () => {
        const write = await graph.write((tx) => Promise.resolve(tx));
        const read = await graph.read((tx) => Promise.resolve(tx));
        expect(await failure(write.createNode({ id: newId(), type: 'Thing', properties: {} }))).toBe('closed');
        expect(await failure(write.node('x'))).toBe('closed');
        expect(await failure(read.node('x'))).toBe('closed');
        expect(await failure(read.find({ kind: 'nodes' }))).toBe('closed');
      });

      test('end at their time limit or signal, with nothing written', async () => {
        const forever = new Promise<never>(() => undefined);
        const timed = graph.write(
          async (tx) => {
            await tx.createNode({ id: newId(), type: 'Thing', properties: {} });
            await forever;
          },
          { timeout: 30 },
        );
        const behind = create('Thing', { name: 'behind' });
        expect(await failure(timed)).toBe('query_timeout');
        await behind;
        const controller = new AbortController();
        const cancelled = graph.write(
          async (tx) => {
            await tx.createNode({ id: newId(), type: 'Thing', properties: {} });
            setTimeout(() => {
              controller.abort();
            }, 5);
            await forever;
          },
          { signal: controller.signal },
        );
        const queued = graph.write(() => Promise.resolve(1), { signal: controller.signal });
        expect(await Promise.all([failure(cancelled), failure(queued)])).toEqual([
          'aborted',
          queues ? 'aborted' : 'none',
        ]);
        expect(await failure(graph.read((tx) => tx.node('x'), { signal: controller.signal }))).toBe('aborted');
        expect(await names({ types: ['Thing'] })).toEqual(['behind']);
      });

      test('are refused once the graph is closed; those running end well', async () => {
        let begun = (): void => undefined;
        const hasBegun = new Promise<void>((resolve) => {
          begun = resolve;
        });
        const running = graph.write(async (tx) => {
          await tx.createNode({ id: newId(), type: 'Thing', properties: {} });
          begun();
          await new Promise((resolve) => setTimeout(resolve, 20));
          return tx.createNode({ id: newId(), type: 'Thing', properties: {} });
        });
        await hasBegun;
        const closing = graph.close();
        expect(await failure(create('Thing'))).toBe('closed');
        expect(await failure(graph.read((tx) => tx.node('x')))).toBe('closed');
        expect((await running).type).toBe('Thing');
        await closing;
      });
    });

    test('indexes come and go without changing any answer', async () => {
      await graph.write(async (tx) => {
        for (let i = 0; i < 500; i++)
          await tx.createNode({
            id: newId(),
            type: 'Thing',
            properties: i % 5 === 0 ? { name: String(i) } : { name: String(i), n: i % 50 },
          });
      });
      const query: NodeQuery = {
        kind: 'nodes',
        types: ['Thing'],
        where: { op: 'range', key: 'n', from: 40 },
        sort: [{ key: 'n' }, { key: 'name' }],
      };
      const before = await graph.read((tx) => tx.find(query));
      const index = { trait: 'Thing', types: ['Thing'], key: 'n', unique: false };
      for (const wanted of [[index], [], [index]]) {
        await graph.setIndexes(wanted);
        expect(await graph.read((tx) => tx.find(query))).toEqual(before);
        await graph.indexesReady();
        expect(await graph.read((tx) => tx.find(query))).toEqual(before);
      }
    });
  });
}
