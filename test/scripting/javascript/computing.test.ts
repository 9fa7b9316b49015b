import { availableParallelism } from 'node:os';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  Computing,
  computingBound,
  type Bounds,
  type Place,
} from '../../../src/main/scripting/engines/javascript/isolates/computing.js';

function computing(bounds: Partial<Bounds> = {}): Computing {
  return new Computing(() => ({ computing: 2, running: 100, waiting: 100, patience: 10_000, ...bounds }));
}

/** Notes who begins, in order. */
function beginning(all: Computing): {
  readonly begun: string[];
  readonly places: Map<string, Place>;
  add(name: string): Promise<void>;
} {
  const begun: string[] = [];
  const places = new Map<string, Place>();
  return {
    begun,
    places,
    add: async (name) => {
      const place = await all.begin(name.charAt(0), false);
      begun.push(name);
      places.set(name, place);
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the bound on scripts that compute', () => {
  it('leaves a place for others, and lets users take turns', async () => {
    const all = computing({ computing: 2 });
    const { begun, places, add } = beginning(all);
    for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'c2']) void add(name);
    await turn();
    expect(begun).toEqual(['a1', 'b1']);
    expect(all.counts).toEqual({ running: 2, computing: 2, waiting: 4 });
    // a may have one place only, though both are free.
    places.get('b1')?.end();
    await turn();
    expect(begun).toEqual(['a1', 'b1', 'c1']);
    places.get('c1')?.end();
    await turn();
    expect(begun).toEqual(['a1', 'b1', 'c1', 'c2']);
    places.get('a1')?.end();
    await turn();
    expect(begun.at(-1)).toBe('a2');
    places.get('c2')?.end();
    await turn();
    expect(all.counts).toEqual({ running: 1, computing: 1, waiting: 1 });
    places.get('a2')?.end();
    await turn();
    expect(begun.at(-1)).toBe('a3');
    places.get('a3')?.end();
    expect(all.counts).toEqual({ running: 0, computing: 0, waiting: 0 });
  });

  it('lets others compute while a script waits for long, and goes on with it before others begin', async () => {
    const all = computing({ computing: 1 });
    const first = await all.begin('a', false);
    const { begun, places, add } = beginning(all);
    void add('b1');
    void add('b2');
    first.pause();
    await turn();
    expect(begun).toEqual([]);
    await expect.poll(() => begun).toEqual(['b1']);
    let wentOn = false;
    expect(first.resume(false, () => (wentOn = true))).toBe(false);
    places.get('b1')?.end();
    expect(wentOn).toBe(true);
    await turn();
    expect(begun).toEqual(['b1']);
    first.end();
    await turn();
    expect(begun).toEqual(['b1', 'b2']);
  });

  it('keeps the place of a script that waits for a moment', async () => {
    const all = computing({ computing: 1 });
    const first = await all.begin('a', false);
    first.pause();
    expect(first.resume(false, () => undefined)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(all.counts.computing).toBe(1);
  });

  it('makes nobody wait who holds others up', async () => {
    const all = computing({ computing: 1, running: 1 });
    const first = await all.begin('a', false);
    const urgent = await all.begin('a', true);
    first.rest();
    expect(first.resume(true, () => undefined)).toBe(true);
    expect(all.counts.computing).toBe(2);
    urgent.end();
    first.end();
    expect(all.counts).toEqual({ running: 0, computing: 0, waiting: 0 });
  });

  it('refuses who comes when too many wait, and who has waited for long', async () => {
    const all = computing({ computing: 1, waiting: 1, patience: 30 });
    const first = await all.begin('a', false);
    const waits = all.begin('b', false);
    await expect(all.begin('c', false)).rejects.toMatchObject({ status: 503 });
    await expect(waits).rejects.toMatchObject({ status: 503 });
    expect(all.counts.waiting).toBe(0);
    first.end();
    expect(all.counts).toEqual({ running: 0, computing: 0, waiting: 0 });
  });

  it('gives up the turn of a script that ends while it waits for it', async () => {
    const all = computing({ computing: 1 });
    const first = await all.begin('a', false);
    first.rest();
    const second = await all.begin('b', false);
    expect(first.resume(false, () => expect.unreachable())).toBe(false);
    first.end();
    second.end();
    expect(all.counts).toEqual({ running: 0, computing: 0, waiting: 0 });
  });

  it('is one more than there are processors when the setting is 0, three at least', () => {
    expect(computingBound(0)).toBe(Math.max(3, availableParallelism() + 1));
    expect(computingBound(5)).toBe(5);
  });
});

describe('scripts that compute for long', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Notes which scripts of one user begin; `end` ends one. */
  function scripts(all: Computing): { readonly begun: string[]; add(name: string): void; end(name: string): void } {
    const begun: string[] = [];
    const places = new Map<string, Place>();
    const add = (name: string): void => {
      void all.begin('a', false, name).then((place) => {
        begun.push(name);
        places.set(name, place);
      });
    };
    return { begun, add, end: (name) => places.get(name)?.end() };
  }

  it('let others of their user pass after a second, and come behind them', async () => {
    const all = computing({ computing: 3 });
    const { begun, add, end } = scripts(all);
    for (const name of ['loop', 'loop', 'loop', 'loop', 'one', 'two']) add(name);
    await turn();
    expect(begun).toEqual(['loop', 'loop']);
    await vi.advanceTimersByTimeAsync(900);
    expect(begun).toEqual(['loop', 'loop']);
    await vi.advanceTimersByTimeAsync(400);
    expect(begun).toEqual(['loop', 'loop', 'one']);
    end('one');
    await turn();
    expect(begun).toEqual(['loop', 'loop', 'one', 'two']);
    end('two');
    add('one');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun).toEqual(['loop', 'loop', 'one', 'two', 'one']);
    // Two loops wait still.
    expect(all.counts.waiting).toBe(2);
  });

  it('leave a place for other users, however many of theirs have passed', async () => {
    const all = computing({ computing: 3 });
    const { begun, add } = scripts(all);
    for (let i = 1; i <= 8; i++) {
      add(`loop${String(i)}`);
      await vi.advanceTimersByTimeAsync(1500);
    }
    expect(begun).toHaveLength(6);
    let other = false;
    void all.begin('b', false, 'new').then(() => (other = true));
    await vi.advanceTimersByTimeAsync(0);
    expect(other).toBe(true);
  });

  it('leave a place for those that ran quickly before, whatever else has begun meanwhile', async () => {
    const all = computing({ computing: 3 });
    const { begun, add, end } = scripts(all);
    add('known');
    await turn();
    end('known');
    for (let i = 1; i <= 8; i++) {
      add(`loop${String(i)}`);
      await vi.advanceTimersByTimeAsync(1500);
    }
    expect(all.counts).toMatchObject({ computing: 6, waiting: 2 });
    add('known');
    await vi.advanceTimersByTimeAsync(0);
    expect(begun.at(-1)).toBe('known');
  });

  it('go on before others once they have waited for half of the time that they may', async () => {
    const all = computing({ computing: 1, patience: 20_000 });
    const { begun, add, end } = scripts(all);
    add('slow');
    await turn();
    await vi.advanceTimersByTimeAsync(2000);
    end('slow');
    add('first');
    await turn();
    add('slow');
    await vi.advanceTimersByTimeAsync(11_000);
    add('second');
    end('first');
    await turn();
    expect(begun).toEqual(['slow', 'first', 'slow']);
  });
});
