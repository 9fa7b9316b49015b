/** Whoever may call one method gets no more by it than its script gives him, and keeps nobody else waiting (docs/interface/script-runtime.md 1.1). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const LIMIT = 'application.scripting.js.timeout.total';
let server: TestServer;
let admin: Client;
let jane: Client;

/** Runs an expression, or JavaScript, as jane. */
async function run(source: string, body: unknown = {}, client = jane): Promise<Answer> {
  const name = `attack${String(++count)}`;
  await admin.create('SchemaMethod', { name, source });
  await allow(admin, name, 'user', ['POST']);
  return client.post(`/${name}`, body);
}
let count = 0;

async function template(name: string, content: string): Promise<string> {
  const id = await admin.create('File', { name, visibleToAuthenticatedUsers: true });
  expect((await admin.post(`/File/${id}/setContent`, { content })).status).toBe(200);
  expect((await admin.put(`/File/${id}`, { isTemplate: true })).status).toBe(200);
  return id;
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
  await admin.defineType('Secret', [{ name: 'title', propertyType: 'String' }]);
  await admin.create('Secret', { title: 'hidden' });
  await admin.defineType('Note', [
    { name: 'title', propertyType: 'String' },
    { name: 'seen', propertyType: 'Integer' },
    { name: 'later', propertyType: 'Integer' },
  ]);
});
afterAll(() => server.stop());

describe('rights', () => {
  it('of lifecycle methods are those of who caused them, though something else was written as the superuser before', async () => {
    const [note] = (await admin.get('/SchemaNode?name=Note')).body.result;
    for (const [name, property] of [
      ['onCreate', 'seen'],
      ['afterCreate', 'later'],
    ]) {
      await admin.create('SchemaMethod', {
        name,
        schemaNode: note.id,
        source: `{ $.this.${String(property)} = $.find('Secret').length; }`,
      });
    }
    const source = (first: string): string =>
      `{ ${first} const own = $.create('Note', { title: 'own' }); $.store('id', own.id); return own; }`;
    for (const first of [
      "$.doPrivileged(() => $.create('Secret', { title: 'x' }));",
      "$.callPrivileged('makeSecret');",
      '',
    ]) {
      await admin.create('SchemaMethod', { name: 'makeSecret', source: "create('Secret', 'title', 'x')" });
      const made = await run(source(first));
      expect(made.status, made.text).toBe(200);
      const stored = (await admin.get(`/Note/${String(made.body.result.id)}`)).body.result;
      expect(stored, first).toMatchObject({ title: 'own', seen: 0, later: 0 });
      for (const one of (await admin.get('/SchemaMethod?name=makeSecret')).body.result)
        await admin.delete(`/SchemaMethod/${String(one.id)}`);
    }
    const privileged = await run("{ return $.doPrivileged(() => $.create('Note', { title: 'theirs' })).id; }");
    const stored = (await admin.get(`/Note/${String(privileged.body.result)}`)).body.result;
    expect(stored.seen).toBeGreaterThan(0);
  });

  it('end with doPrivileged, also for a type that was got in it', async () => {
    await admin.create('SchemaMethod', {
      name: 'count',
      staticSchemaNodeName: 'Secret',
      isStatic: true,
      source: "size(find('Secret'))",
    });
    const [method] = (await admin.get('/SchemaMethod?name=count')).body.result;
    const [type] = (await admin.get('/SchemaNode?name=Secret')).body.result;
    await admin.put(`/SchemaMethod/${String(method.id)}`, { schemaNode: type.id });
    const answer = await run(`{
      let kept;
      const inside = $.doPrivileged(() => { kept = $.Secret; return kept.count(); });
      return { inside: inside > 0, outside: kept.count(), anew: $.Secret.count() };
    }`);
    expect(answer.body.result, answer.text).toEqual({ inside: true, outside: 0, anew: 0 });
  });

  it('count for folders: none is made where the user may not write, and no hidden one is answered', async () => {
    const hidden = await admin.create('Folder', { name: 'vault' });
    expect((await run("createFolderPath('/vault/mine')")).status).toBe(403);
    const answer = await run("createFolderPath('/vault').id");
    expect(answer.status).toBe(403);
    expect(answer.text).not.toContain(hidden);
    expect((await admin.get(`/Folder/${hidden}/ui`)).body.result.folders).toEqual([]);
    await admin.put(`/Folder/${hidden}`, { visibleToAuthenticatedUsers: true });
    expect((await run("createFolderPath('/vault').id")).body.result).toBe(hidden);
    expect((await run("createFolderPath('/vault/mine')")).status).toBe(403);
    const own = await run("createFolderPath('/own/below').owner.name");
    expect(own.body.result, own.text).toBe('jane');
  });

  it('the name of the server is no text that somebody sends', async () => {
    const { id } = (await admin.get('/SchemaMethod?name=nobody')).body.result[0] ?? { id: undefined };
    expect(id).toBeUndefined();
    await admin.create('SchemaMethod', { name: 'where', source: "concat(baseUrl, ' ', host)" });
    const answer = await admin.send('POST', '/where', {}, { Host: 'a"><script>' });
    expect(answer.text).not.toContain('<script>');
  });
});

