/** Access rules on plain arrays: slow, small and obviously right; and random graphs and queries that engines must answer alike. */
import fc from 'fast-check';
import { expect } from 'vitest';
import type {
  AccessRule,
  FlagKey,
  Graph,
  GraphNode,
  NodeQuery,
  Predicate,
  PropagationStep,
  ReadTransaction,
  Right,
  Step,
  WriteTransaction,
} from '../../src/main/graph/index.js';
import { PUBLIC, USERS } from '../../src/main/graph/index.js';
import { randomRuns } from '../support/random.js';

interface Link {
  readonly id: string;
  readonly relType: string;
  readonly source: string;
  readonly target: string;
  readonly allowed: readonly string[];
}

type Ids = readonly string[];

class AccessModel {
  readonly nodes = new Map<string, GraphNode>();
  readonly links = new Map<string, Link>();

  copy(): AccessModel {
    const copy = new AccessModel();
    for (const [id, one] of this.nodes) copy.nodes.set(id, one);
    for (const [id, one] of this.links) copy.links.set(id, one);
    return copy;
  }

  #ends({ relType, direction }: Step | PropagationStep, id: string): string[] {
    return [...this.links.values()].flatMap((link) => {
      const [near, far] = direction === 'out' ? [link.source, link.target] : [link.target, link.source];
      return link.relType === relType && near === id ? [far] : [];
    });
  }

  #granted(node: GraphNode, { principals, right, ids, types }: AccessRule): boolean {
    if (ids.includes(node.id) || types.includes(node.type)) return true;
    return [...this.links.values()].some(
      ({ relType, source, target, allowed }) =>
        target === node.id &&
        principals.includes(source) &&
        (relType === 'OWNS' || (relType === 'SECURITY' && allowed.includes(right))),
    );
  }

  allows(node: GraphNode, rule: AccessRule): boolean {
    if (this.#granted(node, rule)) return true;
    const flags = rule.keysIgnoredFor?.includes(node.type) === true ? [] : rule.keys;
    if (flags.some((key) => node.properties[key] === true)) return true;
    const { steps, depth, fan } = rule.propagation ?? { steps: [], depth: 0, fan: 0 };
    let level = [node];
    const seen = new Set([node.id]);
    for (let distance = 1; distance <= depth; distance++) {
      const next: GraphNode[] = [];
      for (const near of level) {
        for (const step of steps) {
          if (step.nearTypes?.includes(near.type) === false) continue;
          const ends = this.#ends(step, near.id);
          if (ends.length >= fan) continue;
          for (const id of ends) {
            const far = this.nodes.get(id);
            if (far === undefined || seen.has(id) || step.types?.includes(far.type) === false) continue;
            if (this.#granted(far, rule)) return true;
            seen.add(id);
            next.push(far);
          }
        }
      }
      level = next;
    }
    return false;
  }

  related(id: string, step: Step): string[] {
    return this.#ends(step, id).filter((far) => {
      const node = this.nodes.get(far);
      if (node === undefined || step.types?.includes(node.type) === false) return false;
      return step.access === undefined || this.allows(node, step.access);
    });
  }

  find({ types, where, access, from, sort = [] }: NodeQuery): string[] {
    const reached = from === undefined ? undefined : new Set(this.related(from.id, from.step));
    const found = [...this.nodes.values()].filter(
      (node) =>
        types?.includes(node.type) !== false &&
        reached?.has(node.id) !== false &&
        (access === undefined || this.allows(node, access)) &&
        (where === undefined || this.#matches(node, where)),
    );
    if (sort.length === 0) return found.map((node) => node.id);
    const down = sort[0]?.descending === true ? -1 : 1;
    const name = (node: GraphNode): string => String(node.properties['name']);
    // Names are unique.
    return found.sort((a, b) => down * (name(a) < name(b) ? -1 : 1)).map((node) => node.id);
  }

  #matches(node: GraphNode, p: Predicate): boolean {
    switch (p.op) {
      case 'not':
        return !this.#matches(node, p.term);
      case 'equals':
        return node.properties[p.key] === p.value;
      case 'relatedNone':
        return this.related(node.id, p.step).length === 0;
      case 'relatedAll':
        return p.ids.every((id) => this.related(node.id, p.step).includes(id));
      case 'relatedExactly': {
        const [have, want] = [new Set(this.related(node.id, p.step)), new Set(p.ids)];
        return have.size === want.size && [...want].every((id) => have.has(id));
      }
      case 'relatedSome':
        return this.related(node.id, p.step).some((id) => {
          const other = this.nodes.get(id);
          return other !== undefined && this.#matches(other, p.where);
        });
      default:
        throw new Error(`the model does not know ${p.op}`);
    }
  }
}

const TYPES = ['T', 'U', 'P'];
const IDS = Array.from({ length: 8 }, (_, i) => `n${String(i)}`);
const RIGHTS: readonly Right[] = ['read', 'write', 'delete', 'accessControl'];
const id = fc.constantFrom(...IDS);
const someTypes = fc.subarray(TYPES);
const direction = fc.constantFrom('in' as const, 'out' as const);
const links = fc.constantFrom('R', 'S', 'OWNS', 'SECURITY');

