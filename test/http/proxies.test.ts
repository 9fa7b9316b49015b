import { expect, test } from 'vitest';
import { AddressSet, clientKey } from '../../src/shared/network.js';
import { connect, onEachTransport, withServer } from './support.js';

/** Client's address and whether it is secure, for a request with these header lines. */
async function seen(trustedProxies: readonly string[], ...lines: string[]): Promise<string> {
  let text = '';
  await withServer(
    (x) => {
      x.end(`<${x.address} ${String(x.secure)} ${x.scheme} ${x.remoteAddress}>`);
    },
    async (_url, server) => {
      const c = await connect(server);
      c.send(['GET / HTTP/1.1', 'Host: a', ...lines, '', ''].join('\r\n'));
      text = /<(.*)>/.exec(await c.until('>'))?.[1] ?? '';
    },
    { trustedProxies },
  );
  expect(text).toMatch(/ 127\.0\.0\.1$/);
  return text.replace(/ https? \S+$/, '');
}

const US = ['127.0.0.1', '10.0.0.0/8', 'fd00::/8'];

onEachTransport(() => {
  test('what a peer that nobody trusts says of others is not believed', async () => {
    const forged = ['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-Proto: https', 'Forwarded: for=6.6.6.6;proto=https'];
    expect(await seen([], ...forged)).toBe('127.0.0.1 false');
    expect(await seen(['10.0.0.0/8', '127.0.0.2', '::1'], ...forged)).toBe('127.0.0.1 false');
  });

  test.each([
    [['X-Forwarded-For: 1.2.3.4'], '1.2.3.4 false'],
    [['X-Forwarded-For: 1.2.3.4', 'X-Forwarded-Proto: https'], '1.2.3.4 true'],
    // The client's own claims stand left of what the proxies wrote.
    [['X-Forwarded-For: 6.6.6.6, 1.2.3.4'], '1.2.3.4 false'],
    [['X-Forwarded-For: 6.6.6.6', 'X-Forwarded-For: 1.2.3.4'], '1.2.3.4 false'],
    [['X-Forwarded-For: 6.6.6.6, 1.2.3.4, 10.9.9.9'], '1.2.3.4 false'],
    [['X-Forwarded-For: 127.0.0.1, 1.2.3.4, 10.9.9.9, 10.1.1.1'], '1.2.3.4 false'],
    [['X-Forwarded-For: 10.9.9.9, 10.1.1.1'], '10.9.9.9 false'],
    // What is no address ends the search at the proxy that passed it on.
    [['X-Forwarded-For: 1.2.3.4, unknown, 10.1.1.1'], '10.1.1.1 false'],
    [['X-Forwarded-For: 1.2.3.4, '], '127.0.0.1 false'],
    [['X-Forwarded-For: 2130706433'], '127.0.0.1 false'],
    [['X-Forwarded-For: 0x7f.1'], '127.0.0.1 false'],
    [['X-Forwarded-For: <script>'], '127.0.0.1 false'],
    [['X-Forwarded-For: 1.2.3.4:5678'], '1.2.3.4 false'],
    [['X-Forwarded-For: [2001:db8:0::1]:443'], '2001:db8::1 false'],
    [['X-Forwarded-For: 2001:DB8::1, fd00::2'], '2001:db8::1 false'],
    [['X-Forwarded-For: ::ffff:1.2.3.4'], '1.2.3.4 false'],
    [['X-Forwarded-For: ::ffff:10.0.0.1'], '10.0.0.1 false'],
    [['X-Forwarded-Proto: https, http'], '127.0.0.1 false'],
    [['X-Forwarded-Proto: http, HTTPS'], '127.0.0.1 true'],
    [['X-Forwarded-Proto: javascript'], '127.0.0.1 false'],
    [[], '127.0.0.1 false'],
  ])('behind trusted proxies %j is %s', async (lines, expected) => {
    expect(await seen(US, ...lines)).toBe(expected);
  });

  test('ranges hold what is in them, IPv4 inside IPv6 included', () => {
    const set = new AddressSet([
      '192.168.1.0/24',
      '::ffff:10.0.0.0/104',
      '2001:db8::/32',
      '1.2.3.4',
      'x',
      '1.2.3.4/99',
    ]);
    for (const address of ['192.168.1.255', '10.255.0.1', '::ffff:192.168.1.1', '2001:db8:ffff::1', '1.2.3.4'])
      expect(set.has(address)).toBe(true);
    for (const address of ['192.168.2.1', '11.0.0.1', '2001:db9::', '1.2.3.5', '', 'x', 'unknown'])
      expect(set.has(address)).toBe(false);
  });

  test('clients with IPv6 count by their /64', () => {
    expect(clientKey('1.2.3.4')).toBe('1.2.3.4');
    expect(clientKey('::ffff:1.2.3.4')).toBe('1.2.3.4');
    expect(clientKey('2001:db8::1')).toBe(clientKey('2001:db8::ffff:0:1:2'));
    expect(clientKey('2001:db8::1')).not.toBe(clientKey('2001:db8:0:1::1'));
  });
});
