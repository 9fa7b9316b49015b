import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** docs/interface/analytics.md. Events of three days in two months, given as [time, action, subject, object, message]. */
const EVENTS: readonly (readonly [string, string, string, string, string])[] = [
  ['2026-01-05T10:00:00+0000', 'VIEW', 'u1', 'p1', 'category:books'],
  ['2026-01-05T10:30:00+0000', 'VIEW', 'u2', 'p1', 'category:toys'],
  ['2026-01-05T23:30:00+0000', 'CLICK', 'u1', 'p2', 'banner=7'],
  ['2026-01-07T08:00:00+0000', 'PURCHASE', 'u1', 'p1', 'amount=12.5;premium'],
  ['2026-01-07T09:00:00+0000', 'PURCHASE', 'u3', 'p2', 'amount=3'],
  ['2026-02-01T00:00:00+0000', 'VIEW', 'u1', 'p2', 'category:books'],
];

const query = (parameters: Readonly<Record<string, string>>): string =>
  `/log?${new URLSearchParams(parameters).toString()}`;
const ms = (text: string): string => String(Date.parse(text));

describe('the analytics log', () => {
  let server: TestServer;
  let admin: Client;
  const ask = (parameters: Readonly<Record<string, string>>, by = admin): Promise<Answer> => by.get(query(parameters));

  beforeAll(async () => {
    server = await TestServer.start({ settings: { 'application.timezone': 'Europe/Berlin' } });
    ({ admin } = server);
    await admin.post(
      '/LogEvent',
      EVENTS.map(([timestamp, action, subject, object, message]) => ({ timestamp, action, subject, object, message })),
    );
  });
  afterAll(() => server.stop());

  it('sums up', async () => {
    const { status, body } = await admin.get('/log');
    expect(status).toBe(200);
    expect(body.result).toEqual([
      {
        actions: ['CLICK', 'PURCHASE', 'VIEW'],
        entryCount: 6,
        firstEntry: '2026-01-05T11:00:00+0100',
        lastEntry: '2026-02-01T01:00:00+0100',
      },
    ]);
    expect(body.result_count).toBe(1);
  });

  it('lists events by time', async () => {
    const { body } = await ask({ subject: 'u1', object: 'p1' });
    expect(body.result).toEqual([
      {
        subject: 'u1',
        object: 'p1',
        action: 'VIEW',
        timestamp: '2026-01-05T11:00:00+0100',
        message: 'category:books',
      },
      {
        subject: 'u1',
        object: 'p1',
        action: 'PURCHASE',
        timestamp: '2026-01-07T09:00:00+0100',
        message: 'amount=12.5;premium',
      },
    ]);
    expect(body.result_count).toBe(2);
  });

  it('counts by day, days without events too', async () => {
    const { status, body } = await ask({ action: 'PURCHASE', aggregate: 'yyyy-MM-dd', premium: '.*premium' });
    expect(status).toBe(200);
    expect(body.result).toEqual([{ [ms('2026-01-06T23:00:00Z')]: { total: 2, premium: 1 } }]);
    const all = await ask({
      aggregate: 'yyyy-MM-dd',
      timestamp: '[2026-01-05T10:00:00+0000 TO 2026-01-07T10:00:00+0000]',
    });
    expect(all.body.result).toEqual([
      {
        [ms('2026-01-04T23:00:00Z')]: { total: 2 },
        [ms('2026-01-05T23:00:00Z')]: { total: 1 },
        [ms('2026-01-06T23:00:00Z')]: { total: 2 },
      },
    ]);
  });

  it('writes events', async () => {
    const sent = Date.now();
    const { status, body, headers } = await admin.post('/log', {
      action: 'POSTED',
      message: 'm',
      subject: 'u9',
      object: 'p9',
    });
    expect(status).toBe(201);
    expect(headers['location']).toBeUndefined();
    expect(body.result_count).toBe(1);
    expect(body.result).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        type: 'LogEvent',
        name: null,
        action: 'POSTED',
        message: 'm',
        subject: 'u9',
        object: 'p9',
        timestamp: expect.any(String) as string,
      },
    ]);
    const time = Date.parse(body.result[0].timestamp.replace(/(\d\d)$/, ':$1'));
    expect(time).toBeGreaterThanOrEqual(Math.floor(sent / 1000) * 1000);
    const found = await admin.get(`/LogEvent/${String(body.result[0].id)}/all`);
    expect(found.body.result).toMatchObject({
      visibleToPublicUsers: true,
      visibleToAuthenticatedUsers: true,
      owner: null,
    });
  });
});
