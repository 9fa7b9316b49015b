/** Ways of writing a part that Neo4j is asked for (neo4j/query/part-variants.ts). */
import { expect, test } from 'vitest';
import { fold } from '../../src/main/graph/sqlite/connection/functions.js';
import { variantsOf } from '../../src/main/graph/neo4j/query/part-variants.js';

test('of a part in digits there is one way of writing, however long it is', () => {
  expect(variantsOf('1234', true)).toEqual(['1234']);
  // Clients write parts as long as an address may be.
  const digits = '0123456789'.repeat(1500);
  expect(variantsOf(digits, true)).toEqual(['012345678901234567890123']);
  const pieces = `${'0123456789'.repeat(4)}é`.repeat(300);
  expect(variantsOf(pieces, true)).toEqual(['012345678901234567890123']);
});

test.each(['Straße', 'KELVIN ß', 'aé', 'efﬁcient', 'x'.repeat(500)])(
  'one of those of %s is in each text with it',
  (part) => {
    const variants = variantsOf(part, true);
    for (const text of [part, part.toLowerCase(), part.toUpperCase(), `before ${part} behind`]) {
      if (variants === undefined || !fold(text).includes(fold(part))) continue;
      expect([text, variants.some((one) => text.includes(one))]).toEqual([text, true]);
    }
  },
);
