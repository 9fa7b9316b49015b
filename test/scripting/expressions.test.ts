/** docs/interface/scripting.md 2.1 to 2.3, 2.5: what expressions mean. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ScriptError } from '../../src/main/scripting/language/errors.js';
import { Expressions } from '../../src/main/scripting/engines/expression/expressions.js';
import { ScriptCallable, ScriptPredicate, type ScriptValue } from '../../src/main/scripting/language/values.js';
import { library } from './library.js';
import { ScriptWorld, type ContextOptions } from './support.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
  const folder = await world.create('Folder', { name: 'docs', visibleToPublicUsers: true });
  await world.create('Folder', { name: 'inner', parent: folder });
});
afterAll(() => world.close());

const expressions = new Expressions(library);

function evaluate(source: string, options: ContextOptions = {}): ScriptValue | Promise<ScriptValue> {
  return expressions.evaluate(source, world.context(options));
}

/** Its status, and the end of what was logged. */
async function refusal(source: string, options: ContextOptions = {}): Promise<number> {
  try {
    await evaluate(source, options);
  } catch (error) {
    if (error instanceof ScriptError) return error.status;
    throw error;
  }
  throw new Error(`${source} is not refused`);
}

async function syntaxErrorOf(source: string): Promise<string> {
  world.lines.length = 0;
  expect(await evaluate(source)).toBe(null);
  return world.lines.join('');
}

describe('words of expressions', () => {
  it.each<[string, ScriptValue]>([
    ['1', 1],
    ['-1.5', -1.5],
    ['-.5', -0.5],
    ['007', 7],
    ['1.', 1],
    ["'a b'", 'a b'],
    ['"it\'s"', "it's"],
    ["'a\nb'", 'a\nb'],
    [String.raw`'\n\t\r\\\'\"'`, '\n\t\r\\\'"'],
    [String.raw`'\u0041'`, 'u0041'],
    ['true', true],
    ['false', false],
    ['null', null],
    ['', null],
    ['  \n ', null],
    ['___NULL___', null],
    ['nobody', null],
    ['foo.bar.baz', null],
  ])('%s', async (source, value) => {
    expect(await evaluate(source)).toEqual(value);
  });

  it('may have marks in names', async () => {
    const constants = { 'a-b': 'one', _x1: 'two', größe: 'three' };
    expect(await evaluate('concat(a-b, _x1, größe)', { constants })).toBe('onetwothree');
    expect(await evaluate('count(1-2)')).toBe(2n);
  });

  it.each([
    ['1 + 2', 1, '1:3: +'],
    ["'a' // rest", 'a', '1:5: /'],
    ["'a' = 'b'", 'a', '1:5: ='],
    ["'a' 'b' #", 'a', '1:9: #'],
  ])('end at a character of no word, which the log names: %s', async (source, value, message) => {
    world.lines.length = 0;
    expect(await evaluate(source)).toBe(value);
    expect(world.lines.join('')).toContain(`test:${message} cannot stand in an expression`);
  });

  it.each([
    ['-', '1:1: - is no number'],
    ['1.2.3', '1:1: 1.2.3 is no number'],
    ["count(1,\n  'abc)", '2:3: The text that begins here has no closing quote'],
    ['(1, 2', '1:1: The bracket that opens here has no )'],
    ['count(1, count(2)', '1:6: The bracket that opens here has no )'],
    ['a[1', '1:2: The bracket that opens here has no ]'],
    ['count(1]', '1:8: There is nothing that this ] closes'],
    ['1)', '1:2: There is nothing that this ) closes'],
    ['if(a == 1, 2, 3)', '1:6: = cannot stand'],
    ['nothing(1)', '1:1: Unknown function: nothing'],
    ['if(false, nothing(1), 2)', '1:11: Unknown function: nothing'],
    ['batch(1)', '1:1: Unknown function: batch'],
    ['data(1)', '1:1: Unknown function: data'],
    ['a!b(1)', '1:1: a!b cannot be called'],
    ['...', '1:1: ... names nothing'],
    ['('.repeat(300), '1:251: Brackets are nested too deeply'],
    ['a '.repeat(1001), '1:2001: The expression has more than 1000 words and marks'],
  ])('that cannot be read are null, and logged: %s', async (source, message) => {
    expect(await syntaxErrorOf(source)).toContain(`test:${message}`);
  });

  it('have their place in the text that holds them', async () => {
    world.lines.length = 0;
    const context = world.context();
    await expressions.evaluate('concat(\n )x)', context, { line: 3, column: 10 });
    await expressions.evaluate('x)', context, { line: 3, column: 10 });
    expect(world.lines.join('')).toContain('test:4:4: ');
    expect(world.lines.join('')).toContain('test:3:11: ');
  });
});

