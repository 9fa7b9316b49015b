/** What is told of scripts that fail by their limits, by wrong calls, in jobs, and in each other (docs/interface/script-runtime.md 3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let jane: Client;
let id: string;

const methods: Readonly<Record<string, string>> = {
  deep: '{\n  return $.this.deep();\n}',
  deepExpression: "concat('',\n  this.deepExpression())",
  endless: '{ for (;;); }',
  large: '{ const list = []; for (let i = 0; ; i++) list.push(new Array(10000).fill(i + 0.5)); }',
  misused: '{\n  const a = 1;\n  $.substring();\n  return a;\n}',
  misusedExpression: "concat('a',\n  substring())",
  misusedBlock: '\n\n each(this)',
  caught: '{ try { $.this.fails(); } catch (e) { return e.message; } }',
  fails: "{ throw new Error('caught') }",
  refuses: "{ $.assert(false, 409, 'not now'); }",
  says: "{ $.error('title', 'is_bad'); }",
  apart: "{\n  $.doInNewTransaction(() => {\n    null.x;\n  });\n  return 'on';\n}",
  ownHandler:
    "{ $.doInNewTransaction(() => { throw { code: 7 }; }, (e) => { $.log('got ', e instanceof Error, ' ', e.message, e.stack); }); }",
  chain: "{\n  $.create('Other', { title: 'x' });\n}",
  function:
    "{\n  $.schedule(() => {\n    throw new Error('of a function');\n  }, 'Function job', () => {\n    const { exception } = $.get('jobInfo');\n    $.log('told ', exception.message, ' ', exception.stacktrace);\n  });\n}",
  text: '{ $.schedule("{ null.x; }", \'Text job\'); }',
};

const CHANGES_THE_OTHER = `{
  for (const one of $.find('Endless')) if (one.id !== $.this.id) one.count = (one.count ?? 0) + 1;
}`;

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'application.scripting.js.timeout.cpu': 2000, 'application.scripting.js.memory': 32 },
  });
  ({ admin } = server);
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  jane = server.as('jane', 'secret-of-jane');
  const schemaProperties = [
    { name: 'title', propertyType: 'String' },
    { name: 'count', propertyType: 'Integer' },
  ];
  await admin.create('SchemaNode', {
    name: 'Task',
    schemaProperties,
    schemaMethods: Object.entries(methods).map(([name, source]) => ({ name, source })),
  });
  await admin.create('SchemaNode', {
    name: 'Other',
    schemaProperties,
    schemaMethods: [{ name: 'onCreate', source: "{\n  $.get($.this, 'nope');\n}" }],
  });
  await admin.create('SchemaNode', {
    name: 'Endless',
    schemaProperties,
    schemaMethods: [{ name: 'onSave', source: CHANGES_THE_OTHER }],
  });
  id = await admin.create('Task', { title: 'one', visibleToAuthenticatedUsers: true });
  await allow(admin, 'Task/_id/text', 'user', ['POST']);
  await allow(admin, 'jobs', 'user', ['GET']);
});
afterAll(() => server.stop());

const call = (method: string, client = admin): Promise<Answer> => client.post(`/Task/${id}/${method}`, {});
/** What the log says after this. */
function from(): (pattern: RegExp) => string[] {
  const before = server.lines.length;
  return (pattern) => server.lines.slice(before).filter((line) => pattern.test(line));
}

describe('limits', () => {
  it.each([
    ['deep', 'Task\\[\\w+\\]:deep:2:17', 'more than 50 levels'],
    ['deepExpression', 'Task\\[\\w+\\]:deepExpression:2:3', 'more than 50 levels'],
    ['endless', 'Task\\[\\w+\\]:endless:1:3', 'it computed for more than 2000 ms'],
    // It asks for nothing, and nothing else tells where an isolate was that has lost its memory.
    ['large', 'Task\\[\\w+\\]:large', 'more than 32 MB'],
  ])('name the script, in the log and to administrators: %s', async (method, place, message) => {
    const said = from();
    const answer = await call(method);
    expect(answer.status).toBe(422);
    await expect.poll(() => said(new RegExp(`WARN .* - ${place}: .*${message}`))).toHaveLength(1);
    expect(said(/WARN/)).toHaveLength(1);
    expect(answer.body).toMatchObject({ message: expect.stringContaining(message) as string });
    const { name, row, column } = (
      answer.body as { script: { name: string; row: number | null; column: number | null } }
    ).script;
    expect([name, row, column].filter((one) => one !== null).join(':')).toMatch(new RegExp(`^${place}$`));
  });

  it('of onSave name type and method', async () => {
    const said = from();
    const [one = ''] = (await admin.post('/Endless', [{ title: 'x' }, { title: 'x' }])).body.result as string[];
    const { body } = await admin.put(`/Endless/${one}`, { title: 'y' });
    expect(body).toMatchObject({
      code: 422,
      message: expect.stringContaining('Endless.onSave still changes objects after 100 rounds') as string,
      script: { name: 'Endless.onSave', row: null, column: null },
    });
    await expect.poll(() => said(/WARN .* - Endless\.onSave: /)).toHaveLength(1);
  });
});

