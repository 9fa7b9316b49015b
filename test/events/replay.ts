/** The graph as the files of a changelog tell it, and as it is. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openSqliteGraph, type GraphEntity } from '../../src/main/graph/index.js';
import { isWithheld } from '../../src/main/schema/changes/secrets.js';
import { isLogged, loggedName, SchemaService } from '../../src/main/schema/index.js';
import type { Client } from '../support/client.js';
import type { TestServer } from '../support/server.js';

/** By id: type, ends, and values by name. */
type Rebuilt = Record<string, Record<string, unknown>>;

interface Line {
  readonly verb: string;
  readonly time: number;
  readonly type?: string;
  readonly rel?: string;
  readonly relId?: string;
  readonly relDir?: string;
  readonly source?: string;
  readonly target?: string;
  readonly key?: string;
  readonly prev?: unknown;
  readonly val?: unknown;
}

function* linesIn(folder: string): IterableIterator<[id: string, lines: Line[]]> {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const text = readFileSync(join(entry.parentPath, entry.name), 'utf8');
    expect(text.endsWith('\n'), entry.name).toBe(true);
    const lines = text.trimEnd().split('\n');
    yield [entry.name, lines.map((line) => JSON.parse(line) as Line)];
  }
}

/** What is left of an object when its lines are done again, in order; each has to begin where the one before has ended. */
function rebuilt(
  id: string,
  lines: readonly Line[],
  first: (line: Line) => Record<string, unknown>,
): Rebuilt[string] | undefined {
  let object: Record<string, unknown> | undefined;
  let time = 0;
  for (const line of lines) {
    expect(line.time, `the order of ${id}`).toBeGreaterThanOrEqual(time);
    ({ time } = line);
    const told = `${id}: ${JSON.stringify(line)}`;
    if (line.verb === 'create') {
      expect(object, told).toBeUndefined();
      object = first(line);
    } else if (line.verb === 'delete') {
      expect(object, told).toBeDefined();
      object = undefined;
    } else if (line.verb === 'change') {
      const key = line.key ?? '';
      expect(object?.[key] ?? null, told).toEqual(line.prev);
      if (object === undefined) throw new Error(told);
      if (line.val === null) delete object[key];
      else object[key] = line.val;
    }
  }
  return object;
}

/** From nothing, by the files of objects and relationships; links at nodes have to say the same. */
export function replayed(changelog: string): Rebuilt {
  const all: Rebuilt = {};
  const links: Rebuilt = {};
  for (const [id, lines] of linesIn(join(changelog, 'n'))) {
    const object = rebuilt(id, lines, ({ type }) => ({ type }));
    if (object !== undefined) all[id] = object;
    for (const { verb, relId = '', rel, relDir, target } of lines) {
      const [end, other] = relDir === 'out' ? ['source', 'target'] : ['target', 'source'];
      const link = links[relId];
      if (verb === 'link') links[relId] = { ...link, type: rel, [end]: id, [other]: target };
      if (verb === 'unlink') links[relId] = { type: rel, gone: true };
    }
  }
  for (const [id, lines] of linesIn(join(changelog, 'r'))) {
    const object = rebuilt(id, lines, ({ rel, source, target }) => ({ type: rel, source, target }));
    const { gone, ...link } = links[id] ?? {};
    if (object === undefined) expect(gone, `the links of ${id}`).toBe(true);
    else {
      all[id] = object;
      expect(link, `the links of ${id}`).toEqual({
        type: object['type'],
        source: object['source'],
        target: object['target'],
      });
    }
  }
  // Relationships of the service's own types without properties have no files: their ends tell of them.
  for (const [id, { gone, ...link }] of Object.entries(links)) {
    if (gone !== true && !(id in all)) all[id] = link;
  }
  return all;
}

