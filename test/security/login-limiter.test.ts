import { expect, test } from 'vitest';
import { Config } from '../../src/main/config/index.js';
import { AccessError, LoginLimiter } from '../../src/main/security/index.js';

function refusal(limiter: LoginLimiter, address: string, now: number): AccessError | undefined {
  try {
    limiter.check(address, now);
    return undefined;
  } catch (error) {
    if (error instanceof AccessError) return error;
    throw error;
  }
}

const limiterOf = (perMinute: number, max?: number): LoginLimiter =>
  new LoginLimiter(Config.of({ 'security.login.maxperminute': perMinute }), max);

test('so many attempts a minute and address, then 429 with Retry-After', () => {
  const limiter = limiterOf(3);
  for (let i = 0; i < 3; i++) expect(refusal(limiter, '1.2.3.4', i)).toBeUndefined();
  const refused = refusal(limiter, '1.2.3.4', 10);
  expect(refused?.status).toBe(429);
  expect(Number(refused?.headers['Retry-After'])).toBeGreaterThan(0);
  expect(refusal(limiter, '1.2.3.5', 10)).toBeUndefined();
});

test('who waits as told gets in, however often he was refused before', () => {
  const limiter = limiterOf(3);
  for (let i = 0; i < 3; i++) limiter.check('1.2.3.4', i);
  let now = 100;
  let tries = 0;
  for (let refused = refusal(limiter, '1.2.3.4', now); refused !== undefined; tries++) {
    now += Number(refused.headers['Retry-After']) * 1000;
    refused = refusal(limiter, '1.2.3.4', now);
  }
  expect(tries).toBeLessThan(6);
  expect(now).toBeLessThan(125_000);
});

test('hardly more than the limit in any minute, at whatever pace', () => {
  const limiter = limiterOf(10);
  const passed: number[] = [];
  for (let now = 0; now < 600_000; now += 250) if (refusal(limiter, 'a', now) === undefined) passed.push(now);
  // The minute before counts by its share: at worst a little more than the limit fits into one.
  const most = Math.max(...passed.map((start) => passed.filter((t) => t >= start && t < start + 60_000).length));
  expect(most).toBeLessThanOrEqual(12);
  expect(passed.length).toBeLessThanOrEqual(111);
});

test('IPv6 by /64, IPv4 inside IPv6 as IPv4; 0 is no limit; memory is bounded', () => {
  const limiter = limiterOf(1);
  limiter.check('2001:db8::1', 0);
  expect(refusal(limiter, '2001:db8::2', 0)?.status).toBe(429);
  expect(refusal(limiter, '2001:db8:0:1::1', 0)).toBeUndefined();
  limiter.check('1.2.3.4', 0);
  expect(refusal(limiter, '::ffff:1.2.3.4', 0)?.status).toBe(429);
  const none = limiterOf(0);
  for (let i = 0; i < 100; i++) none.check('1.2.3.4', 0);
  const small = limiterOf(1, 2);
  for (const address of ['1.1.1.1', '1.1.1.2', '1.1.1.3']) small.check(address, 0);
  expect(refusal(small, '1.1.1.3', 0)?.status).toBe(429);
  expect(refusal(small, '1.1.1.1', 0)).toBeUndefined();
});

test('what is only tried counts while it runs, and afterwards when it was refused', async () => {
  const limiter = limiterOf(3);
  const wrong = (): Promise<never> => Promise.reject(new AccessError('wrong'));
  const statusOf = (attempt: Promise<unknown>): Promise<unknown> =>
    attempt.then(
      () => 200,
      (error: unknown) => (error instanceof AccessError ? error.status : 500),
    );
  for (let i = 0; i < 10; i++) expect(await statusOf(limiter.guard('a', () => Promise.resolve()))).toBe(200);
  let end = (): void => undefined;
  const slow = (): Promise<void> => new Promise((resolve) => (end = resolve));
  const running = [limiter.guard('a', slow), limiter.guard('a', () => Promise.resolve())];
  await running[1];
  expect(await statusOf(limiter.guard('a', wrong))).toBe(401);
  // An error of the server is no attempt of the client's.
  expect(await statusOf(limiter.guard('a', () => Promise.reject(new Error('broken'))))).toBe(500);
  expect(await statusOf(limiter.guard('a', wrong))).toBe(401);
  expect(await statusOf(limiter.guard('a', wrong))).toBe(429);
  end();
  await running[0];
  expect(await statusOf(limiter.guard('a', wrong))).toBe(401);
  expect(await statusOf(limiter.guard('a', () => Promise.resolve()))).toBe(429);
  expect(await statusOf(limiter.guard('b', wrong))).toBe(401);
});