describe('wrong calls', () => {
  it.each([
    ['misused', 'Task\\[\\w+\\]:misused:3:5: substring\\(\\) was called with 0 arguments'],
    ['misusedExpression', 'Task\\[\\w+\\]:misusedExpression:2:3: substring\\(\\) was called with 0 arguments'],
    ['misusedBlock', 'Task\\[\\w+\\]:misusedBlock:3:2: each\\(\\) was called with 1 arguments'],
  ])('are in the log with their place: %s', async (method, line) => {
    const said = from();
    expect((await call(method)).status).toBe(200);
    await expect.poll(() => said(new RegExp(` - ${line}`))).toHaveLength(1);
    expect(said(/WARN/)).toHaveLength(1);
  });
});

describe('what is no mistake', () => {
  it.each([
    ['caught', 200],
    ['refuses', 409],
    ['says', 422],
  ])('is not in the log: %s', async (method, status) => {
    const said = from();
    expect((await call(method)).status).toBe(status);
    // What comes later is there.
    await call('misused');
    await expect.poll(() => said(/misused/)).toHaveLength(1);
    expect(said(/WARN/)).toHaveLength(1);
  });

  it('of assert is told to administrators with its place all the same', async () => {
    expect((await call('refuses')).body).toMatchObject({
      code: 409,
      message: 'not now',
      script: { row: 1, column: 5, message: 'not now' },
    });
  });
});

describe('scripts that are set off by others', () => {
  it('are named, and not the one that set them off', async () => {
    const said = from();
    const answer = await call('chain');
    expect(answer.body).toMatchObject({
      script: { name: expect.stringMatching(/^Other\[\w+\]:onCreate$/) as string, row: 2, column: 5 },
    });
    await expect.poll(() => said(/Unknown key 'nope'/)).toHaveLength(1);
  });
});

describe('doInNewTransaction', () => {
  it('without a second function logs what failed, and goes on', async () => {
    const said = from();
    expect((await call('apart')).body).toMatchObject({ result: 'on' });
    await expect.poll(() => said(/:apart:3:10: TypeError/)).toHaveLength(1);
  });

  it('gives the second one an Error also where something else was thrown', async () => {
    const said = from();
    expect((await call('ownHandler')).status).toBe(200);
    await expect.poll(() => said(/got true \{"code":7\}ScriptError: \{"code":7\} .*:ownHandler:1:/)).toHaveLength(1);
  });
});

describe('jobs', () => {
  it('of functions tell message and place in the log and in jobInfo', async () => {
    const said = from();
    expect((await call('function')).status).toBe(200);
    await expect.poll(() => said(/has failed after .*Task\[\w+\]:function:3:11: Error: of a function/)).toHaveLength(1);
    await expect.poll(() => said(/told Error: of a function at Task\[\w+\]:function:3:11/)).toHaveLength(1);
    expect(said(/^\s+at /)).toEqual([]);
    expect(said(/of a function/)).toHaveLength(2);
  });

  it('tell them to administrators, and to nobody else', async () => {
    const said = from();
    expect((await call('text', jane)).status).toBe(200);
    await expect.poll(() => said(/Text job, jane\) has failed/)).toHaveLength(1);
    const exceptionFor = async (client: Client): Promise<unknown> => {
      const jobs = (await client.get('/jobs')).body as { result: { jobName: string; exception: object }[] };
      return jobs.result.find(({ jobName }) => jobName === 'Text job')?.exception;
    };
    expect(await exceptionFor(jane)).toMatchObject({
      message: 'Server-side scripting error',
      cause: null,
      stacktrace: null,
    });
    expect(await exceptionFor(admin)).toMatchObject({
      message: expect.stringContaining('TypeError: Cannot read') as string,
      stacktrace: expect.stringMatching(/^at job \d+ \(Text job\):1:8$/) as string,
    });
  });
});
