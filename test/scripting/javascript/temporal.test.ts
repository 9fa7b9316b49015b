/** `Temporal` in scripts (docs/interface/scripting.md 3.2): loaded when it is named, gone with the context it was loaded in. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JavaScript } from '../../../src/main/scripting/engines/javascript/javascript.js';
import type { ScriptCallable, ScriptValue } from '../../../src/main/scripting/language/values.js';
import { TestServer } from '../../support/server.js';
import { world } from './support.js';

const limits = { 'application.scripting.js.isolates': 1 };
let js: JavaScript;
beforeAll(() => {
  ({ js } = world({ limits }));
});
afterAll(() => js.close());

const given: ScriptValue[] = [];
const functions = {
  echo: async ([one = null]: readonly ScriptValue[]) => one,
  take: async ([one = null]: readonly ScriptValue[]) => {
    given.push(one);
    return one;
  },
  call: async ([one]: readonly ScriptValue[]) => (one as ScriptCallable).call([]),
};
const run = (source: string, user = 'ann') => world({ js, limits, user, functions }).run(source);

/** Whether a script would be the first one to name it; the question does not. */
const isLazy = "typeof Object.getOwnPropertyDescriptor(globalThis, 'Temporal').get === 'function'";

describe('Temporal', () => {
  it.each([
    ["Temporal.PlainDate.from('2024-01-31').add({ months: 1 }).toString()", '2024-02-29'],
    ["Temporal.PlainDate.from('2024-03-01').since('2023-12-24').toString()", 'P68D'],
    ["Temporal.PlainTime.from('23:30').add({ hours: 1 }).toString()", '00:30:00'],
    ["Temporal.Duration.from('PT90M').total('hours')", 1.5],
    ["Temporal.Instant.from('2024-01-01T00:00:00.000000001Z').epochNanoseconds % 10n", 1n],
    ["Temporal.PlainDate.from('2024-02-10').withCalendar('chinese').month", 1n],
    ["Temporal.PlainDate.compare('2024-01-01', '2024-01-02')", -1n],
    ['new Date(0).toTemporalInstant().toString()', '1970-01-01T00:00:00Z'],
    ['Temporal.Now.instant() instanceof Temporal.Instant', true],
    ["new Intl.DateTimeFormat('en', { dateStyle: 'long' }).format(new Date(0))", 'January 1, 1970'],
    [
      "(Temporal, new Intl.DateTimeFormat('en', { dateStyle: 'long' })).format(Temporal.PlainDate.from('2024-05-06'))",
      'May 6, 2024',
    ],
    ["Temporal.PlainDate.from('2024-05-06').toLocaleString('de')", '6.5.2024'],
    ["JSON.stringify({ at: Temporal.PlainTime.from('01:02') })", '{"at":"01:02:00"}'],
    ["{ try { Temporal.PlainDate.from('2024-02-30', { overflow: 'reject' }) } catch (e) { e.name } }", 'RangeError'],
    ["{ try { +Temporal.PlainDate.from('2024-02-03') } catch (e) { e.name } }", 'TypeError'],
    ['Object.prototype.toString.call(Temporal)', '[object Temporal]'],
  ])('%s', async (source, result) => {
    expect(await run(source)).toEqual(result);
  });

  it('knows time zones: days that have 23 hours, times that are twice', async () => {
    expect(
      await run(`{
        const begin = Temporal.ZonedDateTime.from('2024-03-31T00:00[Europe/Berlin]');
        const twice = Temporal.PlainDateTime.from('2024-10-27T02:30');
        [begin.hoursInDay, begin.add({ days: 1 }).epochMilliseconds - begin.epochMilliseconds,
          twice.toZonedDateTime('Europe/Berlin', { disambiguation: 'earlier' }).offset,
          twice.toZonedDateTime('Europe/Berlin', { disambiguation: 'later' }).offset,
          begin.withTimeZone('America/New_York').toString()];
      }`),
    ).toEqual([23n, 82_800_000n, '+02:00', '+01:00', '2024-03-30T19:00:00-04:00[America/New_York]']);
  });

  it('is there in functions that the loop calls, and in scripts that have a variable of that name', async () => {
    expect(await run('$.call(() => Temporal.Duration.from({ days: 1 }).toString())')).toBe('P1D');
    expect(await run("{ const Temporal = 'mine'; Temporal; }")).toBe('mine');
    expect(await run("globalThis.Temporal = 'mine'; Temporal")).toBe('mine');
    expect(await run("Temporal.Now; globalThis.Temporal = 'mine'; Temporal")).toBe('mine');
    expect(await run('delete globalThis.Temporal; typeof Temporal')).toBe('undefined');
  });

  it('outside of a script is a date when it is an instant, else its text', async () => {
    expect(
      await run(`[
        Temporal.Instant.from('2024-01-02T03:04:05.678901Z'), Temporal.ZonedDateTime.from('2024-01-02T03:04[Asia/Tokyo]'),
        Temporal.PlainDate.from('2024-01-02'), Temporal.PlainDateTime.from('2024-01-02T03:04'), Temporal.PlainTime.from('03:04'),
        Temporal.PlainYearMonth.from('2024-01'), Temporal.PlainMonthDay.from('01-02'), Temporal.Duration.from({ hours: 26 }),
      ]`),
    ).toEqual([
      new Date('2024-01-02T03:04:05.678Z'),
      new Date('2024-01-01T18:04:00Z'),
      ...['2024-01-02', '2024-01-02T03:04:00', '03:04:00', '2024-01', '01-02', 'PT26H'],
    ]);
    given.length = 0;
    expect(await run("{ const back = $.take({ at: Temporal.Instant.from('2024-01-01T00:00Z') }); back.at; }")).toEqual(
      new Date('2024-01-01T00:00:00Z'),
    );
    expect(given).toEqual([new Map([['at', new Date('2024-01-01T00:00:00Z')]])]);
  });

  it('as nothing of its own is refused: what only looks like one', async () => {
    for (const name of ['Instant', 'PlainDate'])
      await expect(run(`$.take(Object.create(Temporal.${name}.prototype))`)).rejects.toMatchObject({
        detail: expect.stringMatching(/^TypeError/),
      });
    expect(
      await run("{ const mine = Temporal.PlainDate.from('2024-01-01'); mine.toJSON = () => ['e', 0]; mine; }"),
    ).toBe('2024-01-01');
    expect(
      await run(
        "{ Temporal.PlainDate.prototype.toJSON = () => ['e', 0]; $.take(Temporal.PlainDate.from('2024-01-01')); }",
      ),
    ).toBe('2024-01-01');
  });
});

