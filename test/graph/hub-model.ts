/** Random histories of nodes and their links, and what a query of linked nodes must answer: by looking at each node (docs/design/sqlite.md 15). */
import { expect } from 'vitest';
import {
  type AccessRule,
  type Graph,
  newId,
  type NodeQuery,
  type Predicate,
  type ReadTransaction,
  type Step,
  type WriteTransaction,
} from '../../src/main/graph/index.js';
import type { Random } from '../fuzz/random.js';

interface Node {
  type: string;
  readonly at: number;
  number: number | undefined;
  kind: string;
  seen: boolean;
}
interface Link {
  readonly id: string;
  readonly relType: string;
  readonly source: string;
  readonly target: string;
}
interface State {
  readonly nodes: Map<string, Node>;
  /** In the order of linking. */
  readonly links: Link[];
}

const THINGS = ['Thing', 'Other'] as const;
const HUBS = ['Hub', 'Hub2'] as const;
const KINDS = ['k0', 'k1', 'k2'];
const PAGE = 60;

/** A rule of access, and what it says of a node. */
interface Rule {
  readonly rule: AccessRule;
  readonly allows: (state: State, id: string) => boolean;
}

/** A query of linked nodes, and which nodes it means. */
interface Asked {
  readonly query: NodeQuery;
  readonly means: (state: State, id: string) => boolean;
  /** The hub in whose order of linking the nodes may come. */
  readonly hub: string | undefined;
}

export class HubModel {
  state: State = { nodes: new Map(), links: [] };
  readonly #hubs: string[] = [];
  readonly #user = newId();
  #at = 0;

  constructor(
    private readonly graph: Graph,
    private readonly random: Random,
  ) {}

  async begin(): Promise<void> {
    await this.graph.setIndexes([
      { trait: 'Thing', types: [...THINGS], key: 'number', unique: false },
      { trait: 'Thing', types: [...THINGS], key: 'kind', unique: false },
      { trait: 'Hub', types: [...HUBS], key: 'kind', unique: false },
    ]);
    await this.graph.indexesReady();
    await this.graph.write(async (tx) => {
      await tx.createNode({ id: this.#user, type: 'User', properties: {} });
      for (let i = 0; i < 4; i++) this.#hubs.push(await this.#make(tx, HUBS[i % 2] ?? 'Hub'));
      for (let i = 0; i < 260; i++) await this.#make(tx, i % 7 === 0 ? 'Other' : 'Thing');
      const things = this.#things();
      // The first has most, the second many, the third some.
      const shuffled = [...things].sort(() => this.random.next() - 0.5);
      for (const [i, id] of shuffled.entries()) {
        if (i % 5 > 0) await this.#link(tx, this.#hubs[0] ?? '', id);
        if (i % 2 === 0) await this.#link(tx, this.#hubs[1] ?? '', id);
        if (i % 15 === 0) await this.#link(tx, this.#hubs[2] ?? '', id);
        if (i % 4 === 0) await this.#link(tx, this.#user, id, 'OWNS');
        if (i % 20 === 0) await this.#link(tx, id, shuffled[i + 1] ?? id);
      }
    });
  }

  /** What it is like now, for who asks later. */
  frozen(): State {
    const nodes = new Map([...this.state.nodes].map(([id, node]) => [id, { ...node }]));
    return { nodes, links: [...this.state.links] };
  }

  #things(): string[] {
    return [...this.state.nodes].filter(([, { type }]) => THINGS.some((one) => one === type)).map(([id]) => id);
  }

  async #make(tx: WriteTransaction, type: string): Promise<string> {
    const id = newId();
    const node: Node = {
      type,
      at: this.#at++,
      number: this.random.below(10) === 0 ? undefined : this.random.below(80),
      kind: this.random.pick(KINDS),
      seen: this.random.below(3) > 0,
    };
    await tx.createNode({ id, type, properties: propertiesOf(node) });
    this.state.nodes.set(id, node);
    return id;
  }

