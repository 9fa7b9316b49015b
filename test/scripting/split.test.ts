import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computingTime, paced } from '../support/loop.js';
import { splitScripts } from '../../src/main/scripting/language/split.js';

/** `kind: source` of each part. */
function parts(text: string): string[] {
  return splitScripts(text).map((piece) =>
    piece.kind === 'script' ? `${piece.language.kind}: ${piece.source}` : `${piece.kind}: ${piece.text}`,
  );
}

describe('scripts in a text', () => {
  it.each([
    ['plain $ { } text', ['text: plain $ { } text']],
    ['', []],
    ['a${b}c', ['text: a', 'expression: b', 'text: c']],
    ['$${a}', ['text: $', 'expression: a']],
    ['\\${a}', ['text: \\', 'expression: a']],
    ['${}', ['expression: ']],
    ['${{ 1; }}', ['javascript: { 1; }']],
    ['${ {1} }', ['expression:  {1} ']],
    ['${{a} b}', ['expression: {a} b']],
    ['${{a}}}', ['javascript: {a}', 'text: }']],
    ['${js{ 1; }}', ['javascript: { 1; }']],
    ['${python{ 1 }}', ['other: { 1 }']],
  ])('%s', (text, expected) => {
    expect(parts(text)).toEqual(expected);
  });

  it('end at the brace of their own level', () => {
    expect(parts('${{ if (a) { b({}) } }}x}')).toEqual(['javascript: { if (a) { b({}) } }', 'text: x}']);
  });

  it.each([`${'${'}print('}')}`, `${'${'}print("}")}`, `${'${'}print('\\'}')}`, `${'${'}print("\\"}")}`])(
    'keep braces in quotes: %s',
    (text) => {
      expect(parts(`${text}!`)).toEqual([`expression: ${text.slice(2, -1)}`, 'text: !']);
    },
  );

  it('end a text whose last character is an escaped backslash', () => {
    expect(parts("${f('\\\\')}'")).toEqual(["expression: f('\\\\')", "text: '"]);
  });

  it('count braces in template literals', () => {
    expect(parts('${{ `${x}` }}')).toEqual(['javascript: { `${x}` }']);
    expect(parts('${{ `}` }}')).toEqual(['expression: { `}` ', 'text: }']);
  });

  it('may have comments with braces and quotes in them, to the end of the line', () => {
    expect(parts("${{ // it's {\n 1; }}")).toEqual(["javascript: { // it's {\n 1; }"]);
    expect(parts('${{ a / b / c } }')).toEqual(['expression: { a / b / c } ']);
    expect(parts("${{ '//'; }}")).toEqual(["javascript: { '//'; }"]);
  });

  it('count braces in block comments', () => {
    expect(parts('${{ /* } */ }}')).toEqual(['expression: { /* } */ ', 'text: }']);
  });

  it.each(['${a', '${{a}', "${'a}", '${a // }', '${a ${b}'])('that do not end are told: %s', (script) => {
    expect(parts(`x${script}`)).toEqual(['text: x', `unterminated: ${script}`]);
  });

  it('have a place in the text', () => {
    const pieces = splitScripts('ab\n ${c}\r\n${{d}}\n${e');
    expect(pieces.map(({ kind, position }) => [kind, position.line, position.column])).toEqual([
      ['text', 1, 1],
      ['script', 2, 4],
      ['text', 2, 6],
      ['script', 3, 3],
      ['text', 3, 7],
      ['unterminated', 4, 1],
    ]);
  });

  it('together are the text, and begin where they say', () => {
    const token = fc.constantFrom('${', '}', '{', "'", '"', '\\', '/', '//', '\n', 'a', '$', ' ', '`');
    fc.assert(
      fc.property(fc.array(token), (tokens) => {
        const text = tokens.join('');
        const pieces = splitScripts(text);
        expect(pieces.map((piece) => piece.text).join('')).toBe(text);
        const lines = text.split('\n');
        for (const piece of pieces) {
          const { line, column } = piece.position;
          const from = lines
            .slice(line - 1)
            .join('\n')
            .slice(column - 1);
          expect(from.startsWith(piece.kind === 'script' ? piece.source : piece.text)).toBe(true);
        }
      }),
    );
  });

  it('are found in linear time', () => {
    for (const hostile of ['${', '${{', "${'", '${//', '${a}', '$', '{', '\\', '${"\\']) {
      const text = hostile.repeat(1_000_000 / hostile.length);
      expect(computingTime(() => splitScripts(text))).toBeLessThan(paced(4000));
    }
  });
});
