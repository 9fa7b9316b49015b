/** What scripts must not be able to do to a server: each ends for its request alone, and the loop goes on (docs/interface/script-runtime.md 9). */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { paced } from '../support/loop.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const WATCH = fileURLToPath(new URL('../support/loop-watch.mjs', import.meta.url));
/** Milliseconds that the loop may be held up for. */
const LIMIT = 100;

let server: TestServer;
let admin: Client;
let made = 0;

beforeAll(async () => {
  server = await TestServer.start({
    settings: {
      'application.scripting.js.memory': 64,
      'application.scripting.js.timeout.cpu': 700,
      'application.scripting.js.timeout.total': 5000,
      'application.scripting.js.computing': 2,
    },
    nodeArguments: ['--import', WATCH],
    environment: { LOOP_LIMIT: String(paced(LIMIT)) },
  });
  ({ admin } = server);
  await admin.create('SchemaMethod', { name: 'fine', source: "{ return 'fine' }" });
  // What is compiled once is compiled now.
  await admin.post('/fine');
});

afterAll(() => server.stop());

async function functionOf(source: string): Promise<string> {
  const name = `limit${String(made++)}`;
  await admin.create('SchemaMethod', { name, source });
  return `/${name}`;
}

/**
 * Runs a script while others make requests; what it answers. Where the loop was held up meanwhile, twice more: that may have been
 * another machine on the same processors, which counts as the loop's own time.
 */
async function beside(path: string, body: unknown = {}): Promise<{ status: number; text: string }> {
  for (let attempt = 1; ; attempt++) {
    const { heldUp, answer } = await watched(path, body);
    if (attempt === 3) expect(heldUp).toEqual([]);
    if (heldUp.length === 0) return answer;
  }
}