/** What is in the database of a server that has ended, as far as the changelog tells of it. */
export async function stored(folder: string): Promise<Rebuilt> {
  const graph = await openSqliteGraph({ path: join(folder, 'db') });
  try {
    const { schema } = await SchemaService.start(graph, {
      dateFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      zonedDateTimeFormat: "yyyy-MM-dd'T'HH:mm:ssZ",
      timeZone: 'UTC',
      encryptionSecret: '',
      lenientJson: false,
    });
    const all: Rebuilt = {};
    const add = (entity: GraphEntity): void => {
      const type = schema.typeOf(entity);
      if (!isLogged(type)) return;
      const object: Record<string, unknown> = { type: entity.type };
      if (entity.kind === 'relationship') Object.assign(object, { source: entity.sourceId, target: entity.targetId });
      for (const [key, value] of Object.entries(entity.properties)) {
        const name = loggedName(type, key);
        if (name !== undefined && !isWithheld(type, key)) object[name] = value;
      }
      all[entity.id] = object;
    };
    await graph.read(async (tx) => {
      for await (const batch of tx.stream({ kind: 'nodes' })) batch.forEach(add);
      for await (const batch of tx.stream({ kind: 'relationships' })) batch.forEach(add);
    });
    return all;
  } finally {
    await graph.close();
  }
}

/** Relations of the type with itself: one with a property, and one of trees. */
export async function relateTasks(admin: Client, task: string): Promise<void> {
  await admin.relate(task, 'BEFORE', task, {
    sourceMultiplicity: '*',
    schemaProperties: [{ name: 'why', propertyType: 'String' }],
  });
  await admin.relate(task, 'HAS_PART', task, {
    sourceJsonName: 'whole',
    targetJsonName: 'parts',
    cascadingDeleteFlag: 1,
    autocreationFlag: 1,
  });
}

/** Types, relations and scripts that the steps below work with. */
export async function prepare({ admin }: TestServer): Promise<void> {
  const task = await admin.defineType('Task', [
    { name: 'title', propertyType: 'String' },
    { name: 'count', propertyType: 'Long' },
    { name: 'words', propertyType: 'StringArray' },
    { name: 'done', propertyType: 'Boolean', defaultValue: 'false' },
  ]);
  await relateTasks(admin, task);
  const source =
    "{ const { ids, fails, title } = $.args; const made = $.create('Task', { title }); made.title = title + '!'; " +
    "for (const id of ids) { const one = $.find('Task', id); if (one !== null) { one.count = (one.count ?? 0) + 1; one.words = [title, 'x']; " +
    "$.createRelationship(made, one, 'BEFORE'); } } const gone = $.find('Task', ids[0] ?? ''); if (gone !== null && ids.length > 2) $.delete(gone); " +
    "if (fails) $.error('title', 'bad'); return made.id }";
  await admin.create('SchemaMethod', { name: 'work', source });
}

/** Does something that may be refused. `ids`: of objects that may be there; what is made is added. */
export async function step(client: Client, ids: string[], random: (below: number) => number): Promise<void> {
  const any = (): string => ids[random(ids.length)] ?? '';
  const title = ['a', 'b\n{"time":1}', 'ü\u2028\u0001"', '']['abcd'.indexOf('abcd'[random(4)] ?? 'a')] ?? '';
  const kinds: (() => Promise<{ readonly body: unknown } | undefined>)[] = [
    () => client.post('/Task', { title, count: random(9), parts: random(3) === 0 ? [{ title: 'part' }] : [] }),
    () =>
      client.post(
        '/Task',
        Array.from({ length: 3 }, (_, i) => ({ title: `${title}${String(i)}`, words: [title] })),
      ),
    () => client.put(`/Task/${any()}`, { title, count: random(3) === 0 ? null : random(9), done: random(2) === 0 }),
    () =>
      client.patch('/Task', [
        { id: any(), words: [] },
        { id: any(), title: null },
      ]),
    () => client.put(`/Task/${any()}`, { parts: [any(), any()] }),
    () => client.put(`/Task/${any()}`, { whole: random(2) === 0 ? null : any() }),
    () => client.post('/TaskBEFORETask', { sourceId: any(), targetId: any(), why: title }),
    () => client.delete(random(2) === 0 ? `/Task/${any()}` : `/Task/${any()}/tasksBEFORE`),
    () => client.post('/work', { ids: [any(), any(), any()].slice(random(3)), fails: random(3) === 0, title }),
    () => client.post('/Task', [{ title: 'taken back' }, { count: 'none' }]),
    () => client.delete(`/Task?title=${encodeURIComponent(title)}&done=true`),
    () => client.put(`/Task/${any()}`, { visibleToPublicUsers: random(2) === 0, owner: null }),
  ];
  const answer = await kinds[random(kinds.length)]?.();
  const made = (answer?.body as { result?: unknown } | undefined)?.result;
  for (const id of [made].flat()) if (typeof id === 'string' && ids.length < 60) ids.push(id);
}
