import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonSyntaxError, parseJson, parseJsonSync, JsonReader, type JsonValue } from '../../src/shared/json/index.js';
import { computingTime, longestTurnAtBest, paced } from '../support/loop.js';
import { runsOf } from '../support/random.js';

/** The lenient parser alone, never the engine's. */
function lenient(text: string): JsonValue {
  const reader = new JsonReader(text, {
    maxDepth: 128,
    restArrays: false,
    primitives: true,
    maxValues: Infinity,
    maxObjects: Infinity,
  });
  while (!reader.run(0));
  return reader.result;
}

function errorOf(text: string): JsonSyntaxError {
  try {
    parseJsonSync(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error;
    throw error;
  }
  throw new Error(`No error for ${text}`);
}

/** What the engine would read, with integers beyond 2^53 left out, which it cannot. */
const anyJson = fc.json({ maxDepth: 5 }).filter((text) => !/\d{16}/.test(text));

test('both ways read what JSON.stringify writes', () => {
  fc.assert(
    fc.property(anyJson, (text) => {
      const expected = JSON.parse(text) as JsonValue;
      expect(plain(lenient(text))).toEqual(expected);
      expect(plain(parseJsonSync(text, { primitives: true }))).toEqual(expected);
    }),
  );
});

test('any string comes back from any quotes', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      expect(lenient(`[${JSON.stringify(text)}]`)).toEqual([text]);
      expect(lenient(`['${text.replace(/[\\']/g, '\\$&')}']`)).toEqual([text]);
    }),
  );
});

test.each([
  ["{name: test, n: 'x'}", { name: 'test', n: 'x' }],
  ['{a=1; b=>2 ; "c" = [x;y]}', { a: 1, b: 2, c: ['x', 'y'] }],
  ['# first\n{ // second\n a /* third */ : /**/ 1 }# last', { a: 1 }],
  ['[1,,2]', [1, null, 2]],
  ['[1,]', [1, null]],
  ['[,]', [null, null]],
  ['[]', []],
  ['{}', {}],
  ['[TRUE, False, nULL, truer]', [true, false, null, 'truer']],
  ['[007, +1, .5, 1., 1e, -, 0x1F, 12px]', ['007', '+1', '.5', '1.', '1e', '-', '0x1F', '12px']],
  ['[1.0, 1e3, -0.5E-1, 0]', [1, 1000, -0.05, 0]],
  [`["it's", 'say "x"', 'a\\'b']`, ["it's", 'say "x"', "a'b"]],
  ['["line\nbreak\\\nnext\ttab"]', ['line\nbreak\nnext\ttab']],
  ['{a: hello-world.x@y, b: äöü}', { a: 'hello-world.x@y', b: 'äöü' }],
  ['\ufeff{a:1}', { a: 1 }],
  ['{a:1, a:2}', { a: 2 }],
  ['["\\ud800", "\\u0000", "\\u00e4"]', ['\ud800', '\0', 'ä']],
  ['null', null],
])('%s', (text, value) => {
  expect(plain(parseJsonSync(text))).toEqual(value);
});

test.each([
  ['', 'Expected a value, but the text ends at line 1, column 1'],
  ['[1, 2', "Expected ',' or ']', but the text ends at line 1, column 6"],
  ['{"a" 1}', `Expected ':', but found "1" at line 1, column 6`],
  ['{"a": 1,}', 'Expected a name, but found "}" at line 1, column 9'],
  ['{\n  "a": }', 'Expected a value, but found "}" at line 2, column 8'],
  ['{"a": "x}', 'String without end at line 1, column 7'],
  ['["\\x"]', 'Invalid escape "\\\\x" at line 1, column 3'],
  ['["\\u12g4"]', 'Invalid escape "\\\\u" at line 1, column 3'],
  ['{} x', 'Unexpected text after the end, but found "x" at line 1, column 4'],
  ['[] []', 'Unexpected text after the end, but found "[" at line 1, column 4'],
  ['[1}', "Expected ',' or ']', but found \"}\" at line 1, column 3"],
  ['hello', 'Expected an object or an array at line 1, column 6'],
  ['[/]', 'Expected a value, but found "/" at line 1, column 2'],
  ['[1 /* x', 'Comment without end, but found "/" at line 1, column 4'],
  ['[9223372036854775808]', 'Integer 9223372036854775808 does not fit into 64 bits at line 1, column 2'],
  ['[1e999]', 'Number 1e999 is out of range at line 1, column 2'],
])('%s is refused', (text, message) => {
  expect(errorOf(text).message).toBe(message);
});

test('integers are exact over 64 bits', () => {
  expect(parseJsonSync('[9007199254740991, 9007199254740993, -9223372036854775808, 9223372036854775807]')).toEqual([
    9007199254740991,
    9007199254740993n,
    -9223372036854775808n,
    9223372036854775807n,
  ]);
});

test('nesting is limited, in both ways of parsing', () => {
  const nested = (depth: number, inner = ''): string => '['.repeat(depth) + inner + ']'.repeat(depth);
  expect(() => parseJsonSync(nested(128))).not.toThrow();
  expect(() => parseJsonSync(nested(129))).toThrow('Nested deeper than 128 levels');
  expect(() => parseJsonSync(nested(128, 'x'))).not.toThrow();
  expect(() => parseJsonSync(nested(129, 'x'))).toThrow('Nested deeper than 128 levels');
  expect(() => parseJsonSync(`${'{"a":'.repeat(60_000)}`)).toThrow('Nested deeper');
});

