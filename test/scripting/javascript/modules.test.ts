/** Files that scripts import: values, order, cycles, rights, limits (docs/interface/scripting.md 3.6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../../support/client.js';
import { allow } from '../../support/permissions.js';
import { TestServer } from '../../support/server.js';

let server: TestServer;
let admin: Client;
let lib: string;

const MODULES: Readonly<Record<string, string>> = {
  'util.mjs': `
let count = 0;
export const twice = (x) => x * 2, { a, b: [c] } = { a: 1, b: [2] };
export function next() { return ++count; }
export { count, next as 'other name' };
export class Point { constructor(x) { this.x = x; } }
export default function () { return this === undefined; }
export const meta = import.meta.url, root = $.this?.name ?? 'none';
`,
  'uses.mjs': `
import plain, { twice as double, count, next } from './util.mjs'
import * as util from '../lib/util.mjs'
export const value = double(21), shadow = ((double) => double + 1)(1), short = { double };
next()
plain() === true
export { count as counted } from './util.mjs'; export * from './util.mjs'; export * as all from './util.mjs';
export const live = () => [count, util.count]
const tagged = double\`x\`
export default class extends util.Point {}
`,
  'even.mjs':
    "import { odd } from './odd.mjs'; export function even(n) { return n === 0 || odd(n - 1); } export const early = typeof odd;",
  'odd.mjs':
    "import { even, early } from './even.mjs'; export function odd(n) { return n !== 0 && even(n - 1); } export const seen = () => early;",
  'early.mjs': "import { late } from './late.mjs'; export const value = 1; late;",
  'late.mjs': "import { value } from './early.mjs'; export const late = value;",
  'broken.mjs': 'export const a = 1;\nexport const = 2;',
  'throws.mjs': "export const a = 1;\n\nthrow new Error('at line 3');",
  'throws-later.mjs': "export const a = await 1;\n  await 2; throw 'at line 2';",
  'lacks.mjs': "\nimport { nothing } from './util.mjs';",
  'secret.mjs': 'export const secret = 42;',
  'tells.mjs': "import { secret } from './secret.mjs'; export const told = secret;",
  'slow.mjs':
    "export const value = await Promise.resolve(1); export let after = 'no'; after = await (async () => 'yes')();",
  'slower.mjs': "import { value, after } from './slow.mjs'; export const both = [value, after];",
  'rejects.mjs': "export const a = 1;\nawait Promise.reject(new Error('not today'));",
  'large.mjs': `export const a = '${'x'.repeat(300_000)}';`,
  'writes.mjs': "export const make = (name) => $.create('Folder', 'name', name).name;",
};

async function file(client: Client, name: string, source: string, more: object = {}): Promise<string> {
  const base64Data = Buffer.from(source).toString('base64');
  const made = await client.post('/File', { name, parent: lib, contentType: 'text/javascript', base64Data, ...more });
  expect(made.status, made.text).toBe(201);
  return String((made.body.result as string[])[0]);
}

let count = 0;
async function run(source: string, client = admin, wrapped = false): Promise<Answer> {
  const name = `script${String(++count)}`;
  await admin.create('SchemaMethod', { name, source, wrapJsInMain: wrapped, visibleToAuthenticatedUsers: true });
  await allow(admin, name, 'user', ['POST']);
  return client.post(`/${name}`, {});
}
async function value(source: string, wrapped = false): Promise<unknown> {
  const answer = await run(source, admin, wrapped);
  expect(answer.status, answer.text).toBe(200);
  return answer.body.result;
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  lib = await admin.create('Folder', { name: 'lib', visibleToAuthenticatedUsers: true });
  for (const [name, source] of Object.entries(MODULES)) {
    await file(admin, name, source, name === 'secret.mjs' ? {} : { visibleToAuthenticatedUsers: true });
  }
  await admin.create('User', { name: 'anna', password: 'anna' });
});
afterAll(() => server.stop());

describe('import', () => {
  it('binds what modules export, in all of its forms', async () => {
    const source = `{
  import def, { twice, a, c as second, 'other name' as other, Point, meta } from '/lib/util.mjs';
  import * as util from '/lib/util.mjs';
  import '/lib/util.mjs';
  [def(), twice(4), a, second, other(), new Point(3).x, meta, util.count, Object.keys(util).length, Object.prototype.toString.call(util)]
}`;
    const expected = [true, 8, 1, 2, 1, 3, '/lib/util.mjs', 1, 10, '[object Module]'];
    expect(await value(source)).toEqual(expected);
    expect(await value(source.replace('  [def', '  return [def'), true)).toEqual(expected);
  });

  it('leads from module to module, and values are those of now', async () => {
    expect(
      await value(`{
  import Made, { value, shadow, short, counted, live, twice, all } from '/lib/uses.mjs'
  import { next, count } from '/lib/util.mjs'
  next()
  const before = count;
  next();
  ({ value, shadow, short: short.double(1), counted, live: live(), twice: twice(2), before, count, x: new Made(5).x, all: all.a })
}`),
    ).toEqual({
      value: 42,
      shadow: 2,
      short: 2,
      counted: 3,
      live: [3, 3],
      twice: 4,
      before: 2,
      count: 3,
      x: 5,
      all: 1,
    });
  });

  it('evaluates a module once in a request, also for methods that it calls, and anew in the next', async () => {
    await admin.create('SchemaMethod', {
      name: 'nested',
      source: "{ import { next } from '/lib/util.mjs'; return next(); }",
    });
    const source = "{ import { next } from '/lib/util.mjs'; [next(), $.nested(), $.nested(), next()] }";
    expect(await value(source)).toEqual([1, 2, 3, 4]);
    expect(await value(source)).toEqual([1, 2, 3, 4]);
  });

  it('works in circles; what has no value yet says so', async () => {
    expect(
      await value(
        "{ import { even } from '/lib/even.mjs'; import { seen } from '/lib/odd.mjs'; [even(10), even(7), seen()] }",
      ),
    ).toEqual([true, false, 'function']);
    expect((await run("{ import { value } from '/lib/early.mjs'; value }")).status).toBe(422);
    await server.untilLogged(/\/lib\/late\.mjs:1:.*no value yet/);
  });

  it('as a function answers a promise', async () => {
    expect(await value("{ import('/lib/util.mjs').then((util) => util.twice(5)) }")).toBe(10);
    expect(await value("{ return import('/lib/nowhere.mjs').catch((e) => e.message); }", true)).toBe(
      'There is no module /lib/nowhere.mjs.',
    );
    expect(
      await value(
        "{ (async () => { const name = 'util'; const m = await import('/lib/' + name + '.mjs'); return [m.next(), (await import('/lib/util.mjs')).count]; })() }",
      ),
    ).toEqual([1, 1]);
  });

  it('is part of the script: what modules write is written with its rights, and taken back with it', async () => {
    expect(await value("{ import { make } from '/lib/writes.mjs'; make('written') }")).toBe('written');
    expect((await run("{ import { make } from '/lib/writes.mjs'; make('lost'); throw new Error('no'); }")).status).toBe(
      422,
    );
    const names = (await admin.get('/Folder')).body.result as { name: string }[];
    expect(names.map(({ name }) => name)).toContain('written');
    expect(names.map(({ name }) => name)).not.toContain('lost');
  });

  it('leaves scripts alone that only speak of it', async () => {
    expect(await value("{ const text = 'import x'; /* import */ ({ import: text }).import }")).toBe('import x');
  });
});

