import { describe, expect, it } from 'vitest';
import { longestTurn, paced } from '../../support/loop.js';
import { world } from './support.js';

const small = {
  'application.scripting.js.memory': 32,
  'application.scripting.js.timeout.cpu': 400,
  'application.scripting.js.timeout.total': 3000,
};

const cpu = /computed for more than 400 ms/;
const memory = /needs more than 32 MB/;
const either = /computed for more than|took more than|needs more than|Server-side scripting error/;
/** For what is to need its memory first, however busy the machine is. */
const PATIENT = { 'application.scripting.js.timeout.cpu': 15_000, 'application.scripting.js.timeout.total': 18_000 };

describe('a script that does not end by itself', () => {
  it.each<[string, string, RegExp]>([
    ['an endless loop', 'for (;;);', cpu],
    ['an endless loop around short ones that V8 unrolls', 'for (;;) new Array(1000).fill(1.5)', cpu],
    ['an endless loop that catches', 'for (;;) try { for (;;); } catch { } finally { continue }', cpu],
    ['a catastrophic regular expression', '/(a+)+$/.test("a".repeat(40) + "b")', cpu],
    ['endless promises', 'function f() { Promise.resolve().then(f) } f()', cpu],
    ['an async loop', '(async () => { for (;;) await null })()', cpu],
    ['a getter that loops while its result is read', '({ get a() { for (;;); } })', cpu],
    ['a proxy that loops while it is read', 'new Proxy({}, { ownKeys() { for (;;); } })', cpu],
    ['an exception that loops while it is read', 'throw { toJSON() { for (;;); } }', cpu],
    [
      'an endless iterator',
      'const o = { [Symbol.iterator]: () => ({ next: () => ({ value: 1, done: false }) }) }; for (const x of o);',
      cpu,
    ],
    ['a stack trace that loops', 'Error.prepareStackTrace = () => { for (;;); }; null.x', cpu],
  ])('%s', async (_, source, message) => {
    const { run, js } = world({ limits: small });
    const begun = performance.now();
    const result = run(source);
    const stall = longestTurn(() => result.catch(() => undefined));
    await expect(result).rejects.toThrow(message);
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(await stall).toBeLessThan(paced(300));
    // Its isolate is gone, the next script gets another.
    expect(js.isolates.counts).toMatchObject({ used: 0, idle: 0 });
    expect(await run('1 + 1')).toBe(2n);
  });
});

describe('a script that takes memory', () => {
  it.each<[string, string, RegExp]>([
    ['lists', 'const a = []; for (;;) a.push(new Array(1000).fill(1.5))', memory],
    ['lists of a loop that counts', 'const a = []; for (let i = 0; ; i++) a[i] = new Array(1000)', memory],
    ['texts', 'const a = []; for (let i = 0; ; i++) a.push(("x" + i).repeat(100000).split("").join("-"))', either],
    ['a text that doubles', 'let s = "x"; for (;;) s += s', either],
    ['buffers', 'const a = []; for (;;) a.push(new ArrayBuffer(1e6))', either],
    ['one buffer', 'new ArrayBuffer(2 ** 33)', either],
    ['maps', 'const m = new Map(); for (let i = 0; ; i++) m.set(i, { i })', either],
    ['a flood of promises', 'const f = () => { for (let i = 0; i < 10; i++) Promise.resolve().then(f) }; f()', either],
    ['a list that doubles', 'let a = [1]; for (;;) a = a.concat(a)', either],
    ['closures', 'let f = null; for (;;) { const g = f; f = () => g }', either],
    ['symbols', 'for (let i = 0; ; i++) Symbol.for("x".repeat(1000) + i)', either],
    ['texts that are held by functions of the loop', 'const a = []; for (;;) a.push($.make())', either],
  ])('%s', async (_, source, message) => {
    const { run } = world({
      limits: message === memory ? { ...small, ...PATIENT } : small,
      functions: { make: async () => new Map([['text', 'x'.repeat(100_000)]]) },
    });
    await expect(run(source)).rejects.toThrow(message);
    expect(await run('1 + 1')).toBe(2n);
  });
});

