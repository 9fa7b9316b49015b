/** Who gets the writer, and for how long. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Graph, newId, openSqliteGraph, type Origin, type WriteTransaction } from '../../src/main/graph/index.js';
import { turnOf } from '../../src/main/graph/commits/commit.js';
import { Turns } from '../../src/main/graph/sqlite/turns.js';

const of = (userId: string): Origin => ({ door: 'rest', userId });
const turnOfUser = (userId: string): string | undefined => turnOf(of(userId));

describe('turns', () => {
  const order = (turns: Turns<string>): string[] => {
    const all: string[] = [];
    for (let one = turns.next(); one !== undefined; one = turns.next()) all.push(one);
    return all;
  };

  test('go round among users, each with what he asked for first', () => {
    const turns = new Turns<string>();
    for (const job of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) turns.add(job, turnOfUser(job.charAt(0)));
    expect(turns.length).toBe(6);
    expect(order(turns)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(turns.length).toBe(0);
  });

  test('begin with the service itself, which may not keep all others waiting', () => {
    const turns = new Turns<string>();
    turns.add('user', turnOfUser('a'));
    for (let i = 0; i < 40; i++) turns.add(`own${String(i)}`, i % 2 === 0 ? undefined : turnOf({ door: 'system' }));
    const all = order(turns);
    expect(all.slice(0, 3)).toEqual(['own0', 'own1', 'own2']);
    expect(all.indexOf('user')).toBeLessThan(20);
    expect(all).toHaveLength(41);
  });

  test('are one for all whom nobody knows, by door', () => {
    const turns = new Turns<string>();
    for (const job of ['x1', 'x2', 'x3']) turns.add(job, turnOf({ door: 'rest' }));
    turns.add('a1', turnOfUser('a'));
    turns.add('l1', turnOf({ door: 'login' }));
    expect(order(turns)).toEqual(['x1', 'a1', 'l1', 'x2', 'x3']);
  });

  test('pass over who does not wait any more', () => {
    const turns = new Turns<string>();
    for (const job of ['a1', 'a2', 'b1']) turns.add(job, turnOfUser(job.charAt(0)));
    turns.remove('a1', turnOfUser('a'));
    turns.remove('a1', turnOfUser('a'));
    turns.remove('b1', turnOfUser('b'));
    expect(turns.length).toBe(1);
    expect(order(turns)).toEqual(['a2']);
  });

  test('are given to others while somebody has had enough', () => {
    const turns = new Turns<string>();
    for (const job of ['a1', 'a2', 'b1']) turns.add(job, turnOfUser(job.charAt(0)));
    expect(turns.next((name) => name !== 'a')).toBe('b1');
    expect(turns.next((name) => name !== 'a')).toBeUndefined();
    expect(order(turns)).toEqual(['a1', 'a2']);
  });
});

describe('the writer', () => {
  let path: string;
  let graph: Graph;

  beforeEach(async () => {
    path = mkdtempSync(join(tmpdir(), 'svc-turns-'));
    graph = await openSqliteGraph({ path, writerTimeout: 100 });
  });
  afterEach(async () => {
    await graph.close();
    rmSync(path, { recursive: true, force: true });
  });

  const add = (tx: WriteTransaction, type: string) => tx.createNode({ id: newId(), type, properties: {} });
  const count = async (type: string): Promise<number> =>
    (await graph.read((tx) => tx.count({ kind: 'nodes', types: [type] }))).count;

  test('is given to another after one of many transactions of a user', async () => {
    const done: string[] = [];
    const write = async (user: string): Promise<void> => {
      const work = async (tx: WriteTransaction): Promise<void> => {
        await add(tx, user);
        done.push(user);
      };
      await graph.write(work, { origin: of(user) });
    };
    await Promise.all([...Array.from({ length: 200 }, () => write('a')), write('b')]);
    expect(done.indexOf('b')).toBeLessThan(5);
    expect(await count('a')).toBe(200);
  });

  test('is taken from who has it for long while others wait, with nothing written', async () => {
    let ended: unknown;
    const holds = graph.write(
      async (tx) => {
        await add(tx, 'Held');
        await new Promise<void>((resolve, reject) => {
          const look = (): void => {
            tx.node('nobody').then(() => setTimeout(look, 10), reject);
          };
          look();
        }).catch((error: unknown) => {
          ended = error;
          throw error;
        });
      },
      { origin: of('a') },
    );
    const refused = expect(holds).rejects.toMatchObject({ code: 'writer_timeout' });
    await graph.write((tx) => add(tx, 'Short'), { origin: of('b') });
    await refused;
    expect(await Promise.all(['Held', 'Short'].map(count))).toEqual([0, 1]);
    // The work itself is told why.
    await expect.poll(() => ended).toMatchObject({ code: 'writer_timeout' });
  });

  test('is kept by who has it for long while nobody waits, and by the service itself', async () => {
    const long = async (tx: WriteTransaction): Promise<void> => {
      await add(tx, 'Long');
      await new Promise((resolve) => setTimeout(resolve, 300));
      await add(tx, 'Long');
    };
    await graph.write(long, { origin: of('a') });
    const own = graph.write(long);
    await graph.write((tx) => add(tx, 'Short'), { origin: of('b') });
    await own;
    expect(await Promise.all(['Long', 'Short'].map(count))).toEqual([4, 1]);
  });
});
