import { describe, expect, test } from 'vitest';
import { builtinRelations, builtinTraits } from '../../src/main/schema/builtin/index.js';
import { compileSchema } from '../../src/main/schema/compile/compile.js';
import type { CustomTrait } from '../../src/main/schema/model/definitions.js';
import type { Schema } from '../../src/main/schema/index.js';
import { settings } from './properties/support.js';

const trait = (name: string, inherits: readonly string[]): CustomTrait => ({
  name,
  inherits,
  schemaNodeId: name,
  properties: [{ name: `${name}Text`, propertyType: 'String', schemaPropertyId: name }],
  views: { public: [`${name}Text`] },
});

const compile = (traits: readonly CustomTrait[], written = false): Promise<Schema> =>
  compileSchema({ builtinTraits, builtinRelations, traits, relations: [], methods: [], settings, version: 1, written });

/** Each type inherits the one before. */
const chain = (length: number): CustomTrait[] =>
  Array.from({ length }, (_, i) => trait(`T${String(i)}`, i === 0 ? [] : [`T${String(i - 1)}`]));

describe('compiling a schema', () => {
  test('lets others have their turns while it compiles many types', async () => {
    let turns = 0;
    let running = true;
    const count = (): void => {
      turns++;
      if (running) setImmediate(count);
    };
    count();
    const schema = await compile(Array.from({ length: 3000 }, (_, i) => trait(`T${String(i)}`, [])));
    running = false;
    expect(schema.type('T2999')?.properties.has('T2999Text')).toBe(true);
    expect(turns).toBeGreaterThan(3);
  });

  test('a chain of inheritance has an end', async () => {
    const schema = await compile(chain(90));
    expect(schema.type('T89')?.properties.has('T0Text')).toBe(true);
    await expect(compile(chain(200))).rejects.toMatchObject({
      tokens: [{ property: 'inheritedTraits', token: 'invalid_property_reference' }],
    });
  });

  test('equal names of full-text indexes are refused when they are written, and do not keep from starting', async () => {
    const searched = (name: string, property: string): CustomTrait => ({
      ...trait(name, []),
      properties: [{ name: property, propertyType: 'String', fulltext: true, schemaPropertyId: name }],
    });
    const traits = [searched('Song', 'lines_text'), searched('Song_lines', 'text')];
    await expect(compile(traits, true)).rejects.toMatchObject({
      tokens: [{ type: 'Song_lines', property: 'text', token: 'invalid_property_definition' }],
    });
    const { textIndexes } = await compile(traits);
    const songs = textIndexes.filter(({ name }) => name.startsWith('Song'));
    expect(songs).toMatchObject([{ name: 'Song_lines_text_fulltext', label: 'Song' }]);
  });

  test('many ways to one trait are walked once', async () => {
    // Walking each of them would take 2^80 steps.
    const diamonds = Array.from({ length: 80 }, (_, i) =>
      trait(
        `T${String(i)}`,
        [i - 1, i - 2].filter((n) => n >= 0).map((n) => `T${String(n)}`),
      ),
    );
    const schema = await compile(diamonds);
    expect(schema.type('T79')?.properties.has('T0Text')).toBe(true);
  });
});
