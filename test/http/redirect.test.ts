import { expect, test } from 'vitest';
import { forceHttps, type RedirectOptions } from '../../src/main/http/index.js';
import { connect, onEachTransport, withServer } from './support.js';

interface Case extends Partial<RedirectOptions> {
  readonly target?: string;
  readonly method?: string;
  readonly headers?: string;
}

/** Status and `Location` of the answer to a plain request. */
async function answer(host: string, { target = '/a/b?c=d', method = 'GET', headers = '', ...options }: Case = {}) {
  let text = '';
  const handler = forceHttps(
    (x) => {
      x.end('reached the application');
    },
    { securePort: () => 8083, baseUrl: () => '', ...options },
  );
  await withServer(
    handler,
    async (_url, server) => {
      const c = await connect(server);
      c.send(`${method} ${target} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n`);
      text = await c.until('\r\n\r\n');
    },
    { trustedProxies: ['127.0.0.1'] },
  );
  return { status: Number(text.slice(9, 12)), location: /\r\nLocation: (.*)\r\n/.exec(text)?.[1], text };
}

onEachTransport(() => {
  test.each<[string, Case, string]>([
    ['example.org', {}, 'https://example.org:8083/a/b?c=d'],
    ['example.org:8082', {}, 'https://example.org:8083/a/b?c=d'],
    ['example.org.', {}, 'https://example.org.:8083/a/b?c=d'],
    ['127.0.0.1:80', {}, 'https://127.0.0.1:8083/a/b?c=d'],
    ['[::1]:8082', {}, 'https://[::1]:8083/a/b?c=d'],
    ['example.org', { securePort: () => 443 }, 'https://example.org/a/b?c=d'],
    ['example.org', { securePort: () => undefined }, 'https://example.org/a/b?c=d'],
    ['example.org', { target: '//evil.com/%2e' }, 'https://example.org:8083//evil.com/%2e'],
    ['example.org', { target: '/a"<' }, 'https://example.org:8083/a%22%3C'],
    ['evil.com', { baseUrl: () => 'https://good.org/app' }, 'https://good.org/a/b?c=d'],
    ['evil.com', { baseUrl: () => 'https://good.org:444' }, 'https://good.org:444/a/b?c=d'],
    ['evil.com', { baseUrl: () => 'http://good.org:81' }, 'https://good.org:8083/a/b?c=d'],
    // A client behind a proxy cannot reach our own port.
    ['example.org', { headers: 'X-Forwarded-For: 1.2.3.4\r\n' }, 'https://example.org/a/b?c=d'],
    ['example.org', { headers: 'X-Forwarded-Proto: http\r\n' }, 'https://example.org:8083/a/b?c=d'],
  ])('Host %s %o is sent to %s', async (host, options, location) => {
    for (const method of ['GET', 'POST']) {
      const found = await answer(host, {
        ...options,
        method,
        headers: `${options.headers ?? ''}${method === 'POST' ? 'Content-Length: 0\r\n' : ''}`,
      });
      expect(found.status).toBe(302);
      expect(found.location?.startsWith(location)).toBe(true);
    }
  });

  test.each([
    'evil.com/x',
    'good.org@evil.com',
    'good.org#evil.com',
    'good.org?evil.com',
    'good.org\\evil.com',
    'a b',
    'a,b',
    'good.org:80:90',
    'good.org:port',
    '[::1',
    '[::1]evil.com',
    '.org',
    'a..b',
    '%0d%0aX:1',
    'ä.org',
    'x'.repeat(300),
  ])('a Host that is none is refused: %s', async (host) => {
    const { status, location, text } = await answer(host);
    expect([status, location]).toEqual([400, undefined]);
    expect(text).not.toContain('evil.com');
  });

  test('what a trusted proxy received over HTTPS goes on', async () => {
    expect((await answer('a', { headers: 'X-Forwarded-Proto: https\r\n' })).status).toBe(200);
  });
});
