import { afterAll, describe, expect, it } from 'vitest';
import { StreamedDigests } from '../../src/main/analytics/streamed-digests.js';
import type { Question } from '../../src/main/analytics/digest/question.js';
import type { GraphNode, NodeQuery, ReadTransaction } from '../../src/main/graph/index.js';
import { workerFile } from '../../src/shared/worker-path.js';

/** Events of a database that a thread cannot read itself. */
describe('streamed digests', () => {
  const digests = new StreamedDigests();
  afterAll(() => digests.stop());

  const batch = (from: number): GraphNode[] =>
    Array.from({ length: 100 }, (_, i) => ({
      kind: 'node',
      id: String(from + i),
      type: 'LogEvent',
      properties: { timestamp: (from + i) * 3_600_000, action: 'A', message: `m${String(i % 2)}` },
    }));
  const events: NodeQuery = { kind: 'nodes', types: ['LogEvent'] };
  const reading = (batches: number): ReadTransaction =>
    ({
      async *stream() {
        for (let i = 0; i < batches; i++) yield await Promise.resolve(batch(i * 100));
      },
    }) as unknown as ReadTransaction;
  const counting: Question = {
    kind: 'aggregation',
    pattern: 'yyyy-MM-dd',
    zone: 'UTC',
    indent: false,
    filters: [],
    named: [{ name: 'odd', source: 'm1' }],
  };

  async function run(options: Question, tx: ReadTransaction, slow = 0): Promise<string> {
    let text = '';
    await digests.run(
      tx,
      [{ query: events }],
      { module: workerFile('analytics/event-digest'), options },
      async (piece) => {
        text += piece;
        if (slow > 0) await new Promise((resolve) => setTimeout(resolve, slow));
      },
    );
    return text;
  }

  it('are made of all events, whatever their number', async () => {
    const groups = JSON.parse(await run(counting, reading(12))) as Record<string, Record<string, number>>;
    expect(Object.keys(groups)).toHaveLength(50);
    expect(Object.values(groups).every(({ total, odd }) => total === 24 && odd === 12)).toBe(true);
    expect(await run(counting, reading(0))).toBe('{}');
  });

  it('leave in pieces that wait for who takes them', async () => {
    const hours = { ...counting, pattern: 'yyyy-MM-dd HH' };
    const groups = JSON.parse(await run(hours, reading(100), 1)) as object;
    expect(Object.keys(groups)).toHaveLength(10_000);
  });

  it('say what is wrong with what is asked', async () => {
    const broken = { ...counting, named: [{ name: 'x', source: '(' }] };
    await expect(run(broken, reading(1))).rejects.toMatchObject({ code: 'invalid_query' });
    const bad = { ...counting, multiplier: '(m)\\d' };
    await expect(run(bad, reading(3))).rejects.toMatchObject({ code: 'invalid_query' });
  });

  it('end with what is read', async () => {
    const failing = {
      stream: () => ({
        [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('gone')) }),
      }),
    } as unknown as ReadTransaction;
    await expect(run(counting, failing)).rejects.toThrow('gone');
  });
});
