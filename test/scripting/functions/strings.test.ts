import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computingTime, paced } from '../../support/loop.js';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

describe('functions of texts', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
    context = world.context();
  });
  afterAll(() => world.close());

  it.each<Case>([
    ['upper', ['Straße'], 'STRASSE'],
    ['upper', [true], 'TRUE'],
    ['upper', [null], null],
    ['lower', ['ABC'], 'abc'],
    ['lower', [null], null],
    ['capitalize', ['hello world'], 'Hello world'],
    ['capitalize', [''], ''],
    ['capitalize', [null], null],
    ['titleize', ['hello  big world'], 'Hello Big World'],
    ['titleize', ['one-two_three', '-_'], 'One Two Three'],
    ['titleize', ['  '], ''],
    ['titleize', [null], ''],
    ['length', ['Hello'], 5n],
    ['length', [null], null],
    ['trim', ['  a b \n'], 'a b'],
    ['trim', [[' a', null, 'b ']], ['a', null, 'b']],
    ['trim', [null], null],
    ['clean', ['This is Ä test! (really?) [yes]'], 'this-is-ae-test-really-yes'],
    ['clean', ['a_b  --  c/d'], 'a-b-c-d'],
    ['clean', [' (Hello, World!) - '], 'hello-world'],
    ['clean', ['Crème brûlée'], 'creme-brulee'],
    ['clean', [['A b', 'ß']], ['a-b', 'ss']],
    ['clean', [null], null],
    ['concat', ['a', null, 1, 2n, ['b', null, true]], 'a1.02btrue'],
    ['concat', [], ''],
    ['concat', [null], ''],
    ['join', [['a', null, 'b'], ', '], 'a, b'],
    ['join', ['a', ', '], ''],
    ['join', [null, ', '], ''],
    ['split', ['one,two; three  four'], ['one', 'two', 'three', 'four']],
    ['split', ['a.b..c', '.'], ['a', 'b', 'c']],
    ['split', [null], null],
    ['splitRegex', ['a1b22c', '[0-9]+'], ['a', 'b', 'c']],
    ['splitRegex', ['a,b c'], ['a', 'b', 'c']],
    ['splitRegex', ['a', '('], 'Usage: splitRegex(text [, regex])'],
    ['splitRegex', [null], ''],
    ['substring', ['Hello World', 6], 'World'],
    ['substring', ['Hello', 1n, 100n], 'ello'],
    ['substring', ['Hello', '1', '2'], 'el'],
    ['substring', ['Hello', 9], ''],
    ['substring', ['Hello', -1], ''],
    ['substring', ['Hello', 1, -1], ''],
    ['substring', [null, 1], null],
    ['indexOf', ['Hello', 'l'], 2n],
    ['indexOf', ['Hello', 'x'], -1n],
    ['indexOf', [null, 'x'], ''],
    ['contains', ['Hello', 'ell'], true],
    ['contains', ['Hello', 'ELL'], false],
    ['contains', [[1n, 'a'], 1], true],
    ['contains', [['a'], 'b'], false],
    ['contains', [null, 'a'], false],
    ['startsWith', ['Hello', 'He'], true],
    ['startsWith', [['a', 'b'], 'a'], true],
    ['startsWith', [[], null], false],
    ['startsWith', [null, 'nu'], true],
    ['endsWith', ['Hello', 'lo'], true],
    ['endsWith', ['Hello', 'He'], false],
    ['endsWith', [null, 'a'], false],
    ['strReplace', ['a1b2', '([a-z])([0-9])', '$2$1'], '1a2b'],
    ['strReplace', ['a.b', '\\.', '\\$'], 'a$b'],
    ['strReplace', ['abc', '(?P<x>b)', '[${x}]'], 'a[b]c'],
    ['strReplace', ['abc', '(b', 'x'], null],
    ['strReplace', ['abc', 'b', '$1'], null],
    ['strReplace', [null, 'a', 'b'], null],
    ['abbr', ['Hello great World', 14], 'Hello great…'],
    ['abbr', ['Hello', 5], 'Hello'],
    ['abbr', ['HelloWorld', 5, '...'], 'Hello...'],
    ['abbr', [null, 5], ''],
    ['stopWords', ['xx'], []],
    ['stopWords', ['constructor'], []],
    ['stopWords', [null], null],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it.each(['en', 'de_DE', 'fr', 'es'])('stopWords of %s are single words in small letters', async (language) => {
    const words = (await call(context, 'stopWords', language)) as string[];
    expect(words.length).toBeGreaterThan(50);
    expect(new Set(words).size).toBe(words.length);
    expect(words.filter((word) => !/^\p{Ll}+$/u.test(word))).toEqual([]);
  });

  it('random has letters and digits, and says how it is used for lengths beyond its limit', async () => {
    expect(await call(context, 'random', 40)).toMatch(/^[A-Za-z0-9]{40}$/);
    expect(await call(context, 'random', 40)).not.toBe(await call(context, 'random', 40));
    expect(await call(context, 'random', 1e9)).toBe('Usage: random(length)');
    expect(await call(context, 'random', null)).toBeNull();
  });

  it('answers at once where nothing has to be waited for', () => {
    expect(call(context, 'strReplace', 'aaa', 'a', 'b')).toBe('bbb');
    expect(call(context, 'split', 'a b')).toEqual(['a', 'b']);
  });

  it('makes no text beyond the limit', () => {
    const long = 'x'.repeat(1024 * 1024);
    const many = Array.from({ length: 17 }, () => long);
    expect(() => call(context, 'concat', ...many)).toThrow(ScriptError);
    expect(() => call(context, 'join', many, '')).toThrow(ScriptError);
  });

  it('refuses expressions that would keep the loop busy', () => {
    expect(() => call(context, 'strReplace', 'ab'.repeat(100_000), '(a|b|ab){1,300}c', '')).toThrow(ScriptError);
    expect(call(context, 'strReplace', 'a', 'x'.repeat(2000), '')).toBeNull();
  });

  it('lets others run during long work', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    const result = await call(context, 'strReplace', 'ab'.repeat(200_000), 'a', 'xy');
    clearInterval(timer);
    expect((result as string).length).toBe(600_000);
    expect(turns).toBeGreaterThan(2);
  });

  it.each<Case>([
    ['base64encode', ['Hällo'], 'SMOkbGxv'],
    ['base64encode', ['Hällo', 'basic', 'ISO-8859-1'], 'SORsbG8='],
    ['base64encode', [new Uint8Array([251, 255]), 'url'], '-_8='],
    ['base64encode', ['x'.repeat(60), 'mime'], `${'eHh4'.repeat(19)}\r\neHh4`],
    ['base64encode', ['a', 'unknown'], 'YQ=='],
    ['base64encode', [null], null],
    ['base64decode', ['SMOkbGxv'], 'Hällo'],
    ['base64decode', ['SORsbG8=', 'basic', 'ISO-8859-1'], 'Hällo'],
    ['base64decode', ['YQ'], 'a'],
    ['base64decode', ['eHh4\r\neHh4', 'mime'], 'xxxxxx'],
    ['base64decode', ['%%%'], 'This text is no Base64 of the scheme.'],
    ['base64decode', ['YWJj', 'url'], 'abc'],
    ['base64decode', [null], null],
    ['urlencode', ["a b&c/ä*-._~'"], 'a+b%26c%2F%C3%A4*-._%7E%27'],
    ['urlencode', [null], null],
    ['formurlencode', ['text'], 'Usage: formurlencode(map)'],
    ['formurlencode', [null], null],
    ['escapeHtml', ['<a href="x">\'&'], '&lt;a href=&quot;x&quot;&gt;&#39;&amp;'],
    ['escapeHtml', [null], null],
    ['unescapeHtml', ['&lt;&auml;&#228;&#xE4;&Omega;&hearts;&unknown;&#xD800;'], '<äääΩ♥&unknown;&#xD800;'],
    ['unescapeHtml', [null], null],
    ['escapeXml', ["<a b='\"'>&\u0001"], '&lt;a b=&apos;&quot;&apos;&gt;&amp;'],
    ['escapeXml', [null], null],
    ['escapeJavascript', ['it\'s "a" </b>\n'], 'it\\\'s \\"a\\" <\\/b>\\n'],
    ['escapeJavascript', [null], null],
    ['escapeJson', ['a"b\\c\n/\'\u0001'], 'a\\"b\\\\c\\n/\'\\u0001'],
    ['escapeJson', [null], null],
    ['stripHtml', ['<p>a <b>b</b></p> < c'], 'a b < c'],
    ['stripHtml', [null], null],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it('formurlencode writes maps and lists in brackets', async () => {
    const map = await call(context, 'fromJson', '{"a": 1, "b": {"c": "x y"}, "l": ["y", 1.5]}');
    expect(await call(context, 'formurlencode', map)).toBe('a=1&b[c]=x+y&l[0]=y&l[1]=1.5');
  });

  it('formurlencode refuses maps that hold themselves', () => {
    const map = new Map<string, never>();
    map.set('self', map as never);
    expect(() => call(context, 'formurlencode', map)).toThrow(ScriptError);
  });

  it('stripHtml takes linear time', () => {
    const text = '<'.repeat(1_000_000);
    const took = computingTime(() => {
      expect(call(context, 'stripHtml', text)).toBe(text);
    });
    expect(took).toBeLessThan(paced(2000));
  });
});