  async #link(tx: WriteTransaction, source: string, target: string, relType = 'HAS'): Promise<void> {
    const id = newId();
    const properties = relType === 'OWNS' ? {} : { since: 1 };
    await tx.createRelationship({
      id,
      type: `${relType}Link`,
      relType,
      sourceId: source,
      targetId: target,
      properties,
    });
    this.state.links.push({ id, relType, source, target });
  }

  /** Something happens to nodes and links. */
  async change(tx: WriteTransaction): Promise<void> {
    const { random, state } = this;
    const things = this.#things();
    const thing = random.pick(things);
    const hub = random.pick(this.#hubs);
    switch (random.below(9)) {
      case 0:
        await this.#make(tx, random.pick(THINGS));
        break;
      case 1:
      case 2:
        await this.#link(tx, hub, thing);
        break;
      case 3:
        await this.#link(tx, random.pick([thing, ...this.#hubs]), random.pick(things), random.pick(['HAS', 'OTHER']));
        break;
      case 4: {
        const one = random.pick(state.links);
        await tx.deleteRelationship(one.id);
        state.links.splice(state.links.indexOf(one), 1);
        break;
      }
      case 5: {
        const id = random.pick([thing, hub]);
        const node = state.nodes.get(id);
        if (node === undefined) break;
        node.type = random.pick(id === hub ? HUBS : THINGS);
        await tx.setNodeType(id, node.type);
        break;
      }
      case 6: {
        const id = random.pick([thing, hub]);
        const node = state.nodes.get(id);
        if (node === undefined) break;
        Object.assign(node, { seen: !node.seen, number: random.below(80), kind: random.pick(KINDS) });
        await tx.updateNode(id, propertiesOf(node));
        break;
      }
      case 7:
        await this.#link(tx, this.#user, random.pick([thing, hub]), 'OWNS');
        break;
      default: {
        await tx.deleteNode(thing);
        state.nodes.delete(thing);
        const left = state.links.filter(({ source, target }) => source !== thing && target !== thing);
        state.links.splice(0, Infinity, ...left);
      }
    }
  }

  #rule(): Rule | undefined {
    const { random } = this;
    const user = this.#user;
    const owns = (state: State, id: string): boolean =>
      state.links.some((one) => one.relType === 'OWNS' && one.source === user && one.target === id);
    const base = { right: 'read', ids: [], types: [] } as const;
    switch (random.below(6)) {
      case 0:
        return {
          rule: { ...base, principals: [], keys: ['visibleToPublicUsers'] },
          allows: (state, id) => state.nodes.get(id)?.seen === true,
        };
      case 1:
        return { rule: { ...base, principals: [user], keys: [] }, allows: owns };
      case 2: {
        const types: readonly string[] = HUBS;
        const step = { relType: 'HAS', direction: 'in', types } as const;
        return {
          rule: { ...base, principals: [user], keys: [], propagation: { steps: [step], depth: 1, fan: 1000 } },
          allows: (state, id) =>
            owns(state, id) ||
            reached(state, id, step).some((one) => types.includes(typeOf(state, one)) && owns(state, one)),
        };
      }
      default:
        return undefined;
    }
  }

  #asked(): Asked {
    const { random } = this;
    const hub = random.pick(this.#hubs);
    const other = random.pick(this.#hubs);
    const ofStep = random.below(4) === 0 ? this.#rule() : undefined;
    const types = random.pick([[...THINGS], ['Thing'], ['Other'], undefined]);
    const hubTypes = random.pick([[...HUBS], ['Hub'], undefined]);
    const toHub: Step = {
      relType: 'HAS',
      direction: 'in',
      ...(hubTypes === undefined ? {} : { types: hubTypes }),
      ...(ofStep === undefined ? {} : { access: ofStep.rule }),
    };
    const isFar = (state: State, id: string): boolean =>
      (hubTypes?.includes(typeOf(state, id)) ?? true) && ofStep?.allows(state, id) !== false;
    const linked = (state: State, id: string): string[] => [
      ...new Set(reached(state, id, toHub).filter((one) => isFar(state, one))),
    ];
    const ids = random.below(3) === 0 ? [hub, other] : [hub];
    const kind = random.pick(KINDS);
    let where: Predicate | undefined;
    let from: NodeQuery['from'];
    let means: Asked['means'];
    let inOrderOf: string | undefined = hub;
    switch (random.below(5)) {
      case 0:
      case 1:
        from = {
          id: hub,
          step: {
            relType: 'HAS',
            direction: 'out',
            ...(random.below(2) === 0 ? { types: [...THINGS] } : {}),
            ...(ofStep === undefined ? {} : { access: ofStep.rule }),
          },
        };
        means = (state, id) =>
          reached(state, hub, { relType: 'HAS', direction: 'out' }).includes(id) &&
          (from?.step.types?.includes(typeOf(state, id)) ?? true) &&
          ofStep?.allows(state, id) !== false;
        break;
      case 2:
        where = { op: 'relatedAll', step: toHub, ids };
        means = (state, id) => ids.every((one) => linked(state, id).includes(one));
        break;
      case 3:
        where = { op: 'relatedExactly', step: toHub, ids };
        means = (state, id) => {
          const all = linked(state, id);
          return all.length === new Set(ids).size && ids.every((one) => all.includes(one));
        };
        break;
      default:
        where = { op: 'relatedSome', step: toHub, where: { op: 'equals', key: 'kind', value: kind } };
        means = (state, id) => linked(state, id).some((one) => state.nodes.get(one)?.kind === kind);
        inOrderOf = undefined;
    }
    if (where !== undefined && new Set(ids).size > 1) inOrderOf = undefined;
    const terms: Predicate[] = where === undefined ? [] : [where];
    let fits: (node: Node) => boolean = () => true;
    if (random.below(4) === 0) {
      terms.push({ op: 'range', key: 'number', from: 20, to: 50 });
      fits = ({ number }) => number !== undefined && number >= 20 && number <= 50;
    } else if (random.below(4) === 0) {
      terms.push({ op: 'equals', key: 'kind', value: 'k1' });
      fits = (node) => node.kind === 'k1';
    }
    const rule = this.#rule();
    const [key] = random.pick([['number'], ['kind'], ['id'], [undefined], [undefined]] as const);
    const descending = random.below(2) === 0;
    return {
      query: {
        kind: 'nodes',
        ...(types === undefined ? {} : { types }),
        ...(from === undefined ? {} : { from }),
        ...(terms.length === 0 ? {} : { where: { op: 'and', terms } }),
        ...(rule === undefined ? {} : { access: rule.rule }),
        ...(key === undefined ? {} : { sort: [{ key, descending }] }),
      },
      means: (state, id) => {
        const node = state.nodes.get(id);
        if (node === undefined || !fits(node) || types?.includes(node.type) === false) return false;
        // Without types of its own the query takes those of the step.
        return rule?.allows(state, id) !== false && means(state, id);
      },
      hub: inOrderOf,
    };
  }

  /** Asks something at random, page by page, and compares it with what each node tells. */
  async ask(tx: ReadTransaction, state = this.state): Promise<void> {
    const { query, means, hub } = this.#asked();
    const wanted = [...state.nodes.keys()].filter((id) => means(state, id));
    const told = JSON.stringify(query);
    expect([told, await tx.count(query)]).toEqual([told, { count: wanted.length, exact: true }]);
    const pages: string[] = [];
    for (let offset = 0; ; offset += PAGE) {
      const page = await tx.find({ ...query, offset, limit: PAGE });
      pages.push(...page.map(({ id }) => id));
      if (page.length < PAGE) break;
    }
    expect([told, [...pages].sort()]).toEqual([told, [...wanted].sort()]);
    const whole = (await tx.find(query)).map(({ id }) => id);
    const sort = query.sort?.[0];
    const at = (id: string): number => state.nodes.get(id)?.at ?? 0;
    if (sort !== undefined) {
      const order = sortedBy(state, wanted, sort.key, sort.descending === true);
      expect([told, pages, whole]).toEqual([told, order, order]);
      return;
    }
    const created = [...wanted].sort((a, b) => at(a) - at(b));
    const linkedAt = (id: string): number =>
      state.links.findIndex((one) => one.relType === 'HAS' && one.source === hub && one.target === id);
    const linked = hub === undefined ? created : [...wanted].sort((a, b) => linkedAt(a) - linkedAt(b));
    const isOf = (one: readonly string[], other: readonly string[]): boolean => one.every((id, i) => id === other[i]);
    if (hub !== undefined) expect([told, isOf(pages, created) || isOf(pages, linked)]).toEqual([told, true]);
    expect([told, whole]).toEqual([told, pages]);
  }
}

