import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Cluster } from '../../src/main/cluster/index.js';
import type { Graph, Lease, Membership } from '../../src/main/graph/index.js';
import { setLogSink } from '../../src/shared/log.js';

const EVERY = 1000;
const LEASE_TIME = 500;
const facts = { name: 'one', host: 'here', pid: 1, version: '1', startedAt: new Date(0) };

/** A cluster on a database that gives or refuses the lease, or on one of its own. */
function start(beat?: () => Promise<Lease>): Promise<Cluster> {
  const nothing = (): Promise<void> => Promise.resolve();
  const membership: Membership | undefined =
    beat === undefined ? undefined : { beat, members: () => Promise.resolve([]), tidy: nothing, leave: nothing };
  // Of the graph a cluster uses nothing else.
  return Cluster.start({ membership } as Graph, { facts, leaseTime: LEASE_TIME });
}

describe('work that the coordinator repeats', () => {
  let lines: string[];
  let sink: ReturnType<typeof setLogSink>;
  beforeEach(() => {
    vi.useFakeTimers();
    lines = [];
    sink = setLogSink((line) => lines.push(line));
  });
  afterEach(() => {
    setLogSink(sink);
    vi.useRealTimers();
  });

  it('is done until the instance stops', async () => {
    const cluster = await start();
    const work = vi.fn();
    cluster.repeat(EVERY, 'no work', work);
    await vi.advanceTimersByTimeAsync(3.5 * EVERY);
    expect(work).toHaveBeenCalledTimes(3);
    await cluster.stop();
    await vi.advanceTimersByTimeAsync(3 * EVERY);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('waits while another instance is the coordinator', async () => {
    let ours = false;
    const cluster = await start(() => Promise.resolve({ ours, term: 1 }));
    const work = vi.fn();
    cluster.repeat(EVERY, 'no work', work);
    await vi.advanceTimersByTimeAsync(3 * EVERY);
    expect(work).not.toHaveBeenCalled();
    ours = true;
    await vi.advanceTimersByTimeAsync(2 * EVERY);
    expect(work).toHaveBeenCalled();
    ours = false;
    await vi.advanceTimersByTimeAsync(LEASE_TIME);
    work.mockClear();
    await vi.advanceTimersByTimeAsync(3 * EVERY);
    expect(work).not.toHaveBeenCalled();
    await cluster.stop();
  });

  it('runs once at a time', async () => {
    const cluster = await start();
    let end = (): void => undefined;
    const work = vi.fn(
      () =>
        new Promise<void>((resolve) => {
          end = resolve;
        }),
    );
    cluster.repeat(EVERY, 'no work', work);
    await vi.advanceTimersByTimeAsync(3 * EVERY);
    expect(work).toHaveBeenCalledTimes(1);
    end();
    await vi.advanceTimersByTimeAsync(EVERY);
    expect(work).toHaveBeenCalledTimes(2);
    await cluster.stop();
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('is tried again when it %s, and the log says so', async (_, work) => {
    const cluster = await start();
    const failing = vi.fn(work);
    cluster.repeat(EVERY, 'the work failed', failing);
    await vi.advanceTimersByTimeAsync(2 * EVERY);
    expect(failing).toHaveBeenCalledTimes(2);
    expect(lines.filter((line) => /WARN .*the work failed/.test(line))).toHaveLength(2);
    expect(lines.join('')).toContain('broken');
    await cluster.stop();
  });
});
