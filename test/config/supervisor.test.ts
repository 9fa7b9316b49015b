import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/main/exit-codes.js';

interface End {
  readonly code: number | null;
  readonly signal: string | null;
  readonly up: boolean;
  readonly lived: number;
  readonly asked: boolean;
}
const { Supervisor, LastWords, describeEnd } = (await import(
  new URL('../../bin/supervisor.js', import.meta.url).href
)) as {
  Supervisor: new (deliberate: ReadonlySet<number>) => { after(end: End): number | undefined };
  LastWords: new () => { add(chunk: string): void; readonly cause: string };
  describeEnd(end: Pick<End, 'code' | 'signal'>, cause: string): string;
};

const CRASH: End = { code: null, signal: 'SIGSEGV', up: true, lived: 5000, asked: false };
const supervisor = (): InstanceType<typeof Supervisor> => new Supervisor(new Set([EXIT.ok, EXIT.portTaken]));

describe('a server that ended', () => {
  it.each<[string, Partial<End>, boolean]>([
    ['by a signal', {}, true],
    ['by the system, for lack of memory', { signal: 'SIGKILL' }, true],
    ['by abort', { signal: null, code: 134 }, true],
    ['by an error nobody expected', { signal: null, code: 1 }, true],
    ['as it was told', { signal: null, code: 0, asked: true }, false],
    ['by a signal, when it was told to end', { asked: true }, false],
    ['as others than the launcher told it', { signal: null, code: 0 }, false],
    ['by a signal that means to end', { signal: 'SIGTERM' }, false],
    ['with a documented code', { signal: null, code: EXIT.portTaken }, false],
    ['before it served for the first time', { up: false }, false],
  ])('%s', (_, end, again) => {
    expect(supervisor().after({ ...CRASH, ...end })).toBe(again ? 1000 : undefined);
  });

  it('waits longer each time, up to a minute, and begins anew when it lived for ten', () => {
    const one = supervisor();
    const pauses = Array.from({ length: 8 }, () => one.after(CRASH));
    expect(pauses).toEqual([1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000]);
    expect(one.after({ ...CRASH, lived: 599_999 })).toBe(60_000);
    expect(one.after({ ...CRASH, lived: 600_000 })).toBe(1000);
  });

  it('is tried again when a later start crashes, and not when it fails with a documented code', () => {
    const one = supervisor();
    one.after(CRASH);
    expect(one.after({ ...CRASH, up: false, lived: 10 })).toBe(2000);
    expect(one.after({ ...CRASH, up: false, signal: null, code: EXIT.portTaken })).toBeUndefined();
  });
});

describe('what a server died of', () => {
  it.each([
    ['', ''],
    ['malloc(): unaligned tcache chunk detected\n', 'malloc(): unaligned tcache chunk detected'],
    [
      '\n<--- Last few GCs --->\n\n[7:0x1]  100 ms: Mark-sweep 60\n\n\n<--- JS stacktrace --->\n\nFATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory\n----- Native stack trace -----\n\n 1: 0xb9a330 node::Abort() [node]\n10: 0x7f [node]\n',
      'FATAL ERROR: Reached heap limit Allocation failed - JavaScript heap out of memory',
    ],
    [
      "/srv/main.cjs:10\nthrow new Error('x')\n^\n\nError: no such thing\n    at main (/srv/main.cjs:10:7) {\n  code: 'X'\n}\n\nNode.js v20.19.0\n",
      'Error: no such thing',
    ],
  ])('%j', (said, cause) => {
    const words = new LastWords();
    for (const part of said.match(/.{1,7}/gs) ?? []) words.add(part);
    expect(words.cause).toBe(cause);
  });

  it('is one line of bounded length', () => {
    const words = new LastWords();
    words.add(`${'x'.repeat(100_000)}\u2028forged\u0007\n`);
    expect(words.cause).toMatch(/^x*  ?forged ?$|^x{300}$/);
    expect(describeEnd({ code: null, signal: 'SIGSEGV' }, '')).toBe('the server ended by signal SIGSEGV');
    expect(describeEnd({ code: 134, signal: null }, 'why')).toBe('the server ended with exit code 134 (why)');
  });
});
