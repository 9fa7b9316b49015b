/**
 * Random transactions beside each other, optimistic ones and direct ones. Those that are committed are then done once more, one after
 * the other in the order of their commits, on the model: each of their reads must have seen what it sees there.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { type Change, type Graph, GraphError, type Step, type WriteTransaction } from '../../src/main/graph/index.js';
import { randomRuns } from '../support/random.js';
import { Model } from './model.js';
import { asMap, IDS, operation, type Operation, plain, step } from './model-runs.js';
import { isConflict } from './optimistic.js';

type Action =
  | { readonly do: 'node'; readonly id: string }
  | { readonly do: 'links'; readonly id: string; readonly step: Step }
  | Operation;

/** What a transaction does, and how many turns of the loop it waits before each action. */
interface Program {
  readonly optimistic: boolean;
  readonly actions: readonly { readonly wait: number; readonly action: Action }[];
}

const someId = fc.constantFrom(...IDS);
const action: fc.Arbitrary<Action> = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('node' as const), id: someId }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('links' as const), id: someId, step }) },
  { weight: 4, arbitrary: operation },
);
const program: fc.Arbitrary<Program> = fc.record({
  optimistic: fc.integer({ min: 0, max: 3 }).map((n) => n > 0),
  actions: fc.array(fc.record({ wait: fc.nat(3), action }), { minLength: 1, maxLength: 5 }),
});

/** What an action has answered, in a form that can be compared. */
type Seen = unknown;

const ON_PURPOSE = new Error('on purpose');

async function turns(count: number): Promise<void> {
  for (let i = 0; i < count; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch (error) {
    if (!(error instanceof GraphError) || isConflict(error)) throw error;
    return false;
  }
}

async function onGraph(tx: WriteTransaction, one: Action): Promise<Seen> {
  switch (one.do) {
    case 'node':
      return plain(await tx.node(one.id));
    case 'links':
      return (await tx.related([one.id], one.step))[0]?.map(plain);
    case 'query':
      return [(await tx.find(one.query)).map(plain), (await tx.count(one.query)).count];
    case 'create':
      return succeeds(tx.createNode({ id: one.id, type: one.type, properties: asMap(one.properties) }));
    case 'update':
      return succeeds(tx.updateNode(one.id, asMap(one.changes)));
    case 'type':
      return succeeds(tx.setNodeType(one.id, one.type));
    case 'delete':
      return succeeds(tx.deleteNode(one.id));
    case 'link': {
      const { id, relType, from: sourceId, to: targetId } = one;
      return succeeds(tx.createRelationship({ id, type: `X${relType}`, relType, sourceId, targetId, properties: {} }));
    }
    case 'unlink':
      return succeeds(tx.deleteRelationship(one.id));
    case 'savepoint': {
      const seen: Seen[] = [];
      const work = tx.savepoint(async () => {
        for (const inner of one.operations) seen.push(await onGraph(tx, inner));
        if (one.fails) throw ON_PURPOSE;
      });
      await work.catch((error: unknown) => {
        if (error !== ON_PURPOSE) throw error;
      });
      return seen;
    }
  }
}

function onModel(model: Model, one: Action): Seen {
  switch (one.do) {
    case 'node':
      return plain(model.node(one.id));
    case 'links':
      return model.related(one.id, one.step).map((id) => plain(model.node(id)));
    case 'query': {
      const all = model.find(one.query);
      const { offset = 0, limit } = one.query;
      const page = all.slice(offset, limit === undefined ? undefined : offset + limit);
      return [page.map((id) => plain(model.node(id))), all.length];
    }
    case 'create':
      return model.createNode(one.id, one.type, asMap(one.properties));
    case 'update':
      return model.update(one.id, asMap(one.changes));
    case 'type':
      return model.setType(one.id, one.type);
    case 'delete':
      return model.deleteNode(one.id);
    case 'link':
      return model.link(one.id, one.relType, one.from, one.to);
    case 'unlink':
      return model.unlink(one.id);
    case 'savepoint': {
      const restore = model.snapshot();
      const seen = one.operations.map((inner) => onModel(model, inner));
      if (one.fails) restore();
      return seen;
    }
  }
}

interface Done {
  readonly program: Program;
  readonly seen: readonly Seen[];
}

/** Empties the graph and makes some nodes; answers the number of that commit. */
async function begin(graph: Graph): Promise<number> {
  const tx = graph.open({ locking: 'now' });
  for (const node of await tx.find({ kind: 'nodes' })) await tx.deleteNode(node.id);
  for (const id of IDS.slice(0, 4)) await tx.createNode({ id, type: 'T', properties: { k: 1 } });
  return tx.commit();
}

async function perform(tx: WriteTransaction, { actions }: Program, seen: Seen[]): Promise<void> {
  for (const { wait, action: one } of actions) {
    await turns(wait);
    seen.push(await onGraph(tx, one));
  }
}

/** Runs programs beside each other; answers those that were committed, by the number of their commit. */
async function beside(graph: Graph, programs: readonly Program[], told: Told): Promise<Map<number, Done>> {
  const done = new Map<number, Done>();
  const before = await begin(graph);
  const direct = new Map<readonly Change[], Done>();
  let commits = 0;
  const stop = graph.onCommit((changes) => {
    const number = before + ++commits;
    const one = direct.get(changes);
    if (one !== undefined) done.set(number, one);
  });
  const work = programs.map(async (one) => {
    const seen: Seen[] = [];
    if (!one.optimistic) {
      await graph.write(async (tx) => {
        await perform(tx, one, seen);
        direct.set(tx.changes(), { program: one, seen });
      });
      return;
    }
    const tx = graph.open({ locking: 'last' });
    try {
      await perform(tx, one, seen);
      const number = await tx.commit();
      if (number > 0) done.set(number, { program: one, seen });
      told.commits++;
    } catch (error) {
      await tx.rollBack();
      if (!isConflict(error)) throw error;
      told.conflicts++;
    }
  });
  await Promise.all(work);
  stop();
  return done;
}

export interface Told {
  conflicts: number;
  commits: number;
}

/** Answers how many optimistic transactions came to which end. */
export async function serialRuns(graph: Graph, runs: number, seconds: number): Promise<Told> {
  const told: Told = { conflicts: 0, commits: 0 };
  const property = fc.asyncProperty(fc.array(program, { minLength: 2, maxLength: 6 }), async (programs) => {
    const done = await beside(graph, programs, told);
    const model = new Model();
    for (const id of IDS.slice(0, 4)) model.createNode(id, 'T', asMap([['k', 1]]));
    for (const [, one] of [...done].sort(([a], [b]) => a - b)) {
      const seen = one.program.actions.map(({ action: each }) => onModel(model, each));
      expect(one.seen).toEqual(seen);
    }
    const left = await graph.read((tx) => tx.find({ kind: 'nodes' }));
    expect(left.map(plain)).toEqual(model.find({ kind: 'nodes' }).map((id) => plain(model.node(id))));
  });
  await randomRuns(property, runs, seconds);
  return told;
}
