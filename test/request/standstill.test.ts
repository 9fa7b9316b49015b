/** Moments in which nobody is being answered (docs/design/requests.md 6). */
import { expect, test } from 'vitest';
import type { Exchange } from '../../src/main/http/index.js';
import { Standstill } from '../../src/main/request/index.js';

const exchange = (method = 'GET'): Exchange => ({ method }) as Exchange;
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A handler whose answers are given by hand. */
function answering(standstill: Standstill): { ask: (one: Exchange) => void; begun: Exchange[]; answer: () => void } {
  const begun: Exchange[] = [];
  const open: (() => void)[] = [];
  const handler = standstill.watching((one) => {
    begun.push(one);
    return new Promise<void>((resolve) => open.push(resolve));
  });
  return { ask: (one) => void handler(one), begun, answer: () => open.shift()?.() };
}

test('those who have begun are waited for, those who come wait', async () => {
  const standstill = new Standstill(60_000);
  const { ask, begun, answer } = answering(standstill);
  const [first, late, writing] = [exchange(), exchange(), exchange('POST')];
  ask(first);
  let goOn: (() => number) | undefined;
  const beginning = standstill.begin().then((one) => (goOn = one));
  ask(late);
  ask(writing);
  await turn();
  expect([goOn, begun]).toEqual([undefined, [first, writing]]);
  answer();
  await beginning;
  await turn();
  expect(begun).toEqual([first, writing]);
  expect(goOn?.()).toBeGreaterThan(0);
  await turn();
  expect(begun).toEqual([first, writing, late]);
});

test('nobody is waited for who only sends, has failed, or takes too long', async () => {
  const standstill = new Standstill(1);
  const failing = standstill.watching(() => {
    throw new Error('failed');
  });
  expect(() => failing(exchange())).toThrow('failed');
  await expect(standstill.watching(() => Promise.reject(new Error('late')))(exchange())).rejects.toThrow('late');
  const patient = new Standstill(60_000);
  const download = exchange();
  answering(patient).ask(download);
  patient.leave(download);
  (await patient.begin())();
  const { ask, begun } = answering(standstill);
  ask(exchange('HEAD'));
  const first = await standstill.begin();
  // One after the other.
  const second = standstill.begin();
  ask(exchange());
  await turn();
  expect(begun).toHaveLength(1);
  first();
  (await second)();
  await turn();
  expect(begun).toHaveLength(2);
});
