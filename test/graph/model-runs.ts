/** Random histories on the engine and on the model, compared after each transaction: body of the short and the long test. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type {
  Change,
  Graph,
  GraphNode,
  NodeQuery,
  Predicate,
  PropertyChanges,
  PropertyMap,
  ScalarValue,
  Step,
  StoredValue,
  WriteTransaction,
} from '../../src/main/graph/index.js';
import { randomRuns } from '../support/random.js';
import { Model } from './model.js';

export const IDS = ['a', 'b', 'c', 'd', 'e', 'f'];
const TYPES = ['T', 'U', 'V'];
const KEYS = ['k', 'l', '__proto__', 'q"\'.'];
const BIG = 2n ** 60n;

const scalar: fc.Arbitrary<ScalarValue> = fc.oneof(
  fc.constantFrom<ScalarValue>(
    '',
    'a',
    'B',
    'ab',
    'Ä',
    '1',
    '{}',
    '\u{1F600}',
    // The last code point before the surrogates: Neo4j orders text written in the same transaction by code unit.
    '\ud7ff',
    0,
    1,
    -1,
    1.5,
    1e300,
    Infinity,
    true,
    false,
    BIG,
    BIG + 1n,
    3e9,
  ),
);
const stored: fc.Arbitrary<StoredValue> = fc.oneof(
  { weight: 5, arbitrary: scalar },
  { weight: 1, arbitrary: fc.array(fc.constantFrom('a', 'Ab', ''), { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(1, 2.5), { maxLength: 2 }) },
);
const key = fc.constantFrom(...KEYS);
const id = fc.constantFrom(...IDS);
const type = fc.constantFrom(...TYPES);
/** Pairs, as a dictionary of fast-check would drop `__proto__`. */
const properties = fc.array(fc.tuple(key, stored), { maxLength: 3 });

export function asMap<T>(pairs: readonly (readonly [string, T])[]): Record<string, T> {
  const map = Object.create(null) as Record<string, T>;
  for (const [k, v] of pairs) map[k] = v;
  return map;
}

export const step: fc.Arbitrary<Step> = fc
  .record({
    relType: fc.constantFrom('R', 'S'),
    direction: fc.constantFrom('in' as const, 'out' as const),
    typed: fc.boolean(),
  })
  .map(({ typed, ...rest }) => (typed ? { ...rest, types: ['T', 'U'] } : rest));
const anyKey = fc.oneof({ weight: 6, arbitrary: key }, { weight: 1, arbitrary: fc.constantFrom('id', 'type') });

const { predicate } = fc.letrec<{ predicate: Predicate; leaf: Predicate }>((tie) => ({
  predicate: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'predicate' },
    { weight: 5, arbitrary: tie('leaf') },
    fc.record({
      op: fc.constantFrom('and' as const, 'or' as const),
      terms: fc.array(tie('predicate'), { maxLength: 3 }),
    }),
    fc.record({ op: fc.constant('not' as const), term: tie('predicate') }),
    fc.record({ op: fc.constant('relatedSome' as const), step, where: tie('predicate') }),
  ),
  leaf: fc.oneof(
    fc.record({ op: fc.constant('equals' as const), key: anyKey, value: scalar, orNull: fc.boolean() }),
    fc.record({ op: fc.constant('equals' as const), key: fc.constantFrom('id', 'type'), value: fc.oneof(id, type) }),
    fc.record({
      op: fc.constant('in' as const),
      key: anyKey,
      values: fc.array(fc.oneof(scalar, id), { maxLength: 20 }),
    }),
    fc.record({ op: fc.constant('isNull' as const), key: anyKey }),
    fc.record({ op: fc.constant('isEmpty' as const), key: anyKey }),
    fc.record({
      op: fc.constantFrom('contains' as const, 'startsWith' as const, 'endsWith' as const),
      key: anyKey,
      value: fc.constantFrom('', 'a', 'b', 'ä', '\u{1F600}'),
      ignoreCase: fc.boolean(),
    }),
    fc
      .record({
        from: fc.option(scalar),
        to: fc.option(scalar),
        fromExclusive: fc.boolean(),
        toExclusive: fc.boolean(),
        key: anyKey,
      })
      .map(({ from, to, ...rest }) => ({
        op: 'range' as const,
        ...rest,
        ...(from === null ? {} : { from }),
        ...(to === null ? {} : { to }),
      })),
    fc.record({
      op: fc.constant('arrayEquals' as const),
      key,
      values: fc.array(fc.constantFrom('a', 'Ab'), { maxLength: 2 }),
    }),
    fc.record({
      op: fc.constant('arrayContains' as const),
      key,
      value: fc.constantFrom<ScalarValue>('a', 'b', 1),
      partial: fc.boolean(),
    }),
    fc.record({ op: fc.constant('relatedNone' as const), step }),
    fc.record({
      op: fc.constantFrom('relatedAll' as const, 'relatedExactly' as const),
      step: step.map(({ relType, direction }) => ({ relType, direction })),
      ids: fc.array(id, { maxLength: 2 }),
    }),
  ),
}));