async function watched(
  path: string,
  body: unknown,
): Promise<{ heldUp: string[]; answer: { status: number; text: string } }> {
  const before = server.lines.length;
  let isOver = false;
  const others = (async () => {
    let answered = 0;
    while (!isOver) {
      expect((await admin.get('/me')).status).toBe(200);
      answered++;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    return answered;
  })();
  let answer: { status: number; text: string };
  try {
    answer = await admin.post(path, body);
  } finally {
    isOver = true;
  }
  expect(await others).toBeGreaterThan(0);
  const heldUp = server.lines.slice(before).filter((line) => line.includes('held up'));
  // The next one runs as if nothing had been.
  expect((await admin.post('/fine')).body.result).toBe('fine');
  return { heldUp, answer };
}

const ENDED = /computed for more than|needs more than|took more than|Server-side scripting error/;

describe('JavaScript', () => {
  it.each([
    ['an endless loop', '{ for (;;); }'],
    ['an endless loop of questions', "{ for (;;) $.length('x') }"],
    ['a loop of questions that write', "{ for (;;) $.applicationStore.x = 'y' }"],
    ['a memory bomb', '{ const a = []; for (;;) a.push(new Array(1000).fill(1.5)) }'],
    ['deep recursion', '{ function f() { return f() + 1 } return f() }'],
    ['deep recursion through the loop', "{ return $.call('deepJavaScript') }"],
    ['a catastrophic regular expression', '{ return /(a+)+$/.test("a".repeat(40) + "b") }'],
    [
      'a flood of promises',
      '{ const f = () => { for (let i = 0; i < 10; i++) Promise.resolve().then(f) }; f(); return new Promise(() => 0) }',
    ],
    ['a huge text', '{ let s = "x"; for (;;) s += s }'],
    ['huge texts that cross', '{ const s = "x".repeat(4e6); for (;;) $.length(s) }'],
    ['a huge list that crosses', '{ const a = new Array(199000).fill(1); for (;;) $.size(a) }'],
    ['a list that is too long to cross', '{ return $.size(new Array(900000).fill(1)) }'],
    ['a huge result', '{ return new Array(1e7).fill("x") }'],
    ['a huge number', '{ let n = 3n; for (;;) n = n * n }'],
  ])('%s ends for itself alone', async (what, source) => {
    if (what.endsWith('through the loop')) {
      await admin.create('SchemaMethod', { name: 'deepJavaScript', source });
    }
    const { status, text } = await beside(await functionOf(source));
    expect(status).toBe(422);
    expect(text).toMatch(what.endsWith('through the loop') ? /levels deep|Server-side/ : ENDED);
  });

  it.each([
    ['a list that holds itself', '{ const a = []; a.push(a); return a }'],
    ['an object that holds itself', '{ const a = {}; a.a = a; return a }'],
    ['a symbol', '{ return Symbol("x") }'],
    ['a symbol inside', '{ return { a: [Symbol("x")] } }'],
    ['a BigInt beyond 64 bits', '{ return 2n ** 64n }'],
    ['a function', '{ return () => 1 }'],
    ['a function inside', '{ return { a: [() => 1] } }'],
    ['a promise that never ends', '{ return new Promise(() => 0) }'],
    ['a promise inside', '{ return [Promise.resolve(1)] }'],
  ])('%s as a result is an error that is clear', async (_, source) => {
    const { status, text } = await beside(await functionOf(source));
    expect(status).toBe(422);
    expect(JSON.parse(text)).toMatchObject({ code: 422, message: expect.stringMatching(/\w/) });
  });

  it('answers a BigInt of 64 bits as a number', async () => {
    const { text } = await beside(await functionOf('{ return 2n ** 62n }'));
    expect(text).toContain('4611686018427387904');
  });
});

describe('expressions', () => {
  const digits = `split('${'0,'.repeat(99)}0', ',')`;
  /** So many rounds that only a limit ends them. */
  const rounds = (inner: string): string =>
    `each(${digits}, each(${digits}, each(${digits}, each(${digits}, each(${digits}, ${inner})))))`;

  it.each([
    ['endless loops', rounds('data'), /go through more than|took more than/],
    ['a memory bomb', `reduce(${digits}, 'x', concat(accumulator, accumulator))`, /longer than|too long|characters/],
    ['a list that grows', `reduce(${digits}, ${digits}, merge(accumulator, accumulator, ${digits}))`, /./],
    ['endless recursion', "call('deepExpression')", /levels deep/],
  ])(
    '%s end for themselves alone',
    async (what, source, message) => {
      if (what === 'endless recursion') await admin.create('SchemaMethod', { name: 'deepExpression', source });
      const { status, text } = await beside(await functionOf(source));
      expect(text).toMatch(message);
      expect(status).toBe(422);
    },
    60_000,
  );

  it('a catastrophic regular expression ends', async () => {
    const path = await functionOf("length(strReplace(methodParameters.text, '(a+)+$', 'x'))");
    const { text } = await beside(path, { text: `${'a'.repeat(100_000)}b` });
    expect(text).toContain('100001');
  });

  it('many long loops at once hold nobody up longer than one', async () => {
    const long = await functionOf(
      `each(${digits}, each(${digits}, each(split('0,1,2,3,4,5,6,7,8,9', ','), concat('a', data))))`,
    );
    const others = Array.from({ length: 3 }, () => admin.post(long));
    expect((await beside(long)).status).toBe(200);
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(others.map(() => 200));
  });
});

describe('the place of a script that came to a limit', () => {
  const digits = `split('${'0,'.repeat(99)}0', ',')`;

  it.each<[string, string, RegExp, { row: number; columns: readonly number[] }]>([
    ['computing', '{\n  const a = 1;\n  for (;;) a;\n}', /computed for more than 700 ms/, { row: 3, columns: [3] }],
    [
      'memory',
      '{\n  const a = [];\n  for (;;) {\n    $.me.name; a.push(new Array(500).fill(1.5));\n  }\n}',
      // Each look at memory waits for the loop.
      /needs more than 64 MB|computed for more than|took more than/,
      { row: 4, columns: [10] },
    ],
    ['depth', "{\n  return $.call('NAME');\n}", /levels deep/, { row: 2, columns: [12] }],
    [
      'steps of an expression',
      `concat('a',\n  each(${digits}, each(${digits}, each(${digits}, each(${digits}, data)))))`,
      /go through more than|took more than/,
      // Of the loop whose step was one too many, or too late.
      { row: 2, columns: [0, 1, 2, 3].map((loop) => 3 + loop * `each(${digits}, `.length) },
    ],
    [
      'length in an expression',
      `concat('a',\n reduce(${digits}, 'x', concat(accumulator, accumulator)))`,
      /longer than|too long|characters/,
      { row: 2, columns: [2 + `reduce(${digits}, 'x', `.length] },
    ],
    ['depth of expressions', "concat('a',\n   call('NAME'))", /levels deep/, { row: 2, columns: [4] }],
  ])(
    '%s stands in log and answer',
    async (_, source, message, place) => {
      const name = `limit${String(made)}`;
      const path = await functionOf(source.replace('NAME', name));
      const before = server.lines.length;
      const { status, body } = await admin.post(path);
      expect(status).toBe(422);
      const { script } = body as unknown as { script: { message: string; column: number } };
      expect(script.message).toMatch(message);
      expect(script).toMatchObject({ name, row: place.row });
      const distances = place.columns.map((column) => Math.abs(script.column - column));
      expect(Math.min(...distances)).toBeLessThanOrEqual(5);
      const at = `${name}:${String(place.row)}:${String(script.column)}: `;
      const lines = (): readonly string[] => server.lines.slice(before).filter((line) => line.includes(at));
      await expect.poll(lines).toHaveLength(1);
      expect(lines()[0]).toMatch(message);
    },
    60_000,
  );

  it('is not told to users who may not see the source', async () => {
    await admin.create('User', { name: 'reader', password: 'a-good-one' });
    const path = await functionOf('{\n for (;;);\n}');
    await allow(admin, path.slice(1), 'user', ['POST']);
    const { status, text } = await server.as('reader', 'a-good-one').post(path);
    expect(status).toBe(422);
    expect(text).toMatch(/computed for more than/);
    expect(text).not.toContain(path.slice(1));
    expect(text).not.toContain('"row"');
  });
});

describe('more scripts than may wait', () => {
  it('are answered with 503 and when to try again', async () => {
    const small = await TestServer.start({
      settings: { 'application.scripting.js.computing': 1, 'application.scripting.js.queue.length': 1 },
    });
    try {
      await small.admin.create('SchemaMethod', {
        name: 'busy',
        source: '{ const end = Date.now() + 1000; while (Date.now() < end); return 1 }',
      });
      const answers = await Promise.all(Array.from({ length: 4 }, () => small.admin.post('/busy')));
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 503, 503]);
      for (const { status, headers } of answers) if (status === 503) expect(headers['retry-after']).toBe('1');
    } finally {
      await small.stop();
    }
  });
});
