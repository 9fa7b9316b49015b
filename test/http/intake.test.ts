import { describe, expect, it } from 'vitest';
import { ByteBudget } from '../../src/main/http/index.js';
import { Intake, TURN_BYTES } from '../../src/main/http/request/intake.js';
import { RequestBody } from '../../src/main/http/request/request-body.js';

const PIECE = 512 * 1024;

/** A sender who always has more, as a socket with a full buffer: it hands over a piece whenever it is let. */
function eager(intake: Intake, pieces: number): RequestBody {
  let sent = 0;
  const push = (): void => {
    sent++;
    body.push(new ArrayBuffer(PIECE), sent === pieces);
    body.deliver();
  };
  const source = {
    pause: () => undefined,
    resume: () => {
      queueMicrotask(push);
    },
    bodyShare: new ByteBudget({ total: 0, perAddress: 0 }).share('a'),
  };
  const body = new RequestBody(source, { now: 0 }, PIECE * pieces, intake);
  push();
  return body;
}

/** Calls `look` once in each turn of the loop until `done`. */
async function eachTurn(done: Promise<unknown>, look: () => void): Promise<void> {
  let over = false;
  const ended = done.finally(() => {
    over = true;
  });
  const turn = (): void => {
    look();
    if (!over) setImmediate(turn);
  };
  setImmediate(turn);
  await ended;
}

describe('long bodies', () => {
  it('that arrive at the same time take a bounded part of each turn, and turns one after the other', async () => {
    const [senders, pieces] = [32, 20];
    const intake = new Intake();
    const got = Array.from({ length: senders }, () => 0);
    const reading = got.map(async (_, i) => {
      for await (const chunk of eager(intake, pieces).stream()) got[i] = (got[i] ?? 0) + chunk.length;
    });
    const perTurn: number[] = [];
    let before = 0;
    let apart = 0;
    await eachTurn(Promise.all(reading), () => {
      const all = got.reduce((sum, bytes) => sum + bytes, 0);
      perTurn.push(all - before);
      before = all;
      apart = Math.max(apart, Math.max(...got) - Math.min(...got));
    });
    expect(got).toEqual(got.map(() => pieces * PIECE));
    // The first look comes behind two turns: the one that began all this, and the next.
    expect(Math.max(...perTurn.slice(1))).toBeLessThan(TURN_BYTES + PIECE);
    expect(apart).toBe(PIECE);
  });

  it('a single one is read on in every turn', async () => {
    const intake = new Intake();
    const pieces = 50;
    let turns = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of eager(intake, pieces).stream()) expect(chunk.length).toBe(PIECE);
    };
    await eachTurn(read(), () => turns++);
    expect(turns).toBeLessThanOrEqual(pieces);
  });

  it('a sender who goes away while he waits for his turn is an error at once', async () => {
    const intake = new Intake(1);
    const body = eager(intake, 3);
    const stream = body.stream();
    await intake.enter(PIECE);
    const next = stream.next();
    body.fail(new Error('gone') as never);
    await expect(next).rejects.toThrow('gone');
  });
});
