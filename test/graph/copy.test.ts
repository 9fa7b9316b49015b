import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Access,
  CopyError,
  copyGraph,
  type CopyOptions,
  type Place,
  placeOf,
  Progress,
  type Reporter,
} from '../../src/main/graph-copy/index.js';
import {
  type Graph,
  newId,
  type NodeQuery,
  openNeo4jGraph,
  openSqliteGraph,
  type PropertyMap,
} from '../../src/main/graph/index.js';
import { exclusive } from '../support/neo4j-lock.js';
import { cypher, neo4jOptions, neo4jUrl, wipe, wipeNodes } from './neo4j.js';

const { user, password } = neo4jOptions();
const ACCESS: Access = { user, password, database: 'neo4j' };

class Quiet implements Reporter {
  batches = 0;
  readonly notes: string[] = [];
  constructor(private readonly onBatch: (batches: number) => void = () => undefined) {}
  phase(): void {
    // Nobody looks.
  }
  advance(): void {
    this.onBatch(++this.batches);
  }
  note(line: string): void {
    this.notes.push(line);
  }
  end(): void {
    // Nobody looks.
  }
}

const copy = (from: Place, to: Place, options: Partial<CopyOptions> = {}) =>
  copyGraph({ from, to, reporter: new Quiet(), ...options });

async function failure(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    return error instanceof CopyError ? `${error.code}: ${error.message}` : String(error);
  }
  return 'none';
}

/** Values that are hard to keep. */
const ODD: Record<string, PropertyMap> = {
  numbers: {
    big: 2n ** 63n - 1n,
    least: -(2n ** 63n),
    beyond: 2n ** 80n,
    safe: Number.MAX_SAFE_INTEGER,
    large: 1e20,
    tiny: 5e-324,
    minusZero: -0,
    infinity: Infinity,
    minusInfinity: -Infinity,
    nan: NaN,
    one: 1,
    fraction: 0.1,
  },
  arrays: {
    empty: [],
    texts: ['', 'a\u0000b', '\u{1F600}'],
    integers: [1, -1, 2n ** 62n],
    fractions: [1, 2.5, -0],
    mixed: [1, 'a', true, 2n ** 70n],
    flags: [true, false],
    long: Array.from({ length: 3000 }, (_, i) => `element ${String(i)}`),
  },
  texts: { large: 'x\u{1F600}'.repeat(300_000), empty: '', nul: '\u0000', quotes: '\'"`\\u0060' },
  keys: Object.fromEntries(
    ['', ' ', 'a.b', 'a`b', 'id', 'type', '_svc_seq', '__proto__', 'constructor', '0', '\u0000', 'x'.repeat(500)].map(
      (key) => [key, key],
    ),
  ),
  none: {},
};
Object.defineProperty(ODD['keys'], '__proto__', { value: 'own', enumerable: true, configurable: true, writable: true });

/** Fills a graph with what is hard to keep and `count` nodes in a list that later writes have shuffled. */
async function fill(graph: Graph, count: number): Promise<void> {
  await graph.write(async (tx) => {
    for (const [name, properties] of Object.entries(ODD)) {
      await tx.createNode({ id: `odd ${name}`, type: name === 'keys' ? 'a`b\u0000' : 'Odd', properties });
    }
    await tx.createNode({ id: 'hub', type: 'Hub', properties: {} });
    for (const [name, properties] of Object.entries(ODD)) {
      await tx.createRelationship({
        id: `rel ${name}`,
        type: 'HubTO`THING',
        relType: 'TO`\u0000',
        sourceId: 'hub',
        targetId: `odd ${name}`,
        properties,
      });
    }
    await tx.createRelationship({
      id: 'loop',
      type: 'HubSELF',
      relType: 'SELF',
      sourceId: 'hub',
      targetId: 'hub',
      properties: {},
    });
  });
  await graph.write(async (tx) => {
    // Ids in another order than that of creation.
    const ids = Array.from({ length: count }, (_, i) => `n${String((i * 7919) % count).padStart(6, '0')}`);
    for (const [i, id] of ids.entries()) {
      await tx.createNode({ id, type: i % 3 === 0 ? 'Thing' : 'Item', properties: { n: i, even: i % 2 === 0 } });
    }
    for (const [i, id] of ids.entries()) {
      const [sourceId, targetId] = i % 2 === 0 ? ['hub', id] : [id, 'hub'];
      const properties = { at: i };
      await tx.createRelationship({
        id: `r${id}`,
        type: 'HubHASThing',
        relType: 'HAS',
        sourceId,
        targetId,
        properties,
      });
    }
  });
  if (count > 3) await graph.write((tx) => tx.deleteNode('n000003'));
  if (count > 1) await graph.write((tx) => tx.updateNode('n000001', { n: -1 }));
}

