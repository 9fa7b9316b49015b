import { describe, expect, it } from 'vitest';
import { isInNetworks } from '../../src/main/security/networks.js';
import { qrData } from '../../src/main/security/two-factor/qr-code.js';
import { codeAt, otpauthUri, stepOf } from '../../src/main/security/two-factor/totp.js';

/** Base32 of the ASCII secrets of RFC 6238, appendix B. */
const SECRETS = {
  SHA1: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  SHA256: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA',
  SHA512: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNA',
};

describe('codes of RFC 6238', () => {
  it.each([
    [59, 'SHA1', '94287082'],
    [59, 'SHA256', '46119246'],
    [59, 'SHA512', '90693936'],
    [1111111109, 'SHA1', '07081804'],
    [1111111109, 'SHA256', '68084774'],
    [1111111109, 'SHA512', '25091201'],
    [1111111111, 'SHA1', '14050471'],
    [1111111111, 'SHA256', '67062674'],
    [1111111111, 'SHA512', '99943326'],
    [1234567890, 'SHA1', '89005924'],
    [1234567890, 'SHA256', '91819424'],
    [1234567890, 'SHA512', '93441116'],
    [2000000000, 'SHA1', '69279037'],
    [2000000000, 'SHA256', '90698825'],
    [2000000000, 'SHA512', '38618901'],
    [20000000000, 'SHA1', '65353130'],
    [20000000000, 'SHA256', '77737706'],
    [20000000000, 'SHA512', '47863826'],
  ] as const)('at %d s by %s: %s', (seconds, algorithm, expected) => {
    const options = { issuer: 'Svc', algorithm, digits: 8, period: 30 };
    expect(codeAt(SECRETS[algorithm], options, seconds * 1000)).toBe(expected);
  });
});

const options = { issuer: 'Svc', algorithm: 'SHA1', digits: 6, period: 30 } as const;

it('a step begins with its period', () => {
  expect([stepOf(options, 89_999), stepOf(options, 90_000)]).toEqual([60_000, 90_000]);
});

it('an account name cannot add parameters to what the picture says', () => {
  expect(otpauthUri('a?secret=X&b@c.de', 'ABC', options)).toBe(
    'otpauth://totp/Svc:a%3Fsecret%3DX%26b%40c.de?secret=ABC&issuer=Svc&algorithm=SHA1&digits=6&period=30',
  );
});

it.each(['short', 'x'.repeat(300)])('pictures have 200 pixels, whatever they say', async (text) => {
  const png = Buffer.from(await qrData(text), 'base64url');
  expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([200, 200]);
});

describe('addresses in ranges', () => {
  it.each([
    ['10.0.0.1', '10.0.0.1', true],
    ['10.0.0.2', '10.0.0.1', false],
    ['10.0.0.2', '10.0.0.0/30', true],
    ['10.0.0.4', '10.0.0.0/30', false],
    ['2001:db8::1', '2001:db8::/64', true],
    ['2001:db8:0:1::1', '2001:db8::/64', false],
    ['10.0.0.2', '::ffff:10.0.0.0/126', true],
    ['10.0.0.9', '0.0.0.0/0', false],
    ['10.0.0.9', '::/0', false],
    ['', '10.0.0.0/8', false],
    ['nonsense', '10.0.0.0/8', false],
    ['10.0.0.1', 'nonsense', false],
  ])('%s in %s: %s', (address, network, expected) => {
    expect(isInNetworks(address, [network])).toBe(expected);
  });
});
