/** What scripts turn off, labels, and statements in Cypher (docs/interface/script-runtime.md 1.4, 8.6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { sourceRunner } from './source-runner.js';

let server: TestServer;
let admin: Client;
let jane: Client;

const run = sourceRunner(() => admin);

async function value(source: string, client = admin): Promise<unknown> {
  const { status, result, message } = await run(source, client);
  expect(status, `${source}: ${message}`).toBe(200);
  return result;
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Thing',
    schemaProperties: [
      { name: 'title', propertyType: 'String' },
      { name: 'fixed', propertyType: 'String', readOnly: true },
      { name: 'secret', propertyType: 'Encrypted' },
    ],
    schemaViews: [{ name: 'public', nonGraphProperties: 'title, fixed' }],
  });
  const thing = (await admin.get('/SchemaNode?name=Thing')).body.result[0].id as string;
  await admin.create('SchemaRelationshipNode', {
    sourceId: thing,
    targetId: thing,
    relationshipType: 'NEAR',
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    sourceJsonName: 'nearFrom',
    targetJsonName: 'near',
    cascadingDeleteFlag: 1,
  });
  const janeId = await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
  await admin.create('Thing', { name: 'own', fixed: 'a', owner: janeId });
  await admin.create('Thing', { name: 'hidden', title: 'x' });
});
afterAll(() => server.stop());

const named = (name: string): string => `first(find('Thing', 'name', '${name}'))`;

describe('cascading delete', () => {
  it('is off from disableCascadingDelete to enableCascadingDelete', async () => {
    const pair = "createRelationship(create('Thing', 'name', 'a'), create('Thing', 'name', 'b'), 'NEAR')";
    await value(pair);
    await value(`(disableCascadingDelete(), delete(${named('a')}))`);
    expect(await value("extract(find('Thing', 'name', 'b'), 'name')")).toEqual(['b']);
    await value(`delete(${named('b')})`);
    await value(pair);
    await value(`{ $.disableCascadingDelete(); $.enableCascadingDelete(); $.delete($.find('Thing', 'name', 'a')); }`);
    expect(await value("size(find('Thing', 'name', 'b'))")).toBe(0);
  });
});

describe('ids', () => {
  it('of another format are for administrators who say so', async () => {
    expect((await run("create('Thing', 'id', 'import-1')")).status).toBe(422);
    const created = String(await value("(disableUuidValidation(), create('Thing', 'id', 'import-1'))"));
    expect(created).toBe('import-1');
    expect(await value("{ $.disableUuidValidation(); return $.create('Thing', { id: 'import-2' }).id; }")).toBe(
      'import-2',
    );
    expect((await run("{ $.disableUuidValidation(); $.create('Thing', { id: 'import-2' }); }")).status).toBe(422);
    expect((await run("{ $.disableUuidValidation(); $.create('Thing', { id: '../x' }); }")).status).toBe(422);
    expect((await run("{ $.disableUuidValidation(); $.create('Thing', { id: 'import-3' }); }", jane)).status).toBe(422);
    const privileged =
      "{ $.disableUuidValidation(); return $.doPrivileged(() => $.create('Thing', { id: 'import-3' })).id; }";
    expect(await value(privileged, jane)).toBe('import-3');
  });
});

describe('duplicate relationships', () => {
  it('are refused, unless the script says otherwise', async () => {
    await value("(create('Thing', 'name', 'c'), create('Thing', 'name', 'd'))");
    const link = `createRelationship(${named('c')}, ${named('d')}, 'NEAR')`;
    await value(link);
    expect((await run(link)).status).toBe(422);
    await value(`(disablePreventDuplicateRelationships(), ${link})`);
    expect(await value(`size(getRelationships(${named('c')}, ${named('d')}))`)).toBe(2);
    expect(
      (
        await run(
          `{ $.disablePreventDuplicateRelationships(); $.${link.replaceAll('first(', '$.first(').replaceAll('find(', '$.find(')}; }`,
        )
      ).status,
    ).toBe(200);
  });
});

describe('unlocking', () => {
  const OWN = "$.find('Thing', 'name', 'own')[0]";

  it('lets the next write alone change a read-only property', async () => {
    expect((await run(`set(${named('own')}, 'fixed', 'b')`, jane)).status).toBe(422);
    await value(`(unlockReadonlyPropertiesOnce(${named('own')}), set(${named('own')}, 'fixed', 'b'))`, jane);
    expect(await value(`get(${named('own')}, 'fixed')`)).toBe('b');
    const twice = `{ const t = ${OWN}; $.unlockReadonlyPropertiesOnce(t); t.fixed = 'c'; t.fixed = 'd'; }`;
    expect((await run(twice, jane)).status).toBe(422);
    const other = `{ const t = ${OWN}; $.unlockReadonlyPropertiesOnce($.me); t.fixed = 'c'; }`;
    expect((await run(other, jane)).status).toBe(422);
  });

  it('gives no right to write', async () => {
    await admin.create('Thing', { name: 'shown', fixed: 'a', visibleToAuthenticatedUsers: true });
    const source = "{ const t = $.find('Thing', 'name', 'shown')[0]; $.unlockSystemPropertiesOnce(t); t.fixed = 'b'; }";
    expect((await run(source, jane)).status).toBe(403);
    expect(await value(`get(${named('shown')}, 'fixed')`)).toBe('a');
  });

  it('leaves what decides about rights and logins locked', async () => {
    for (const [key, given] of [
      ['isAdmin', 'true'],
      ['confirmationKey', "'x'"],
      ['passwordAttempts', '0 - 5'],
      ['lastLoginDate', '$.now'],
      ['sessionIds', "['x']"],
      ['createdDate', 'new Date(0)'],
      ['id', "'0123456789abcdef0123456789abcdef'"],
      ['type', "'Group'"],
    ] as const) {
      for (const unlock of ['unlockReadonlyPropertiesOnce', 'unlockSystemPropertiesOnce']) {
        const { status } = await run(`{ $.${unlock}($.me); $.me.${key} = ${given}; }`, jane);
        expect(status, `${unlock} ${key}`).toBe(422);
      }
    }
    const file = "{ const f = $.create('File', 'name', 'f'); $.unlockReadonlyPropertiesOnce(f); f.isTemplate = true; }";
    expect((await run(file, jane)).status).toBe(422);
  });

  it('lets administrators write dates of the service, and nothing else of it', async () => {
    const write = (unlock: string, set: string): string =>
      `{ const t = ${OWN}; ${unlock} ${set}; return [t.createdDate.getTime(), t.lastModifiedDate.getTime(), t.createdBy]; }`;
    const unlock = '$.unlockSystemPropertiesOnce(t);';
    const values = "{ createdDate: new Date(1000), lastModifiedDate: new Date(2000), createdBy: 'importer' }";
    expect((await run(write('', `$.set(t, ${values})`))).status).toBe(422);
    expect((await run(write('$.unlockReadonlyPropertiesOnce(t);', `$.set(t, ${values})`))).status).toBe(422);
    expect((await run(write(unlock, `$.set(t, ${values})`), jane)).status).toBe(422);
    expect(await value(write(unlock, `$.setPrivileged(t, ${values})`), jane)).toEqual([1000, 2000, 'importer']);
    expect((await run(write(unlock, "t.type = 'Group'"))).status).toBe(422);
    expect(
      await value(`(unlockSystemPropertiesOnce(${named('own')}), set(${named('own')}, 'createdDate', toDate(5)))`),
    ).toBe('');
    expect(await value(`{ return ${OWN}.createdDate.getTime(); }`)).toBe(5);
  });
});

describe('instantiate and prefetch', () => {
  it('instantiate answers objects that the user may read', async () => {
    expect(await value(`get(instantiate(${named('own')}), 'name')`)).toBe('own');
    expect(await value("{ return $.instantiate({ id: $.find('Thing', 'name', 'hidden')[0].id }).name; }")).toBe(
      'hidden',
    );
    const id = String(await value(`get(${named('hidden')}, 'id')`));
    expect(await value(`empty(instantiate('${id}'))`, jane)).toBe(true);
    expect(await value('empty(instantiate(7))')).toBe(true);
  });

  it('prefetch and prefetch2 do nothing that can be seen', async () => {
    expect(await value("empty(prefetch('MATCH (n) RETURN n', merge('near')))")).toBe(true);
    expect(await value("{ return $.prefetch2('MATCH (n) RETURN n', ['a'], ['b'], 'id') === null; }")).toBe(true);
    expect(await value("prefetch('MATCH (n) RETURN n', 'near')")).toMatch(/^Usage/);
  });
});

describe.skipIf(onNeo4j)('on the embedded database', () => {
  it('cypher and labels say what they need', async () => {
    for (const source of ["cypher('RETURN 1')", "{ return $.cypher('MATCH (n) RETURN n'); }"]) {
      expect(await run(source)).toMatchObject({ status: 422 });
    }
    expect((await run("cypher('RETURN 1')")).message).toContain('database.driver = neo4j');
    expect((await run(`addLabels(${named('own')}, merge('X'))`)).message).toContain('database.driver = neo4j');
    expect((await run(`removeLabels(${named('own')}, merge('X'))`)).status).toBe(422);
  });
});

describe.runIf(onNeo4j)('on Neo4j', () => {
  const labelsOf = 'cypher(\'MATCH (n:Thing {name: "own"}) RETURN labels(n)\')';

  it('addLabels and removeLabels change labels that are no types', async () => {
    await value(`addLabels(${named('own')}, merge('Archived', 'Old'))`, jane);
    expect((await value(labelsOf)) as string[]).toEqual([expect.arrayContaining(['Thing', 'Archived', 'Old'])]);
    await value("{ $.removeLabels($.find('Thing', 'name', 'own')[0], ['Old', 'none']); }", jane);
    expect(JSON.stringify(await value(labelsOf))).not.toContain('Old');
    for (const label of ['Thing', 'NodeInterface', '_svc_type_Thing', 'User', '']) {
      expect((await run(`addLabels(${named('own')}, merge('${label}'))`)).status, label).toBe(422);
      expect((await run(`removeLabels(${named('own')}, merge('${label}'))`)).status, label).toBe(422);
    }
    expect((await run(`addLabels(${named('shown')}, merge('X'))`, jane)).status).toBe(403);
    const undone = `{ $.me.name; $.create('Thing', 'name', 'l'); $.doInNewTransaction(() => { $.addLabels($.find('Thing', 'name', 'own')[0], ['Undone']); throw 1; }); }`;
    await value(undone);
    expect(JSON.stringify(await value(labelsOf))).not.toContain('Undone');
  });

  it('cypher answers rows: objects, lists, scalars by name', async () => {
    expect(
      await value("extract(cypher('MATCH (n:Thing) WHERE n.name = $name RETURN n', 'name', 'own'), 'fixed')"),
    ).toEqual(['b']);
    const js = (query: string, parameters = '{}'): Promise<unknown> =>
      value(`{ return $.cypher(${JSON.stringify(query)}, ${parameters}); }`);
    expect(await js('RETURN 1 AS one')).toEqual([{ one: 1 }]);
    expect(await js('RETURN 1 AS one, 2.5 AS two, null AS three')).toEqual([[1, 2.5, null]]);
    expect(await js('UNWIND [1, 2] AS n RETURN [n, "x"]')).toEqual([
      [1, 'x'],
      [2, 'x'],
    ]);
    expect(await js('RETURN $map AS m', '{ map: { a: [1, "b", null], d: new Date(5) } }')).toEqual([
      { a: [1, 'b', null], d: 5 },
    ]);
    expect(await js('MATCH (:Thing {name: "c"})-[r:NEAR]->(b) RETURN type(r), b.name LIMIT 1')).toEqual([
      ['NEAR', 'd'],
    ]);
    expect(
      await value(
        '{ return $.cypher(\'MATCH (:Thing {name: "c"})-[r:NEAR]->() RETURN r\').map((r) => r.targetNode.name); }',
      ),
    ).toEqual(['d', 'd', 'd']);
    expect(
      await value(
        '{ return $.cypher(\'MATCH p = (:Thing {name: "c"})-[:NEAR]->() RETURN p LIMIT 1\')[0].map((o) => o.type); }',
      ),
    ).toEqual(['Thing', 'ThingNEARThing', 'Thing']);
    expect(
      await value('{ return $.cypher(\'MATCH (u:User {name: "jane"}) RETURN properties(u)\')[0].password === null; }'),
    ).toBe(true);
    expect(await js('RETURN date("2024-01-03") AS d, datetime({epochMillis: 0}) AS t')).toEqual([
      ['2024-01-03', expect.stringContaining('1970')],
    ]);
  });

  it('rows with objects that the user may not read are null', async () => {
    const query = 'MATCH (n:Thing) WHERE n.name IN ["own", "hidden"] RETURN n ORDER BY n.name DESC';
    expect(await value(`{ return $.cypher('${query}').map((o) => o === null ? null : o.name); }`, jane)).toEqual([
      'own',
      null,
    ]);
    expect(await value(`{ return $.cypher('${query}').map((o) => o.name); }`)).toEqual(['own', 'hidden']);
    const pairs =
      'MATCH (a:Thing {name: "own"}), (b:Thing) WHERE b.name IN ["own", "hidden"] RETURN a, b ORDER BY b.name';
    expect(await value(`{ return $.cypher('${pairs}').map((o) => o === null); }`, jane)).toEqual([true, false]);
    const lists = 'MATCH (n:Thing) WHERE n.name IN ["own", "hidden"] RETURN collect(n)';
    expect(await value(`{ return $.cypher('${lists}')[0].map((o) => o.name); }`, jane)).toEqual(['own']);
    const links = 'MATCH (:Thing {name: "c"})-[r:NEAR]->() RETURN r LIMIT 1';
    expect(await value(`{ return $.cypher('${links}')[0] === null; }`, jane)).toBe(true);
  });

  it('sees what its script has written, and what it writes is seen', async () => {
    const source = `{ const t = $.create('Thing', { name: 'mine', title: 'a' });
      const before = $.cypher('MATCH (n:Thing {name: "mine"}) RETURN n.title')[0]['n.title'];
      $.cypher('MATCH (n:Thing {name: "mine"}) SET n.title = $title', { title: 'b' });
      return [before, t.title, $.find('Thing', 'title', 'b').length,
        $.cypher('MATCH (n:Thing {name: "mine"}) RETURN n', {}, true).length]; }`;
    expect(await value(source)).toEqual(['a', 'b', 1, 0]);
    expect((await admin.get('/Thing?title=b')).body.result).toHaveLength(1);
    await run('{ $.cypher(\'MATCH (n:Thing {name: "mine"}) SET n.title = "lost"\'); throw 1; }');
    expect((await admin.get('/Thing?title=b')).body.result).toHaveLength(1);
    await run('{ $.cypher(\'MATCH (n:Thing {name: "mine"}) SET n.title = "kept"\', {}, true); throw 1; }');
    expect((await admin.get('/Thing?title=kept')).body.result).toHaveLength(1);
  });

  it('what it writes is news for all that is kept of the graph', async () => {
    const joe = server.as('joe', 'secret-of-joe');
    await admin.create('User', { name: 'joe', password: 'secret-of-joe' });
    expect((await run('me.name', joe)).status).toBe(200);
    await value('cypher(\'MATCH (u:User {name: "joe"}) SET u.blocked = true\')');
    expect((await run('me.name', joe)).status).toBe(401);
  });

  it('statements that write, or call procedures, need an administrator; some nobody may send', async () => {
    const writing = 'MATCH (n:Thing {name: "own"}) SET n.title = "w"';
    expect((await run(`cypher('${writing}')`, jane)).status).toBe(403);
    expect((await run("{ $.me.locale = 'de'; $.cypher('MATCH (n) DETACH DELETE n'); }", jane)).status).toBe(403);
    expect((await run("cypher('CALL db.labels()')", jane)).status).toBe(403);
    expect((await run("cypher('CALL db.labels()')")).status).toBe(200);
    expect((await run(`{ $.doPrivileged(() => $.cypher('${writing}')); }`, jane)).status).toBe(200);
    for (const query of [
      'CREATE INDEX FOR (n:Thing) ON (n.x)',
      'LOAD CSV FROM "http://127.0.0.1/x" AS l RETURN l',
      'SHOW DATABASES',
      'MATCH (n RETURN n',
      'PROFILE MATCH (n) DETACH DELETE n',
      'RETURN $missing',
      '',
    ]) {
      const { status } = await run(`{ return $.cypher(${JSON.stringify(query)}); }`);
      expect(status, query).toBe(422);
    }
    expect((await run("cypher('RETURN 1', 'name')")).status).toBe(400);
    expect(await value("size(find('Thing', 'name', 'own'))")).toBe(1);
  });

  it('is bounded', async () => {
    expect((await run("cypher('UNWIND range(1, 10001) AS n RETURN n')")).message).toContain('LIMIT');
    expect(await value("size(cypher('UNWIND range(1, 10000) AS n RETURN n'))")).toBe(10_000);
    expect(
      (await run('cypher(\'UNWIND range(1, 2500) AS n RETURN [x IN range(1, 1000) | "abcdefgh"]\')')).message,
    ).toContain('characters');
    const after =
      "{ $.create('Thing', 'name', 'e'); let n = 0; try { $.cypher('UNWIND range(1, 10001) AS n RETURN n'); } catch (e) { n = 1; } return n; }";
    expect([200, 422, 503]).toContain((await run(after)).status);
  });
});
