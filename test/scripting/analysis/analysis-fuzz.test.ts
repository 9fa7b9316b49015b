/** Whatever is analysed: it ends soon, changes nothing but what it tells, and has nothing left to change. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computingTime, paced } from '../../support/loop.js';
import { analyseScript, analyseTemplate, type Analysis } from '../../../src/main/scripting/analysis/analysis.js';
import { ScriptSyntaxError } from '../../../src/main/scripting/language/errors.js';
import { parseJavaScript } from '../../../src/main/scripting/engines/javascript/source/tree.js';
import { runsOf } from '../../support/random.js';

const piece = fc.constantFrom(
  ...[
    '$.GET(',
    '$.POST(u, b, t, c, a, p)',
    'GET(u, t, "a", \'b\')',
    'HEAD(u,"a","b")',
    "$.encrypt('x')",
    '(',
    ')',
    '{',
    '}',
  ],
  ...[
    '${',
    '${{',
    '}}',
    'const s = $;',
    's.',
    "'",
    '"',
    '`',
    '\\',
    '/',
    '//',
    '/*',
    '*/',
    '=>',
    '...',
    'u, t, a, b',
    ',',
    ';',
  ],
  ...[
    '\n',
    '\r\n',
    ' ',
    '😀',
    '\u2028',
    '\0',
    'function f(p) ',
    'class A ',
    'import ',
    'export ',
    'await ',
    '<!--',
    '#',
    'a.b',
  ],
);
const text = fc.oneof(
  fc.array(piece, { maxLength: 40 }).map((words) => words.join('')),
  fc.string({ unit: 'binary' }),
);
/** Calls with arguments of all kinds, within each other. */
const nested = fc.letrec<{ arg: string; call: string }>((tie) => ({
  arg: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(
      'u',
      "'text'",
      'null',
      '{}',
      '{ redirects: true }',
      '{ timeout: 1 }',
      '...x',
      '(a, b)',
      'a => b',
      '`t`',
    ),
    tie('call'),
  ),
  call: fc
    .tuple(
      fc.constantFrom('$.GET', '$.POST', '$.HEAD', '$.encrypt', 's.POST', '$?.GET', 'g', 'other.GET'),
      fc.array(tie('arg'), { maxLength: 8 }),
      fc.constantFrom(', ', ',', ' ,\n', ' /* c */, '),
    )
    .map(([name, args, comma]) => `${name}(${args.join(comma)})`),
})).call;

/** It is a fixed point, and without rewriting the very text. */
function check(source: string, analyse: (source: string) => Analysis): void {
  const once = analyse(source);
  if (once.findings.every(({ isRewritten }) => !isRewritten)) expect(once.text).toBe(source);
  const twice = analyse(once.text);
  expect(twice.text).toBe(once.text);
  expect(twice.findings.some(({ isRewritten }) => isRewritten)).toBe(false);
  const lines = source.split('\n');
  for (const { position } of once.findings) {
    // What is missing is missed behind the last character.
    expect(position.column).toBeLessThanOrEqual((lines[position.line - 1]?.length ?? -2) + 1);
  }
}

describe('any text', () => {
  it('is analysed as a template and as a script', () => {
    fc.assert(
      fc.property(text, (source) => {
        check(source, analyseTemplate);
        check(source, analyseScript);
        check(`{${source}}`, analyseScript);
      }),
      { numRuns: runsOf(2000) },
    );
  });

  it('is read as JavaScript, or has a place where it cannot be', () => {
    fc.assert(
      fc.property(text, (source) => {
        try {
          parseJavaScript(source);
        } catch (error) {
          expect(error).toBeInstanceOf(ScriptSyntaxError);
        }
      }),
      { numRuns: runsOf(1000) },
    );
  });
});

describe('calls in calls', () => {
  it('are rewritten at once, and can be read again', () => {
    let rewritten = 0;
    fc.assert(
      fc.property(nested, (call) => {
        const source = `{ const s = $, { GET: g } = $;\n ${call}; }`;
        check(source, analyseScript);
        const { findings, text: after } = analyseScript(source);
        if (findings.some(({ isRewritten }) => isRewritten)) rewritten++;
        expect(findings.map(({ matter }) => matter)).not.toContain('unreadable');
        expect(analyseScript(after).findings.map(({ matter }) => matter)).not.toContain('unreadable');
      }),
      { numRuns: runsOf(1000) },
    );
    expect(rewritten).toBeGreaterThan(runsOf(50));
  });
});

describe('texts that are made to take long', () => {
  it.each([
    ['brackets', '('.repeat(100_000)],
    ['lists', '['.repeat(100_000)],
    ['blocks', '{'.repeat(100_000)],
    ['calls', `$${'.GET(u, t, a, b)'.repeat(20_000)}`],
    ['calls in calls', '$.GET(u, t, a, '.repeat(20_000)],
    ['sums', 'a+'.repeat(100_000)],
    ['arrows', 'a=>'.repeat(100_000)],
    ['declarations', `let ${Array.from({ length: 50_000 }, (_, i) => `a${i.toString(36)}`).join()};`],
    [
      'names of each other',
      `${Array.from({ length: 5000 }, (_, i) => `let a${String(i + 1)} = a${String(i)};`).join('')} a5000.GET(u, t, a, b)`,
    ],
    ['names of themselves', 'let a = a || b, b = b || a || a; a.GET(u, t, a, b)'],
    ['functions in functions', `${'(function(a){'.repeat(500)}${'a.GET(u,t,a,b);'.repeat(5000)}${'})'.repeat(500)}`],
    ['regular expressions', `/${'(?<a>'.repeat(30_000)}`],
    ['texts', '`${'.repeat(100_000)],
    ['templates', '${{'.repeat(100_000)],
    ['scripts', "${GET(u,t,'a','b')}".repeat(20_000)],
    ['length', ' '.repeat(3_000_000)],
  ])('end soon: %s', (_, source) => {
    const took = computingTime(() => {
      analyseTemplate(source);
      analyseScript(`{${source}}`);
    });
    expect(took).toBeLessThan(paced(5000));
  });
});