test('objects have no prototype and __proto__ is a name', () => {
  for (const text of ['{"__proto__": {"x": 1}, "constructor": 2}', '{__proto__: {x: 1}, constructor: 2}']) {
    const value = parseJsonSync(text) as Record<string, JsonValue>;
    expect(Object.getPrototypeOf(value)).toBe(null);
    expect(Object.keys(value)).toEqual(['__proto__', 'constructor']);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  }
});

test.each(['[1, null, [2], "x", {"a": [null, 1, []]}]', "[1, null, [2], 'x', {a: [null, 1, []]}]"])(
  'rest arrays lose nulls and arrays: %s',
  (text) => {
    expect(plain(parseJsonSync(text, { restArrays: true }))).toEqual([1, 'x', { a: [1] }]);
  },
);

test('bytes that are no UTF-8 are refused, small and large', async () => {
  expect(() => parseJsonSync(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toThrow('UTF-8');
  const large = Buffer.concat([Buffer.from('["'), Buffer.alloc(200_000, 0xe4), Buffer.from('"]')]);
  await expect(parseJson(large)).rejects.toThrow(JsonSyntaxError);
});

test('a character may lie across two decoded parts', async () => {
  const text = JSON.stringify(['x' + 'äöü€𝄞'.repeat(200_000)]);
  expect(await parseJson(Buffer.from(text))).toEqual(JSON.parse(text));
});

test('large texts come out as the engine reads them', async () => {
  const rows = Array.from({ length: 5000 }, (_, i) => ({
    id: i,
    name: `row "${String(i)}"`,
    tags: ['a', null, 'b\\'],
    deep: { x: i / 3 },
  }));
  const text = JSON.stringify(rows);
  expect(text.length).toBeGreaterThan(200_000);
  expect(plain(await parseJson(Buffer.from(text)))).toEqual(rows);
});

test('garbage ends quickly, one way or the other', () => {
  const tokens = [
    '{',
    '}',
    '[',
    ']',
    ':',
    ',',
    ';',
    '=',
    '=>',
    '"',
    "'",
    '\\',
    '\\u',
    '/*',
    '*/',
    '//',
    '#',
    '\n',
    ' ',
    'a',
    '1',
    '-',
    '.',
    'null',
    '\0',
    '\ud800',
  ];
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...tokens), { maxLength: 300 }), (parts) => {
      try {
        lenient(parts.join(''));
      } catch (error) {
        expect(error).toBeInstanceOf(JsonSyntaxError);
      }
    }),
    { numRuns: runsOf(2000) },
  );
});

test('time grows with the text, not faster, for unfriendly texts', () => {
  const shapes: ((n: number) => string)[] = [
    (n) => `["${'\\n'.repeat(n / 2)}"]`,
    (n) => `["${'x'.repeat(n)}`,
    (n) => `[${'/**/'.repeat(n / 4)}`,
    (n) => `[${'#\n'.repeat(n / 2)}]`,
    (n) => `[${'/* '.repeat(n / 3)}`,
    (n) => `[${' '.repeat(n)}]`,
    (n) => `[${'9'.repeat(n)}]`,
    (n) => `[${','.repeat(n)}]`,
    (n) => `[${'x'.repeat(n)}]`,
    (n) => `{${'a:1,'.repeat(n / 4)}b:2}`,
    (n) => `[${'"",'.repeat(n / 3)}1]`,
  ];
  for (const shape of shapes) {
    const text = shape(2_000_000);
    const took = computingTime(() => {
      try {
        lenient(text);
      } catch (error) {
        expect(error).toBeInstanceOf(JsonSyntaxError);
      }
    });
    expect(took).toBeLessThan(paced(3000));
  }
});

test('an object has a limited number of members', () => {
  const members = (n: number): string => `{${Array.from({ length: n }, (_, i) => `k${String(i)}: 1`).join(',')}}`;
  expect(() => parseJsonSync(members(100_000))).not.toThrow();
  expect(() => parseJsonSync(members(100_001))).toThrow('more than 100000 members');
  expect(() => parseJsonSync(`[${Array.from({ length: 60_000 }, () => '{a:1,b:2}').join()}]`)).not.toThrow();
});

test('ten megabytes do not hold up the loop', async () => {
  const row = {
    id: '6f1c9a4e0b7d4a5f8f5c2f3f1f0e9d8c',
    name: 'some name',
    count: 12345,
    ratio: 0.25,
    tags: ['a', 'b'],
    note: 'x\ny',
  };
  const bytes = Buffer.from(JSON.stringify(Array.from({ length: 90_000 }, () => row)));
  expect(bytes.length).toBeGreaterThan(9_000_000);
  let value: unknown;
  const longest = await longestTurnAtBest(async () => {
    value = await parseJson(bytes);
  }, paced(50));
  expect(value).toHaveLength(90_000);
  expect(longest).toBeLessThan(paced(50));
});

/** With prototypes, as `toEqual` wants them. */
function plain(value: JsonValue): unknown {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  const object: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    Object.defineProperty(object, name, {
      value: plain(value[name] ?? null),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return object;
}
