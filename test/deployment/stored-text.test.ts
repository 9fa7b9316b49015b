/** Entries of a data export made of stored text are those that values become (docs/interface/deployment.md 4.2). */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeProperties, storedForm } from '../../src/main/graph/sqlite/connection/codec.js';
import type { StoredValue } from '../../src/main/graph/index.js';
import { entryText, inner } from '../../src/main/deployment/data/entry-text.js';
import { StoredTexts } from '../../src/main/deployment/data/stored-text.js';

const MEMBERS = ['grantees', 'id', 'owner', 'type'];

const word = fc.oneof(
  fc.constantFrom('', 'a', ',', ']', '[', ':', '{}', '":', '\\', '"', '<', "it's", '\u2028', 'ü', '9e999', '],"x":['),
  fc.string({ unit: 'grapheme' }),
);
const number = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, NaN, Infinity, -Infinity, 2 ** 60, 1e21, 1e-7));
const scalars = [word, number, fc.boolean(), fc.bigInt({ min: 2n ** 53n, max: 2n ** 63n - 1n })] as const;
const value: fc.Arbitrary<StoredValue> = fc.oneof(
  ...scalars,
  ...scalars.map((one): fc.Arbitrary<StoredValue> => fc.array(one as fc.Arbitrary<string>, { maxLength: 3 })),
);
const key = fc.oneof(fc.constantFrom('name', 'id', 'zoned', 'type', 'a', 'owner', '7', '__proto__'), word);
const properties = fc.array(fc.tuple(key, value), { maxLength: 6 });
const names = fc.array(word, { maxLength: 2 });

it('is the same by both ways', () => {
  // One for all, as it learns.
  const texts = new StoredTexts(MEMBERS, decodeProperties);
  fc.assert(
    fc.property(properties, word, names, (entries, id, allowed) => {
      const map = Object.create(null) as Record<string, StoredValue>;
      for (const [name, one] of entries) map[name] = one;
      const { text } = storedForm(map);
      const members = { grantees: allowed.map((name) => ({ name, allowed })), id, owner: null, type: 'Thing' };
      const said = MEMBERS.map((name) => inner(members[name as keyof typeof members]));
      expect(texts.entry(text, said)).toBe(entryText(decodeProperties(text), members));
    }),
    { numRuns: 2000 },
  );
});
