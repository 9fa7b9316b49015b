import { expect, test } from 'vitest';
import { TestServer } from '../support/server.js';

test('rate limits count the clients that trusted proxies name, and nobody else can name them', async () => {
  const limits = {
    'httpservice.dosfilter.ratelimiting': true,
    'httpservice.dosfilter.maxrequestspersec': 2,
    'httpservice.dosfilter.delayms': -1,
    'httpservice.dosfilter.toomanycode': 503,
    'httpservice.dosfilter.ipwhitelist': '10.0.0.0/8',
    'httpservice.dosfilter.insertheaders': false,
    // Who is elsewhere by a header logs in with the first password all the same.
    'initialuser.documentedpassword.anywhere': true,
  };
  let server = await TestServer.start({ settings: { ...limits, 'httpservice.trustedproxies': '127.0.0.1' } });
  const statuses = async (address: (i: number) => string): Promise<number[]> => {
    const asked = [1, 2, 3, 4].map((i) => server.admin.get('/User', { 'X-Forwarded-For': address(i) }));
    return (await Promise.all(asked)).map((a) => a.status).sort();
  };
  try {
    expect(await statuses(() => '1.2.3.4')).toEqual([200, 200, 503, 503]);
    expect(await statuses((i) => `6.6.6.${String(i)}, 1.2.3.5`)).toEqual([200, 200, 503, 503]);
    expect(await statuses((i) => `1.1.1.${String(i)}`)).toEqual([200, 200, 200, 200]);
    expect(await statuses(() => '10.1.1.1')).toEqual([200, 200, 200, 200]);
    const refused = await server.admin.get('/User', { 'X-Forwarded-For': '1.2.3.4', Origin: 'https://a' });
    expect([refused.status, refused.headers['retry-after'], refused.headers['dosfilter']]).toEqual([
      503,
      '1',
      undefined,
    ]);
    server = await server.restart({ settings: limits });
    expect(await statuses((i) => `1.1.1.${String(i)}`)).toEqual([200, 200, 503, 503]);
  } finally {
    await server.stop();
  }
});

test('settings of the HTTP server that make no sense end the start and are named', async () => {
  for (const [name, value] of [
    ['httpservice.trustedproxies', '10.0.0.0/33'],
    ['httpservice.trustedproxies', 'proxy.example.org'],
    ['httpservice.dosfilter.ipwhitelist', '127.0.0.1, localhost'],
    ['httpservice.dosfilter.toomanycode', '200'],
    ['httpservice.cookies.samesite', 'Sometimes'],
  ] as const) {
    await expect(TestServer.start({ settings: { [name]: value } })).rejects.toThrow(
      new RegExp(`ended with 2:[^]*${name.replaceAll('.', '\\.')}`),
    );
  }
});
