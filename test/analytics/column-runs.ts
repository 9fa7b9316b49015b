/** Random histories of events, and random questions that are answered from columns and from nodes alone. */
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import type { Question } from '../../src/main/analytics/digest/question.js';
import {
  GraphError,
  type AccessRule,
  type ColumnDefinition,
  type Graph,
  type NodeQuery,
  type Predicate,
  type PropertyMap,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import { workerFile } from '../../src/shared/worker-path.js';

export const TYPES = ['LogEvent', 'ShopEvent'] as const;
export const DEFINITION: ColumnDefinition = {
  types: TYPES,
  number: 'timestamp',
  texts: ['action', 'subject', 'object', 'message'],
};
/** Events from which on columns are made: few, so that there are many segments. */
export const FROM = 7;

/** What is asked, with the queries that give the events: those that others are compared with come first. */
export interface AskedEvents {
  readonly question: Question;
  readonly queries: readonly NodeQuery[];
}

/** The answer, as text, or what is said against it. */
export async function answer(graph: Graph, { question, queries }: AskedEvents, columns: boolean): Promise<string> {
  let text = '';
  const digest = { module: workerFile('analytics/event-digest'), options: question };
  try {
    await graph.read((tx) => {
      if (tx.digest === undefined) throw new Error('there are no digests');
      const digested = queries.map((query) => ({ query, columns }));
      return tx.digest(digested, digest, (piece) => {
        text += piece;
        return undefined;
      });
    });
  } catch (error) {
    // Such as hours from 1970 on, which are too many groups.
    if (error instanceof GraphError && error.code === 'invalid_query') return error.message;
    throw error;
  }
  return text;
}

/** Longer than what columns take. */
const LONG = `amount=1;${'y'.repeat(5000)}`;
const text = fc.constantFrom('a', 'b', 'ä', 'long '.repeat(30), '日本', '', 'c:7');
const message = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom('amount=', 'ref='), fc.nat(12)).map(([a, n]) => `${a}${String(n)};x`),
  },
  { weight: 1, arbitrary: text },
  { weight: 1, arbitrary: fc.constant(LONG) },
);
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined, freq: 12 });

const BEGIN = Date.parse('2026-03-20T00:00:00Z');
const event = fc.record({
  // Some within a few days, one in a while far away, and some that are no times.
  timestamp: fc.oneof(
    { weight: 20, arbitrary: maybe(fc.nat(20 * 86_400_000).map((ms): number | string => BEGIN + ms)) },
    { weight: 1, arbitrary: fc.constantFrom<(number | string)[]>(BEGIN - 1e11, 'never', NaN, 1.5) },
  ),
  action: maybe(fc.constantFrom('VIEW', 'CLICK', 'PURCHASE')),
  subject: maybe(text),
  object: maybe(fc.constantFrom('p1', 'p2', 'p3')),
  message: maybe(message),
  visibleToPublicUsers: maybe(fc.boolean()),
  visibleToAuthenticatedUsers: fc.constantFrom(true, true, true, false),
});

type Step =
  | { readonly kind: 'create'; readonly type: string; readonly events: readonly PropertyMap[] }
  | { readonly kind: 'update'; readonly at: number; readonly count: number; readonly changes: PropertyMap }
  | { readonly kind: 'delete'; readonly at: number; readonly count: number; readonly together: boolean }
  | { readonly kind: 'retype'; readonly at: number; readonly count: number; readonly type: string }
  | { readonly kind: 'own'; readonly at: number }
  | { readonly kind: 'restart' | 'settle' };