describe('items', () => {
  it('after the first have no effect', async () => {
    for (const source of ["print('a') print('b')", "print('a'); print('b')"]) {
      const context = world.context();
      await expressions.evaluate(source, context);
      expect(context.run.printed).toBe('a');
    }
  });

  it('in a group are all evaluated, and their texts put together', async () => {
    const context = world.context();
    expect(await expressions.evaluate("(print('a'), print('b'))", context)).toBe('');
    expect(context.run.printed).toBe('ab');
    expect(await evaluate("(1, 'b' null true; count(1))")).toBe('1.0btrue1');
    expect(await evaluate('()')).toBe('');
    expect(await evaluate('(null)')).toBe('');
  });

  it('are separated by commas, semicolons or nothing', async () => {
    expect(await evaluate('count(1, 2; 3 4,,5)')).toBe(5n);
  });
});

describe('calls', () => {
  it.each<[string, ScriptValue]>([
    ["dateFormat(now, 'x')", 'formatted'],
    ["date_format(now, 'x')", 'formatted'],
    ['concat (1)', '1.0'],
    ["eq('a', 'a')", true],
    ['date_format(1)', 'Usage: dateFormat(...)'],
  ])('%s', async (source, value) => {
    expect(await evaluate(source)).toEqual(value);
  });

  it('answer at once where nothing has to be waited for', async () => {
    let answer: unknown;
    // Where the machine has let it wait, others have their turn before it goes on.
    for (let i = 0; i < 20 && answer !== 'ab'; i++) answer = evaluate("concat(first(list('a')), if(true, 'b', 'c'))");
    expect(answer).toBe('ab');
    const later = evaluate("concat(later('a'), later('b'), 'c')");
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toBe('abc');
  });

  it('let others run in between when there are many', async () => {
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    try {
      expect(await evaluate(`count(${'work() '.repeat(60)})`)).toBe(60n);
      expect(turns).toBeGreaterThan(5);
    } finally {
      clearInterval(timer);
    }
  });

  it('find functions of users first, with names and values as a map', async () => {
    world.engine.functions.set('concat', ([map]) => [map ?? null]);
    world.engine.functions.set('own', (args) => BigInt(args.length));
    expect(await evaluate("concat('a', 1)")).toEqual([new Map([['a', 1]])]);
    expect(await evaluate('own()')).toBe(0n);
    world.engine.functions.clear();
    expect(await syntaxErrorOf('own()')).toContain('Unknown function: own');
  });

  it('refuse slice', async () => {
    expect(await refusal('slice(a, 1, 2)')).toBe(422);
  });

  it('mean predicates inside of find', async () => {
    expect(await evaluate("find('T', sort('a'), concat(empty('b')))")).toEqual([
      'T',
      new ScriptPredicate('sort', ['a']),
      'empty',
    ]);
    expect(await evaluate("find('T', equals('x', any(list(1))), if(true, range(1, 2), 3))")).toEqual([
      'T',
      new ScriptPredicate('equals', ['x', new ScriptPredicate('any', [[1]])]),
      new ScriptPredicate('range', [1, 2]),
    ]);
    expect(await evaluate("list(sort('a'), find('T'), empty(''))")).toEqual(['sorted', ['T'], true]);
    expect(await syntaxErrorOf("equals('a')")).toContain('Unknown function: equals');
  });
});