describe('import is refused', () => {
  it.each([
    ["import { a } from '/lib/nowhere.mjs'", 'There is no module /lib/nowhere.mjs.'],
    ["import { a } from 'util'", 'util is no path of a module'],
    ["import { a } from './util.mjs'", './util.mjs is no path'],
    ["import { nothing } from '/lib/util.mjs'", 'does not export nothing'],
    ["import '/lib/lacks.mjs'", '/lib/lacks.mjs:2: the module /lib/util.mjs does not export nothing'],
    ["import '/lib/broken.mjs'", '/lib/broken.mjs: '],
    ["import '/lib/large.mjs'", '/lib/large.mjs cannot be imported: it has more than 256 KB'],
    ["import '/lib'", 'There is no module /lib'],
  ])('%s', async (declaration, message) => {
    const answer = await run(`{ ${declaration}; 1 }`);
    expect(answer.status).toBe(422);
    expect(answer.body.message).toContain(message);
  });

  it('elsewhere than at the top, and export in scripts', async () => {
    for (const source of [
      "{ if (true) { import '/lib/util.mjs'; } }",
      "{ export const a = 1; import '/lib/util.mjs'; }",
    ]) {
      const answer = await run(source);
      expect([answer.status, answer.body.message]).toEqual([422, 'Server-side scripting error']);
    }
  });

  it('for who may not read the module, or one that it needs, though another has imported it in this request', async () => {
    const anna = server.as('anna', 'anna');
    const answer = await run("{ import { told } from '/lib/tells.mjs'; told }", anna);
    expect([answer.status, answer.body.message]).toEqual([422, 'There is no module /lib/secret.mjs.']);
    const privileged = await run(
      "{ $.doPrivileged(() => $.privileged()); return import('/lib/tells.mjs').then(() => 'seen', (e) => e.message); }",
      anna,
      true,
    );
    expect(privileged.status).toBe(422);
    await admin.create('SchemaMethod', {
      name: 'privileged',
      source: "{ import { told } from '/lib/tells.mjs'; return told; }",
    });
    const again = await run(
      "{ const told = $.doPrivileged(() => $.privileged()); return import('/lib/tells.mjs').then(() => 'seen', (e) => told + e.message); }",
      anna,
      true,
    );
    expect(again.body.result).toBe('42There is no module /lib/secret.mjs.');
  });

  it('for modules that somebody wrote who is no administrator, and for templates', async () => {
    await allow(admin, 'File', 'user', ['POST']);
    await admin.put(`/Folder/${lib}`, { grantees: [] });
    const anna = server.as('anna', 'anna');
    const made = await anna.post('/File', {
      name: 'own.mjs',
      base64Data: Buffer.from('export const a = 1;').toString('base64'),
    });
    expect(made.status, made.text).toBe(201);
    const answer = await run("{ import { a } from '/own.mjs'; a }");
    expect([answer.status, answer.body.message]).toEqual([
      422,
      '/own.mjs cannot be imported: somebody wrote it who is no administrator.',
    ]);
    await file(admin, 'template.mjs', 'export const a = ${1};', { isTemplate: true });
    expect((await run("{ import { a } from '/lib/template.mjs'; a }")).status).toBe(422);
  });

  it('for more than 200 modules', async () => {
    const names = Array.from({ length: 201 }, (_, i) => `many${String(i)}.mjs`);
    await admin.post(
      '/File',
      names.map((name) => ({ name, parent: lib, base64Data: Buffer.from('export {}').toString('base64') })),
    );
    const answer = await run(`{ ${names.map((name) => `import '/lib/${name}';`).join(' ')} 1 }`);
    expect([answer.status, answer.body.message]).toEqual([422, 'The script imports too much: at most 200 modules.']);
  });
});

