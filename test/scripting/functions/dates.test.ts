import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { TimeZone } from '../../../src/shared/dates/index.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { formatDate, parseDate } from '../../../src/main/scripting/language/formats/date-format.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

const berlin = TimeZone.of('Europe/Berlin') ?? TimeZone.utc;
const noon = new Date('2017-10-01T12:00:00.000Z');

describe('functions of dates', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
    context = world.context();
  });
  afterAll(() => world.close());

  it.each<Case>([
    ['dateFormat', [noon, 'yyyy-MM-dd HH:mm'], '2017-10-01 12:00'],
    ['dateFormat', [noon.getTime(), 'EEE'], 'Sun'],
    ['dateFormat', [BigInt(noon.getTime()), 'EEEE'], 'Sunday'],
    ['dateFormat', ['2017-10-01T14:00:00+0200', 'HH'], '12'],
    ['dateFormat', ['tomorrow', 'HH'], 'tomorrow'],
    ['dateFormat', [true, 'HH'], 'Usage: dateFormat(date, pattern)'],
    ['dateFormat', [noon, 'j'], 'Usage: dateFormat(date, pattern)'],
    ['dateFormat', [noon, ' '], 'Usage: dateFormat(date, pattern)'],
    ['dateFormat', [null, 'HH'], null],
    ['parseDate', ['7.5.2024', 'dd.MM.yyyy'], new Date('2024-05-07T00:00:00.000Z')],
    ['parseDate', ['32.13.2023', 'dd.MM.yyyy'], new Date('2024-02-01T00:00:00.000Z')],
    ['parseDate', ['2024-05-07 and more', 'yyyy-MM-dd'], new Date('2024-05-07T00:00:00.000Z')],
    ['parseDate', ['20240507', 'yyyyMMdd'], new Date('2024-05-07T00:00:00.000Z')],
    ['parseDate', ['2024-05-07T12:00:00+0200', "yyyy-MM-dd'T'HH:mm:ssZ"], new Date('2024-05-07T10:00:00.000Z')],
    ['parseDate', ['May 7, 2024 1:05 PM', 'MMM d, yyyy h:mm a'], new Date('2024-05-07T13:05:00.000Z')],
    ['parseDate', ['never', 'dd.MM.yyyy'], ''],
    ['parseDate', [' ', 'dd.MM.yyyy'], ''],
    ['parseDate', [null, 'dd.MM.yyyy'], null],
    ['dateAdd', [noon, 1], new Date('2018-10-01T12:00:00.000Z')],
    ['dateAdd', [noon, 0, 5, -1, 1, 2, 3], new Date('2018-02-28T13:02:03.000Z')],
    ['dateAdd', ['2024-02-29T00:00:00Z', 1n], new Date('2025-02-28T00:00:00.000Z')],
    ['dateAdd', [noon, 'x', null, 1], new Date('2017-10-02T12:00:00.000Z')],
    ['dateAdd', [noon, 1e9], 'Usage: dateAdd(date, years [, months [, days [, hours [, minutes [, seconds]]]]])'],
    ['dateAdd', ['x', 1], 'Usage: dateAdd(date, years [, months [, days [, hours [, minutes [, seconds]]]]])'],
    ['dateAdd', [null, 1], null],
    ['toDate', [1.4], new Date(1)],
    ['toDate', [0n], new Date(0)],
    ['toDate', ['x'], ''],
    ['toDate', [1e30], ''],
    ['toDate', [null], null],
    ['weekDays', [new Date('2024-05-06T00:00:00Z'), new Date('2024-05-13T00:00:00Z')], 5n],
    ['weekDays', ['2024-05-11T00:00:00Z', '2024-05-13T00:00:00Z'], 0n],
    ['weekDays', ['2024-05-13T00:00:00Z', '2024-05-06T00:00:00Z'], -5n],
    ['weekDays', ['x', noon], 'Usage: weekDays(from, to)'],
    ['weekDays', [null, noon], null],
    ['setLocale', ['no locale'], 'Usage: setLocale(locale)'],
    ['setLocale', [null], 'Usage: setLocale(locale)'],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it.each(['de', 'de_DE', 'de-DE'])('setLocale(%s) makes dates German', async (locale) => {
    const run = world.context();
    expect(await call(run, 'setLocale', locale)).toBe('');
    expect(run.run.locale).toBe(locale.replace('-', '_'));
    expect(await call(run, 'dateFormat', noon, 'dd. MMM yyyy')).toBe('01. Okt. 2017');
    expect(await call(run, 'parseDate', '1. Oktober 2017', 'd. MMMM yyyy')).toEqual(
      new Date('2017-10-01T00:00:00.000Z'),
    );
  });
});

