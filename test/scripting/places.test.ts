/** Every error of a script names its place: kinds of errors by what runs scripts, over the real server (docs/interface/script-runtime.md 3.4). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

interface Kind {
  readonly source: string;
  /** `line:column` in the source. */
  readonly at: string;
  /** In the log, and for administrators. `MARK` is of the door. */
  readonly message: string;
  /** What everybody is told, where that is not the general message. */
  readonly told?: string;
  /** Where it is something else, and no error. */
  readonly notIn?: readonly string[];
}

const GENERAL = 'Server-side scripting error';
const UNKNOWN = "Unknown key 'nope': ";

const kinds: Readonly<Record<string, Kind>> = {
  'an Error': { source: "{\n  const a = 1;\n  throw new Error('boom');\n}", at: '3:9', message: 'Error: boom' },
  'a TypeError': { source: '{\n  null.x;\n}', at: '2:8', message: 'TypeError: Cannot read properties of null' },
  'a text': { source: "{\n\n  if (true) throw 'plain';\n}", at: '3:19', message: 'plain' },
  'an object': { source: '{ const a = 1; throw { a }; }', at: '1:22', message: '{"a":1}' },
  'the same text again': {
    source: "{\n  try { throw 'plain' } catch (e) {}\n  throw 'plain';\n}",
    at: '3:9',
    message: 'plain',
  },
  'behind await': {
    source: '{\n  const a = await Promise.resolve(1);\n  await a; null.x;\n}',
    at: '3:17',
    message: 'TypeError: Cannot read properties of null',
    // What awaits inside of another script is awaited by that one, or by nobody.
    notIn: ['errFn of doInNewTransaction'],
  },
  'a text behind await': {
    source: "{ const a = await Promise.resolve('plain'); throw a; }",
    at: '1:51',
    message: 'plain',
    notIn: ['errFn of doInNewTransaction'],
  },
  'a syntax error': { source: '{\n  let a = ;\n}', at: '2:11', message: "SyntaxError: Unexpected token ';'" },
  'a function': { source: "{\n  $.get($.me, 'nope');\n}", at: '2:5', message: UNKNOWN, told: UNKNOWN },
  'a function in a function': {
    source: "{\n  [1].forEach(() => {\n    $.get($.me, 'nope');\n  });\n}",
    at: '3:7',
    message: UNKNOWN,
    told: UNKNOWN,
  },
  'a value that is none': {
    source: "{\n  $.create('Stamp', { at: 'nonsense' });\n}",
    at: '2:5',
    message: 'Cannot parse input',
    told: 'Cannot parse input',
    notIn: ['a function property that is read'],
  },
  'a store': {
    source: "{ $.applicationStorePut('x', () => 1); }",
    at: '1:5',
    message: 'cannot keep this',
    told: 'cannot keep this',
  },
  'a function in an expression': {
    source: "concat('a',\n  get(me, 'nope'))",
    at: '2:3',
    message: UNKNOWN,
    told: UNKNOWN,
  },
  'an index': {
    source: "\n merge('a')['x']",
    at: '2:12',
    message: 'What stands between [ and ]',
    told: 'between [ and ]',
  },
  'a source after blank lines': { source: '\n\n\n{\n null.x}', at: '5:7', message: 'TypeError', notIn: ['a template'] },
  'JavaScript without braces': { source: '\n  return 1;', at: '2:3', message: 'JavaScript', told: 'JavaScript' },
  'a missing bracket': { source: '{ return 1;', at: '1:1', message: 'no }', told: 'no }', notIn: ['a template'] },
  'a missing bracket inside': {
    source: '{\n  if (true) {\n  return 1;\n}',
    at: '1:1',
    message: 'no }',
    notIn: ['a template'],
  },
};

/** What runs a script. `source` comes with what sets it off. */
interface Door {
  /** Name of the script in the log. */
  readonly title: RegExp;
  /** Adds this to the position in the source. */
  readonly lines?: number;
  /** The error ends the request. */
  readonly fails: boolean;
  /** Stored for all kinds at once. */
  readonly prepare: (name: string, source: string) => Promise<void>;
  readonly run: (name: string, client: Client) => Promise<Answer>;
}

let server: TestServer;
let admin: Client;
let user: Client;

const type = (
  name: string,
  methods: Readonly<Record<string, string>>,
  properties: readonly object[] = [],
): Promise<unknown> =>
  admin.create('SchemaNode', {
    name,
    defaultVisibleToAuth: true,
    schemaProperties: [{ name: 'title', propertyType: 'String' }, ...properties],
    schemaViews: [
      { name: 'public', nonGraphProperties: ['title', ...properties.map((p) => (p as { name: string }).name)].join() },
    ],
    schemaMethods: Object.entries(methods).map(([method, source]) => ({ name: method, source })),
  });
const ids = new Map<string, string>();
const add = async (name: string): Promise<void> => {
  ids.set(name, await admin.create(name, { title: 'one', visibleToAuthenticatedUsers: true }));
};