/** Everything a client can see, in the order in which it sees it. */
async function contents(graph: Graph): Promise<unknown> {
  return graph.read(async (tx) => {
    const all: unknown[] = [];
    for (const type of ['Odd', 'a`b\u0000', 'Hub', 'Thing', 'Item']) {
      all.push(await tx.find({ kind: 'nodes', types: [type] }));
    }
    // Ties stay in the order of creation.
    all.push((await tx.find({ kind: 'nodes', types: ['Thing'], sort: [{ key: 'even' }] })).map((one) => one.id));
    for (const relType of ['HAS', 'TO`\u0000', 'SELF']) {
      for (const direction of ['in', 'out'] as const) all.push(await tx.links(['hub'], { relType, direction }));
    }
    for (const types of [undefined, ['Thing'], ['Nothing']]) {
      all.push(await tx.count({ kind: 'nodes', ...(types === undefined ? {} : { types }) }));
    }
    all.push(await tx.count({ kind: 'relationships', types: ['HubHASThing'] }));
    return all;
  });
}

let folder: string;
let from: Place;
const sqlite = (name: string): Place => placeOf(`sqlite:${join(folder, name)}`, '--to', ACCESS);
const neo4j = (access: Access = ACCESS): Place => placeOf(`neo4j:${neo4jUrl ?? ''}`, '--to', access);
const openSqlite = (name: string): Promise<Graph> => openSqliteGraph({ path: join(folder, name) });

async function using<T>(opened: Promise<Graph>, work: (graph: Graph) => Promise<T>): Promise<T> {
  const graph = await opened;
  try {
    return await work(graph);
  } finally {
    await graph.close();
  }
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'svc-copy-'));
  from = sqlite('source');
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const fillSource = (count: number): Promise<void> => using(openSqlite('source'), (graph) => fill(graph, count));

/** Ends the copy after so many batches. */
async function interrupted(to: Place, batches: number, source = from): Promise<string> {
  const controller = new AbortController();
  const reporter = new Quiet((n) => {
    if (n === batches) controller.abort();
  });
  return failure(copy(source, to, { reporter, signal: controller.signal }));
}

