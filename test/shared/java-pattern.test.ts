import fc from 'fast-check';
import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { JavaPattern, JavaPatternError } from '../../src/shared/java-pattern.js';
import { plainPattern } from '../../src/shared/plain-pattern.js';

describe('patterns in Java syntax', () => {
  it.each<[string, string, string | null | undefined]>([
    ['category:(.*)', 'category:books', 'books'],
    ['(.*)', 'a\nb', undefined],
    ['.*=(\\d+);.*', 'amount=12;x', '12'],
    ['(a)|(b)', 'b', null],
    ['([^;]*);(.*)', 'a;b', 'a'],
    ['(?i)A(.)', 'ab', 'b'],
    ['\\Q.\\E(x)', '.x', 'x'],
    ['(\\p{Alpha}+)', 'abc', 'abc'],
    ['(?=.*\\d)(.*)', 'a1', 'a1'],
    ['(?!admin)(.*)', 'admin', undefined],
    ['(.)', '\u{1f600}', '\u{1f600}'],
    ['(\\w)-([a-c-]+)', 'x-a-b', 'x'],
    ['a{2,3}(b?)', 'aa', ''],
  ])('%s of %j captures %j', (source, text, group) => {
    const pattern = JavaPattern.compile(source);
    expect(pattern.firstGroup(text)).toBe(group);
    expect(pattern.matches(text)).toBe(group !== undefined);
  });

  it.each(['(', '[', 'a**', '(a)\\1', '(?<=a)b', 'a{2,1}', '\\'])('%s cannot be used', (source) => {
    expect(() => JavaPattern.compile(source)).toThrow(JavaPatternError);
  });

  it.each([
    '(a+)+',
    '(a|b)*',
    'a*b*c*d*',
    '(?i)a',
    '^a',
    'a$',
    '\\ba',
    '[[:alpha:]]',
    '[a&&b]',
    'a{200}',
    'a**',
    '\\p{L}',
    '(?<n>a)',
    '(',
    'a|(b',
  ])('%s is not plain', (source) => {
    expect(plainPattern(source)).toBeUndefined();
  });

  it.each(['(a+)+$', '(x+x+)+y', '(.*)*y', '(x|x)*y', '(x*)*y', '.*.*.*y', '(x?){50}x{50}.*y', '.*x.*x.*y', 'x*x*y'])(
    '%s does not run away',
    (source) => {
      const pattern = JavaPattern.compile(source);
      for (const length of [99, 999, 100_000]) {
        const since = performance.now();
        expect(pattern.matches('x'.repeat(length))).toBe(false);
        expect(performance.now() - since).toBeLessThan(5000);
      }
    },
  );

  it('are matched by V8 as by re2js', () => {
    const atom = fc.constantFrom(
      'a',
      'b',
      '=',
      '-',
      '.',
      '\\d',
      '\\w',
      '\\s',
      '\\S',
      '\\.',
      '\\-',
      '[ab]',
      '[^a]',
      '[a-c1]',
      '[^\\s;]',
      '\u00e9',
      '\u{1f600}',
      '\\n',
    );
    const repeated = fc
      .tuple(atom, fc.constantFrom('', '', '', '*', '+', '?', '*?', '+?', '{2}', '{1,2}', '{0,}'))
      .map((parts) => parts.join(''));
    const sequence = fc.array(repeated, { maxLength: 4 }).map((parts) => parts.join(''));
    const grouped = fc
      .tuple(sequence, fc.constantFrom('(', '(?:'), sequence, sequence, sequence)
      .map(([before, open, one, other, after]) => `${before}${open}${one}|${other})${after}`);
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', '1', '=', '-', ';', ' ', '\n', '.', '\u00e9', '\u{1f600}'), {
        maxLength: 8,
      })
      .map((parts) => parts.join(''));
    let plain = 0;
    fc.assert(
      fc.property(fc.oneof(sequence, grouped), fc.array(text, { minLength: 5, maxLength: 5 }), (source, texts) => {
        const fast = plainPattern(source);
        if (fast === undefined) return;
        plain++;
        const slow = RE2JS.compile(source);
        for (const one of texts) {
          const found = fast.regexp.exec(one);
          const matcher = slow.matcher(one);
          const matches = matcher.matches();
          expect([source, one, found !== null]).toEqual([source, one, matches]);
          if (matches && slow.groupCount() > 0)
            expect([source, one, found?.[1] ?? null]).toEqual([source, one, matcher.group(1)]);
        }
      }),
      { numRuns: 1500 },
    );
    expect(plain).toBeGreaterThan(500);
  });
});
