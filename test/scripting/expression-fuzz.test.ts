/** Whatever text is given to the parser of expressions, it ends soon, with a tree or an error that names a place in the text. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { computingTime, paced } from '../support/loop.js';
import { ScriptError, ScriptSyntaxError } from '../../src/main/scripting/language/errors.js';
import type { Expression, Script } from '../../src/main/scripting/language/expression/ast.js';
import { Expressions } from '../../src/main/scripting/engines/expression/expressions.js';
import { parseExpression } from '../../src/main/scripting/language/expression/parser.js';
import { printExpression } from '../../src/main/scripting/language/expression/print.js';
import { library } from './library.js';
import { ScriptWorld } from './support.js';
import { runsOf } from '../support/random.js';

let world: ScriptWorld;
beforeAll(async () => {
  world = await ScriptWorld.open();
});
afterAll(() => world.close());

const word = fc.constantFrom(
  ...['a', 'this.name', 'x.y!0', 'b!-', 'data', 'null', 'true', '.c', '.d.e!f', 'if', 'each', 'find', 'any', 'concat'],
  ...["'text'", '"a\\"b\\n"', "'", '"', '\\', '1', '-2.5', '-', '1.2.3', '.', '..', '!', 'é', '😀', 'now', 'Folder'],
  ...['(', '(', '(', ')', ')', ')', '[', ']', '[0]', ',', ';', ' ', '\n', '\t', '+', '{', '}', '//', '#', '\u0000'],
);
const text = fc.oneof(
  fc.array(word, { maxLength: 60 }).map((words) => words.join('')),
  fc.string({ unit: 'binary' }),
);

/** Expressions that can be read. */
const readable = fc.letrec<{ item: string; args: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom('a', 'this.name!x', "'t'", '-1.5', 'null', 'b.c'),
    fc
      .tuple(fc.constantFrom('concat', 'if', 'find', 'any', 'a.m', ''), tie('args'))
      .map(([f, args]) => `${f}(${args})`),
    fc.tuple(tie('item'), fc.constantFrom('.x', ' .y!z', '[0]', '[a]', '.m(1)')).map(([item, post]) => item + post),
  ),
  args: fc.array(tie('item'), { maxLength: 4 }).map((items) => items.join(', ')),
})).item;

function parsed(source: string): Script | ScriptSyntaxError {
  try {
    return parseExpression(source);
  } catch (error) {
    if (error instanceof ScriptSyntaxError) return error;
    throw error;
  }
}

/** Without places. */
function shape(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one: unknown) => (key === 'at' || key === 'end' ? undefined : one)));
}

function placesOf(one: Expression): number[] {
  const inside = 'args' in one ? one.args : 'items' in one ? one.items : [];
  const of = 'of' in one && one.of !== null ? [one.of] : [];
  const index = one.kind === 'index' ? [one.index] : [];
  return [one.at, ...[...inside, ...of, ...index].flatMap(placesOf)];
}

describe('any text', () => {
  it('is a tree, or an error with a place in the text', () => {
    fc.assert(
      fc.property(text, (source) => {
        const result = parsed(source);
        if (!(result instanceof ScriptSyntaxError)) {
          for (const at of result.items.flatMap(placesOf)) expect(source.charAt(at)).toMatch(/\S/);
          return;
        }
        const { line, column } = result.position;
        const inLine = source.split('\n')[line - 1];
        expect(inLine).toBeDefined();
        expect(column).toBeGreaterThan(0);
        expect(inLine?.charAt(column - 1)).not.toBe('');
      }),
      { numRuns: runsOf(3000) },
    );
  });

  it('printed is the same expression', () => {
    fc.assert(
      fc.property(fc.oneof(text, readable), (source) => {
        const script = parsed(source);
        if (script instanceof ScriptSyntaxError) return;
        const printed = printExpression(script);
        const again = parsed(printed);
        if (again instanceof ScriptSyntaxError) throw new Error(`${printed}: ${again.message}`);
        expect(shape(again.items)).toEqual(shape(script.items));
        expect(printExpression(again)).toBe(printed);
      }),
      { numRuns: runsOf(3000) },
    );
  });

  it('has a value, or is refused', async () => {
    const expressions = new Expressions(library);
    await fc.assert(
      fc.asyncProperty(fc.oneof(text, readable), async (source) => {
        const context = world.context({ constants: { a: ['x', 'y'] } });
        try {
          expect(await expressions.evaluate(source, context)).not.toBe(undefined);
        } catch (error) {
          expect(error).toBeInstanceOf(ScriptError);
        }
      }),
      { numRuns: runsOf(1000) },
    );
  });

  it.each([
    ...['(', '[', 'a', 'a ', 'a.', '.', '1', '1.', '-', "'", "'a' ", '\\', ' ', '\n', 'a!', '((a', 'f(', 'a[0]', '"\\'],
    ...['é', '😀', '\u0000', ','],
  ])('of many %j is read in linear time', (part) => {
    const time = (length: number): number => {
      const source = part.repeat(length / part.length);
      return computingTime(() => parsed(source));
    };
    time(1000);
    expect(time(2_000_000)).toBeLessThan(paced(4000));
  });
});
