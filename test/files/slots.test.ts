import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Slot, Slots } from '../../src/main/files/upload/slots.js';

async function* chunks(count: number, until?: Promise<void>): AsyncGenerator<Buffer> {
  for (let i = 0; i < count; i++) {
    await until;
    yield Buffer.of(i);
  }
}

/** Contents that come in at the same time are few, however many want to. */
describe('slots', () => {
  it('few work at the same time, all in the end', async () => {
    const slots = new Slots(3);
    let working = 0;
    let most = 0;
    const all = Array.from({ length: 50 }, async () => {
      const slot = new Slot(slots);
      let bytes = 0;
      for await (const chunk of slot.during(chunks(5))) {
        most = Math.max(most, ++working);
        await sleep(1);
        bytes += chunk.length;
        working--;
      }
      slot.release();
      slot.release();
      return bytes;
    });
    expect(await Promise.all(all)).toEqual(Array.from({ length: 50 }, () => 5));
    expect(most).toBe(3);
  });

  it('who waits for a slow client keeps nobody waiting', async () => {
    const slots = new Slots(2);
    let goOn = (): void => undefined;
    const until = new Promise<void>((resolve) => (goOn = resolve));
    const slow = Array.from({ length: 5 }, async () => {
      const slot = new Slot(slots);
      const got: number[] = [];
      for await (const chunk of slot.during(chunks(2, until))) got.push(chunk[0] ?? -1);
      slot.release();
      return got;
    });
    const slot = new Slot(slots);
    for await (const chunk of slot.during(chunks(3))) expect(chunk.length).toBe(1);
    slot.release();
    // Those that are slow have sent nothing yet.
    goOn();
    expect(await Promise.all(slow)).toEqual(Array.from({ length: 5 }, () => [0, 1]));
  });

  it('a sender that fails, and a reader that stops, give theirs back', async () => {
    const slots = new Slots(1);
    let closed = 0;
    const failing = async function* (): AsyncGenerator<Buffer> {
      try {
        yield Buffer.of(1);
        await sleep(1);
        throw new Error('gone');
      } finally {
        closed++;
      }
    };
    const read = async (stopAtOnce: boolean): Promise<void> => {
      const slot = new Slot(slots);
      try {
        for await (const chunk of slot.during(failing())) if (stopAtOnce && chunk.length > 0) return;
      } finally {
        slot.release();
      }
    };
    await expect(read(false)).rejects.toThrow('gone');
    await read(true);
    expect(closed).toBe(2);
    expect(slots.take(false)).toBeUndefined();
  });
});
