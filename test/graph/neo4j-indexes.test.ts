/** How the indexes of Neo4j are made again, without a server: it does not fail on demand. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../../src/main/graph/neo4j/connection/database.js';
import { Indexes } from '../../src/main/graph/neo4j/indexes/indexes.js';
import { textIndexOf } from '../../src/main/graph/neo4j/indexes/text-indexes.js';

const TEXT = { name: 'T_text_fulltext', kind: 'nodes', label: 'T', types: ['T'], key: 'text' } as const;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('a full-text index that could not be built is built again after a while', async () => {
  const states = new Map<string, string>();
  let fails = true;
  const made: string[] = [];
  const database: Pick<Database, 'run' | 'runTogether'> = {
    run: () => Promise.resolve([...states].map(([name, state]) => [name, state, undefined])),
    runTogether: (texts) => {
      for (const text of texts) {
        const [, verb, name = ''] = /^(CREATE FULLTEXT|DROP) INDEX `?(\w+)/.exec(text) ?? [];
        if (verb === 'DROP') states.delete(name);
        else states.set(name, fails ? 'FAILED' : 'ONLINE');
        made.push(String(verb));
      }
      return Promise.resolve();
    },
  };
  const errors: unknown[] = [];
  const indexes = new Indexes(database as Database, (error) => errors.push(error));
  indexes.set([], [TEXT]);
  await indexes.settled();
  expect(() => indexes.text(TEXT.name)).toThrow('being built');
  expect(errors.map(String)).toEqual([expect.stringContaining('could not build')]);
  fails = false;
  // Not sooner because somebody asks: each change makes Neo4j forget how it runs all statements.
  await vi.advanceTimersByTimeAsync(50_000);
  expect(() => indexes.text(TEXT.name)).toThrow('being built');
  expect(made).toEqual(['CREATE FULLTEXT']);
  await vi.advanceTimersByTimeAsync(11_000);
  expect(made).toEqual(['CREATE FULLTEXT', 'DROP', 'CREATE FULLTEXT']);
  expect(indexes.text(TEXT.name)).toMatchObject({ kind: 'nodes' });
  await indexes.stop();
});

test('what has to wait for locks is tried again with more patience, and serves meanwhile where it is there', async () => {
  const patience: number[] = [];
  const made: string[] = [];
  let locked = true;
  const database: Pick<Database, 'run' | 'runTogether'> = {
    run: ({ text }) => Promise.resolve(text.startsWith('SHOW') ? [[textIndexOf(TEXT)?.name, 'ONLINE', undefined]] : []),
    runTogether: (texts, most) => {
      patience.push(most);
      if (locked) return Promise.reject(new Error('locked'));
      made.push(...texts.map((text) => /^CREATE \w+/.exec(text)?.[0] ?? text));
      return Promise.resolve();
    },
  };
  const errors: unknown[] = [];
  const indexes = new Indexes(database as Database, (error) => errors.push(error));
  const lacking = { ...TEXT, name: 'T_other_fulltext', key: 'other' };
  indexes.set([{ trait: 'T', types: ['T'], key: 'n', unique: false }], [TEXT, lacking]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(patience).toEqual([1000, 2000, 4000, 8000, 16_000]);
  expect(errors.map(String)).toEqual([expect.stringContaining('tried again in a minute: locked')]);
  expect(indexes.text(TEXT.name)).toMatchObject({ kind: 'nodes' });
  // Not sooner because somebody asks.
  expect(() => indexes.text(lacking.name)).toThrow('being built');
  await vi.advanceTimersByTimeAsync(45_000);
  expect(patience).toHaveLength(5);
  locked = false;
  await vi.advanceTimersByTimeAsync(15_000);
  expect(patience.slice(5)).toEqual([32_000]);
  expect(made).toEqual(['CREATE RANGE', 'CREATE FULLTEXT']);
  await indexes.stop();
});
