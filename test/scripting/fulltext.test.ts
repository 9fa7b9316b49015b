/** searchFulltext and searchRelationshipsFulltext (docs/interface/scripting.md 8.1, docs/interface/schema.md 6). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeQuery } from '../../src/main/graph/index.js';
import type { ScriptContext } from '../../src/main/scripting/run/run.js';
import { fulltextFunctions } from '../../src/main/scripting/functions/objects/fulltext.js';
import type { Client } from '../support/client.js';
import { until } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { sourceRunner } from './source-runner.js';

let server: TestServer;
let admin: Client;
let jane: Client;

const run = sourceRunner(() => admin);

const names = async (text: string, client = admin, index = 'Note_body_fulltext'): Promise<unknown> => {
  const { status, message, result } = await run(
    `{ return $.searchFulltext('${index}', ${JSON.stringify(text)}).map((one) => one.node.name); }`,
    client,
  );
  expect(status, message).toBe(200);
  return result;
};

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  const note = await admin.create('SchemaNode', {
    name: 'Note',
    schemaProperties: [
      { name: 'body', propertyType: 'String', fulltext: true },
      { name: 'secret', propertyType: 'Encrypted', fulltext: true },
    ],
  });
  await admin.create('SchemaNode', { name: 'Memo', inheritedTraits: ['Note'] });
  await admin.create('SchemaRelationshipNode', {
    sourceId: note,
    targetId: note,
    relationshipType: 'SEES',
    sourceMultiplicity: '*',
    targetMultiplicity: '*',
    sourceJsonName: 'seenBy',
    targetJsonName: 'sees',
    schemaProperties: [{ name: 'comment', propertyType: 'String', fulltext: true }],
  });
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
  for (const [name, body, visible] of [
    ['one', 'the garden of the house', true],
    ['two', 'garden, garden and garden again', false],
    ['three', 'nothing to see', true],
  ] as const) {
    await admin.create('Note', { name, body, visibleToAuthenticatedUsers: visible });
  }
  await admin.create('Memo', { name: 'memo', body: 'a memo of the garden, short', visibleToAuthenticatedUsers: true });
  // Indexes are made in the background; until then a search is 503.
  await admin.create('SchemaMethod', {
    name: 'ready',
    source:
      "{ $.searchFulltext('Note_body_fulltext', 'x'); $.searchRelationshipsFulltext('NoteSEESNote_comment_fulltext', 'x'); return 1; }",
  });
  await until(async () => (await admin.post('/ready', {})).status === 200, 'the indexes are made', 60_000);
});
afterAll(() => server.stop());

it('finds objects of the type and of those below it, best first, with a score', async () => {
  const { result } = await run("{ return $.searchFulltext('Note_body_fulltext', 'garden'); }");
  const found = result as { node: { name: string; type: string }; score: number }[];
  expect(found.map(({ node }) => node.name).sort()).toEqual(['memo', 'one', 'two']);
  expect(found[0]?.node.name).toBe('two');
  for (const { score } of found) expect(score).toBeGreaterThan(0);
  expect(found[0]?.score).toBeGreaterThan(found[2]?.score ?? Infinity);
  expect(await run("size(searchFulltext('Note_body_fulltext', 'gard* AND memo'))")).toMatchObject({ result: 1 });
});

it('shows nobody what he may not read, and gives him the best of the rest', async () => {
  expect(((await names('garden', jane)) as string[]).sort()).toEqual(['memo', 'one']);
});

it('finds what somebody may read behind many objects that he may not, and tells nothing of those by scores', async () => {
  const scores = async (): Promise<unknown> =>
    (await run("{ return $.searchFulltext('Note_body_fulltext', 'apple pear').map((one) => one.score); }", jane))
      .result;
  await admin.post('/Note', [
    { name: 'pears', body: 'pear, pear, and no more than that', visibleToAuthenticatedUsers: true },
    { name: 'apple', body: 'one apple in a long text of many other words', visibleToAuthenticatedUsers: true },
  ]);
  const [first, second] = (await scores()) as number[];
  expect(first).toBe(1);
  expect(second).toBeLessThan(1);
  expect(Number.isInteger(Math.round(1e9 * Number(second)) / 1e7)).toBe(true);
  await admin.post(
    '/Note',
    Array.from({ length: 250 }, (_, i) => ({ name: `hidden${String(i)}`, body: 'apple, apple' })),
  );
  expect((await names('apple', jane)) as string[]).toEqual(['apple']);
  expect(((await scores()) as number[])[0]).toBe(1);
});

it('asks for what is found with the rule of the user: nothing else is loaded', async () => {
  const rule = { right: 'read', principals: [], ids: [], types: [], keys: [] };
  const matches = Array.from({ length: 120 }, (_, i) => ({ id: `n${String(i)}`, score: 9 - i / 100 }));
  const asked: NodeQuery[] = [];
  const tx = {
    search: () => Promise.resolve(matches),
    find: (query: NodeQuery) => {
      asked.push(query);
      const ids: readonly unknown[] = query.where?.op === 'in' ? query.where.values : [];
      return Promise.resolve(ids.includes('n110') ? [{ kind: 'node', id: 'n110', type: 'Note', properties: {} }] : []);
    },
  };
  const context = {
    access: { rule: () => rule },
    run: {
      schema: { textIndexes: [{ name: 'index', kind: 'nodes', label: 'Note', types: ['Note'], key: 'body' }] },
      transaction: { read: (work: (one: typeof tx) => unknown) => work(tx) },
      entities: { of: ({ id }: { id: string }) => id },
    },
  };
  const search = fulltextFunctions.functions.find(({ name }) => name === 'searchFulltext');
  const found = await search?.run(['index', 'word'], context as unknown as ScriptContext);
  expect(found).toEqual([
    new Map<string, unknown>([
      ['node', 'n110'],
      ['score', 1],
    ]),
  ]);
  expect(asked.map(({ access, types }) => [access, types])).toEqual([
    [rule, ['Note']],
    [rule, ['Note']],
  ]);
});

it('sees what its own script has written', async () => {
  const source = `{
    const note = $.create('Note', { name: 'new', body: 'fresh words' });
    const found = $.searchFulltext('Note_body_fulltext', 'fresh').length;
    $.delete(note);
    return [found, $.searchFulltext('Note_body_fulltext', 'fresh').length];
  }`;
  expect((await run(source)).result).toEqual([1, 0]);
});

it('answers at most ten', async () => {
  await admin.post(
    '/Note',
    Array.from({ length: 15 }, (_, i) => ({ name: `n${String(i)}`, body: `many things ${String(i)}` })),
  );
  expect(await names('things')).toHaveLength(10);
});

it('finds relationships whose ends may be read', async () => {
  const call =
    "{ return $.searchRelationshipsFulltext('NoteSEESNote_comment_fulltext', 'near').map((r) => r.relationship.comment); }";
  const link = (from: string, to: string, comment: string): Promise<unknown> =>
    run(
      `createRelationship(first(find('Note', 'name', '${from}')), first(find('Note', 'name', '${to}')), 'SEES', 'comment', '${comment}')`,
    );
  await link('one', 'two', 'near and hidden');
  await link('one', 'three', 'near');
  expect(((await run(call)).result as string[]).sort()).toEqual(['near', 'near and hidden']);
  expect((await run(call, jane)).result).toEqual(['near']);
});

it('refuses what makes no sense with 422 that says why', async () => {
  for (const [call, message] of [
    ["$.searchFulltext('Note_body_fulltext', '')", /needs a text to look for/],
    ["$.searchFulltext('', 'x')", /needs the name of an index/],
    ["$.searchFulltext('Note_nothing_fulltext', 'x')", /no full-text index 'Note_nothing_fulltext'/],
    ["$.searchFulltext('Note_secret_fulltext', 'x')", /no full-text index/],
    ["$.searchFulltext('NoteSEESNote_comment_fulltext', 'x')", /no full-text index .* of nodes/],
    ["$.searchRelationshipsFulltext('Note_body_fulltext', 'x')", /no full-text index .* of relationships/],
    ["$.searchFulltext('Note_body_fulltext', 'e-m*')", /signs that are no letters or digits/],
    ["$.searchFulltext('Note_body_fulltext', 'garden - house')", /blank behind -/],
    ['$.searchFulltext("Note_body_fulltext", "\\"open")', /quotation mark/],
    ["$.searchFulltext('Note_body_fulltext', '(((a)')", /parenthesis/],
  ] as const) {
    const answer = await run(`{ ${call}; }`);
    expect([answer.status, answer.message], call).toEqual([422, expect.stringMatching(message)]);
  }
});

it('does not find what is no longer in the index', async () => {
  const id = await admin.create('Note', { name: 'passing', body: 'ephemeral' });
  expect(await names('ephemeral')).toEqual(['passing']);
  await admin.put(`/Note/${id}`, { body: 'lasting' });
  expect(await names('ephemeral')).toEqual([]);
  await admin.delete(`/Note/${id}`);
  expect(await names('lasting')).toEqual([]);
});

it('refuses two indexes of one name', async () => {
  const property = (name: string) => [{ name, propertyType: 'String', fulltext: true }];
  await admin.create('SchemaNode', { name: 'Song', schemaProperties: property('lines_text') });
  const answer = await admin.post('/SchemaNode', { name: 'Song_lines', schemaProperties: property('text') });
  expect(answer.status).toBe(422);
  expect(JSON.stringify(answer.body)).toContain('Song_lines_text_fulltext');
  expect(await names('memo')).toEqual(['memo']);
});

it('takes in types that inherit the property later, with what they have', async () => {
  const id = await admin.create('SchemaNode', {
    name: 'Late',
    schemaProperties: [{ name: 'body', propertyType: 'String' }],
  });
  await admin.create('Late', { name: 'late', body: 'behindhand' });
  expect(await names('behindhand')).toEqual([]);
  expect((await admin.put(`/SchemaNode/${id}`, { schemaProperties: [], inheritedTraits: ['Note'] })).status).toBe(200);
  await expect
    .poll(() =>
      run("{ return $.searchFulltext('Note_body_fulltext', 'behindhand').length; }").then(({ result }) => result),
    )
    .toBe(1);
});

it('goes on after a restart', async () => {
  server = await server.restart();
  ({ admin } = server);
  expect(await names('memo')).toEqual(['memo']);
});