const query: fc.Arbitrary<NodeQuery> = fc
  .record({
    types: fc.option(fc.subarray(TYPES)),
    where: fc.option(predicate, { freq: 5 }),
    sort: fc.array(fc.record({ key: anyKey, descending: fc.boolean() }), { maxLength: 2 }),
    from: fc.option(fc.record({ id, step }), { freq: 1 }),
    page: fc.option(fc.record({ offset: fc.nat(4), limit: fc.nat(4) }), { freq: 1 }),
  })
  .map(({ types, where, sort, from, page }) => ({
    kind: 'nodes' as const,
    sort,
    ...(types === null ? {} : { types }),
    ...(where === null ? {} : { where }),
    ...(from === null ? {} : { from }),
    ...page,
  }));

export type Operation =
  | {
      readonly do: 'create';
      readonly id: string;
      readonly type: string;
      readonly properties: readonly (readonly [string, StoredValue])[];
    }
  | { readonly do: 'update'; readonly id: string; readonly changes: readonly (readonly [string, StoredValue | null])[] }
  | { readonly do: 'type'; readonly id: string; readonly type: string }
  | { readonly do: 'delete'; readonly id: string }
  | { readonly do: 'link'; readonly id: string; readonly relType: string; readonly from: string; readonly to: string }
  | { readonly do: 'unlink'; readonly id: string }
  | { readonly do: 'query'; readonly query: NodeQuery }
  | { readonly do: 'savepoint'; readonly fails: boolean; readonly operations: readonly Operation[] };

const relId = fc.constantFrom('r', 's', 't', 'u');
export const { operation } = fc.letrec<{ operation: Operation }>((tie) => ({
  operation: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'operation' },
    { weight: 6, arbitrary: fc.record({ do: fc.constant('create' as const), id, type, properties }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('update' as const),
        id,
        changes: fc.array(fc.tuple(key, fc.option(stored)), { maxLength: 3 }),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('type' as const), id, type }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('delete' as const), id }) },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('link' as const),
        id: relId,
        relType: fc.constantFrom('R', 'S'),
        from: id,
        to: id,
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('unlink' as const), id: relId }) },
    { weight: 3, arbitrary: fc.record({ do: fc.constant('query' as const), query }) },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant('savepoint' as const),
        fails: fc.boolean(),
        operations: fc.array(tie('operation'), { maxLength: 4 }),
      }),
    },
  ),
}));

/** A transaction, queries after it, and whether it fails at its end. */
const history = fc.array(
  fc.record({
    fails: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
    operations: fc.array(operation, { maxLength: 8 }),
    queries: fc.array(query, { maxLength: 3 }),
  }),
  { minLength: 1, maxLength: 5 },
);

const ON_PURPOSE = new Error('on purpose');

async function apply(tx: WriteTransaction, model: Model, op: Operation): Promise<void> {
  /** Both succeed or both refuse. */
  const both = async (wanted: boolean, work: Promise<unknown>): Promise<void> => {
    const done = await work.then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ name: 'GraphError' });
        return false;
      },
    );
    expect(done).toBe(wanted);
  };
  switch (op.do) {
    case 'create': {
      const map: PropertyMap = asMap(op.properties);
      await both(model.createNode(op.id, op.type, map), tx.createNode({ id: op.id, type: op.type, properties: map }));
      return;
    }
    case 'update': {
      const changes: PropertyChanges = asMap(op.changes);
      await both(model.update(op.id, changes), tx.updateNode(op.id, changes));
      return;
    }
    case 'type':
      await both(model.setType(op.id, op.type), tx.setNodeType(op.id, op.type));
      return;
    case 'delete':
      await both(model.deleteNode(op.id), tx.deleteNode(op.id));
      return;
    case 'link': {
      const { id: rel, relType, from, to } = op;
      await both(
        model.link(rel, relType, from, to),
        tx.createRelationship({ id: rel, type: `X${relType}`, relType, sourceId: from, targetId: to, properties: {} }),
      );
      return;
    }
    case 'unlink':
      await both(model.unlink(op.id), tx.deleteRelationship(op.id));
      return;
    case 'query':
      await compareQuery(
        (q) => tx.find(q),
        (q) => tx.count(q),
        model,
        op.query,
      );
      return;
    case 'savepoint': {
      const undo = model.snapshot();
      const work = tx.savepoint(async () => {
        for (const inner of op.operations) await apply(tx, model, inner);
        if (op.fails) throw ON_PURPOSE;
      });
      if (!op.fails) await work;
      else {
        await expect(work).rejects.toBe(ON_PURPOSE);
        undo();
      }
    }
  }
}

