/** What changed with 7.0 is found in scripts of both languages, and put right where that is certain. */
import { describe, expect, it } from 'vitest';
import { analyseScript, analyseTemplate } from '../../../src/main/scripting/analysis/analysis.js';
import { notionFinding } from '../../../src/main/scripting/analysis/notions.js';

const OLD_POST = "$.POST(url, body, 'application/json', 'UTF-8', user, secret)";
const NEW_POST = "$.POST(url, body, 'application/json', 'UTF-8', { username: user, password: secret })";

function places(source: string): string[] {
  return analyseScript(source).findings.map(
    ({ matter, position, isRewritten }) =>
      `${matter} ${position.line}:${position.column}${isRewritten ? ' rewritten' : ''}`,
  );
}

describe('HTTP calls of before 7.0 in JavaScript', () => {
  it.each([
    [`{ ${OLD_POST}; }`, `{ ${NEW_POST}; }`],
    ["{ $.GET(u, 'text/plain', a, b) }", "{ $.GET(u, 'text/plain', { username: a, password: b }) }"],
    ["{ Svc.HEAD(u, 'x', f(1, 2)).status }", "{ Svc.HEAD(u, { username: 'x', password: f(1, 2) }).status }"],
    ["{ $['GET'](u, t, a, b) }", "{ $['GET'](u, t, { username: a, password: b }) }"],
    ['{ $?.GET(u, t, a ,\n  b,) }', '{ $?.GET(u, t, { username: a, password: b },) }'],
    ['{ $.POST(u, b, t, c, a, p, null) }', '{ $.POST(u, b, t, c, { username: a, password: p }) }'],
    ['{ $.POST(u, b, t, c, a, p, {}) }', '{ $.POST(u, b, t, c, { username: a, password: p }) }'],
    [
      '{ $.POST(u, b, t, c, a, p, { redirects: true /* follow */ }) }',
      '{ $.POST(u, b, t, c, { username: a, password: p, redirects: true /* follow */ }) }',
    ],
    ['{ const s = $; s.GET(u, t, a, b) }', '{ const s = $; s.GET(u, t, { username: a, password: b }) }'],
    ['{ let s = $, r = s; r.GET(u, t, a, b) }', '{ let s = $, r = s; r.GET(u, t, { username: a, password: b }) }'],
    ['{ const { GET: g } = $; g(u, t, a, b) }', '{ const { GET: g } = $; g(u, t, { username: a, password: b }) }'],
    ['{ const g = $.GET; g(u, t, a, b) }', '{ const g = $.GET; g(u, t, { username: a, password: b }) }'],
    [
      '{ $.GET(u, t, $.GET(v, t, a, b).body, c) }',
      '{ $.GET(u, t, { username: $.GET(v, t, { username: a, password: b }).body, password: c }) }',
    ],
    [
      '  {\n  // ünïcödé 😀\n  $.GET(u, t, a, b)\n}\n',
      '  {\n  // ünïcödé 😀\n  $.GET(u, t, { username: a, password: b })\n}\n',
    ],
  ])('become calls with options: %s', (before, after) => {
    const { text, findings } = analyseScript(before);
    expect(text).toBe(after);
    expect(findings.every(({ matter, isRewritten }) => matter === 'http' && isRewritten)).toBe(true);
    expect(analyseScript(after)).toEqual({ findings: [], text: after });
  });

  it.each([
    ['{ $.GET(...args) }', 'are those of a list'],
    ["{ $.GET(u, 'text/html', '#title') }", 'selector'],
    ['{ $.GET(u, t, a /* user */, b) }', 'in the way'],
    ['{ $.GET(u, t, (a), (b)) }', 'in the way'],
    ['{ $.POST(u, b, t, c, a, p, { timeout: 5000 }) }', 'timeout was in milliseconds'],
    ['{ $.POST(u, b, t, c, a, p, config) }', 'cannot be seen'],
    ['{ $.POST(u, b, t, c, a, p, { ...config }) }', 'not all keys'],
    ["{ $.POST(u, b, t, c, 'user') }", 'without a password'],
    ['{ let s = $; s = other; s.GET(u, t, a, b) }', 's may be something else'],
    ['{ const s = a || $; s.GET(u, t, a, b) }', 'another one'],
    ['{ function ask(api) { api.GET(u, t, a, b) } }', 'api is a parameter'],
    ['{ $.POST.apply($, list) }', 'handed on'],
    ['{ urls.map($.GET) }', 'handed on'],
  ])('are told when nobody can say what is meant: %s', (source, message) => {
    const { text, findings } = analyseScript(source);
    expect(text).toBe(source);
    expect(findings).toMatchObject([{ matter: 'http', isRewritten: false }]);
    expect(findings[0]?.message).toContain(message);
  });

  it.each([
    '{ $.GET(u) }',
    '{ $.POST(u, b, t, c, { username: a, password: p }) }',
    '{ $.POST(u, b, t, c, options) }',
    '{ const $ = other; $.GET(u, t, a, b) }',
    '{ const s = other; s.GET(u, t, a, b) }',
    "{ 'x.GET(u, t, a, b)' }",
    '{ // $.GET(u, t, a, b)\n }',
    '{ $.this.GET(u, t, a, b) }',
  ])('are not seen where there are none: %s', (source) => {
    expect(analyseScript(source)).toEqual({ findings: [], text: source });
  });

  it('are told by name and place, with a hint for bodies that may be files', () => {
    expect(places(`{\n  ${OLD_POST};\n}`)).toEqual(['http 2:3 rewritten']);
    expect(analyseScript(`{ ${OLD_POST} }`).findings[0]?.message).toContain('preemptive');
    expect(analyseScript("{ $.POST(u, 'text', t, c, a, p) }").findings[0]?.message).not.toContain('preemptive');
  });

  it('are no calls of the library where users have a function of that name', () => {
    const source = '{ $.GET(u, t, a, b) }';
    expect(analyseScript(source, { userFunctions: new Set(['GET']) })).toEqual({ findings: [], text: source });
  });
});

