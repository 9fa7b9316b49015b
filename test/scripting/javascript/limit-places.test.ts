/** Limits that end a script from outside tell where it was (docs/interface/script-runtime.md 3.4). */
import { describe, expect, it } from 'vitest';
import { placeOf, type Place } from '../../../src/main/scripting/language/place.js';
import { world, type WorldOptions } from './support.js';

const SMALL = {
  'application.scripting.js.memory': 32,
  'application.scripting.js.timeout.cpu': 300,
  'application.scripting.js.timeout.total': 3000,
};
/** Needs its memory before its time, however busy the machine is. */
const PATIENT = { 'application.scripting.js.timeout.cpu': 15_000, 'application.scripting.js.timeout.total': 18_000 };

const wait = (ms: number): Promise<null> =>
  new Promise((resolve) => {
    setTimeout(() => {
      resolve(null);
    }, ms);
  });
const functions: NonNullable<WorldOptions['functions']> = {
  forever: () => new Promise(() => undefined),
  pause: () => wait(20),
};

async function ended(
  source: string,
  limits: Readonly<Record<string, number>> = {},
): Promise<{ message: string; place: Place | undefined }> {
  const { run, js } = world({ functions, limits: { ...SMALL, ...limits } });
  const error: unknown = await run(source).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(Error);
  // The next one finds nothing of it.
  expect(js.isolates.counts).toMatchObject({ used: 0, idle: 0 });
  expect(await run('1 + 1')).toBe(2n);
  return { message: (error as Error).message, place: placeOf(error) };
}
const at = (line: number, column: number): Place => ({ title: 'test', position: { line, column } });

describe('time of computing', () => {
  it.each<[string, string, Place]>([
    ['a loop', 'const a = 1;\n  for (;;);', at(2, 3)],
    ['a loop in a function', 'function f() {\n  for (;;) Math.sqrt(2);\n}\nf();', at(2, 12)],
    ['in a getter', 'const o = { get a() {\n for (;;); } };\no.a', at(2, 2)],
    ['in a function of V8', '1;\n/(a+)+$/.test("a".repeat(40) + "b")', at(2, 10)],
    ['in a function that V8 calls', '[2, 1].sort(() => {\n  for (;;);\n})', at(2, 3)],
    ['behind await', 'await null;\nawait 1;\n    for (;;);', at(3, 5)],
    ['in a promise', 'Promise.resolve().then(() => {\n for (;;); });\nnew Promise(() => 0)', at(2, 2)],
    ['of questions', '1;\nfor (;;) $.vars;', at(2, 10)],
    ['while its result is read', '({ get a() {\n   for (;;); } })', at(2, 4)],
    ['in a text that it evaluates', 'eval("for (;;);")', at(1, 1)],
    ['behind a throw that was rewritten', "try { throw 'x' } catch {} for (;;);", at(1, 28)],
  ])('%s', async (_, source, place) => {
    const { message, place: found } = await ended(source);
    // Questions wait for the loop: where that is busy, all of its time is over first.
    expect(message).toMatch(/computed for more than 300 ms|took more than/);
    expect(found?.title).toBe('test');
    expect(found?.position?.line).toBe(place.position?.line);
    // V8 looks for interruptions at some places of a loop only.
    expect(Math.abs((found?.position?.column ?? 0) - (place.position?.column ?? 0))).toBeLessThanOrEqual(12);
  });

  it('is told with the innermost script of those that run inside of each other', async () => {
    const inner: WorldOptions['functions'] = {
      inner: (_, context) => js.run('1;\n for (;;);', { ...context, title: 'inner' }, { wrapped: false }),
    };
    const { run, js } = world({ functions: inner, limits: SMALL });
    const error: unknown = await run('$.inner()').catch((reason: unknown) => reason);
    expect(placeOf(error)).toMatchObject({ title: 'inner', position: { line: 2 } });
  });

  it('names no place that the script makes up', async () => {
    const source = `const f = { ['x (svc-script-0:9:9)']() {\n for (;;); } };\nf['x (svc-script-0:9:9)']()`;
    expect((await ended(source)).place).toMatchObject({ position: { line: 2 } });
    const lines = `const n = 'x\\n    at y (svc-script-0:9:9)\\n    at z'; const f = { [n]() {\n for (;;); } };\nf[n]()`;
    // A line that its author forges names its own source at most.
    expect((await ended(lines)).place?.title).toBe('test');
  });
});

describe('the whole time', () => {
  const total = { 'application.scripting.js.timeout.total': 400, 'application.scripting.js.timeout.cpu': 5000 };

  it.each<[string, string, Place]>([
    ['while it waits for a function', '1;\n  $.forever();', at(2, 5)],
    ['in a function of its own', 'function f() {\n try { $.forever() } catch {} }\nf()', at(2, 10)],
    ['between functions', 'for (;;) {\n  $.pause();\n}', at(2, 5)],
    ['while it computes', '1;\n  for (;;);', at(2, 3)],
  ])('%s', async (_, source, place) => {
    const { message, place: found } = await ended(source, total);
    expect(message).toMatch(/took more than 400 ms/);
    expect(found).toMatchObject({ title: 'test', position: { line: place.position?.line } });
    expect(Math.abs((found?.position?.column ?? 0) - (place.position?.column ?? 0))).toBeLessThanOrEqual(3);
  });

  it('ends also what loops when it is asked where it is', async () => {
    const begun = performance.now();
    const { message } = await ended('Error.prepareStackTrace = () => { for (;;); }; $.forever()', total);
    expect(message).toMatch(/took more than 400 ms/);
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  it('ends what goes on as if nothing had been', async () => {
    const source = 'for (;;) try { $.pause() } catch { } finally { continue }';
    expect((await ended(source, total)).place).toMatchObject({ position: { line: 1 } });
  });
});

describe('memory', () => {
  it('is told with the place where it called a function last', async () => {
    const source = '1;\nconst all = [];\nfor (;;) {\n  $.vars;\n  all.push(new Array(100000).fill(1.5)); $.pause();\n}';
    const { message, place } = await ended(source, PATIENT);
    expect(message).toMatch(
      /needs more than 32 MB of memory \(the place is where it called a function not long before\)/,
    );
    expect(place?.title).toBe('test');
    expect([4, 5]).toContain(place?.position?.line);
  });

  it('names no place in a function or script that has ended before', async () => {
    const inner: WorldOptions['functions'] = {
      inner: async (_, context) =>
        js.run('\n\n\n$.pause(); $.pause(); 1', { ...context, title: 'inner' }, { wrapped: false }),
      pause: () => wait(30),
    };
    const { run, js } = world({ functions: inner, limits: { ...SMALL, ...PATIENT } });
    const bomb = '$.inner();\nconst all = []; for (;;) all.push(new Array(1000).fill(1.5))';
    const error: unknown = await run(bomb).catch((reason: unknown) => reason);
    expect(String(error)).toMatch(/needs more than 32 MB/);
    expect(placeOf(error)?.title).not.toBe('inner');
  });

  it('has no place where the script has asked for nothing', async () => {
    const { message, place } = await ended('const a = []; for (;;) a.push(new Array(1000).fill(1.5))', PATIENT);
    expect(message).toMatch(/needs more than 32 MB of memory\.$/);
    expect(place).toBeUndefined();
  });
});
