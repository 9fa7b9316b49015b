import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Spool, SpoolFull } from '../../src/shared/spool.js';

async function bytesOf(spool: Spool): Promise<number[]> {
  const pieces: Buffer[] = [];
  for await (const piece of spool.pieces()) pieces.push(piece);
  return [...Buffer.concat(pieces)];
}

describe('a spool', () => {
  it('keeps what fits into memory, and gives the room back', async () => {
    const room = { free: 10 };
    const spool = new Spool(room, 6);
    await spool.add(Buffer.from([1, 2, 3]));
    expect(room.free).toBe(7);
    await spool.add(Buffer.from([4, 5, 6, 7]));
    // It is in a file now.
    expect([room.free, spool.size]).toEqual([10, 7]);
    expect(await bytesOf(spool)).toEqual([1, 2, 3, 4, 5, 6, 7]);
    expect(await bytesOf(spool)).toHaveLength(7);
    await spool.release();
    await spool.release();
    expect([room.free, spool.size]).toEqual([10, 0]);
  });

  it('takes nothing more when it is released, also on its way to the file', async () => {
    const room = { free: 10 };
    const spool = new Spool(room, 2);
    await spool.add(Buffer.from([1]));
    const adding = spool.add(Buffer.from([2, 3]));
    const refused = expect(adding).rejects.toThrow(/not needed/);
    await spool.release();
    await refused;
    await expect(spool.add(Buffer.from([4]))).rejects.toThrow(/not needed/);
    spool.cut(1);
    expect([room.free, spool.size]).toEqual([10, 0]);
  });

  it('has no more memory than others leave', async () => {
    const room = { free: 5 };
    const spools = [new Spool(room), new Spool(room)];
    for (const one of spools) await one.add(Buffer.alloc(4, 1));
    expect(room.free).toBe(1);
    for (const one of spools) expect(await bytesOf(one)).toEqual([1, 1, 1, 1]);
    for (const one of spools) await one.release();
    expect(room.free).toBe(5);
  });

  it('has no more of the disk than others leave, either', async () => {
    const room = { free: 0, onDisk: 10 };
    const [one, other] = [new Spool(room), new Spool(room)];
    await one.add(Buffer.alloc(7, 1));
    await expect(other.add(Buffer.alloc(4))).rejects.toThrow(SpoolFull);
    await other.add(Buffer.alloc(3, 2));
    // What is cut off leaves its place to what comes next.
    one.cut(2);
    await one.add(Buffer.alloc(5, 3));
    expect([room.onDisk, await bytesOf(one)]).toEqual([0, [1, 1, 3, 3, 3, 3, 3]]);
    await one.release();
    await other.add(Buffer.alloc(7, 2));
    await other.release();
    expect(room.onDisk).toBe(10);
  });

  it('holds what was added and not cut off, wherever it lies', async () => {
    const step = fc.oneof(
      fc.record({ add: fc.uint8Array({ maxLength: 12 }) }),
      fc.record({ cut: fc.double({ min: 0, max: 1, noNaN: true }) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), fc.integer({ min: 0, max: 40 }), async (steps, most) => {
        const room = { free: 100 };
        const spool = new Spool(room, most);
        let expected: number[] = [];
        for (const one of steps) {
          if ('add' in one) {
            await spool.add(Buffer.from(one.add));
            expected.push(...one.add);
          } else {
            expected = expected.slice(0, Math.floor(expected.length * one.cut));
            spool.cut(expected.length);
          }
          expect(spool.size).toBe(expected.length);
        }
        expect(await bytesOf(spool)).toEqual(expected);
        await spool.release();
        expect(room.free).toBe(100);
      }),
      { numRuns: 200 },
    );
  });
});