describe('patterns of dates', () => {
  it.each([
    ['yyyy-MM-dd HH:mm:ss.SSS', '2017-10-01 14:00:00.000', 'en'],
    ['EEEE, d. MMMM yy', 'Sonntag, 1. Oktober 17', 'de'],
    ['LLLL', 'octobre', 'fr'],
    ['MMM', '10月', 'ja'],
    ["h 'Uhr' a", '2 Uhr PM', 'en'],
    ["yyyy 'o''clock'", "2017 o'clock", 'en'],
    ['X XX XXX Z', '+02 +0200 +02:00 +0200', 'en'],
    ['D u F k K', '274 7 1 14 2', 'en'],
  ])('%s is %s in %s', (pattern, expected, locale) => {
    expect(formatDate(noon, pattern, berlin, locale)).toBe(expected);
  });

  it('read what they write, in every language', () => {
    const locales = fc.constantFrom('en', 'de', 'fr', 'es', 'ru', 'pt_BR', 'pl');
    const patterns = fc.constantFrom('dd.MM.yyyy HH:mm:ss', 'd MMMM yyyy HH:mm:ss', 'EEE, d MMM yyyy HH:mm:ss Z');
    const instants = fc.integer({ min: 0, max: 2_000_000_000 });
    fc.assert(
      fc.property(instants, patterns, locales, (second, pattern, locale) => {
        const date = new Date(second * 1000);
        const text = formatDate(date, pattern, TimeZone.utc, locale) ?? '';
        expect(parseDate(text, pattern, TimeZone.utc, locale)).toEqual(date);
      }),
    );
  });

  it('never fail for a text, whatever it is', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (text, pattern) => {
        const found = parseDate(text, pattern, berlin, 'de');
        expect(found === undefined || !Number.isNaN(found.getTime())).toBe(true);
      }),
    );
  });

  it('count on beyond their fields, in the zone of the server', () => {
    const at = (text: string, pattern: string): string | undefined =>
      parseDate(text, pattern, berlin, 'en')?.toISOString();
    expect(at('2024-01-01 25:61', 'yyyy-MM-dd HH:mm')).toBe('2024-01-02T01:01:00.000Z');
    expect(at('0.1.2024', 'd.M.yyyy')).toBe('2023-12-30T23:00:00.000Z');
    expect(at('17', 'yy')).toBe('2016-12-31T23:00:00.000Z');
    expect(at('60 2024', 'D yyyy')).toBe('2024-02-28T23:00:00.000Z');
    expect(at('12 AM', 'h a')).toBe('1969-12-31T23:00:00.000Z');
    expect(at('x', 'yyyy')).toBeUndefined();
  });

  it('keep the time of the clock where days are added', async () => {
    const world = await ScriptWorld.open();
    try {
      const context = world.context();
      Object.assign(context.run.schema.settings, { timeZone: 'Europe/Berlin' });
      // Clocks go forward on 2024-03-31.
      const date = new Date('2024-03-30T11:00:00.000Z');
      expect(await call(context, 'dateAdd', date, 0, 0, 1)).toEqual(new Date('2024-03-31T10:00:00.000Z'));
      expect(await call(context, 'dateAdd', date, 0, 0, 0, 24)).toEqual(new Date('2024-03-31T11:00:00.000Z'));
    } finally {
      await world.close();
    }
  });
});
