/** What is remembered of paths is what a look-up would find, whatever happened in between. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tree } from '../../src/main/files/tree/tree.js';
import {
  Caches,
  type Change,
  type Commit,
  type Graph,
  type GraphNode,
  noticed,
  type ReadTransaction,
  SYSTEM_ORIGIN,
  type Watcher,
} from '../../src/main/graph/index.js';
import type { SchemaService } from '../../src/main/schema/index.js';

const ID = /^id\d+$/;
const NAMES = ['a', 'b', 'id1', 'id2'];

/** Files and folders in memory, with what a tree needs of a graph. */
class World {
  readonly nodes = new Map<string, GraphNode>();
  reads = 0;
  private commit: (changes: readonly Change[], commit: Commit) => void = () => undefined;
  private number = 0;
  private watcher: Watcher | undefined;
  private next = 1;
  readonly tree: Tree;
  readonly tx: ReadTransaction;

  constructor() {
    const caches = new Caches({
      onCommit: (listener) => {
        this.commit = listener;
        return () => undefined;
      },
      watch: (watcher) => {
        this.watcher = watcher;
        return () => undefined;
      },
      commitNumber: 0,
    });
    const graph = { caches } as unknown as Graph;
    const schema = { typeOf: () => ({ hasTrait: (name: string) => name !== 'Folder' }), type: () => undefined };
    this.tree = new Tree(graph, { schema, onChange: () => undefined } as unknown as SchemaService);
    this.tx = {
      node: async (id: string) => this.nodes.get(id),
      find: async (query: { where: { value: string } }) => {
        this.reads++;
        return [this.at(query.where.value)].filter((node) => node !== undefined);
      },
    } as unknown as ReadTransaction;
  }

  at(place: string): GraphNode | undefined {
    return [...this.nodes.values()].find(({ properties }) => properties['place'] === place);
  }

  private put(id: string, place: string): GraphNode {
    const node: GraphNode = { kind: 'node', id, type: 'File', properties: { place } };
    this.nodes.set(id, node);
    return node;
  }

  /** `elsewhere`: another instance does it, which tells ids alone. */
  private tell(change: Change, elsewhere: boolean): void {
    const changes = [change];
    if (elsewhere) void this.watcher?.changed(changes.map(noticed));
    else this.commit(changes, { number: ++this.number, time: 0, origin: SYSTEM_ORIGIN, changes });
  }

  create(folder: string | undefined, name: string, elsewhere: boolean): void {
    const place = `${folder ?? ''}/${name}`;
    if (this.at(place) !== undefined) return;
    this.tell({ verb: 'create', entity: this.put(`id${String(this.next++)}`, place) }, elsewhere);
  }

  move(id: string, folder: string | undefined, name: string, elsewhere: boolean): void {
    const place = `${folder ?? ''}/${name}`;
    if (this.at(place) !== undefined || folder === id) return;
    const previous = String(this.nodes.get(id)?.properties['place']);
    this.tell({ verb: 'change', entity: this.put(id, place), key: 'place', previous, value: place }, elsewhere);
  }

  delete(id: string, elsewhere: boolean): void {
    const entity = this.nodes.get(id);
    this.nodes.delete(id);
    if (entity !== undefined) this.tell({ verb: 'delete', entity }, elsewhere);
  }

  /** What lies at a path, found without any memory. */
  lookUp(path: string): string[] | undefined {
    const chain: string[] = [];
    for (const name of path.split('/').slice(1)) {
      const node = this.at(`${chain.at(-1) ?? ''}/${name}`);
      if (node === undefined)
        return chain.length === 0 && path === `/${name}` && ID.test(name) && this.nodes.has(name) ? [name] : undefined;
      chain.push(node.id);
    }
    return chain;
  }
}

const name = fc.constantFrom(...NAMES);
const step = fc.record({
  verb: fc.constantFrom('create', 'move', 'delete', 'nothing'),
  pick: fc.nat(),
  into: fc.option(fc.nat(), { nil: undefined }),
  name,
  elsewhere: fc.boolean(),
  paths: fc.array(fc.array(name, { minLength: 1, maxLength: 3 }), { maxLength: 4 }),
});

describe('the memory of paths', () => {
  it('never differs from the graph', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const world = new World();
        const pick = (n: number | undefined): string | undefined =>
          n === undefined ? undefined : [...world.nodes.keys()][n % Math.max(1, world.nodes.size)];
        for (const { verb, pick: at, into, name: called, elsewhere, paths } of steps) {
          const id = pick(at);
          if (verb === 'create') world.create(pick(into), called, elsewhere);
          else if (verb === 'move' && id !== undefined) world.move(id, pick(into), called, elsewhere);
          else if (verb === 'delete' && id !== undefined) world.delete(id, elsewhere);
          for (const names of paths) {
            const path = `/${names.join('/')}`;
            const expected = world.lookUp(path);
            const known = world.tree.known(path);
            if (known !== undefined) expect(known?.map((node) => node.id)).toEqual(expected);
            expect((await world.tree.find(world.tx, path, ID))?.map((node) => node.id)).toEqual(expected);
          }
        }
      }),
      { numRuns: 300 },
    );
  });

  it('is asked instead of the graph, also for what is not there', async () => {
    const world = new World();
    world.create(undefined, 'a', false);
    for (const path of ['/a', '/b', '/id1', '/a/b']) {
      await world.tree.find(world.tx, path, ID);
      const { reads } = world;
      await world.tree.find(world.tx, path, ID);
      expect(world.reads, path).toBe(reads);
    }
    expect(world.tree.known('/a')).toHaveLength(1);
    expect(world.tree.known('/b')).toBeNull();
  });

  it('of what is not there is bounded, and goes before what is', async () => {
    const world = new World();
    world.create(undefined, 'a', false);
    await world.tree.find(world.tx, '/a', ID);
    for (let i = 0; i < 12_000; i++) await world.tree.find(world.tx, `/nothing-${String(i)}`, ID);
    const kept = Array.from({ length: 12_000 }, (_, i) => world.tree.known(`/nothing-${String(i)}`));
    expect(kept.filter((known) => known === null).length).toBeLessThanOrEqual(5000);
    expect(world.tree.known('/a')).toHaveLength(1);
    await world.tree.find(world.tx, `/${'x'.repeat(3000)}`, ID);
    expect(world.tree.known(`/${'x'.repeat(3000)}`)).toBeUndefined();
  });
});