describe('a context', () => {
  it('has not loaded it before a script names it', async () => {
    const before = js.isolates.contexts;
    await run('1', 'bob');
    for (const source of ['[1, 2].map((n) => n + 1)', 'new Date().toISOString()', '$.echo(1)', isLazy])
      await run(source, 'bob');
    expect(await run(isLazy, 'bob')).toBe(true);
    // Each of them had the same one: that which has loaded it is thrown away.
    expect(js.isolates.contexts - before).toBeLessThanOrEqual(2);
    expect(await run(`Temporal; ${isLazy}`, 'bob')).toBe(false);
    expect(await run(isLazy, 'bob')).toBe(true);
  });

  it.each([
    ['Temporal.PlainDate.prototype.add = () => 7', "Temporal.PlainDate.from('2024-01-01').add({ days: 1 }).toString()"],
    ['Temporal.x = 1', 'String(Temporal.x)'],
    ['globalThis.Temporal = undefined', "Temporal.PlainDate.from('2024-01-02').toString()"],
    ['Date.prototype.toTemporalInstant = () => 7', 'String(typeof new Date(0).toTemporalInstant())'],
    ['Object.setPrototypeOf(Temporal.Now, { x: 1 })', 'String(Temporal.Now.x)'],
    [
      // The polyfill's own memory of time zones, by way of a map that tells.
      '{ const { set } = Map.prototype; Map.prototype.set = function (k, v) { return set.call(this, k, 7); }; ' +
        "try { Temporal.ZonedDateTime.from('2024-01-01[Asia/Tokyo]') } catch {} Map.prototype.set = set; }",
      "Temporal.ZonedDateTime.from('2024-01-01[Asia/Tokyo]').offset",
    ],
    [
      // Undone behind it.
      '{ const was = Math.trunc; Math.trunc = () => 7; try { Temporal.Now } finally { Math.trunc = was } }',
      "Temporal.PlainDate.from('2024-05-05').toString()",
    ],
    ['Object.getOwnPropertyDescriptor(globalThis, "Temporal").get.x = 1', `String(${isLazy})`],
  ])('is new after %s', async (change, source) => {
    const expected = await run(source, 'carl');
    for (const user of ['ann', 'ann', 'dora']) {
      await run(change, 'ann').catch(() => undefined);
      expect(await run(source, user)).toBe(expected);
    }
  });

  it('survives that it cannot be loaded', async () => {
    await expect(
      run('{ Object.defineProperties = () => { throw new Error("mine") }; Temporal; }'),
    ).rejects.toMatchObject({ detail: expect.stringMatching(/mine/) });
    expect(
      await run(
        '{ const was = Object.defineProperties; Object.defineProperties = () => { throw 1 }; try { Temporal } catch {} ' +
          'Object.defineProperties = was; Temporal.Duration.from("P1D").days; }',
      ),
    ).toBe(1n);
    const deep = '{ let n = 0; const f = () => { try { f() } catch { n++; try { Temporal } catch {} } }; f(); n > 0; }';
    expect(await run(deep)).toBe(true);
    expect(await run("Temporal.PlainDate.from('2024-01-02').day")).toBe(2n);
  });
});

