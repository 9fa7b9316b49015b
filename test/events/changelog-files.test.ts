/** Files of the changelog as the thread writes and reads them (docs/design/changelog.md). */
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Appender, type PositionedText } from '../../src/main/events/changelog/files/appender.js';
import { pathOf } from '../../src/main/events/changelog/files/paths.js';
import {
  changeText,
  eachLine,
  headText,
  nodeText,
  Pieces,
  PieceWriter,
} from '../../src/main/events/changelog/files/record.js';
import { scan, type Place } from '../../src/main/events/changelog/files/scan.js';
import { sweep } from '../../src/main/events/changelog/files/sweep.js';
import type { LogFilters } from '../../src/main/events/changelog/files/filters.js';

const ID = 'abcd0000000000000000000000000000';
const PATH = pathOf('n', ID);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-changelog-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

const head = (time: number): string => headText({ time, userId: 'u', userName: 'anna', ofUser: false });
/** Records that each change a value, one every ten milliseconds. */
const records = (from: number, count: number): PositionedText[] =>
  Array.from({ length: count }, (_, i) => {
    const time = 1_700_000_000_000 + (from + i) * 10;
    return [from + i + 1, `0${head(time)}${changeText('n', true, ID, 'key', from + i, from + i + 1)}`];
  });
function readAll(filters: LogFilters = {}, path = join(folder, PATH)): { time: number; val: unknown }[] {
  const all: string[] = [];
  let from: Place | undefined;
  do {
    const { lines, next } = scan({ path, filters, ...(from === undefined ? {} : { from }) });
    all.push(...lines);
    from = next;
  } while (from !== undefined);
  return all.map((line) => JSON.parse(line) as { time: number; val: unknown });
}
const values = (filters?: LogFilters): unknown[] => readAll(filters).map(({ val }) => val);
const upTo = (count: number): number[] => Array.from({ length: count }, (_, i) => i + 1);
const SINCE = 1_700_000_000_000;

describe('records', () => {
  it('are cut into pieces and put together again, whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { minLength: 1, maxLength: 4 }),
        fc.nat(3),
        (parts, times) => {
          const long = parts.map((part) => part + '\u{1f600}x'.repeat(times * 8000));
          const writer = new PieceWriter('head');
          const made = [...long.flatMap((part) => [...writer.add(part)]), writer.end() ?? ''];
          const pieces = new Pieces();
          const texts = made.map((piece) => pieces.add(piece));
          expect(texts.at(-1)).toBe(`head${long.join('')}`);
          expect(texts.slice(0, -1).every((text) => text === undefined)).toBe(true);
          for (const piece of made) expect(Buffer.from(piece).toString()).toBe(piece.toWellFormed());
        },
      ),
      { numRuns: 5 },
    );
  });

  it('become lines that nothing in them can end or forge', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }), (one, other) => {
        const text =
          headText({ time: 5, userId: one, userName: other, ofUser: true }) +
          nodeText('create', one, other, true) +
          changeText('n', true, undefined, other, one, [other, one]);
        const lines: string[] = [];
        eachLine(text, (_, line) => lines.push(line));
        expect(lines).toHaveLength(4);
        for (const line of lines) expect(line.indexOf('\n')).toBe(line.length - 1);
        const [made, , changed] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(made).toEqual({ time: 5, userId: one, userName: other, verb: 'create', target: one, type: other });
        expect(changed).toMatchObject({ verb: 'change', key: other, prev: one, val: [other, one] });
      }),
    );
  });

  it('name files that lie in their folder, whatever an id is', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.constantFrom('..', '../../../../etc', '/a', 'a.d', '', '....', 'CON')),
        (id) => {
          expect(pathOf('n', id)).toMatch(/^n(\/[0-9A-Za-z_-]){4}\/[0-9A-Za-z][\w-]{3,99}$/);
        },
      ),
    );
  });
});

