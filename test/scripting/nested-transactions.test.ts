/** doInNewTransaction before and after the first write of its script, and what it sets off (docs/interface/script-runtime.md 2.3). */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { onNeo4j, TestServer } from '../support/server.js';
import { until } from '../support/storage.js';

let server: TestServer;
let admin: Client;
let count = 0;

async function run(source: string): Promise<{ status: number; result: unknown }> {
  const name = `run${String(++count)}`;
  await admin.create('SchemaMethod', { name, source: `{ ${source} }` });
  const answer = await admin.post(`/${name}`, {});
  return { status: answer.status, result: (answer.body as { result?: unknown }).result };
}

async function names(): Promise<string[]> {
  return ((await admin.get('/Note/ui?_sort=name')).body.result as { name: string }[]).map(({ name }) => name);
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('SchemaNode', {
    name: 'Note',
    schemaProperties: [
      { name: 'saved', propertyType: 'Integer' },
      { name: 'code', propertyType: 'String', unique: true, indexed: true },
    ],
    schemaMethods: [
      { name: 'onCreate', source: "{ if ($.this.name === 'refused') $.error('name', 'refused'); }" },
      { name: 'onSave', source: '{ $.this.saved = ($.this.saved ?? 0) + 1; $.vars.saves = ($.vars.saves ?? 0) + 1; }' },
    ],
  });
});
beforeEach(async () => {
  await admin.send('DELETE', '/Note');
});
afterAll(() => server.stop());

describe.each([
  ['before', ''],
  ['after', "$.create('Note', 'name', 'a');"],
])('doInNewTransaction %s the first write of the script', (_, first) => {
  const outer = first === '' ? [] : ['a'];

  it('writes what it is told', async () => {
    const source = `${first} $.doInNewTransaction(() => { $.create('Note', 'name', 'b'); }); return $.find('Note').length;`;
    expect((await run(source)).result).toBe(outer.length + 1);
    expect(await names()).toEqual([...outer, 'b']);
  });

  it('takes back its own changes alone when it fails', async () => {
    for (const failure of ["throw new Error('x')", "$.error('name', 'bad')", 'null.x', '$.rollbackTransaction()']) {
      const source = `${first} $.doInNewTransaction(() => { $.create('Note', 'name', 'b'); ${failure}; });
        $.create('Note', 'name', 'c'); return $.find('Note', 'name', 'b').length;`;
      expect(await run(source), failure).toEqual({ status: 200, result: 0 });
      expect(await names()).toEqual([...outer, 'c']);
      await admin.send('DELETE', '/Note');
    }
  });

  it('tells what the rules of the schema say, and methods of users that run at its end', async () => {
    const source = (work: string): string => `${first} let said = '';
      $.doInNewTransaction(() => { ${work} }, (e) => { said = e.message; }); return said;`;
    await run("$.create('Note', { name: 'z', code: 'taken' })");
    const twice = await run(source("$.create('Note', { name: 'b', code: 'taken' })"));
    expect(twice).toMatchObject({ status: 200, result: expect.stringContaining('validation failed') });
    const refused = await run(source("$.create('Note', 'name', 'refused')"));
    expect(refused).toMatchObject({ status: 200, result: expect.stringContaining('scripting error') });
    expect(await names()).toEqual([...outer, ...outer, 'z']);
  });

  it('shows and changes objects of the script around it as they are', async () => {
    const source = `const note = $.find('Note', 'code', 'n')[0]; const seen = [note.name]; ${first}
      $.doInNewTransaction(() => { note.name = 'inside'; seen.push(note.name); });
      seen.push(note.name);
      $.doInNewTransaction(() => { note.name = 'lost'; seen.push(note.name); throw 1; });
      seen.push(note.name); return seen;`;
    await run("$.create('Note', { name: 'before', code: 'n' })");
    expect((await run(source)).result).toEqual(['before', 'inside', 'inside', 'lost', 'inside']);
    expect(await names()).toEqual([...outer, 'inside']);
  });

  it('runs methods of users once for each change', async () => {
    await run("$.create('Note', { name: 'n', code: 'n' })");
    await run(`${first} $.doInNewTransaction(() => { $.find('Note', 'code', 'n')[0].name = 'm'; });`);
    expect((await run("return $.find('Note', 'code', 'n')[0].saved;")).result).toBe(1);
  });

  it('has stores, headers and the run of its script, also in methods that it sets off', async () => {
    await run("$.create('Note', { name: 'n', code: 'n' })");
    const source = `${first} $.store('a', 1);
      $.doInNewTransaction(() => { $.store('b', $.retrieve('a') + 1); $.setResponseHeader('X-Own', 'yes');
        $.store('a', null); $.find('Note', 'code', 'n')[0].name = 'o'; });
      return [$.retrieve('a'), $.retrieve('b'), $.vars.saves];`;
    const name = `run${String(++count)}`;
    await admin.create('SchemaMethod', { name, source: `{ ${source} }` });
    const answer = await admin.post(`/${name}`, {});
    expect(answer.body.result).toEqual([null, 2, 1]);
    expect(answer.headers['x-own']).toBe('yes');
  });

  it('inside of itself', async () => {
    const source = `${first} $.doInNewTransaction(() => {
        $.create('Note', 'name', 'b');
        $.doInNewTransaction(() => { $.create('Note', 'name', 'c'); throw 1; });
        $.doInNewTransaction(() => { $.create('Note', 'name', 'd'); });
      });`;
    expect((await run(source)).status).toBe(200);
    expect(await names()).toEqual([...outer, 'b', 'd']);
  });

  it('ends when it goes on for ever', async () => {
    const source = `${first} const again = () => { $.doInNewTransaction(again, (e) => { throw e; }); }; again();`;
    expect((await run(source)).status).toBe(422);
    expect(await names()).toEqual([]);
  });
});