describe('errors in modules', () => {
  it('are logged with file and line, and happen each time', async () => {
    const answer = await run("{ import '/lib/throws.mjs'; 1 }");
    expect([answer.status, answer.body.message]).toEqual([422, 'Server-side scripting error']);
    await server.untilLogged(/\/lib\/throws\.mjs:3:.*at line 3/);
    expect(
      await value(
        "{ const all = []; const look = () => import('/lib/throws.mjs').catch((e) => all.push(e.message)); look(); look().then(() => all) }",
      ),
    ).toEqual(['at line 3', 'at line 3']);
  });

  it('behind await are logged with file and line', async () => {
    expect((await run("{ import '/lib/throws-later.mjs'; 1 }")).status).toBe(422);
    await server.untilLogged(/\/lib\/throws-later\.mjs:2:18: at line 2/);
    expect((await run("{ import { a } from '/lib/util.mjs';\n await a; a; throw a; }")).status).toBe(422);
    await server.untilLogged(/script\d+:2:20: 1/);
  });

  it('in scripts that import keep their lines', async () => {
    await run("{\n  import { a } from '/lib/util.mjs';\n  throw new Error('own mistake');\n}");
    await server.untilLogged(/script\d+:3:.*own mistake/);
  });
});

describe('await at the top', () => {
  it.each([
    ['an expression', 'await Promise.resolve(5)', 5],
    ['the last expression', 'const x = await Promise.resolve(2); x * 2; const y = 1;', 4],
    ['one in a branch', "if (await Promise.resolve(true)) { 'a' } else { 'b' }", 'a'],
    ['for await', 'let sum = 0; for await (const one of [Promise.resolve(1), 2]) sum += one', 3],
    ['an import()', "(await import('/lib/util.mjs')).twice(4)", 8],
    ['an import beside it', "import { twice } from '/lib/util.mjs'; twice(await Promise.resolve(3))", 6],
  ])('is waited for: %s', async (_, source, value) => {
    expect((await run(`{ ${source} }`)).body).toMatchObject({ result: value });
  });

  it('is waited for in wrapped scripts, with return', async () => {
    expect((await run('{ const x = await Promise.resolve(3); return x + 1; }', admin, true)).body.result).toBe(4);
    expect((await run('{ await Promise.resolve(3); }', admin, true)).body.result).toBe('');
  });

  it('is waited for in modules, and in those that import them', async () => {
    const source =
      "{ import { both } from '/lib/slower.mjs'; import * as slow from '/lib/slow.mjs'; [...both, slow.after] }";
    expect((await run(source)).body.result).toEqual([1, 'yes', 'yes']);
    expect((await run("{ (await import('/lib/slower.mjs')).both[0] }")).body.result).toBe(1);
  });

  it.each([
    '{ await Promise.reject(new Error("no")) }',
    "{ import { a } from '/lib/rejects.mjs'; a }",
    '{ await new Promise(() => {}) }',
  ])('ends the script when it fails, or nothing comes of it: %s', async (source) => {
    expect((await run(source)).status).toBe(422);
  });

  it('of a function that a script calls is awaited by that script', async () => {
    await admin.create('SchemaMethod', { name: 'waits', source: '{ const x = await Promise.resolve(3); return x; }' });
    expect((await run('{ let sum = 0; for (let i = 0; i < 2; i++) sum += await $.waits(); sum }')).body.result).toBe(6);
    expect((await run('{ return $.waits(); }', admin, true)).body.result).toBe(3);
  });

  it('may be caught', async () => {
    const source = "{ let said; try { await import('/lib/rejects.mjs'); } catch (e) { said = e.message; } said }";
    expect((await run(source)).body.result).toBe('not today');
  });
});
