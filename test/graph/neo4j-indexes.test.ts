/** How the indexes of Neo4j are made again, without a server: it does not fail on demand. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Database } from '../../src/main/graph/neo4j/database.js';
import { Indexes } from '../../src/main/graph/neo4j/indexes.js';

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
