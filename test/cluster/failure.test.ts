import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Instance, startInstances, stateAt } from './instances.js';

/** `cluster.lease.time` of these tests, in milliseconds. */
const LEASE = 6000;
/** `database.query.timeout` of these tests; a silent database is noticed at most a second later. */
const QUERY_TIMEOUT = 10_000;
/** What a busy machine may take beside it. */
const BUSY = 15_000;

/** What became of the items that a writer sent. */
interface Sent {
  readonly acknowledged: string[];
  readonly refused: string[];
  /** Sent to a server that died before it answered. */
  readonly unknown: string[];
}

describe('an instance that dies or loses the database', () => {
  let instances: Instance[];
  let close: () => Promise<void>;
  const at = (i: number): Instance => {
    const instance = instances[i];
    if (instance === undefined) throw new Error(`there is no instance ${String(i)}`);
    return instance;
  };
  const admin = (i: number) => at(i).server.admin;

  beforeAll(async () => {
    ({ instances, close } = await startInstances(3, {
      'cluster.lease.time': LEASE,
      'database.query.timeout': QUERY_TIMEOUT,
    }));
    await admin(0).defineType('Item', [{ name: 'code', propertyType: 'String', unique: true }]);
    for (const i of [1, 2]) while ((await admin(i).get('/Item')).status !== 200) await sleep(20);
  });
  afterAll(() => close());

  /** Items named `<prefix><n>`, one after the other, until `until` is so. None is sent twice. */
  async function write(i: number, prefix: string, sent: Sent, until: () => boolean): Promise<void> {
    for (let n = 0; !until(); n++) {
      const code = `${prefix}${String(n)}`;
      const answer = await admin(i)
        .post('/Item', { code })
        .catch(() => undefined);
      if (answer === undefined) {
        sent.unknown.push(code);
        // It is gone: nobody is there to refuse.
        await sleep(20);
        continue;
      }
      (answer.status === 201 ? sent.acknowledged : sent.refused).push(code);
      if (answer.status !== 201) expect(answer.status).toBe(503);
    }
  }
  const nothingSent = (): Sent => ({ acknowledged: [], refused: [], unknown: [] });
  /** Waits until every writer got on since. */
  async function goneOn(all: readonly Sent[]): Promise<void> {
    const before = all.map((one) => one.acknowledged.length);
    await expect.poll(() => all.every((one, i) => one.acknowledged.length > (before[i] ?? 0) + 1)).toBe(true);
  }

  /** Every acknowledged item is there once, no refused one is, and none is doubled. */
  async function expectKept(i: number, all: readonly Sent[]): Promise<void> {
    const { body } = await admin(i).get('/Item?_pageSize=100000');
    const codes = (body as { result: { code: string }[] }).result.map((one) => one.code);
    expect(new Set(codes).size).toBe(codes.length);
    const stored = new Set(codes);
    for (const { acknowledged, refused } of all) {
      expect(acknowledged.filter((code) => !stored.has(code))).toEqual([]);
      expect(refused.filter((code) => stored.has(code))).toEqual([]);
    }
  }

  it('is replaced as coordinator within the lease time, and no write is lost or doubled', async () => {
    expect((await stateAt(at(1))).coordinator).toBe('cluster-node-0');
    let over = false;
    const all = [0, 1, 2].map(nothingSent);
    const writers = all.map((sent, i) => write(i, `kill${String(i)}-`, sent, () => over));
    await goneOn(all);
    const killed = performance.now();
    at(0).server.child.kill('SIGKILL');
    await expect.poll(async () => (await stateAt(at(1))).coordinator, { interval: 20 }).toMatch(/cluster-node-[12]/);
    expect(performance.now() - killed).toBeLessThan(LEASE + BUSY);
    await goneOn(all.slice(1));
    over = true;
    await Promise.all(writers);
    expect(all[0]?.unknown.length).toBeGreaterThan(0);
    for (const { acknowledged } of all) expect(acknowledged.length).toBeGreaterThan(0);
    for (const { refused } of all) expect(refused).toEqual([]);
    await expectKept(1, all);
    await expectKept(2, all);
    const dead = (await stateAt(at(2))).members.find((one) => one.name === 'cluster-node-0');
    await expect
      .poll(async () => (await stateAt(at(2))).members.find((one) => one.name === dead?.name)?.alive)
      .toBe(false);
  });

  it('cut off from the database it answers 503 at once, and works again when it is back', async () => {
    let over = false;
    const all = [1, 2].map(nothingSent);
    const writers = all.map((sent, i) => write(i + 1, `cut${String(i + 1)}-`, sent, () => over));
    for (let round = 0; round < 3; round++) {
      await goneOn(all);
      at(1).line.cut();
      const since = performance.now();
      const answers = await Promise.all([
        admin(1).get('/Item?_pageSize=1'),
        admin(1).post('/Item', { code: `lost${String(round)}` }),
        admin(1).get('/_cluster'),
      ]);
      expect(answers.map((one) => one.status)).toEqual([503, 503, 503]);
      expect(answers.every((one) => Number(one.headers['retry-after']) >= 1)).toBe(true);
      expect(performance.now() - since).toBeLessThan(QUERY_TIMEOUT + BUSY);
      const type = `Meanwhile${String(round)}`;
      await admin(2).defineType(type, [{ name: 'text', propertyType: 'String' }]);
      at(1).line.mend();
      await expect.poll(async () => (await admin(1).get(`/${type}`)).status).toBe(200);
      expect((await admin(1).post(`/${type}`, { text: 'back' })).status).toBe(201);
    }
    over = true;
    await Promise.all(writers);
    expect(all[0]?.refused.length).toBeGreaterThan(0);
    expect(all[1]?.refused).toEqual([]);
    await expectKept(1, all);
  });

  it('a database that says nothing any more does not hang a request', async () => {
    at(1).line.silence();
    const since = performance.now();
    const answers = await Promise.all([admin(1).get('/Item?_pageSize=1'), admin(1).post('/Item', { code: 'silent' })]);
    expect(answers.map((one) => one.status)).toEqual([503, 503]);
    expect(answers.every((one) => Number(one.headers['retry-after']) >= 1)).toBe(true);
    expect(performance.now() - since).toBeLessThan(QUERY_TIMEOUT + BUSY);
    at(1).line.mend();
    await expect.poll(async () => (await admin(1).get('/Item?_pageSize=1')).status).toBe(200);
    await expect.poll(async () => (await admin(1).post('/Item', { code: 'heard' })).status).toBe(201);
    expect((await admin(2).get('/Item?code=silent')).body).toMatchObject({ result_count: 0 });
  });
});