describe('escapes', () => {
  const probe =
    "\"return typeof process + ' ' + typeof require + ' ' + typeof reference + ' ' + typeof buildTemporal\"";
  it.each([
    ['the constructor of Temporal.Now', `Temporal.Now.constructor.constructor(${probe})()`],
    ['that of a class', `Temporal.PlainDate.constructor(${probe})()`],
    ['that of a value', `Temporal.Now.instant().constructor.constructor(${probe})()`],
    ['that of a method', `Temporal.Now.instant.constructor(${probe})()`],
    ['the getter', `Object.getOwnPropertyDescriptor(globalThis, 'Temporal').get.constructor(${probe})()`],
    ['toTemporalInstant', `Date.prototype.toTemporalInstant.constructor(${probe})()`],
    ['an error', `{ try { Temporal.PlainDate.from('x') } catch (e) { e.constructor.constructor(${probe})() } }`],
    ['Intl.DateTimeFormat', `Temporal.Now, Intl.DateTimeFormat.prototype.constructor.constructor(${probe})()`],
  ])('through %s', async (_, source) => {
    expect(await run(source)).toBe('undefined undefined undefined undefined');
  });

  it('through what the polyfill does with globals of the user', async () => {
    expect(
      await run(`{
        const got = [];
        const { defineProperties } = Object;
        Object.defineProperties = function (one, what) { got.push(one); return defineProperties(one, what) };
        for (const C of [Map, WeakMap]) for (const k of ['get', 'set']) {
          const was = C.prototype[k];
          C.prototype[k] = function (...a) { got.push(this, ...a); return was.apply(this, a) };
        }
        Error.prepareStackTrace = (e, sites) => {
          for (const s of sites) for (const name of ['getThis', 'getFunction']) { const v = s[name](); if (v !== undefined && v !== globalThis) got.push(v) }
          return '';
        };
        Temporal.ZonedDateTime.from('2024-01-01[Asia/Tokyo]').toString();
        try { Temporal.PlainDate.from({ get year() { new Error().stack } }) } catch {}
        new Date().toTemporalInstant();
        const mine = new Set([Function, Object, Array]);
        got.filter((one) => {
          const F = one === null || one === undefined ? undefined : one.constructor?.constructor;
          return typeof F === 'function' && F === F.constructor && !mine.has(F);
        }).length;
      }`),
    ).toBe(0n);
  });
});

describe('over REST', () => {
  let server: TestServer;
  beforeAll(async () => {
    server = await TestServer.start();
    await server.admin.create('SchemaNode', {
      name: 'Task',
      schemaProperties: [{ name: 'due', propertyType: 'Date' }],
      schemaViews: [{ name: 'public', nonGraphProperties: 'due' }],
    });
    const sources = {
      values: `{ return { day: Temporal.PlainDate.from('2024-02-03'), at: Temporal.Instant.from('2024-02-03T04:05:06.789Z'),
        zoned: Temporal.ZonedDateTime.from('2024-02-03T00:00[Asia/Tokyo]'), long: Temporal.Duration.from({ hours: 1 }) }; }`,
      instant: `{ return $.create('Task', { due: Temporal.Instant.from('2024-02-03T04:05:06Z') }).due.getTime(); }`,
      assigned: `{ const task = $.create('Task'); task.due = Temporal.ZonedDateTime.from('2024-02-03T00:00[Asia/Tokyo]');
        return task.due.toTemporalInstant().toZonedDateTimeISO('Asia/Tokyo').toPlainDate(); }`,
      plain: `{ return $.create('Task', { due: Temporal.PlainTime.from('10:00') }); }`,
    };
    for (const [name, source] of Object.entries(sources))
      await server.admin.create('SchemaMethod', { name, source, returnRawResult: true });
  });
  afterAll(() => server.stop());
  const call = (name: string) => server.admin.post(`/${name}`, {});

  it('results are dates and texts', async () => {
    expect((await call('values')).body).toEqual({
      day: '2024-02-03',
      at: '2024-02-03T04:05:06+0000',
      zoned: '2024-02-02T15:00:00+0000',
      long: 'PT1H',
    });
  });

  it('properties that are dates take instants and times of a zone; what is none is refused as a text is', async () => {
    expect((await call('instant')).body).toBe(Date.UTC(2024, 1, 3, 4, 5, 6));
    expect((await call('assigned')).body).toBe('2024-02-03');
    expect((await call('plain')).status).toBe(422);
  });
});