const doors: Readonly<Record<string, Door>> = {
  'a method': {
    title: /\w+\[[0-9a-f]{32}\]:work/,
    fails: true,
    prepare: async (name, source) => {
      await type(name, { work: source });
      await allow(admin, `${name}/_id/work`, 'user', ['POST']);
      await add(name);
    },
    run: (name, client) => client.post(`/${name}/${ids.get(name) ?? ''}/work`, {}),
  },
  'a user-defined function': {
    title: /f\w+/,
    fails: true,
    prepare: async (name, source) => {
      await admin.create('SchemaMethod', { name: `f${name}`, source });
      await allow(admin, `f${name}`, 'user', ['POST']);
    },
    run: (name, client) => client.post(`/f${name}`, {}),
  },
  onSave: {
    title: /\w+\[[0-9a-f]{32}\]:onSave/,
    fails: true,
    prepare: async (name, source) => {
      await type(name, { onSave: source });
      await add(name);
    },
    run: (name) => admin.put(`/${name}/${ids.get(name) ?? ''}`, { title: 'two' }),
  },
  afterCreate: {
    title: /\w+\[[0-9a-f]{32}\]:afterCreate/,
    fails: false,
    prepare: (name, source) => type(name, { afterCreate: source }).then(() => undefined),
    run: (name) => admin.post(`/${name}`, { title: 'one' }),
  },
  'a function property that is read': {
    title: /\w+\[[0-9a-f]{32}\]:value/,
    fails: false,
    prepare: async (name, source) => {
      await type(name, {}, [{ name: 'value', propertyType: 'Function', readFunction: source }]);
      await add(name);
    },
    run: (name) => admin.get(`/${name}/${ids.get(name) ?? ''}`),
  },
  'a function property that is written': {
    title: /\w+\[[0-9a-f]{32}\]:value/,
    fails: true,
    prepare: async (name, source) => {
      await type(name, {}, [{ name: 'value', propertyType: 'Function', writeFunction: source }]);
      await add(name);
    },
    run: (name) => admin.put(`/${name}/${ids.get(name) ?? ''}`, { value: 1 }),
  },
  'a template': {
    title: /\w+\.html/,
    lines: 2,
    fails: true,
    prepare: async (name, source) => {
      const id = await admin.create('File', { name: `${name}.html`, visibleToAuthenticatedUsers: true });
      const content = `<p>\n\n\${${source}}`;
      expect((await admin.post(`/File/${id}/setContent`, { content })).status).toBe(200);
      expect((await admin.put(`/File/${id}`, { isTemplate: true })).status).toBe(200);
    },
    run: (name, client) => client.get(`/svc/html/${name}.html`),
  },
  'a scheduled text': {
    title: /job \d+ \(Later\)/,
    fails: false,
    prepare: () => Promise.resolve(),
    run: (name) => admin.post('/later', { script: sources.get(name) }),
  },
  'errFn of doInNewTransaction': {
    title: /\w+\[[0-9a-f]{32}\]:work/,
    fails: false,
    prepare: async (name, source) => {
      await type(name, {
        work: source,
        outer:
          "{ $.doInNewTransaction(() => { $.this.work(); }, (e) => { $.log(e instanceof Error, ' ', e.stack); }); return 1; }",
      });
      await add(name);
    },
    run: (name) => admin.post(`/${name}/${ids.get(name) ?? ''}/outer`, {}),
  },
};

const cases = Object.entries(doors).flatMap(([door, { prepare, ...rest }], d) =>
  Object.entries(kinds)
    .filter(([, kind]) => kind.notIn?.includes(door) !== true)
    .map(([kind, what], k) => ({ door, kind, what, prepare, ...rest, name: `D${String(d)}K${String(k)}` })),
);
const sources = new Map(cases.map(({ name, what }) => [name, what.source]));

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  user = server.as('jane', 'secret-of-jane');
  await admin.defineType('Stamp', [{ name: 'at', propertyType: 'Date' }]);
  await admin.create('SchemaMethod', { name: 'later', source: "{ $.schedule($.args.script, 'Later'); }" });
  for (const { prepare, name, what } of cases) await prepare(name, what.source);
});
afterAll(() => server.stop());

/** Where a script stands when its source begins with `${` behind some lines. */
function placeIn(at: string, lines: number | undefined): { row: number; column: number } {
  const [row = 0, column = 0] = at.split(':').map(Number);
  if (lines === undefined) return { row, column };
  return { row: row + lines, column: row === 1 ? column + 2 : column };
}

describe.each(cases)('$door, $kind', ({ what, title, lines, fails, run, name }) => {
  const { row, column } = placeIn(what.at, lines);
  const place = `${String(row)}:${String(column)}`;

  it('is in the log once, with its place and without a stack of the server', async () => {
    const before = server.lines.length;
    const answer = await run(name, admin);
    expect(answer.status >= 400, answer.text).toBe(fails);
    const logged = (): string[] =>
      server.lines
        .slice(before)
        .filter((line) => line.includes(what.message) && (line.includes(name) || line.includes('(Later)')));
    await expect.poll(logged).toHaveLength(1);
    expect(logged()[0]).toMatch(new RegExp(`${title.source}:${place}`));
    expect(server.lines.slice(before).filter((line) => /^\s+at .*(?:file:|node:|svc-prelude)/.test(line))).toEqual([]);
    if (!fails) return;
    expect(answer.body).toMatchObject({
      message: expect.stringContaining(what.told ?? GENERAL) as string,
      script: {
        name: expect.stringMatching(new RegExp(`^${title.source}$`)) as string,
        row,
        column,
        message: expect.stringContaining(what.message) as string,
      },
    });
  });

  if (run.length < 2) return;
  it('is answered without its place to who is no administrator', async () => {
    const answer = await run(name, user);
    expect(answer.status, answer.text).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toContain(place);
    expect(Object.keys(answer.body as object)).toEqual(['code', 'message', 'errors']);
  });
});
