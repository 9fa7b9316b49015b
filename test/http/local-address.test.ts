import { expect, test } from 'vitest';
import { localAddressTowards } from '../../src/main/http/peer/local-address.js';

test.each([
  ['127.0.0.1', '0.0.0.0', '127.0.0.1'],
  ['127.0.0.1', '192.0.2.1', '192.0.2.1'],
  ['', '0.0.0.0', ''],
  ['no address', '0.0.0.0', ''],
])('towards %j, listening on %s: %j', async (peer, host, address) => {
  expect(await localAddressTowards(peer, host)).toBe(address);
});

test('is nothing where there is no way to the peer', async () => {
  // A part of the address that names an interface which is not there.
  expect(await localAddressTowards('fe80::1%nowhere', '::')).toBe('');
});