const at = fc.nat(1000);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 18,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      type: fc.constantFrom(...TYPES, 'LogEvent', 'Note'),
      events: fc.array(event as fc.Arbitrary<PropertyMap>, { minLength: 1, maxLength: 20 }),
    }),
  },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant('update' as const),
      at,
      count: fc.integer({ min: 1, max: 12 }),
      changes: event as fc.Arbitrary<PropertyMap>,
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('delete' as const),
      at,
      count: fc.integer({ min: 1, max: 12 }),
      together: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('retype' as const),
      at,
      count: fc.integer({ min: 1, max: 12 }),
      type: fc.constantFrom(...TYPES, 'Note'),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('own' as const), at }) },
  { weight: 15, arbitrary: fc.constant({ kind: 'settle' as const }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
);

const term: fc.Arbitrary<Predicate> = fc.oneof(
  fc.record({
    op: fc.constant('equals' as const),
    key: fc.constantFrom('action', 'subject', 'object'),
    value: fc.constantFrom('VIEW', 'a', 'ä', 'p1', '', 'nobody'),
  }),
  fc.tuple(fc.nat(20), fc.nat(20)).map(([from, days]) => ({
    op: 'range' as const,
    key: 'timestamp',
    from: BEGIN + from * 86_400_000,
    to: BEGIN + (from + days) * 86_400_000,
  })),
);

const rule: fc.Arbitrary<AccessRule | undefined> = fc.option(
  fc.record({
    right: fc.constant('read' as const),
    principals: fc.constantFrom<(readonly string[])[]>([], ['owner']),
    ids: fc.constant([]),
    types: fc.subarray([...TYPES]),
    keys: fc.constantFrom<AccessRule['keys'][]>(
      ['visibleToAuthenticatedUsers'],
      ['visibleToPublicUsers'],
      ['visibleToPublicUsers', 'visibleToAuthenticatedUsers'],
      [],
    ),
  }),
  { nil: undefined },
);

const asked: fc.Arbitrary<AskedEvents> = fc
  .record({
    terms: fc.oneof(fc.constant([]), fc.array(term, { maxLength: 2 })),
    access: fc.oneof(fc.constant(undefined), rule),
    pattern: fc.constantFrom('yyyy-MM-dd', 'yyyy', 'yyyy-MM-dd HH', "yyyy-'W'ww"),
    isOverview: fc.constantFrom(false, false, false, false, true),
    filters: fc.constantFrom<(readonly string[])[]>([], [], ['amount=.*'], ['.*x', 'ref=.*']),
    named: fc.subarray([
      { name: 'amounts', source: 'amount=.*' },
      { name: 'x', source: '.*;x' },
      { name: 'never', source: 'never' },
    ]),
    histogram: fc.option(fc.constantFrom({ name: '', source: '(\\w+)=.*' }, { name: 'ref', source: 'ref=(\\d+).*' }), {
      nil: undefined,
    }),
    multiplier: fc.option(fc.constant('amount=(\\d+);.*'), { nil: undefined }),
    correlation: fc.option(
      fc.record({
        action: fc.constantFrom('VIEW', 'PURCHASE', 'NONE'),
        operator: fc.constantFrom('and' as const, 'andSubject' as const, 'andObject' as const, 'not' as const),
        pattern: fc.option(fc.constant('\\w+=(\\d+);.*'), { nil: undefined }),
      }),
      { nil: undefined },
    ),
  })
  .map(({ terms, access, isOverview, ...of }) => {
    const events = (all: readonly Predicate[]): NodeQuery => ({
      kind: 'nodes',
      types: TYPES,
      ...(all.length === 0 ? {} : { where: { op: 'and', terms: all } }),
      ...(access === undefined ? {} : { access }),
    });
    const zone = 'Europe/Berlin';
    if (isOverview) {
      return { question: { kind: 'overview', zone, indent: false }, queries: [events(terms), events(terms)] };
    }
    const { correlation } = of;
    const references: NodeQuery[] =
      correlation === undefined ? [] : [events([{ op: 'equals', key: 'action', value: correlation.action }])];
    return { question: { kind: 'aggregation', zone, indent: false, ...of }, queries: [...references, events(terms)] };
  });

interface Run {
  readonly steps: readonly Step[];
  readonly questions: readonly AskedEvents[];
}

export const runs: fc.Arbitrary<Run> = fc.record({
  steps: fc.array(step, { minLength: 3, maxLength: 14 }),
  questions: fc.array(asked, { minLength: 6, maxLength: 12 }),
});

/** Ids of what there is, the oldest first. */
async function idsIn(tx: WriteTransaction): Promise<string[]> {
  return (await tx.find({ kind: 'nodes', types: [...TYPES, 'Note'] })).map(({ id }) => id);
}

/** Answers the graph, which may be another one after a restart. */
export async function take(graph: Graph, one: Step, reopen: (graph: Graph) => Promise<Graph>): Promise<Graph> {
  switch (one.kind) {
    case 'create':
      await graph.write(async (tx) => {
        for (const properties of one.events) await tx.createNode({ id: randomUUID(), type: one.type, properties });
      });
      return graph;
    case 'settle':
      await graph.columns?.settled();
      return graph;
    case 'restart':
      return reopen(graph);
    default:
      await graph.write(async (tx) => {
        const ids = await idsIn(tx);
        const id = ids[one.at % Math.max(1, ids.length)];
        if (id === undefined) return;
        const from = one.at % ids.length;
        if (one.kind === 'update')
          for (const some of ids.slice(from, from + one.count)) await tx.updateNode(some, one.changes);
        else if (one.kind === 'retype')
          for (const some of ids.slice(from, from + one.count)) await tx.setNodeType(some, one.type);
        else if (one.kind === 'own') {
          const rights = { type: 'Owns', relType: 'OWNS', properties: {} };
          await tx.createRelationship({ id: randomUUID(), ...rights, sourceId: 'owner', targetId: id });
        } else if (one.together && tx.deleteNodes !== undefined) {
          await tx.deleteNodes(ids.slice(0, one.count));
        } else for (const old of ids.slice(-one.count)) await tx.deleteNode(old);
      });
      return graph;
  }
}
