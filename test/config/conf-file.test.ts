import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computingTime, paced } from '../support/loop.js';
import { formatEntry, parseConf, rewriteConf } from '../../src/main/config/conf-file.js';
import { runsOf } from '../support/random.js';

/** Names and values of a text that has no bad lines. */
function entries(text: string): [string, string][] {
  const { parts, badLines } = parseConf(text);
  expect(badLines).toEqual([]);
  return parts.flatMap((part) => (part.kind === 'entry' ? [[part.name, part.value] as [string, string]] : []));
}

describe('one line', () => {
  it.each([
    ['a = b', 'a', 'b'],
    ['a=b', 'a', 'b'],
    ['a: b', 'a', 'b'],
    ['  a.b_c-d  =   b c  ', 'a.b_c-d', 'b c'],
    ['a =', 'a', ''],
    ['a = b=c:d', 'a', 'b=c:d'],
    ['a = b # no comment', 'a', 'b # no comment'],
    ['url = http://x/?q=1', 'url', 'http://x/?q=1'],
    [String.raw`a = one\ntwo\tthree`, 'a', 'one\ntwo\tthree'],
    [String.raw`a = C:\\temp`, 'a', String.raw`C:\temp`],
    [String.raw`a = \\d+\\.x`, 'a', String.raw`\d+\.x`],
    [String.raw`a = \d+\.x`, 'a', String.raw`\d+\.x`],
    [String.raw`a = \u00e4\u20AC`, 'a', 'ä€'],
    [String.raw`a = \\u00e4`, 'a', String.raw`\u00e4`],
    [String.raw`a\=b\:c = d`, 'a=b:c', 'd'],
    [String.raw`\#a = \#b`, '#a', '#b'],
    [String.raw`a = \ b \ `, 'a', ' b  '],
    ['a = ${env:HOME} äöü 😀', 'a', '${env:HOME} äöü 😀'],
    ['\ta = b\r', 'a', 'b'],
  ])('%j', (line, name, value) => {
    expect(entries(line)).toEqual([[name, value]]);
  });

  it.each([
    ['nonsense', "no '='"],
    ['= value', 'no name'],
    [' : value', 'no name'],
    ['two words = value', 'space in the name'],
    [String.raw`a = \u12`, 'four hexadecimal digits'],
    [String.raw`a = \\\uxyzw`, 'four hexadecimal digits'],
    [String.raw`a\=b`, "no '='"],
  ])('%j is bad', (line, reason) => {
    const { badLines } = parseConf(`# comment\n${line}\n`);
    expect(badLines).toEqual([{ line: 2, reason: expect.stringContaining(reason) as string }]);
    // The line may be a password that lost its name.
    expect(badLines[0]?.reason).not.toContain('nonsense');
  });
});

describe('a file', () => {
  it('has comments, blank lines and any line ends', () => {
    expect(entries('# a = 1\r\n\r\n! b = 2\rc = 3\n   # d = 4\n\te = 5')).toEqual([
      ['c', '3'],
      ['e', '5'],
    ]);
  });

  it('joins lines that end in a backslash and counts them', () => {
    const text = 'a = one, \\\n    two, \\\n    three\n# x\\\nb = 1\\\\\nc = last\\';
    const { parts } = parseConf(text);
    const found = parts.flatMap((part) => (part.kind === 'entry' ? [[part.name, part.value, part.line]] : []));
    expect(found).toEqual([
      ['a', 'one, two, three', 1],
      ['b', '1\\', 5],
      ['c', 'last', 6],
    ]);
  });

  it('never fails on any text, and gives it back as it was', () => {
    const piece = fc.constantFrom('a', '=', ':', '\\', '\n', '\r', ' ', '#', '!', '\\u', '00e4', '\0', 'ä', '\u2028');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const text = pieces.join('');
        expect(rewriteConf(parseConf(text), () => undefined, [])).toBe(text);
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('reads a long line without a separator in linear time', () => {
    const text = `${'a'.repeat(1_000_000)}\n${'\\'.repeat(1_000_001)}\n${' '.repeat(1_000_000)}x`;
    expect(computingTime(() => parseConf(text))).toBeLessThan(paced(4000));
  });
});

describe('writing', () => {
  it('reads back every name and value', () => {
    const name = fc
      .string({ minLength: 1, unit: 'binary' })
      .filter((text) => text.isWellFormed())
      .filter((text) => text.trim() !== '');
    fc.assert(
      fc.property(name, fc.string({ unit: 'binary' }), (key, value) => {
        const line = formatEntry(key, value);
        expect(line).not.toMatch(/[\r\n]/);
        // As the disk has it: text that is no UTF-8 would not come back.
        const stored = Buffer.from(`# before\n${line}\nz = 1\n`, 'utf8').toString('utf8');
        expect(entries(stored)).toEqual([
          [key, value],
          ['z', '1'],
        ]);
      }),
      { numRuns: runsOf(5000) },
    );
  });

  it.each([' padded ', 'tail\\', '\\', '\u00a0', 'a\u0000b', '\ud800', '\r\n', '#x', '=', 'a\\nb'])('%j', (value) => {
    const stored = Buffer.from(formatEntry('name', value), 'utf8').toString('utf8');
    expect(entries(stored)).toEqual([['name', value]]);
  });

  it('adds entries behind a last line that has no end', () => {
    expect(rewriteConf(parseConf('a = 1'), () => undefined, ['b = 2'])).toBe('a = 1\nb = 2\n');
  });
});