describe('appending', () => {
  it('goes on after a crash at any byte, without loss and without repetition', async () => {
    const all = records(0, 12);
    const first = new Appender(folder, 0);
    first.take(all, false);
    first.writeSome(1000);
    const whole = readFileSync(join(folder, PATH));
    for (let cut = 0; cut <= whole.length; cut += 11) {
      // What was on its way when the machine stopped may be there in part, or be zeros.
      const left = cut % 2 === 0 ? whole.subarray(0, cut) : Buffer.concat([whole.subarray(0, cut), Buffer.alloc(9)]);
      writeFileSync(join(folder, PATH), left);
      const next = new Appender(folder, SINCE);
      next.take(all.slice(0, 5), true);
      next.writeSome(1000);
      next.take(all.slice(5), true);
      next.take(records(12, 3), false);
      next.writeSome(1000);
      await next.sync();
      expect(values(), `cut at ${String(cut)}`).toEqual(upTo(15));
      expect(next.synced).toBe(15);
    }
  });

  it('takes off what the disk has refused, and tells it', () => {
    mkdirSync(join(folder, 'n'), { recursive: true });
    writeFileSync(join(folder, 'n', 'a'), 'no folder');
    const appender = new Appender(folder, 0);
    appender.take(records(0, 2), false);
    expect(() => appender.writeSome(1000)).toThrow();
    rmSync(join(folder, 'n', 'a'));
    expect(appender.writeSome(1000)).toBe(true);
    expect(values()).toEqual([1, 2]);
  });

  it('puts long files aside, which are read and gone on with as one', () => {
    const appender = new Appender(folder, 0);
    appender.longest = 1000;
    for (let i = 0; i < 40; i++) {
      appender.take(records(i, 1), false);
      appender.writeSome(1000);
    }
    expect(readdirSync(`${join(folder, PATH)}.d`).length).toBeGreaterThan(2);
    expect(statSync(join(folder, PATH)).size).toBeLessThan(1001);
    expect(values()).toEqual(upTo(40));
    expect(values({ timeTo: SINCE + 90 })).toEqual(upTo(10));
    const next = new Appender(folder, SINCE);
    next.take(records(0, 45), true);
    next.writeSome(1000);
    expect(values()).toEqual(upTo(45));
  });
});

describe('reading', () => {
  it('finds the end of a large file without the rest, and takes little memory', () => {
    const path = join(folder, PATH);
    mkdirSync(dirname(path), { recursive: true });
    const count = 100_000;
    for (let i = 0; i < count; i += 10_000) {
      const some = Array.from(
        { length: 10_000 },
        (_, j) =>
          `{"time":${String(SINCE + (i + j) * 1000)},"userId":"u","userName":"anna","verb":"change","key":"k${String(j % 10)}","prev":null,"val":${String(i + j + 1)}}\n`,
      );
      appendFileSync(path, some.join(''));
    }
    const last = SINCE + (count - 1) * 1000;
    const begun = performance.now();
    expect(values({ timeFrom: last - 4000 })).toEqual([count - 4, count - 3, count - 2, count - 1, count]);
    const young = performance.now() - begun;
    expect(values({ key: ['k3'], timeTo: SINCE + 60_000 })).toEqual([4, 14, 24, 34, 44, 54]);
    const all = performance.now();
    expect(values()).toEqual(upTo(count));
    // A tenth would be as much as one hour has, of 27; machines that do other things as well get more.
    expect(young).toBeLessThan((performance.now() - all) / 2);
  });
});

describe('what is not to be kept', () => {
  it('goes: whole files, files that were put aside, and the beginning of others', () => {
    const appender = new Appender(folder, 0);
    appender.take(records(0, 30), false);
    appender.writeSome(1000);
    const path = join(folder, PATH);
    mkdirSync(`${path}.d`);
    for (const time of [SINCE - 20, SINCE - 10]) {
      const old = join(`${path}.d`, String(time).padStart(16, '0'));
      writeFileSync(old, `{"time":${String(time)},"verb":"change","key":"key","val":0}\n`);
      utimesSync(old, time / 1000, time / 1000);
    }
    const other = join(folder, pathOf('u', 'ffff0000000000000000000000000000'));
    mkdirSync(dirname(other), { recursive: true });
    writeFileSync(other, '{"time":5,"verb":"create","target":"x","type":"T"}\n');
    utimesSync(other, 1, 1);
    writeFileSync(`${path}.new`, 'left by a crash');
    expect(values()).toEqual([0, 0, ...upTo(30)]);
    const steps = sweep(folder, SINCE + 100);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    expect(step.value).toBe(4);
    expect(values()).toEqual(upTo(30).slice(10));
    expect(readdirSync(dirname(path))).toEqual([ID]);
    expect(() => statSync(other)).toThrow('ENOENT');
    appender.forget();
    appender.take(records(30, 1), false);
    appender.writeSome(1000);
    expect(values().at(-1)).toBe(31);
  });
});
