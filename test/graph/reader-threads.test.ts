/** Long reads: several at a time, in turns among who asks, ended when they are not wanted any more (docs/design/sqlite.md 8). */
import { afterEach, describe, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type Graph, newId, openSqliteGraph } from '../../src/main/graph/index.js';

describe('long reads', () => {
  let graph: Graph | undefined;
  let path = '';
  afterEach(async () => {
    await graph?.close();
    rmSync(path, { recursive: true, force: true });
  });

  async function open(readerThreads: number): Promise<Graph> {
    path = mkdtempSync(join(tmpdir(), 'svc-readers-'));
    graph = await openSqliteGraph({ path, readerThreads });
    await graph.write(async (tx) => {
      for (let i = 0; i < 12_000; i++) {
        const properties = { text: `text ${String(i)}` };
        await tx.createNode({ id: newId(), type: 'Thing', traits: ['Thing'], properties });
      }
    });
    return graph;
  }
  /** No index helps: all rows are looked at, far longer than the loop may take. */
  const long = (asker?: string, signal?: AbortSignal): Promise<string> => {
    const where = { op: 'contains', key: 'text', value: String(Math.random()), ignoreCase: true } as const;
    const query = { kind: 'nodes', trait: 'Thing', types: ['Thing'], where, sort: [{ key: 'text' }] } as const;
    const options = { ...(asker === undefined ? {} : { asker }), ...(signal === undefined ? {} : { signal }) };
    const who = asker ?? 'the service';
    return (graph as Graph)
      .read((tx) => tx.find(query), options)
      .then(
        () => who,
        () => `${who} ended`,
      );
  };

  it('are given to users in turns: one who asks for many does not keep another waiting for all of them', async () => {
    await open(2);
    // Both threads are there.
    await Promise.all([long('first'), long('second')]);
    const over: string[] = [];
    const many = Array.from({ length: 8 }, () => long('many').then((who) => over.push(who)));
    const other = long('other').then((who) => over.push(who));
    await Promise.all([...many, other]);
    expect(over.indexOf('other')).toBeLessThan(4);
  });

  it('begin at once in a thread that is free, whoever waits because of having had enough', async () => {
    await open(2);
    await Promise.all([long('first'), long('second')]);
    const over: string[] = [];
    const many = Array.from({ length: 6 }, () => long('many').then((who) => over.push(who)));
    // One of theirs runs and the others wait; one thread is free.
    await setImmediate();
    await Promise.all([long('other').then((who) => over.push(who)), ...many]);
    expect(over.indexOf('other')).toBeLessThan(3);
  });

  it('are refused to those whom nobody knows before they are to others, and never to the service because of others', async () => {
    await open(1);
    const control = new AbortController();
    const waiting = Array.from({ length: 6 }, (_, who) =>
      Array.from({ length: 190 }, () => long(`/10.0.0.${String(who)}`, control.signal)),
    ).flat();
    const known = long('kim');
    const own = long();
    await setImmediate();
    control.abort();
    expect(await known).toBe('kim');
    expect(await own).toBe('the service');
    expect(new Set(await Promise.all(waiting)).size).toBe(6);
  });

  it('leave the queue when nobody waits for them any more', async () => {
    await open(1);
    const control = new AbortController();
    const first = long('a');
    const waiting = Array.from({ length: 20 }, () => long('b', control.signal));
    control.abort();
    expect(await Promise.all(waiting)).toEqual(Array.from({ length: 20 }, () => 'b ended'));
    expect(await first).toBe('a');
  });
});