describe('what V8 cannot interrupt', () => {
  it.each([
    ['Array.prototype.includes.call({ length: Number.MAX_SAFE_INTEGER }, 1)', /This list is too long/],
    ['Array.prototype.indexOf.call({ length: Number.MAX_SAFE_INTEGER }, 1)', /This list is too long/],
    ['let n = 0; Array.prototype.lastIndexOf.call({ get length() { return n++ ? 2 ** 53 : 1 } }, 1)', /^-1$/],
    ['new Array(4294967295).fill(0)', /This list is too long/],
    ['new Array(4294967295).sort()', /This list is too long/],
    ['const a = []; a[4294967290] = 1; a.reverse()', /This list is too long/],
    ['const a = []; a[4294967290] = 1; [...a.entries()].length', /RangeError|memory|computed/],
    ['Array.prototype.fill.call({ length: 2 ** 53 - 1 }, 1)', /works on lists only/],
    ['"x".repeat(2 ** 28)', /The text is too long/],
    ['"x".padEnd(2 ** 28)', /The text is too long/],
    ['let s = "x".repeat(2 ** 24); s += s; s.split("")', /This text is too long/],
    ['let s = "x".repeat(2 ** 24); s += s; s.replace(/x/g, "yyyyyyyy")', /This text is too long/],
    ['let s = "x".repeat(2 ** 24); s += s; s.match(/x/g)', /This text is too long/],
    ['let s = "x".repeat(2 ** 24); s += s; /x/[Symbol.replace](s, "y")', /This text is too long/],
  ])('%s', async (source, answer) => {
    const { run } = world({ limits: small });
    const found = await run(`try { ${source} } catch (e) { e.message }`).then(String, (error: unknown) =>
      String(error),
    );
    expect(found).toMatch(answer);
  });

  it('leaves lists and texts alone otherwise', async () => {
    const { run } = world();
    const source = `[
      Array.prototype.map.call("abc", (c) => c + c).join(),
      (function () { return Array.prototype.slice.call(arguments, 1).length })(1, 2, 3),
      [3, 1, 2].sort().reverse().join(""), [1, , 2].includes(undefined), Array.prototype.concat.length, "ab".replace(/b/, "$&$&"),
      [].map.name, "x".repeat(3).padStart(5, "-"), [1, [2, [3]]].flat(Infinity).length, [1, 2].indexOf(2),
      Array.prototype.indexOf.call({ length: 3, 2: "c" }, "c"), [..."ab"].concat([1], 2).length ]`;
    expect(await run(source)).toEqual(['aa,bb,cc', 2n, '321', true, 1n, 'abb', 'map', '--xxx', 3n, 1n, 2n, 4n]);
  });
});

describe('a script that waits', () => {
  it('is ended after the whole time, which computing does not count for', async () => {
    const limits = { ...small, 'application.scripting.js.timeout.total': 500 };
    const { run } = world({ limits, functions: { forever: () => new Promise(() => undefined) } });
    await expect(run('try { $.forever() } catch { } 1')).rejects.toThrow('it took more than 500 ms');
    expect(await run('2')).toBe(2n);
  });

  it('does not compute meanwhile', async () => {
    const functions = {
      wait: async () =>
        new Promise<null>((resolve) =>
          setTimeout(() => {
            resolve(null);
          }, 600),
        ),
    };
    expect(await world({ limits: small, functions }).run('$.wait(); 1')).toBe(1n);
  });
});

describe('recursion', () => {
  it('ends with an error that says so', async () => {
    const { run } = world();
    await expect(run('function f() { f() }\n f()')).rejects.toMatchObject({
      status: 422,
      detail: 'The script calls itself too deeply.',
    });
    await expect(run('let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a')).rejects.toMatchObject({ status: 422 });
    expect(await run('function f() { return f() } try { f() } catch (e) { e instanceof RangeError }')).toBe(true);
    expect(await run('JSON.stringify("x")')).toBe('"x"');
  });
});

describe('the number of isolates', () => {
  it('is bounded: others wait', async () => {
    let running = 0;
    let most = 0;
    const functions = {
      work: async () => {
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 20));
        running--;
        return null;
      },
    };
    const limits = { 'application.scripting.js.isolates': 2 };
    const first = world({ limits, functions });
    const others = Array.from({ length: 9 }, () => world({ limits, functions, js: first.js }));
    const results = await Promise.all([first, ...others].map(({ run }) => run('$.work(); 1')));
    expect(results).toEqual(results.map(() => 1n));
    expect(most).toBe(2);
    expect(first.js.isolates.counts).toEqual({ used: 0, idle: 2, waiting: 0 });
    await first.js.close();
    expect(first.js.isolates.counts).toEqual({ used: 0, idle: 0, waiting: 0 });
  });

  it('does not hold up the one who writes, and refuses more than can wait', async () => {
    const limits = { 'application.scripting.js.isolates': 1, 'application.scripting.js.queue.length': 20 };
    let go: (value: null) => void = () => undefined;
    const gone = new Promise<null>((resolve) => (go = resolve));
    let begun: () => void = () => undefined;
    const hasBegun = new Promise<void>((resolve) => (begun = resolve));
    const functions = {
      wait: () => {
        begun();
        return gone;
      },
    };
    const first = world({ limits, functions });
    const waits = first.run('$.wait(); 1');
    await hasBegun;
    const writer = world({ limits, js: first.js });
    (writer.context.run.transaction as unknown as { holds: boolean }).holds = true;
    expect(await writer.run('2')).toBe(2n);
    const queued = Array.from({ length: 20 }, () => world({ limits, js: first.js }).run('3'));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(world({ limits, js: first.js }).run('4')).rejects.toMatchObject({ status: 503 });
    go(null);
    expect(await waits).toBe(1n);
    expect(await Promise.all(queued)).toHaveLength(20);
  });
});
