import { describe, expect, it } from 'vitest';
import type { Exchange } from '../../src/main/http/index.js';
import { CookieGuard } from '../../src/main/security/cross-site/cookie-guard.js';

const APP = 'https://app.example';
const guard = new CookieGuard({
  baseUrl: () => '',
  trustsOrigin: (origin, path) => origin === APP && path.startsWith('/svc/rest'),
});

/** As much of a request as the guard looks at. */
function request(headers: Record<string, string>, method = 'POST', path = '/svc/rest/Thing'): Exchange {
  const all: Record<string, string> = { host: 'svc.example', cookie: 'JSESSIONID=value', ...headers };
  return { method, path, header: (name: string) => all[name] ?? '', cookie: () => 'value' } as unknown as Exchange;
}
const counts = (exchange: Exchange): boolean => guard.read(exchange, 'JSESSIONID') === 'value';

describe('cookies', () => {
  it('count for an origin that CORS allows with credentials, on its paths only', () => {
    expect(counts(request({ origin: APP }))).toBe(true);
    expect(counts(request({ origin: APP, 'sec-fetch-site': 'cross-site' }))).toBe(true);
    expect(counts(request({ origin: APP }, 'POST', '/other'))).toBe(false);
    expect(counts(request({ origin: 'https://other.example' }))).toBe(false);
    expect(counts(request({ 'sec-fetch-site': 'cross-site' }))).toBe(false);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND'])('do not count for %s from elsewhere', (method) => {
    expect(counts(request({ origin: 'https://evil.example' }, method))).toBe(false);
  });
  it.each(['GET', 'HEAD', 'OPTIONS'])('count for %s from anywhere', (method) => {
    expect(counts(request({ origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, method))).toBe(true);
  });

  it('count for a WebSocket as for what changes something', () => {
    const asking = (origin: string): Exchange => ({ ...request({ origin }, 'GET'), wantsWebSocket: true });
    expect(
      ['https://evil.example', 'null', APP, 'https://svc.example'].map((origin) => counts(asking(origin))),
    ).toEqual([false, false, true, true]);
  });

  it('count for the own host with its default port written or not', () => {
    expect(counts(request({ origin: 'https://svc.example', host: 'svc.example:443' }))).toBe(true);
    expect(counts(request({ origin: 'http://svc.example:80', host: 'SVC.example' }))).toBe(true);
    expect(counts(request({ origin: 'https://svc.example', host: 'svc.example:80' }))).toBe(false);
    expect(counts(request({ origin: 'https://svc.example.evil.example' }))).toBe(false);
    expect(counts(request({ origin: 'https://svc.example@evil.example' }))).toBe(false);
  });
});