describe('navigation', () => {
  const map = new Map<string, ScriptValue>([
    ['a', new Map([['b', 'deep']])],
    ['list', ['x', 'y']],
    ['no', null],
  ]);
  const constants = { map, items: ['x', 'y', map], empty: null, five: 5n };

  it.each<[string, ScriptValue]>([
    ['map.a.b', 'deep'],
    ['map.a.c.d', null],
    ['map.list.size', 2n],
    ['map.list.length', null],
    ['items.size', 3n],
    ['items.a', null],
    ['five.size', null],
    ['items[0]', 'x'],
    ['items[2].a.b', 'deep'],
    ["items['1']", 'y'],
    ['items[five]', null],
    ['items[-1]', null],
    ['items [1]', 'y'],
    ['empty[0]', null],
    ['map.no[0].x', null],
    ['list(1, 2)[1]', 2],
    ['list(list(1, 2))[0][1]', 2],
    ['first(list(map)).a.b', 'deep'],
    ['concat(first(list(map)).a.b, 1)', 'deep1.0'],
    ['map .a.b', 'deep'],
    ['count(items[0])', 2n],
    ["first(list(items)).size!'x'", 3n],
    ['.a', null],
  ])('%s', async (source, value) => {
    expect(await evaluate(source, { constants })).toEqual(value);
  });

  it.each(['items[null]', 'items[]', 'items[0 1]', 'five[0]', "items['x']", "'abc'[0]", 'map[0]'])(
    'refuses what cannot be indexed: %s',
    async (source) => {
      expect(await refusal(source, { constants })).toBe(422);
    },
  );

  it.each<[string, ScriptValue]>([
    ['nobody!12', 12n],
    ['nobody!-3', -3n],
    ['nobody!1.5', 1.5],
    ['nobody!true', true],
    ['nobody!false', false],
    ['nobody!none', 'none'],
    ['nobody!-', '-'],
    ['nobody!a.b-c', 'a.b-c'],
    ['nobody!', ''],
    ['map.a.x!none', 'none'],
    ['map.a.b!none', 'deep'],
    ['map.no.x!0', 0n],
    ['first(list()).x!none', 'none'],
    ['nobody!12345678901234567890', 1.2345678901234567e19],
  ])('has defaults: %s', async (source, value) => {
    expect(await evaluate(source, { constants })).toEqual(value);
  });

  it('looks for constants, keywords and types, in this order', async () => {
    expect(await evaluate('locale')).toBe('en_US');
    expect(await evaluate('locale', { constants: { locale: 'hidden' } })).toBe('hidden');
    expect(await evaluate('Folder')).toMatchObject({ title: 'Folder' });
    expect(await evaluate('folder')).toBe(null);
  });

  it('shows the time as text', async () => {
    expect(await evaluate('now')).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0000$/);
  });

  it('does not see the request store', async () => {
    const context = world.context();
    context.run.requestStore.set('stored', 1);
    expect(await expressions.evaluate('stored', context)).toBe(null);
  });
});

describe('objects', () => {
  it('have properties, methods without brackets, and methods with them', async () => {
    const context = world.context();
    const self = await world.entity(await world.create('Folder', { name: 'docs' }), context);
    const inThis = { ...context, self };
    world.engine.methods.set('Folder.describe', (args, _, target) => [target, ...args]);
    world.engine.methods.set('Folder.static.make', (args) => [...args]);

    expect(await expressions.evaluate('this.name', inThis)).toBe('docs');
    expect(await expressions.evaluate('this.id', inThis)).toBe(self.id);
    expect(await expressions.evaluate('this.createdDate', inThis)).toBeInstanceOf(Date);
    expect(await expressions.evaluate('this.nothing!x', inThis)).toBe('x');
    expect(await expressions.evaluate('this._path', inThis)).toBe('/docs');
    expect(await expressions.evaluate('this.describe', inThis)).toEqual([self]);
    expect(await expressions.evaluate('first(list(this)).describe', inThis)).toEqual([self]);
    expect(await expressions.evaluate("this.describe('a', 1, 'b', null)", inThis)).toEqual([
      self,
      new Map<string, ScriptValue>([
        ['a', 1],
        ['b', null],
      ]),
    ]);
    expect(await expressions.evaluate("first(list(this)).describe('a')", inThis)).toEqual([self, 'a']);
    expect(await expressions.evaluate("Folder.make('a', 'b')", inThis)).toEqual([new Map([['a', 'b']])]);
    expect(await expressions.evaluate('Folder.make', inThis)).toEqual([]);
    expect(await expressions.evaluate("nobody.describe('a')", inThis)).toBe(null);
    world.engine.methods.clear();
  });

  it('have related objects, the nodes of relationships too', async () => {
    const context = world.context();
    const [inner] = await world.graph.read((tx) =>
      tx.find({ kind: 'nodes', types: ['Folder'], where: { op: 'equals', key: 'name', value: 'inner' } }),
    );
    const self = await world.entity(inner?.id ?? '', context);
    expect(await expressions.evaluate('this.parent.name', { ...context, self })).toBe('docs');
    expect(await expressions.evaluate('this.parent.folders.size', { ...context, self })).toBe(1n);
    const relationship = await world.graph.read(async (tx) => {
      const [found] = await tx.find({
        kind: 'relationships',
        where: { op: 'equals', key: 'relType', value: 'CONTAINS' },
        limit: 1,
      });
      return found;
    });
    if (relationship === undefined) throw new Error('no relationship');
    const ends = { ...context, self: context.run.entities.of(relationship) };
    expect(await expressions.evaluate('this._source.name', ends)).toBe('docs');
    expect(await expressions.evaluate('this._target.name', ends)).toBe('inner');
  });

  it('that are maps have functions, and nothing else has methods', async () => {
    const constants = { map: new Map([['double', new ScriptCallable(async ([x]) => Number(x) * 2)]]), text: 'a' };
    expect(await evaluate('map.double(4)', { constants })).toBe(8);
    expect(await refusal('map.triple(4)', { constants })).toBe(422);
    expect(await refusal('text.upper()', { constants })).toBe(422);
  });
});
