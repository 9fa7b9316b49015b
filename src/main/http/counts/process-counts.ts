import { randomInt } from 'node:crypto';
import { keysMemory, SharedKeys, type KeysMemory } from './shared-keys.js';
import { ratesMemory, SharedRates, type RatesMemory } from './shared-rates.js';
import { Tally } from './tally.js';

/** `bodies` and `answers` are what those budgets hold, in KB. */
const TALLIES = ['connections', 'waiting', 'slots', 'bodies', 'answers'] as const;
const KEYS = ['addresses', 'waiting'] as const;

/** What threads of one process count together, as it crosses to them. */
export interface CountsMemory {
  readonly threads: number;
  readonly tallies: Int32Array;
  readonly ids: Int32Array;
  readonly addresses: KeysMemory;
  readonly waiting: KeysMemory;
  readonly rates: RatesMemory;
}

/**
 * What counts for the process and not for each of its threads (docs/design/threads.md, 9): numbers in shared memory. Given to
 * `ConnectionCount`, `AddressCounts`, `HttpBudgets` and `RateLimiter`; without it they count for themselves.
 */
export class ProcessCounts {
  readonly rates: SharedRates;

  /** `thread`: whose counts these are, from 0; 0 is the main thread. */
  constructor(
    readonly memory: CountsMemory,
    private readonly thread: number,
  ) {
    this.rates = new SharedRates(memory.rates);
  }

  /** For the main thread of a process that has so many threads at most, itself counted. */
  static create(threads: number): ProcessCounts {
    const seed = randomInt(2 ** 32);
    const memory: CountsMemory = {
      threads,
      tallies: new Int32Array(new SharedArrayBuffer(TALLIES.length * threads * 4)),
      ids: new Int32Array(new SharedArrayBuffer(4)),
      addresses: keysMemory(threads, seed),
      waiting: keysMemory(threads, seed),
      rates: ratesMemory(seed),
    };
    return new ProcessCounts(memory, 0);
  }

  tally(name: (typeof TALLIES)[number]): Tally {
    const { tallies, threads } = this.memory;
    const from = TALLIES.indexOf(name) * threads;
    return new Tally(tallies.subarray(from, from + threads), this.thread);
  }

  keys(name: (typeof KEYS)[number]): SharedKeys {
    return new SharedKeys(this.memory[name], this.thread);
  }

  /** A number that no other connection of the process has. */
  nextId(): number {
    return Atomics.add(this.memory.ids, 0, 1) + 1;
  }

  /** A thread has ended: what it has counted is gone with it, and another one may have its number. */
  forget(thread: number): void {
    const { tallies, threads } = this.memory;
    for (let i = 0; i < TALLIES.length; i++) Atomics.store(tallies, i * threads + thread, 0);
    for (const name of KEYS) this.keys(name).forget(thread);
  }
}