describe('from SQLite to SQLite', () => {
  test('everything survives, and writing goes on behind it', async () => {
    await fillSource(500);
    const before = await using(openSqlite('source'), contents);
    const result = await copy(from, sqlite('target'));
    expect(result).toEqual({ nodes: 505, relationships: 505 });
    await using(openSqlite('target'), async (graph) => {
      expect(await contents(graph)).toEqual(before);
      await graph.setIndexes([{ trait: 'Thing', types: ['Thing', 'Odd'], key: 'n', unique: false }]);
      await graph.indexesReady();
      const sorted = await graph.read((tx) =>
        tx.find({ kind: 'nodes', types: ['Thing'], sort: [{ key: 'n' }], limit: 2 }),
      );
      expect(sorted.map((node) => node.properties['n'])).toEqual([0, 3]);
      await graph.write((tx) => tx.createNode({ id: newId(), type: 'Item', properties: { n: 'last' } }));
      const items = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Item'] }));
      expect(items[items.length - 1]?.properties['n']).toBe('last');
    });
    await using(openSqlite('source'), async (graph) => {
      expect(await contents(graph)).toEqual(before);
    });
  });

  test('full-text indexes are made anew behind a copy, and go with what is removed', async () => {
    const text = { name: 'Thing_word_fulltext', kind: 'nodes', label: 'Thing', types: ['Thing'], key: 'word' } as const;
    const found = (graph: Graph): Promise<string[]> =>
      graph.read(async (tx) => {
        const matches = await tx.search(text.name, { op: 'words', text: 'garden' }, { offset: 0, limit: 9 });
        return matches.map(({ id }) => id);
      });
    const make = async (name: string, id: string): Promise<void> =>
      using(openSqlite(name), async (graph) => {
        await graph.setIndexes([], [text]);
        await graph.write((tx) => tx.createNode({ id, type: 'Thing', properties: { word: 'garden' } }));
        await graph.indexesReady();
        expect(await found(graph)).toEqual([id]);
      });
    await make('source', 'theirs');
    await make('target', 'ours');
    await copy(from, sqlite('target'), { overwrite: true });
    await using(openSqlite('target'), async (graph) => {
      await graph.setIndexes([], [text]);
      await graph.indexesReady();
      expect(await found(graph)).toEqual(['theirs']);
    });
  });

  test('who may see what is the same in the copy', async () => {
    const query: NodeQuery = {
      kind: 'nodes',
      types: ['Thing'],
      access: { right: 'read', principals: ['user'], ids: [], types: [], keys: [] },
    };
    const visible = async (graph: Graph): Promise<string[]> =>
      (await graph.read((tx) => tx.find(query))).map((node) => node.id);
    await using(openSqlite('source'), (graph) =>
      graph.write(async (tx) => {
        for (const id of ['user', 'a', 'b', 'c']) {
          await tx.createNode({ id, type: id === 'user' ? 'User' : 'Thing', properties: {} });
        }
        const link = (relType: string, targetId: string, properties: PropertyMap) =>
          tx.createRelationship({ id: newId(), type: relType, relType, sourceId: 'user', targetId, properties });
        await link('OWNS', 'a', {});
        await link('SECURITY', 'b', { allowed: ['write'] });
        await link('SECURITY', 'c', { allowed: ['read'] });
      }),
    );
    await copy(from, sqlite('target'));
    await using(openSqlite('target'), async (graph) => {
      expect(await visible(graph)).toEqual(['a', 'c']);
    });
  });

  test('an empty database is copied too', async () => {
    await using(openSqlite('source'), () => Promise.resolve());
    expect(await copy(from, sqlite('target'))).toEqual({ nodes: 0, relationships: 0 });
  });

  test('a target that holds something is refused, and emptied when that is wanted', async () => {
    await fillSource(10);
    const to = sqlite('target');
    await using(openSqlite('target'), async (graph) => {
      await graph.setIndexes([{ trait: 'Old', types: ['Old', 'Thing'], key: 'n', unique: false }]);
      await graph.indexesReady();
      await graph.write((tx) => tx.createNode({ id: 'old', type: 'Old', properties: { n: 1 } }));
    });
    expect(await failure(copy(from, to))).toMatch(/^not_empty: The target .* is not empty; --overwrite removes/);
    expect(await failure(copy(from, to, { resume: true }))).toMatch(/^not_empty: .* holds data and no unfinished copy/);
    await copy(from, to, { overwrite: true });
    const before = await using(openSqlite('source'), contents);
    await using(openSqlite('target'), async (graph) => {
      expect(await contents(graph)).toEqual(before);
      expect(await graph.read((tx) => tx.node('old'))).toBe(undefined);
      // Indexes of before must not be taken for filled.
      const where = { op: 'equals' as const, key: 'n', value: 3 };
      expect(await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Thing'], where }))).toHaveLength(1);
    });
    expect(await failure(copy(from, to))).toMatch(/^not_empty/);
  });

  test('an interrupted copy is not served, not begun anew unasked, and goes on where it was', async () => {
    await fillSource(7000);
    const to = sqlite('target');
    const before = await using(openSqlite('source'), contents);
    for (const [batches, resumed] of [
      [1, false],
      [2, true],
      [5, true],
    ] as const) {
      const controller = new AbortController();
      const reporter = new Quiet((n) => {
        if (n === batches) controller.abort();
      });
      const stopped = failure(copy(from, to, { reporter, signal: controller.signal, resume: resumed }));
      expect(await stopped).toMatch(/^interrupted: .*--resume/);
      expect(await using(openSqlite('target'), contents).catch(String)).toMatch(/is an unfinished copy: .*--resume/);
    }
    expect(await failure(copy(from, to))).toMatch(/^not_empty: .*unfinished copy of sqlite:.*--resume.*--overwrite/);
    const reporter = new Quiet();
    await copy(from, to, { resume: true, reporter });
    expect(reporter.notes).toEqual([expect.stringMatching(/^going on behind 1?\d,\d{3} nodes/)]);
    await using(openSqlite('target'), async (graph) => {
      expect(await contents(graph)).toEqual(before);
    });
  });

  test('another source, or one that changed, is noticed when going on', async () => {
    await fillSource(3000);
    const to = sqlite('target');
    expect(await interrupted(to, 1)).toMatch(/^interrupted/);
    await using(openSqlite('other'), (graph) => fill(graph, 10));
    expect(await failure(copy(sqlite('other'), to, { resume: true }))).toMatch(/^source_changed: .*another source/);
    await using(openSqlite('source'), (graph) =>
      graph.write((tx) => tx.createNode({ id: 'late', type: 'Thing', properties: {} })),
    );
    expect(await failure(copy(from, to, { resume: true }))).toMatch(/^source_changed: .*since the copy began/);
  });

  test('a target that something else has changed is noticed in the end', async () => {
    await fillSource(3000);
    const to = sqlite('target');
    expect(await interrupted(to, 2)).toMatch(/^interrupted/);
    const other = await to.openWriter();
    const node = { kind: 'node' as const, id: 'foreign', type: 'Hub', properties: {} };
    await other.write([{ position: 1e6, entity: node }], (await other.mark()) ?? '');
    await other.close();
    expect(await failure(copy(from, to, { resume: true }))).toMatch(
      /^differs: The copy is not the same as the source: nodes of type Hub: 1 in the source and 2 in the target;/,
    );
    // It stays out of service.
    expect(await using(openSqlite('target'), contents).catch(String)).toMatch(/unfinished copy/);
  });

  test('a missing source, a database in use and a copy onto itself are refused', async () => {
    const to = sqlite('target');
    expect(await failure(copy(from, to))).toMatch(/^not_found: source sqlite:.*There is no database in/);
    await fillSource(1);
    await using(openSqlite('source'), async () => {
      expect(await failure(copy(from, to))).toMatch(/^locked: source .* in use by another process/);
    });
    await using(openSqlite('target'), async () => {
      expect(await failure(copy(from, to))).toMatch(/^locked: target .* in use by another process/);
    });
    expect(await failure(copy(from, from))).toMatch(/^usage: .*same database/);
  });
});

test('progress is a bar on a terminal and lines elsewhere', () => {
  let now = 0;
  const run = (isTTY: boolean): string => {
    let text = '';
    now = 0;
    const output = { isTTY, columns: 120, write: (part: string) => (text += part) };
    const progress = new Progress(output, () => now);
    progress.phase('nodes', 200_000);
    for (let i = 0; i < 10; i++) {
      now += 1000;
      progress.advance(10_000);
    }
    progress.note('done');
    return text;
  };
  expect(run(true)).toContain(
    '\r\x1b[Knodes          [###############...............] 50 %, 100,000 of 200,000, 10,000/s, 0:10 left',
  );
  expect(run(false)).toBe(
    'nodes: 25 %, 50,000 of 200,000, 10,000/s, 0:15 left\n' +
      'nodes: 50 %, 100,000 of 200,000, 10,000/s, 0:10 left\n' +
      'nodes: 50 %, 100,000 of 200,000, 10,000/s, 0:10 left\ndone\n',
  );
});

test('places are named without credentials', () => {
  const name = (text: string): string => placeOf(text, '--to', ACCESS).name;
  expect(name('neo4j:bolt://me:se:c@r@et@host:7687')).toBe('neo4j:bolt://host:7687');
  expect(name('neo4j:host:7687')).toBe('neo4j:bolt://host:7687');
  expect(name('neo4j:neo4j+s://me@host/other')).toBe('neo4j:neo4j+s://host/other');
  expect(name('neo4j://host')).toBe('neo4j:neo4j://host');
  for (const bad of ['', 'sqlite:', 'neo4j:', 'mysql:x', 'neo4j:http://secret@host', '/path']) {
    expect(() => name(bad)).toThrow('--to needs sqlite:PATH or neo4j:bolt://HOST:PORT.');
  }
});

if (neo4jUrl === undefined) test.skip('copies to and from Neo4j: set NEO4J_URL', () => undefined);
else {
  describe('to Neo4j and back', () => {
    exclusive();
    beforeAll(wipe);
    beforeEach(wipeNodes);
    afterAll(wipe);

    test('everything survives, and writing goes on behind it', async () => {
      await fillSource(3000);
      const before = await using(openSqlite('source'), contents);
      await copy(from, neo4j());
      await using(openNeo4jGraph(neo4jOptions()), async (graph) => {
        expect(await contents(graph)).toEqual(before);
        await graph.setIndexes([{ trait: 'T', types: ['Odd'], key: 'long', unique: false }]);
        await graph.indexesReady();
      });
      await copy(neo4j(), sqlite('back'));
      await using(openSqlite('back'), async (graph) => {
        expect(await contents(graph)).toEqual(before);
      });
      await using(openNeo4jGraph(neo4jOptions()), async (graph) => {
        await graph.write((tx) => tx.createNode({ id: newId(), type: 'Item', properties: { n: 'last' } }));
        const items = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Item'] }));
        expect(items[items.length - 1]?.properties['n']).toBe('last');
      });
    });

    test('what another client made before the service is copied before the rest', async () => {
      await cypher(
        "UNWIND range(1, 50) AS i CREATE (n:NodeInterface:Item {id: 'theirs' + i, type: 'Item', n: i}) " +
          "CREATE (n)-[:HAS {id: 'r' + i, type: 'HubHASThing'}]->(n)",
      );
      await using(openNeo4jGraph(neo4jOptions()), (graph) => fill(graph, 20));
      const before = await using(openNeo4jGraph(neo4jOptions()), contents);
      const result = await copy(neo4j(), sqlite('target'));
      expect(result).toEqual({ nodes: 75, relationships: 75 });
      await using(openSqlite('target'), async (graph) => {
        expect(await contents(graph)).toEqual(before);
        const [first] = await graph.read((tx) => tx.find({ kind: 'nodes', types: ['Item'], limit: 1 }));
        // Neo4j gives the numbers of removed nodes again, so that theirs may be in any order.
        expect(first?.id).toMatch(/^theirs/);
      });
      await copy(sqlite('target'), neo4j(), { overwrite: true });
      await using(openNeo4jGraph(neo4jOptions()), async (graph) => {
        expect(await contents(graph)).toEqual(before);
      });
    });

    test('what another client made later is copied behind the rest', async () => {
      await using(openNeo4jGraph(neo4jOptions()), (graph) => fill(graph, 20));
      await using(openNeo4jGraph(neo4jOptions()), async (graph) => {
        await graph.write((tx) => tx.createNode({ id: 'b', type: 'Item', properties: {} }));
        await graph.write((tx) => tx.createNode({ id: 'a', type: 'Item', properties: {} }));
      });
      // Takes them out of the order of creation.
      await cypher("MATCH (n:NodeInterface) WHERE n.id IN ['b', 'a', 'n000007'] REMOVE n._svc_seq");
      const before = await using(openNeo4jGraph(neo4jOptions()), contents);
      await copy(neo4j(), sqlite('target'));
      await using(openSqlite('target'), async (graph) => {
        expect(await contents(graph)).toEqual(before);
      });
    });

    test('an interrupted copy goes on, on both sides, and is not served before', async () => {
      await fillSource(5000);
      const before = await using(openSqlite('source'), contents);
      expect(await interrupted(neo4j(), 2)).toMatch(/^interrupted/);
      expect(await failure(openNeo4jGraph(neo4jOptions()))).toMatch(/The Neo4j database is an unfinished copy/);
      expect(await failure(copy(from, neo4j()))).toMatch(/^not_empty: .*--resume/);
      await copy(from, neo4j(), { resume: true });
      expect(await interrupted(sqlite('back'), 4, neo4j())).toMatch(/^interrupted/);
      await copy(neo4j(), sqlite('back'), { resume: true });
      await using(openSqlite('back'), async (graph) => {
        expect(await contents(graph)).toEqual(before);
      });
      // Emptying: entities, marks, and indexes that would refuse long texts.
      await using(openNeo4jGraph(neo4jOptions()), async (graph) => {
        await graph.setIndexes([{ trait: 'T', types: ['Odd'], key: 'large', unique: false }]);
        await graph.indexesReady();
      });
      expect(await failure(copy(from, neo4j()))).toMatch(/^not_empty: .* is not empty/);
      await copy(from, neo4j(), { overwrite: true });
      await using(openNeo4jGraph(neo4jOptions()), async (graph) => {
        expect(await contents(graph)).toEqual(before);
      });
    });

    test('a source that is written to meanwhile is noticed', async () => {
      await using(openNeo4jGraph(neo4jOptions()), (graph) => fill(graph, 200));
      const server = await openNeo4jGraph(neo4jOptions());
      let written: Promise<unknown> | undefined;
      const reporter = new Quiet(() => {
        written ??= server.write((tx) => tx.updateNode('hub', { changed: true }));
      });
      try {
        expect(await failure(copy(neo4j(), sqlite('target'), { reporter }))).toMatch(
          /^source_changed: .*stop all servers/,
        );
        expect(await failure(copy(neo4j(), sqlite('target'), { resume: true }))).toMatch(/^source_changed/);
      } finally {
        await written;
        await server.close();
      }
    });

    test('a wrong password and a server that is not there are told without credentials', async () => {
      await fillSource(1);
      const wrong = await failure(copy(from, neo4j({ ...ACCESS, password: 'not-the-secret' })));
      expect(wrong).toMatch(/^unavailable: target neo4j:bolt:.*refuses the user name or the password\.$/);
      expect(wrong).not.toContain('not-the-secret');
      const away = placeOf('neo4j:me:not-the-secret@127.0.0.1:1', '--to', ACCESS);
      expect(await failure(copy(from, away))).toBe(
        'unreachable: target neo4j:bolt://127.0.0.1:1: Neo4j cannot be reached.',
      );
    });
  });
}
