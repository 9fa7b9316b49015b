/** Full-text indexes of the SQLite engine: what no other engine has to care about. */
import type Sqlite from 'better-sqlite3';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { Library } from '../../src/main/graph/sqlite/connection/library.js';
import { type Graph, openSqliteGraph, parseTextQuery, type ReadTransaction } from '../../src/main/graph/index.js';
import { capacityOf } from '../../src/main/graph/sqlite/indexes/text-parts.js';
import { longestTurnAtBest, paced } from '../support/loop.js';
import { inFormat6 } from './older-format.js';

const NOTES = { name: 'Note_text_fulltext', kind: 'nodes', label: 'Note', types: ['Note'], key: 'text' } as const;
const WORDS = Array.from({ length: 64 }, (_, i) => `w${String(i)}x`);
/** Phrases whose words are in every text, in another order. */
const PHRASES = Array.from({ length: 63 }, (_, i) => `"${String(WORDS[i + 1])} ${String(WORDS[i])}"`).join(' ');

describe('full-text indexes of the sqlite engine', () => {
  let path: string;
  let graph: Graph;

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-text-'));
    graph = await openSqliteGraph({ path });
    await wanted(NOTES);
  });
  afterEach(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  const wanted = async (...texts: (Omit<typeof NOTES, 'types'> & { types: readonly string[] })[]): Promise<void> => {
    await graph.setIndexes([], texts);
    await graph.indexesReady();
  };
  const matches = async (tx: ReadTransaction, text: string, limit = 10) => {
    const query = parseTextQuery(text);
    return query === undefined ? [] : tx.search(NOTES.name, query, { offset: 0, limit });
  };
  const found = (text: string, limit?: number): Promise<string[]> =>
    graph.read(async (tx) => (await matches(tx, text, limit)).map(({ id }) => id));
  const code = async (work: Promise<unknown>): Promise<string> =>
    work.then(
      () => 'done',
      (error: unknown) => String((error as { code?: string }).code),
    );
  const create = (id: string, text: string, type = 'Note'): Promise<unknown> =>
    graph.write((tx) => tx.createNode({ id, type, properties: { text } }));
  const fill = async (count: number): Promise<void> => {
    for (let i = 0; i < count; i += 500) {
      await graph.write(async (tx) => {
        for (let k = i; k < Math.min(i + 500, count); k++)
          await tx.createNode({
            id: `n${String(k)}`,
            type: 'Note',
            properties: { text: `${WORDS.join(' ')} u${String(k)}` },
          });
      });
    }
  };
  /** What is in the file: after it the graph is open again. */
  const inFile = async <T>(look: (db: Sqlite.Database) => T): Promise<T> => {
    await graph.close();
    const db = new Library(join(path, 'graph.db'));
    try {
      return look(db);
    } finally {
      db.close();
      graph = await openSqliteGraph({ path });
    }
  };
  const parts = (): Promise<number> =>
    inFile((db) => Number(db.prepare('SELECT count(*) FROM text_part').pluck().get()));

  test('look through many texts without keeping the loop, in a worker that can be stopped', async () => {
    await fill(20_000);
    expect(await longestTurnAtBest(() => found(PHRASES), paced(50))).toBeLessThan(paced(50));
    const within = (tx: ReadTransaction) => matches(tx, PHRASES);
    const writing = () =>
      graph.write(async (tx) => {
        await tx.updateNode('n1', { text: 'changed' });
        expect(await within(tx)).toEqual([]);
      });
    expect(await longestTurnAtBest(writing, paced(60))).toBeLessThan(paced(60));
    const late = graph.write(within, { timeout: 30 });
    expect(await code(late)).toBe('query_timeout');
    const began = performance.now();
    expect(await code(graph.read(within, { timeout: 20 }))).toBe('query_timeout');
    expect(await found('u77')).toEqual(['n77']);
    expect(performance.now() - began).toBeLessThan(paced(150));
  });

  test('merge what many small writes have left, beside other work', async () => {
    await create('one', 'first');
    for (let i = 0; i < 700; i++) await graph.write((tx) => tx.updateNode('one', { text: `word${String(i)}` }));
    await graph.indexesReady();
    const [automerge, segments] = await inFile((db) => [
      db.prepare("SELECT v FROM text_1_config WHERE k = 'automerge'").pluck().get(),
      Number(db.prepare('SELECT count(DISTINCT segid) FROM text_1_idx').pluck().get()),
    ]);
    expect(automerge).toBe(0);
    expect(segments).toBeLessThan(150);
    expect(await found('word699')).toEqual(['one']);
  });

  test('give up parts in which little is left', async () => {
    await fill(6000);
    expect(await parts()).toBeGreaterThan(3);
    await graph.write(async (tx) => {
      for (let i = 0; i < 6000; i++) if (i % 100 !== 0) await tx.deleteNode(`n${String(i)}`);
    });
    await graph.indexesReady();
    expect(await parts()).toBeLessThan(3);
    expect(await found('w1x', 100)).toHaveLength(60);
    expect(await found('u5900')).toEqual(['n5900']);
    expect(await found('u5901')).toEqual([]);
  });

  test('compare the scores of what lies in different parts', async () => {
    await create('early', 'a rare word');
    await fill(3000);
    await create('late', 'a rare word');
    await create('best', 'rare, rare');
    expect(await parts()).toBeGreaterThan(1);
    const scores = await graph.read((tx) => matches(tx, 'rare'));
    expect(scores.map(({ id }) => id).sort()).toEqual(['best', 'early', 'late']);
    expect(scores[0]?.id).toBe('best');
    const [early, late] = ['early', 'late'].map((id) => scores.find((one) => one.id === id)?.score ?? 0);
    expect((early ?? 0) / (late ?? 1)).toBeGreaterThan(0.7);
    expect((early ?? 0) / (late ?? 1)).toBeLessThan(1.4);
  });

  test('see one state of all parts, while texts go from one to another', async () => {
    await fill(4000);
    let over = false;
    const writing = (async () => {
      for (let i = 0; !over; i++)
        await graph.write((tx) =>
          tx.updateNode(`n${String(i % 4000)}`, { text: `again ${WORDS.join(' ')} ${String(i)}` }),
        );
    })();
    for (let i = 0; i < 10; i++) {
      const ids = await found('w1x', 10_000);
      expect([ids.length, new Set(ids).size]).toEqual([4000, 4000]);
    }
    over = true;
    await writing;
  });

  test('have parts that become larger before there are too many', () => {
    let [parts, size] = [0, 0];
    for (; size < 5e9; parts++) size += capacityOf(parts);
    expect(parts).toBeLessThan(900);
    expect(capacityOf(99)).toBe(capacityOf(0));
  });

  test('are taken over from databases of format 6', async () => {
    await create('one', 'garden');
    await inFile(inFormat6);
    expect(await found('garden')).toEqual(['one']);
    await create('two', 'garden');
    expect((await found('garden')).sort()).toEqual(['one', 'two']);
  });

  test('are made in databases of the format before', async () => {
    await create('one', 'garden');
    await inFile((db) => {
      db.exec(
        'DROP TABLE text_index; DROP TABLE text_part; DROP TABLE text_entry; DROP TABLE text_1_words; DROP TABLE text_1',
      );
      inFormat6(db);
      db.pragma('user_version = 3');
    });
    await wanted(NOTES);
    expect(await found('garden')).toEqual(['one']);
  });

  test('refuse patterns that stand for too many words, but not beginnings of words', async () => {
    await create('many', Array.from({ length: 3000 }, (_, i) => `a${String(i)}b`).join(' ') + ' other');
    expect(await found('a*')).toEqual(['many']);
    expect(await found('other -a2999*')).toEqual([]);
    expect(await found('+other +a2999*')).toEqual(['many']);
    expect(await found('*2999?')).toEqual(['many']);
    for (const text of ['*b', 'a*b', 'other -*b', 'a12b~'])
      await expect(found(text), text).rejects.toMatchObject({ code: 'invalid_query' });
    // In a worker as well.
    await graph.close();
    graph = await openSqliteGraph({ path, loopBudget: 0 });
    await expect(found('*b')).rejects.toMatchObject({ code: 'invalid_query', message: /too many words/ });
  });

  test('hold nothing of types that were taken out before they were added', async () => {
    await graph.setIndexes([], [{ ...NOTES, types: ['Note', 'Other'] }]);
    await graph.setIndexes([], [NOTES]);
    await create('other', 'unicorn', 'Other');
    await graph.indexesReady();
    expect(await found('unicorn')).toEqual([]);
    await graph.write((tx) => tx.deleteNode('other'));
    // It gets the number of the row.
    await graph.write((tx) => tx.createNode({ id: 'innocent', type: 'Note', properties: {} }));
    expect(await found('unicorn')).toEqual([]);
  });

  test('go on with the next type where the one that was being added is taken out', async () => {
    await graph.write(async (tx) => {
      for (let i = 0; i < 20; i++)
        await tx.createNode({ id: `n${String(i)}`, type: 'Note', properties: { text: 'one' } });
    });
    await graph.write(async (tx) => {
      for (let i = 0; i < 3000; i++)
        await tx.createNode({ id: `o${String(i)}`, type: 'Other', properties: { text: WORDS.join(' ') } });
    });
    await graph.setIndexes([], []);
    await graph.setIndexes([], [{ ...NOTES, types: ['Other', 'Note'] }]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    await graph.write(async (tx) => {
      for (let i = 0; i < 3000; i++) await tx.deleteNode(`o${String(i)}`);
    });
    await wanted(NOTES);
    expect(await found('one', 100)).toHaveLength(20);
  });
});
