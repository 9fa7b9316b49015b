/** What every engine promises of full-text indexes. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  type Graph,
  GraphError,
  newId,
  parseTextQuery,
  type PropertyMap,
  type TextIndexDefinition,
} from '../../src/main/graph/index.js';
import type { Opened } from './conformance.js';

const NOTES: TextIndexDefinition = {
  name: 'Note_text_fulltext',
  kind: 'nodes',
  label: 'Note',
  types: ['Note'],
  key: 'text',
};
const SAYS: TextIndexDefinition = {
  name: 'NoteSAYSNote_words_fulltext',
  kind: 'relationships',
  label: 'SAYS',
  types: ['NoteSAYSNote'],
  key: 'words',
};

const TEXTS: Record<string, PropertyMap> = {
  garden: { text: 'The garden behind the house' },
  house: { text: 'A house, a HOUSE and one more house' },
  roses: { text: 'Roses grow; gardening is fun' },
  list: { text: ['first of all', 'second thoughts'] },
  umlaut: { text: 'Übergröße naïve' },
  none: { other: 'garden' },
};

export function textConformance(name: string, open: () => Promise<Opened>): void {
  describe(`${name}: full-text indexes`, () => {
    let opened: Opened;
    let graph: Graph;

    beforeEach(async () => {
      opened = await open();
      graph = opened.graph;
    });
    afterEach(() => opened.remove());

    const wanted = async (...texts: TextIndexDefinition[]): Promise<void> => {
      await graph.setIndexes([], texts);
      await graph.indexesReady();
    };
    const fill = (): Promise<void> =>
      graph.write(async (tx) => {
        for (const [id, properties] of Object.entries(TEXTS)) await tx.createNode({ id, type: 'Note', properties });
      });
    const search = async (text: string, index = NOTES.name, page = { offset: 0, limit: 100 }): Promise<string[]> => {
      const query = parseTextQuery(text);
      if (query === undefined) return [];
      return graph.read(async (tx) => (await tx.search(index, query, page)).map(({ id }) => id));
    };
    const found = async (text: string): Promise<string[]> => (await search(text)).sort();

    test.each(['before', 'after'])('find what was written %s they were made', async (when) => {
      if (when === 'before') await fill();
      await wanted(NOTES);
      if (when === 'after') await fill();
      expect(await found('garden')).toEqual(['garden']);
      expect(await found('GARDEN roses')).toEqual(['garden', 'roses']);
      expect(await found('second')).toEqual(['list']);
      expect(await found('übergröße')).toEqual(['umlaut']);
      expect(await found('nowhere')).toEqual([]);
      const best = await search('house');
      expect(best).toEqual(['house', 'garden']);
      expect(await search('house', NOTES.name, { offset: 1, limit: 1 })).toEqual(best.slice(1));
      const scores = await graph.read((tx) =>
        tx.search(NOTES.name, { op: 'words', text: 'house' }, { offset: 0, limit: 2 }),
      );
      expect(scores[0]?.score).toBeGreaterThan(scores[1]?.score ?? Infinity);
    });

    test('understand phrases, patterns, similar words and what combines them', async () => {
      await wanted(NOTES);
      await fill();
      for (const [text, ids] of [
        ['"behind the house"', ['garden']],
        ['"house behind"', []],
        ['gard*', ['garden', 'roses']],
        ['*ouse', ['garden', 'house']],
        ['gard**', ['garden', 'roses']],
        ['g*rd*', ['garden', 'roses']],
        ['*o*s*e', ['garden', 'house']],
        ['übergr*', ['umlaut']],
        ['r?ses', ['roses']],
        ['r?se', []],
        ['gaden~', ['garden']],
        ['gxdxn~1', []],
        ['hose~1', ['garden', 'house']],
        ['+house -garden', ['house']],
        ['house AND garden', ['garden']],
        ['house OR roses', ['garden', 'house', 'roses']],
        ['house NOT garden', ['house']],
        ['(roses OR house) AND (fun OR behind)', ['garden', 'roses']],
        ['-house', []],
        ['+house roses', ['garden', 'house']],
        ['+nowhere* house', []],
        ['house -nowhere*', ['garden', 'house']],
        ['say\\"house', []],
        ['!! ...', []],
      ] as const) {
        expect(await found(text), text).toEqual([...ids]);
      }
      for (const text of [
        '"open',
        '(a',
        'a)',
        'AND a',
        'a OR',
        'a AND OR b',
        'a~3',
        'a~0.5',
        'a^2',
        '*',
        '"a b"~2',
        'a\\',
        '+',
        `${'('.repeat(9)}a${')'.repeat(9)}`,
        'a '.repeat(65),
        'a* '.repeat(9),
        'a'.repeat(4001),
        `"${'a '.repeat(51)}"`,
        'a.'.repeat(51),
        `${'a'.repeat(101)}~`,
        `${'a'.repeat(101)}*`,
        'garden - outer',
        '+ garden',
        'a OR ! b',
        'e-m*',
        'info@ex*',
        '*3.1?',
        'snake_cas~',
        'a\\*b*',
        `"${'a '.repeat(43)}" `.repeat(3),
      ]) {
        expect(() => parseTextQuery(text), text).toThrow(GraphError);
      }
    });

    test('take texts for what they are, whatever signs are in them', async () => {
      await wanted(NOTES);
      await graph.write(async (tx) => {
        await tx.createNode({
          id: 'odd',
          type: 'Note',
          properties: { text: `a" OR b'c; DROP TABLE text_1 \\ x:y [1-2] {3}` },
        });
      });
      for (const text of [
        'drop',
        '"table text_1"',
        "b\\'c",
        'x\\:y',
        'text:drop',
        '\\[1\\-2\\]',
        'd\\*op',
        '{3}',
        'NEAR',
      ]) {
        const ids = await found(text);
        expect(['odd', undefined]).toContain(ids[0]);
      }
      expect(await found('drop')).toEqual(['odd']);
      expect(await found('"drop table"')).toEqual(['odd']);
      expect(await found('d\\*op')).toEqual([]);
    });

    test('take any text for a query or refuse it, and leave out what must not be there', async () => {
      await wanted(NOTES);
      await fill();
      const sign = fc.constantFrom(...'ab house garden "()+-!*?~^\\&|:12.{}[]/<>=NOTANDOR\u0000\u00e4\u{1F600}');
      const text = fc.array(sign, { maxLength: 30 }).map((signs) => signs.join(''));
      await fc.assert(
        fc.asyncProperty(text, async (one) => {
          let ids: string[];
          try {
            ids = await found(one);
            expect(await found(`+(${one}) -house`)).toEqual(ids.filter((id) => id !== 'house' && id !== 'garden'));
          } catch (error) {
            if (!(error instanceof GraphError)) throw error;
            expect(error.code).toBe('invalid_query');
          }
        }),
        { numRuns: 300 },
      );
    });

    test('answer the largest query soon', async () => {
      await wanted(NOTES);
      await graph.write(async (tx) => {
        const words = Array.from({ length: 3000 }, (_, i) => `a${String(i)}b`).join(' ');
        await tx.createNode({ id: 'many', type: 'Note', properties: { text: words } });
      });
      const nested = `${'+(+a* '.repeat(7)}a1b${') a2b'.repeat(7)}`;
      for (const text of [
        nested,
        Array.from({ length: 8 }, (_, i) => `a${String(i)}?${String(i)}b`).join(' '),
        'a1b '.repeat(64),
      ]) {
        expect(await found(text)).toEqual(['many']);
      }
      expect(await found(`+("${'a1b '.repeat(50)}") a1b`)).toEqual([]);
    });

    test('keep up with changes, types and deletions, and with what a transaction has not committed yet', async () => {
      await wanted(NOTES);
      await fill();
      await graph
        .write(async (tx) => {
          await tx.updateNode('garden', { text: 'a meadow' });
          const seen = async (text: string): Promise<string[]> =>
            (await tx.search(NOTES.name, { op: 'words', text }, { offset: 0, limit: 9 })).map(({ id }) => id);
          expect([await seen('garden'), await seen('meadow')]).toEqual([[], ['garden']]);
          throw new Error('taken back');
        })
        .catch(() => undefined);
      expect([await found('garden'), await found('meadow')]).toEqual([['garden'], []]);
      await graph.write((tx) => tx.updateNode('garden', { text: 'a meadow', n: 1 }));
      expect([await found('garden'), await found('meadow')]).toEqual([[], ['garden']]);
      await graph.write((tx) => tx.updateNode('garden', { n: 2 }));
      expect(await found('meadow')).toEqual(['garden']);
      await graph.write((tx) => tx.setNodeType('garden', 'Other', ['Other']));
      expect(await found('meadow')).toEqual([]);
      await graph.write((tx) => tx.setNodeType('garden', 'Note', ['Note']));
      expect(await found('meadow')).toEqual(['garden']);
      await graph.write((tx) => tx.updateNode('garden', { text: null }));
      expect(await found('meadow')).toEqual([]);
      await graph.write((tx) => tx.deleteNode('house'));
      expect(await found('house')).toEqual([]);
      const failed = graph.write(async (tx) => {
        await tx.createNode({ id: 'passing', type: 'Note', properties: { text: 'meadow' } });
        throw new Error('taken back');
      });
      await expect(failed).rejects.toThrow('taken back');
      expect(await found('meadow')).toEqual([]);
    });

    test('of relationships', async () => {
      await wanted(SAYS);
      await fill();
      const make = (id: string, words: string, type = 'NoteSAYSNote') =>
        graph.write((tx) =>
          tx.createRelationship({
            id,
            type,
            relType: 'SAYS',
            sourceId: 'garden',
            targetId: 'house',
            properties: { words },
          }),
        );
      await make('r1', 'hello there');
      await make('r2', 'good morning');
      await make('r3', 'hello', 'Other');
      expect(await search('hello', SAYS.name)).toEqual(['r1']);
      const others = { ...SAYS, name: 'Other_words_fulltext', types: ['Other'] };
      await wanted(SAYS, others);
      expect([await search('hello', SAYS.name), await search('hello', others.name)]).toEqual([['r1'], ['r3']]);
      await graph.write((tx) => tx.updateRelationship('r2', { words: 'hello' }));
      await graph.write((tx) => tx.deleteRelationship('r1'));
      expect(await search('hello', SAYS.name)).toEqual(['r2']);
      await graph.write((tx) => tx.deleteNode('house'));
      expect(await search('hello', SAYS.name)).toEqual([]);
    });

    test('are those that were asked for last, when several sets are asked for at once', async () => {
      await fill();
      const sets = [
        [NOTES],
        [NOTES, SAYS],
        [],
        [SAYS],
        [
          { ...NOTES, types: ['Note', 'Other'] },
          { ...NOTES, key: 'other' },
        ],
      ];
      await Promise.all(sets.map((texts) => graph.setIndexes([], texts)));
      await graph.indexesReady();
      expect(await found('garden')).toEqual(['garden']);
      await expect(search('hello', SAYS.name)).rejects.toMatchObject({ code: 'not_found' });
    });

    test('come and go, and take in types that come later', async () => {
      await fill();
      await wanted(NOTES);
      await graph.write((tx) =>
        tx.createNode({ id: 'memo', type: 'Memo', traits: ['Note', 'Memo'], properties: { text: 'garden' } }),
      );
      expect(await found('garden')).toEqual(['garden']);
      await wanted({ ...NOTES, types: ['Note', 'Memo'] });
      expect(await found('garden')).toEqual(['garden', 'memo']);
      await wanted({ ...NOTES, types: ['Note', 'Memo', 'Later'] });
      await graph.write((tx) =>
        tx.createNode({ id: newId(), type: 'Later', traits: ['Note', 'Later'], properties: { text: 'garden' } }),
      );
      expect(await found('garden')).toHaveLength(3);
      await wanted();
      await expect(search('garden')).rejects.toMatchObject({ code: 'not_found' });
      await wanted(NOTES);
      expect(await found('garden')).toEqual(['garden']);
    });
  });
}