describe('a script that fails', () => {
  it('takes back what it wrote, and not what doInNewTransaction has committed before and after', async () => {
    const part = (name: string): string => `$.doInNewTransaction(() => { $.create('Note', 'name', '${name}'); });`;
    const source = `${part('b')} $.create('Note', 'name', 'a'); ${part('c')} throw new Error('x');`;
    expect((await run(source)).status).toBe(422);
    expect(await names()).toEqual(['b', 'c']);
  });

  it('does the same when a rule of the schema refuses it at its end, and in methods that it sets off', async () => {
    await admin.create('SchemaNode', {
      name: 'Logging',
      schemaMethods: [
        {
          name: 'onCreate',
          source: `{ $.doInNewTransaction(() => { $.create('Note', 'name', 'tried ' + $.this.name); });
            if ($.this.name === 'bad') $.error('name', 'bad'); }`,
        },
      ],
    });
    expect((await admin.post('/Logging', { name: 'bad' })).status).toBe(422);
    expect((await run("$.create('Logging', 'name', 'bad');")).status).toBe(422);
    expect(await names()).toEqual(['tried bad', 'tried bad']);
    expect((await admin.get('/Logging')).body.result_count).toBe(0);
  });

  it('does not see inside what it has not committed yet', async () => {
    const source = `$.create('Note', 'name', 'a'); let seen;
      $.doInNewTransaction(() => { seen = $.find('Note').length; }); return [seen, $.find('Note').length];`;
    expect((await run(source)).result).toEqual([0, 1]);
  });
});

describe('a transaction that is the writer already', () => {
  it('lets write functions commit something beside it all the same', async () => {
    await admin.create('SchemaNode', {
      name: 'Writing',
      schemaProperties: [
        {
          name: 'w',
          propertyType: 'Function',
          writeFunction: `{ $.doInNewTransaction(() => { $.create('Note', 'name', 'written'); });
            if ($.value === 'bad') $.error('w', 'bad'); }`,
        },
      ],
    });
    expect((await admin.post('/Writing', { w: 'bad' })).status).toBe(422);
    expect(await names()).toEqual(['written']);
  });

  it.runIf(onNeo4j)('refuses to write beside Cypher that has written, and says why', async () => {
    const source = `$.cypher('CREATE (n:Nobody)'); 
      $.doInNewTransaction(() => { $.create('Note', 'name', 'lost'); }, () => {}); return 1;`;
    const name = `run${String(++count)}`;
    await admin.create('SchemaMethod', { name, source: `{ ${source} }` });
    const { status, body } = await admin.post(`/${name}`, {});
    expect(status).toBe(422);
    expect((body as unknown as { message: string }).message).toContain('doInNewTransaction() cannot write here');
    expect(await names()).toEqual([]);
  });
});

describe('properties that are read', () => {
  it('write nothing by a transaction of their own', async () => {
    await admin.create('SchemaNode', {
      name: 'Reader',
      schemaProperties: [
        {
          name: 'value',
          propertyType: 'Function',
          readFunction: "{ $.doInNewTransaction(() => { $.create('Note', 'name', 'x'); }); return 1; }",
        },
      ],
      schemaViews: [{ name: 'public', nonGraphProperties: 'value' }],
    });
    const id = await admin.create('Reader', {});
    expect((await admin.get(`/Reader/${id}`)).body.result).toMatchObject({ value: null });
    expect(await names()).toEqual([]);
  });
});

describe('what doInNewTransaction sets off', () => {
  it('runs with the rights of who wrote in it', async () => {
    await admin.create('SchemaNode', {
      name: 'Told',
      schemaMethods: [
        { name: 'afterCreate', source: "{ $.create('Note', 'name', `${$.this.name} by ${$.me.name}`); }" },
      ],
    });
    await admin.create('User', { name: 'low', password: 'Secret-pass-1' });
    const source = `$.create('Note', 'name', 'first'); const low = $.find('User', 'name', 'low')[0];
      $.doAs(low, () => { $.doInNewTransaction(() => { $.create('Told', 'name', 'told'); }); });`;
    expect((await run(source)).status).toBe(200);
    await until(names, (found) => found.length === 2);
    expect(await names()).toEqual(['first', 'told by low']);
  });

  it('is quiet inside of afterCreate, which would set itself off for ever', async () => {
    await admin.create('SchemaNode', {
      name: 'Chain',
      schemaMethods: [{ name: 'afterCreate', source: "{ $.doInNewTransaction(() => { $.create('Chain'); }); }" }],
    });
    await admin.create('Chain', {});
    const count = async (): Promise<number> => (await admin.get('/Chain')).body.result_count as number;
    await until(count, (found) => found === 2);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await count()).toBe(2);
  });
});