async function compareQuery(
  find: (query: NodeQuery) => Promise<GraphNode[]>,
  count: (query: NodeQuery) => Promise<{ count: number }>,
  model: Model,
  wanted: NodeQuery,
): Promise<void> {
  const all = model.find(wanted);
  const page = all.slice(
    wanted.offset ?? 0,
    wanted.limit === undefined ? undefined : (wanted.offset ?? 0) + wanted.limit,
  );
  const found = await find(wanted);
  expect(found.map((node) => node.id)).toEqual(page);
  for (const node of found) expect(plain(node)).toEqual(plain(model.node(node.id)));
  expect((await count(wanted)).count).toBe(all.length);
}

/** Without regard to prototypes and the order of keys. */
export function plain(entity: { properties: PropertyMap; type: string; id: string } | undefined): unknown {
  return entity && [entity.id, entity.type, Object.entries(entity.properties).sort(([a], [b]) => (a < b ? -1 : 1))];
}

function comparable(change: Change): unknown {
  const { verb, entity } = change;
  return verb === 'change' ? [verb, plain(entity), change.key, change.previous, change.value] : [verb, plain(entity)];
}

/** Relationships that go together, as those of a node that is deleted, in the order of their ids. */
function withoutOrder(changes: readonly unknown[]): unknown[] {
  const sorted: unknown[] = [];
  let group: unknown[] = [];
  for (const change of changes) {
    const isUnlink = Array.isArray(change) && change[0] === 'unlink';
    if (isUnlink) group.push(change);
    if (isUnlink) continue;
    sorted.push(...group.sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)), change);
    group = [];
  }
  return [...sorted, ...group];
}

/**
 * Runs histories on the graph, emptied between them. Half of the runs, and of the seconds they may take, are with indexes.
 * `inOrder`: a transaction tells of the relationships of a node that it deletes in the order of linking.
 */
export async function modelRuns(graph: Graph, runs: number, seconds: number, inOrder = true): Promise<void> {
  const indexes = KEYS.map((one) => ({ trait: 'T', types: TYPES, key: one, unique: false }));
  let heard: Change[] = [];
  const stop = graph.onCommit((list) => heard.push(...list));
  const property = fc.asyncProperty(history, async (transactions) => {
    await graph.write(async (tx) => {
      for (const node of await tx.find({ kind: 'nodes' })) await tx.deleteNode(node.id);
    });
    const model = new Model();
    for (const { fails, operations, queries } of transactions) {
      heard = [];
      model.changes = [];
      const undo = model.snapshot();
      const work = graph.write(async (tx) => {
        for (const op of operations) await apply(tx, model, op);
        const [told, known] = [tx.changes().map(comparable), model.changes.map(comparable)];
        expect(inOrder ? told : withoutOrder(told)).toEqual(inOrder ? known : withoutOrder(known));
        if (fails) throw ON_PURPOSE;
      });
      if (fails) {
        await expect(work).rejects.toBe(ON_PURPOSE);
        undo();
      } else await work;
      expect(heard.map(comparable)).toEqual(fails ? [] : model.changes.map(comparable));
      await graph.read(async (tx) => {
        for (const one of queries) {
          await compareQuery(
            (q) => tx.find(q),
            (q) => tx.count(q),
            model,
            one,
          );
          const streamed: string[] = [];
          for await (const batch of tx.stream(one)) streamed.push(...batch.map((node) => node.id));
          expect(streamed).toEqual((await tx.find(one)).map((node) => node.id));
        }
        for (const one of IDS) {
          expect(plain(await tx.node(one))).toEqual(plain(model.node(one)));
          for (const walk of [
            { relType: 'R', direction: 'out' },
            { relType: 'S', direction: 'in', types: ['T'] },
          ] as const) {
            expect((await tx.related([one], walk))[0]?.map((node) => node.id)).toEqual(model.related(one, walk));
          }
        }
      });
    }
  });
  for (const wanted of [[], indexes]) {
    await graph.setIndexes(wanted);
    await graph.indexesReady();
    await randomRuns(property, runs / 2, seconds / 2);
  }
  stop();
}
