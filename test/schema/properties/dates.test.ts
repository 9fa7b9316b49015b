import fc from 'fast-check';
import { DateTime, IANAZone } from 'luxon';
import { describe, expect, test } from 'vitest';
import { computingTime, paced } from '../../support/loop.js';
import {
  dateFormatter,
  datePattern,
  DEFAULT_DATE_PATTERN,
  isoDateTime,
  parseIso,
  TimeZone,
} from '../../../src/shared/dates/index.js';

const ZONES = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Asia/Kolkata',
  'Australia/Lord_Howe',
  'Pacific/Apia',
  'Africa/Casablanca',
];
/** From 1700 to 2200: local mean times included. */
const instants = fc.integer({ min: Date.UTC(1700, 0), max: Date.UTC(2200, 0) });

function zone(name: string): TimeZone {
  const found = TimeZone.of(name);
  if (found === undefined) throw new Error(name);
  return found;
}

describe('time zones', () => {
  test.each(ZONES)('%s has the offsets of luxon', (name) => {
    const own = zone(name);
    const theirs = IANAZone.create(name);
    fc.assert(
      fc.property(instants, (instant) => {
        expect(own.offset(instant)).toBe(Math.round(theirs.offset(instant) * 60_000));
      }),
      { numRuns: 300 },
    );
  });

  test('change to the millisecond', () => {
    const berlin = zone('Europe/Berlin');
    const change = Date.UTC(2024, 2, 31, 1);
    expect([berlin.offset(change - 1), berlin.offset(change)]).toEqual([3_600_000, 7_200_000]);
  });

  test('local times that are skipped or come twice', () => {
    const berlin = zone('Europe/Berlin');
    expect(berlin.instant(Date.UTC(2024, 2, 31, 2, 30))).toBe(Date.UTC(2024, 2, 31, 1, 30));
    expect(berlin.instant(Date.UTC(2024, 9, 27, 2, 30))).toBe(Date.UTC(2024, 9, 27, 1, 30));
  });

  test.each([
    ['+02:00', 7_200_000],
    ['GMT-3', -10_800_000],
    ['UTC', 0],
    ['europe/berlin', 3_600_000],
  ])('%s', (name, offset) => {
    expect(zone(name).offset(0)).toBe(offset);
  });

  test.each(['Nowhere/Land', '+25:00', '', 'a'.repeat(100)])('there is no %j', (name) => {
    expect(TimeZone.of(name)).toBeUndefined();
  });
});

