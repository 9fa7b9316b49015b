import { afterEach, describe, expect, it } from 'vitest';
import { SingleFlight, WorkError, WorkPool } from '../../src/shared/work/index.js';

const open: WorkPool[] = [];
function pool(threads: number, waiting = 10): WorkPool {
  const made = new WorkPool({ name: 'test', threads, waiting, memory: 64 });
  open.push(made);
  return made;
}
afterEach(async () => {
  await Promise.all(open.splice(0).map((one) => one.close()));
});

const held = (): { readonly end: () => void; readonly work: () => Promise<void> } => {
  let end: () => void = () => undefined;
  const over = new Promise<void>((resolve) => (end = resolve));
  return { end, work: () => over };
};
const WORK = { what: 'the work of a test', time: 10_000 };
const code = (error: unknown): unknown => (error instanceof WorkError ? error.code : error);

describe('a pool of work', () => {
  it('does so much at a time, and refuses what finds no room to wait', async () => {
    const one = pool(1, 1);
    const first = held();
    const running = one.hold(WORK, first.work);
    const waits = one.hold(WORK, () => Promise.resolve('second'));
    expect(one.waiting).toBe(1);
    expect(await one.hold(WORK, () => Promise.resolve('third')).catch(code)).toBe('busy');
    first.end();
    await running;
    expect(await waits).toBe('second');
  });

  it('begins what somebody waits for before what nobody waits for', async () => {
    const one = pool(1);
    const first = held();
    const order: string[] = [];
    const work = (name: string) => () => Promise.resolve(void order.push(name));
    const all = [one.hold(WORK, first.work)];
    all.push(one.hold({ ...WORK, priority: 'background' }, work('background')));
    all.push(one.hold(WORK, work('asked')));
    first.end();
    await Promise.all(all);
    expect(order).toEqual(['asked', 'background']);
  });

  it('forgets what waits when nobody wants it any more', async () => {
    const one = pool(1);
    const first = held();
    const running = one.hold(WORK, first.work);
    const control = new AbortController();
    const waits = one.hold({ ...WORK, signal: control.signal }, () => Promise.resolve()).catch(code);
    control.abort();
    expect(await waits).toBe('gone');
    expect(one.waiting).toBe(0);
    first.end();
    await running;
  });

  it('ends work when its time is over, and goes on with other work', async () => {
    const one = pool(1);
    const endless = (signal: AbortSignal): Promise<void> =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
    expect(await one.hold({ ...WORK, time: 10 }, endless).catch(code)).toBe('time');
    expect(await one.hold(WORK, () => Promise.resolve(1))).toBe(1);
    expect(one.figures.kinds.get(WORK.what)).toMatchObject({ done: 1, failed: 1 });
  });

  it('runs work once more when its thread ends under it, and says so when that happens again', async () => {
    const one = pool(1);
    let died = 0;
    const work = { ...WORK, file: '../../../test/support/ending-worker', died: () => died++ };
    expect(await one.run({}, work).catch(code)).toBe('died');
    expect(died).toBe(2);
  });
});

it('a pool that closes ends what runs, and says that of no thread', async () => {
  const one = pool(1);
  const endless = (signal: AbortSignal): Promise<void> =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('ended'))));
  const running = one.hold(WORK, endless).catch(code);
  const other = pool(1);
  let died = 0;
  const work = { ...WORK, file: '../../../test/support/endless-worker', died: () => died++ };
  const inThread = other.run({}, work).catch(code);
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([one.close(), other.close()]);
  expect([await running, await inThread, died]).toEqual(['gone', 'gone', 0]);
});

describe('work that many ask for', () => {
  it('is done once, and ended when all who asked have gone', async () => {
    const flights = new SingleFlight<string>();
    let begun = 0;
    let ended = false;
    const work = (signal: AbortSignal): Promise<string> => {
      begun++;
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => {
          ended = true;
          reject(new Error('ended'));
        }),
      );
    };
    const controls = [new AbortController(), new AbortController()];
    const asked = controls.map(({ signal }) => flights.run('key', work, signal).catch(() => 'gone'));
    controls[0]?.abort();
    expect(await asked[0]).toBe('gone');
    expect([begun, ended]).toEqual([1, false]);
    controls[1]?.abort();
    expect(await asked[1]).toBe('gone');
    expect([begun, ended, flights.size]).toEqual([1, true, 0]);
  });
});