describe('scripts inside of scripts', () => {
  it('a template that is read by a script writes in its transaction, and does not wait for it', async () => {
    const id = await template('writes.html', "${set(first(find('Note', 'title', 'turn')), 'title', 'turned')}done");
    await admin.create('Note', { title: 'turn' });
    await admin.create('Note', { title: 'other' });
    const source = `{
      $.find('Note', 'title', 'other')[0].title = 'written';
      const text = $.getContent($.find('File', '${id}'), 'UTF-8');
      return text + ' ' + $.find('Note', 'title', 'turned').length;
    }`;
    const answer = await run(source, {}, admin);
    expect(answer.body.result, answer.text).toBe('done 1');
  });

  it('a template that reads itself ends with an error', async () => {
    const id = await template('itself.html', "${getContent(this, 'UTF-8')}");
    const answer = await run(`getContent(find('File', '${id}'), 'UTF-8')`, {}, admin);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('levels deep');
    expect((await admin.get('/svc/html/itself.html')).status).not.toBe(200);
  });

  it('doInNewTransaction in a function that reads writes nothing', async () => {
    await admin.defineType('Quiet', [
      {
        name: 'value',
        propertyType: 'Function',
        readFunction: "{ $.doInNewTransaction(() => $.create('Group', { name: 'sneaked' })); return 1; }",
      },
    ]);
    const id = await admin.create('Quiet', {});
    expect((await admin.get(`/Quiet/${id}`)).body.result.value).toBeNull();
    expect((await admin.get('/Group?name=sneaked')).body.result_count).toBe(0);
  });

  it('what doInNewTransaction has changed is seen behind it', async () => {
    const id = await admin.create('Note', { title: 'before' });
    const answer = await run(
      `{
        const one = $.find('Note', '${id}');
        const was = one.title;
        $.doInNewTransaction(() => { $.find('Note', '${id}').title = 'after'; });
        return was + ' ' + one.title;
      }`,
      {},
      admin,
    );
    expect(answer.body.result, answer.text).toBe('before after');
  });
});

describe('scripts without end', () => {
  it('methods that set off more and more others are ended, and nothing is written', async () => {
    await admin.defineType('Rabbit', [{ name: 'title', propertyType: 'String' }], {
      schemaMethods: [{ name: 'onCreate', source: "(create('Rabbit'), create('Rabbit'), create('Rabbit'))" }],
    });
    const answer = await admin.post('/Rabbit', {});
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain('more and more');
    expect((await admin.get('/Rabbit')).body.result_count).toBe(0);
  });

  it('expressions, and calls for many elements of a body, end when their time is over', async () => {
    const list = `split('${Array.from({ length: 300 }, () => 'x').join(',')}')`;
    await server.reload({ [LIMIT]: 700 });
    try {
      const begun = performance.now();
      const loop = await run(`each(${list}, sleep(20))`);
      expect(loop.status).toBe(422);
      expect(loop.body.message).toContain('700 ms');
      const many = await run(
        'sleep(20)',
        Array.from({ length: 300 }, (_, i) => ({ i })),
      );
      expect(many.status).toBe(422);
      // 300 times 20 ms, twice, would be 12 s.
      expect(performance.now() - begun).toBeLessThan(10_000);
    } finally {
      await server.reload({ [LIMIT]: 600_000 });
    }
  });
});

describe('memory', () => {
  it('that scripts of either language want is refused to them before there is none for others', async () => {
    const small = await TestServer.start({ nodeArguments: ['--max-old-space-size=256'] });
    try {
      const big = "store('big', fromJson(concat('{\"x\":\"', upper(retrieve('text')), '\"}')).x)";
      const list = `split('${Array.from({ length: 900 }, () => 'x').join(',')}')`;
      const sources = {
        texts: `(${big}, size(map(${list}, lower(retrieve('big')))))`,
        stored: `(${big}, each(${list}, requestStorePut(randomUuid(), lower(retrieve('big')))))`,
        kept: "{ for (let i = 0; i < 4000; i++) $.store('k' + i, 'x'.repeat(2000000) + i); return 'done'; }",
      };
      for (const [name, source] of Object.entries(sources)) {
        await small.admin.create('SchemaMethod', { name, source });
        const answer = await small.admin.post(`/${name}`, { text: 'y'.repeat(1_000_000) });
        expect(answer.status, `${name}: ${answer.text.slice(0, 300)}`).toBe(503);
        expect(answer.body.message).toContain('memory');
        expect((await small.admin.get('/User')).status).toBe(200);
      }
    } finally {
      await small.stop();
    }
  });
});