/** Without the keys whose value is undefined. */
function present<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, one]) => one !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
const maybe = <T>(one: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(one, { nil: undefined });

const propagationStep: fc.Arbitrary<PropagationStep> = fc
  .record({ relType: links, direction, types: maybe(someTypes), nearTypes: maybe(someTypes) })
  .map(present);
const access: fc.Arbitrary<AccessRule> = fc
  .record({
    right: fc.constantFrom(...RIGHTS),
    principals: fc.uniqueArray(id, { maxLength: 3 }),
    ids: fc.uniqueArray(id, { maxLength: 1 }),
    types: fc.subarray(TYPES, { maxLength: 1 }),
    keys: fc.subarray<FlagKey>([PUBLIC, USERS]),
    keysIgnoredFor: maybe(someTypes),
    propagation: maybe(
      fc.record({
        steps: fc.array(propagationStep, { maxLength: 3 }),
        depth: fc.nat(3),
        fan: fc.constantFrom(1, 2, 3, 1000),
      }),
    ),
  })
  .map(present);
const step: fc.Arbitrary<Step> = fc
  .record({ relType: links, direction, types: maybe(someTypes), access: maybe(access) })
  .map(present);
const named: fc.Arbitrary<Predicate> = fc.record({
  op: fc.constant('equals' as const),
  key: fc.constant(PUBLIC),
  value: fc.boolean(),
});
const related: fc.Arbitrary<Predicate> = fc.oneof(
  named,
  fc.record({ op: fc.constant('relatedNone' as const), step }),
  fc.record({
    op: fc.constantFrom('relatedAll' as const, 'relatedExactly' as const),
    step,
    ids: fc.uniqueArray(id, { maxLength: 2 }),
  }),
  fc.record({ op: fc.constant('relatedSome' as const), step, where: named }),
);
const where: fc.Arbitrary<Predicate> = fc.oneof(
  { weight: 3, arbitrary: related },
  { weight: 1, arbitrary: related.map((term) => ({ op: 'not' as const, term })) },
);
const query: fc.Arbitrary<NodeQuery> = fc
  .record({
    kind: fc.constant('nodes' as const),
    // One type, or any: without `sort` the order of creation holds as far as one type goes.
    types: fc.oneof(fc.subarray(TYPES, { minLength: 1, maxLength: 1 }), fc.constant(TYPES)),
    access: maybe(access),
    where: fc.option(where, { nil: undefined, freq: 1 }),
    from: fc.option(fc.record({ id, step }), { nil: undefined, freq: 1 }),
    descending: maybe(fc.boolean()),
    page: maybe(fc.record({ offset: fc.nat(3), limit: fc.integer({ min: 1, max: 4 }) })),
  })
  .map(({ descending, page, types, ...rest }) => {
    const sorted = descending === undefined && types.length > 1 ? false : descending;
    const sort = sorted === undefined ? [] : [{ key: 'name', descending: sorted }];
    return { ...present(rest), types, sort, ...page };
  });

const flag = maybe(fc.constantFrom<boolean | number>(true, true, false, 1));
const node = fc.record({ type: fc.constantFrom(...TYPES), [PUBLIC]: flag, [USERS]: flag });
const link = fc.record({ relType: links, source: id, target: id, allowed: fc.subarray([...RIGHTS]) });
const change = fc.oneof(
  fc.record({ do: fc.constant('type' as const), id, type: fc.constantFrom(...TYPES) }),
  fc.record({ do: fc.constant('delete' as const), id }),
  fc.record({ do: fc.constant('flag' as const), id, key: fc.constantFrom(PUBLIC, USERS), to: flag }),
  fc.record({ do: fc.constant('link' as const), link }),
  fc.record({ do: fc.constant('unlink' as const), at: fc.nat(15) }),
  fc.record({ do: fc.constant('allow' as const), at: fc.nat(15), allowed: fc.subarray([...RIGHTS]) }),
);
type Change = typeof change extends fc.Arbitrary<infer T> ? T : never;

async function put(tx: WriteTransaction, model: AccessModel, name: string, one: Omit<Link, 'id'>): Promise<void> {
  if (!model.nodes.has(one.source) || !model.nodes.has(one.target)) return;
  const { relType, source: sourceId, target: targetId, allowed } = one;
  const properties = relType === 'SECURITY' ? { allowed } : {};
  await tx.createRelationship({ id: name, type: `X${relType}`, relType, sourceId, targetId, properties });
  model.links.set(name, { ...one, id: name });
}

async function apply(tx: WriteTransaction, model: AccessModel, one: Change, name: string): Promise<void> {
  if (one.do === 'link') {
    await put(tx, model, name, one.link);
  } else if (one.do === 'flag') {
    if (!model.nodes.has(one.id)) return;
    model.nodes.set(one.id, await tx.updateNode(one.id, { [one.key]: one.to ?? null }));
  } else if (one.do === 'type' || one.do === 'delete') {
    const known = model.nodes.get(one.id);
    if (known === undefined) return;
    if (one.do === 'type') {
      await tx.setNodeType(one.id, one.type);
      model.nodes.set(one.id, { ...known, type: one.type });
      return;
    }
    await tx.deleteNode(one.id);
    model.nodes.delete(one.id);
    for (const { id: gone, source, target } of [...model.links.values()]) {
      if (source === one.id || target === one.id) model.links.delete(gone);
    }
  } else {
    const known = [...model.links.values()][one.at];
    if (known === undefined) return;
    if (one.do === 'unlink') {
      await tx.deleteRelationship(known.id);
      model.links.delete(known.id);
    } else if (known.relType === 'SECURITY') {
      await tx.updateRelationship(known.id, { allowed: one.allowed });
      model.links.set(known.id, { ...known, allowed: one.allowed });
    }
  }
}

/** Changes in a transaction that fails beside one that does not, and in a savepoint: nothing of them may stay. */
async function inVain(graph: Graph, model: AccessModel, changes: readonly Change[]): Promise<void> {
  const work = async (tx: WriteTransaction): Promise<never> => {
    const copy = model.copy();
    for (const type of TYPES) {
      await tx.createNode({ id: `vain ${type}`, type, properties: { [PUBLIC]: true, [USERS]: true } });
    }
    for (const [i, one] of changes.entries()) await apply(tx, copy, one, `v${String(i)}`);
    throw new Error('in vain');
  };
  const outcomes = await Promise.allSettled([
    graph.write((tx) => tx.createNode({ id: 'beside', type: 'Beside', properties: { [PUBLIC]: true } })),
    graph.write(work),
    graph.write((tx) => tx.savepoint(() => work(tx)).catch(() => undefined)),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
}

async function compare(tx: ReadTransaction, model: AccessModel, queries: readonly NodeQuery[]): Promise<void> {
  const all = [...model.nodes.values()];
  for (const one of queries) {
    const { offset = 0, limit, ...whole } = one;
    const expected = model.find(whole);
    const page = expected.slice(offset, limit === undefined ? undefined : offset + limit);
    expect((await tx.find(one)).map((found) => found.id)).toEqual(page);
    expect(await tx.count(one)).toEqual({ count: expected.length, exact: true });
    if (one.access !== undefined) {
      const { access: rule } = one;
      expect(await tx.permitted(all, rule)).toEqual(all.map((single) => model.allows(single, rule)));
      const seen = (found: string): boolean => {
        const other = model.nodes.get(found);
        return other !== undefined && model.allows(other, rule);
      };
      const kept = [...model.links.values()].filter(({ source, target }) => seen(source) && seen(target));
      const links = await tx.find({ kind: 'relationships', access: rule });
      expect(links.map((found) => found.id).sort()).toEqual(kept.map((found) => found.id).sort());
    }
    const way = one.from?.step;
    if (way !== undefined) {
      const near: Ids = all.map((single) => single.id);
      const lists = await tx.related(near, way, 2);
      const wanted = near.map((single) => model.related(single, way).slice(0, 2));
      expect(lists.map((list) => list.map((found) => found.id))).toEqual(wanted);
    }
  }
}

/** Compares the engine with the model on random graphs, within transactions and after them. */
export async function accessRuns(graph: Graph, runs: number, seconds: number): Promise<void> {
  await graph.setIndexes(['name', PUBLIC].map((key) => ({ trait: 'T', types: TYPES, key, unique: false })));
  await graph.indexesReady();
  await randomRuns(
    fc.asyncProperty(
      fc.array(node, { minLength: 2, maxLength: IDS.length }),
      fc.array(link, { maxLength: 16 }),
      fc.array(change, { maxLength: 4 }),
      fc.array(query, { minLength: 1, maxLength: 3 }),
      fc.boolean(),
      async (nodes, edges, changes, queries, within) => {
        const model = new AccessModel();
        await graph.write(async (tx) => {
          for (const old of await tx.find({ kind: 'nodes' })) await tx.deleteNode(old.id);
          for (const [i, { type, ...flags }] of nodes.entries()) {
            const properties = present({ name: `name ${String((i * 5) % 8)}`, ...flags });
            model.nodes.set(IDS[i] ?? '', await tx.createNode({ id: IDS[i] ?? '', type, properties }));
          }
          for (const [i, edge] of edges.entries()) await put(tx, model, `l${String(i)}`, edge);
          if (within) await compare(tx, model, queries);
        });
        await graph.read((tx) => compare(tx, model, queries));
        if (within) {
          await inVain(graph, model, changes);
          await graph.read((tx) => compare(tx, model, queries));
        }
        await graph.write(async (tx) => {
          for (const [i, one] of changes.entries()) await apply(tx, model, one, `m${String(i)}`);
          if (within) await compare(tx, model, queries);
        });
        await graph.read((tx) => compare(tx, model, queries));
      },
    ),
    runs,
    seconds,
  );
}