function propertiesOf({ number, kind, seen }: Node): Record<string, number | string | boolean> {
  return { ...(number === undefined ? {} : { number }), kind, visibleToPublicUsers: seen };
}

function typeOf({ nodes }: State, id: string): string {
  return nodes.get(id)?.type ?? 'User';
}

/** Nodes at the other end of a step, its name alone. */
function reached({ links }: State, id: string, { relType, direction }: Pick<Step, 'relType' | 'direction'>): string[] {
  return links
    .filter((one) => one.relType === relType && (direction === 'out' ? one.source : one.target) === id)
    .map((one) => (direction === 'out' ? one.target : one.source));
}

function sortedBy({ nodes }: State, ids: readonly string[], key: string, descending: boolean): string[] {
  const value = (id: string): number | string => {
    const node = nodes.get(id);
    if (key === 'id') return id;
    return key === 'kind' ? (node?.kind ?? '') : (node?.number ?? Infinity);
  };
  const compared = (a: string, b: string): number => {
    const [x, y] = [value(a), value(b)];
    if (x !== y) return x < y ? -1 : 1;
    return (nodes.get(a)?.at ?? 0) - (nodes.get(b)?.at ?? 0);
  };
  return [...ids].sort((a, b) => (descending ? -compared(a, b) : compared(a, b)));
}