describe('patterns', () => {
  // A Friday, 08:05:09.007 UTC.
  const instant = Date.UTC(2024, 2, 1, 8, 5, 9, 7);
  test.each([
    ["yyyy-MM-dd'T'HH:mm:ssZ", '2024-03-01T08:05:09+0000'],
    ["yyyy-MM-dd'T'HH:mm:ss.SSSXXX", '2024-03-01T08:05:09.007Z'],
    ['dd.MM.yy H:m:s S', '01.03.24 8:5:9 7'],
    ['EEE, d MMM yyyy', 'Fri, 1 Mar 2024'],
    ['EEEE d MMMM y G', 'Friday 1 March 2024 AD'],
    ['hh:mm a K k', '08:05 AM 8 8'],
    ["YYYY-'W'ww-u", '2024-W09-5'],
    ['DDD W F', '061 0 1'],
    ["'It''s' yyyy ''", "It's 2024 '"],
    ['z zzzz', 'UTC Coordinated Universal Time'],
    ['X XX', 'Z Z'],
  ])('%s writes %s', (pattern, text) => {
    expect(datePattern(pattern).format(instant, TimeZone.utc)).toBe(text);
  });

  test.each([
    ['dd.MM.yyyy', '1.3.2024', Date.UTC(2024, 2, 1)],
    ['dd.MM.yy', '01.03.24', Date.UTC(2024, 2, 1)],
    ['yyyyMMddHHmmss', '20240301080509', Date.UTC(2024, 2, 1, 8, 5, 9)],
    ['d MMMM yyyy', '1 march 2024', Date.UTC(2024, 2, 1)],
    ['EEE, d MMM yyyy', 'Fri, 1 Mar 2024', Date.UTC(2024, 2, 1)],
    ['yyyy DDD', '2024 366', Date.UTC(2024, 11, 31)],
    ["YYYY-'W'ww", '2024-W09', Date.UTC(2024, 1, 26)],
    ['h:mm a', '12:30 am', 30 * 60_000],
    ['h:mm a', '12:30 PM', 750 * 60_000],
    ['kk', '24', 0],
    ['y G', '1 BC', -62_167_219_200_000],
    ['HH:mm z', '10:00 CEST', 8 * 3_600_000],
    ['HH:mm z', '10:00 Europe/Berlin', 9 * 3_600_000],
    ['HH:mm Z', '10:00 Z', 10 * 3_600_000],
    ['HH:mm Z', '10:00 +02:00', 8 * 3_600_000],
  ])('%s reads %s', (pattern, text, expected) => {
    expect(datePattern(pattern).parse(text, TimeZone.utc)?.instant).toBe(expected);
  });

  test.each([
    ['dd.MM.yyyy', '31.02.2024'],
    ['dd.MM.yyyy', '29.02.2023'],
    ['dd.MM.yyyy', '01.13.2024'],
    ['dd.MM.yyyy', '01.03.2024 x'],
    ['dd.MM.yyyy', '0.03.2024'],
    ['HH:mm', '24:00'],
    ['HH:mm', '10:60'],
    ['h a', '13 PM'],
    ['EEE, d MMM yyyy', 'Sat, 1 Mar 2024'],
    ['d MMM yyyy', '1 Foo 2024'],
    ['yyyy DDD', '2023 366'],
    ['HH z', '10 XYZ'],
    ['yyyy', ''],
  ])('%s does not read %j', (pattern, text) => {
    expect(datePattern(pattern).parse(text, TimeZone.utc)).toBeUndefined();
  });

  test.each(['yyyy-bb', "yyyy 'open", '', 'f', 'y'.repeat(300)])('%.10j is no pattern', (pattern) => {
    expect(() => datePattern(pattern)).toThrow();
  });

  test('any text can be given to any pattern', () => {
    const patterns = [
      "yyyy-MM-dd'T'HH:mm:ssZ",
      'EEE, d MMM yyyy h:mm a z',
      'yyyyMMdd',
      'zZzZzZzZ',
      'MMMEEEMMMEEEG',
    ].map((source) => datePattern(source));
    fc.assert(
      fc.property(fc.string(), (text) => {
        for (const pattern of patterns) pattern.parse(text, TimeZone.utc);
        parseIso(text);
      }),
    );
    const took = computingTime(() => {
      for (const pattern of patterns) pattern.parse('A'.repeat(100_000), TimeZone.utc);
    });
    expect(took).toBeLessThan(paced(1000));
  });
});

describe('round trips', () => {
  const inZone = fc.tuple(instants, fc.constantFrom(...ZONES));

  test.each([
    "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
    'EEE, dd MMM yyyy hh:mm:ss.SSS a XXX',
    "YYYY-'W'ww-u HH:mm:ss.S Z",
    'D/y G k.m.s.SSS XX',
  ])('%s keeps every instant of every zone', (source) => {
    const pattern = datePattern(source);
    fc.assert(
      fc.property(inZone, ([instant, name]) => {
        const text = pattern.format(instant, zone(name));
        expect(pattern.parse(text, TimeZone.utc)?.instant).toBe(instant);
      }),
    );
  });

  test('the quick way writes what the pattern writes, and luxon too', () => {
    const pattern = datePattern(DEFAULT_DATE_PATTERN);
    const quick = new Map(ZONES.map((name) => [name, dateFormatter(pattern, zone(name))]));
    fc.assert(
      fc.property(inZone, ([instant, name]) => {
        const text = quick.get(name)?.(instant);
        expect(text).toBe(pattern.format(instant, zone(name)));
        expect(parseIso(text ?? '')?.instant).toBe(Math.floor(instant / 1000) * 1000);
        if (instant > Date.UTC(1975, 0)) {
          expect(text).toBe(DateTime.fromMillis(instant, { zone: name }).toFormat("yyyy-MM-dd'T'HH:mm:ssZZZ"));
        }
      }),
    );
  });

  test('ISO text keeps instant and offset, far away too', () => {
    const far = fc.tuple(
      fc.integer({ min: -8.6e15 / 1000, max: 8.6e15 / 1000 }),
      fc.integer({ min: -18 * 60, max: 18 * 60 }),
    );
    fc.assert(
      fc.property(far, ([seconds, minutes]) => {
        const date = { instant: seconds * 1000 + 7, offset: minutes * 60_000 };
        expect(parseIso(isoDateTime(date.instant, date.offset, 'needed'))).toEqual(date);
      }),
    );
  });
});