describe('HTTP calls of before 7.0 in expressions', () => {
  it('become calls with options where user and password are texts', () => {
    const { text } = analyseScript(String.raw`GET(this.url, 'text/plain', 'o\'neil', "a\"b").body`);
    expect(text).toBe(
      String.raw`GET(this.url, 'text/plain', fromJson('{"username":"o\'neil","password":"a\\"b"}')).body`,
    );
    expect(analyseScript(text)).toEqual({ findings: [], text });
  });

  it('are told otherwise', () => {
    expect(places("print(GET(url, 'text/plain', me.name, 'x').body)")).toEqual(['http 1:7']);
    expect(places('POST(u, b)\n POST(u, b, t, c, a, p, x)')).toEqual(['http 2:2']);
    expect(places('HEAD(u).status')).toEqual([]);
  });
});

describe('crypt functions', () => {
  it('are told with what to look at', () => {
    const source = "{ $.encrypt('a'); $.decrypt(x, 'key'); $.set_encryption_key('k'); $.md5('a') }";
    const { findings, text } = analyseScript(source);
    expect(text).toBe(source);
    expect(findings.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^encrypt\(\).*application\.encryption\.secret.*AES-GCM/),
      expect.stringMatching(/^decrypt\(\).*its key is an argument.*AES-ECB/),
      expect.stringMatching(/^setEncryptionKey\(\)/),
    ]);
    expect(places("concat(encrypt('a'), decrypt('b'))")).toEqual(['crypt 1:8', 'crypt 1:22']);
  });
});

describe('texts with scripts', () => {
  it('keep all that is around what is rewritten', () => {
    const before =
      "<p>${GET(u,'t','a','b').body}</p>\n${{ $.GET(u, t, a, b) }} ${js{ $.GET(u, t, a, b) }} ${python{ GET }} ${";
    const { text, findings } = analyseTemplate(before);
    expect(text).toBe(
      '<p>${GET(u,\'t\',fromJson(\'{"username":"a","password":"b"}\')).body}</p>\n' +
        '${{ $.GET(u, t, { username: a, password: b }) }} ${js{ $.GET(u, t, { username: a, password: b }) }} ${python{ GET }} ${',
    );
    expect(findings.map(({ position }) => position)).toEqual([
      { line: 1, column: 6 },
      { line: 2, column: 5 },
      { line: 2, column: 32 },
    ]);
  });

  it('are analysed though one of their scripts cannot be read', () => {
    const { findings, text } = analyseTemplate("a ${{ x = ; }}\n ${GET('} ${{ $.GET(u, t, a, b) }}");
    expect(findings.map(({ matter }) => matter)).toContain('unreadable');
    expect(findings[0]?.position).toEqual({ line: 1, column: 11 });
    expect(text).toContain('a ${{ x = ; }}');
  });
});

describe('notions', () => {
  it('of classes are told', () => {
    expect(notionFinding('tasks, PropertySetNotion(name), true')).toMatchObject({ column: 8 });
    expect(notionFinding('tasks, name')).toBeUndefined();
  });
});
