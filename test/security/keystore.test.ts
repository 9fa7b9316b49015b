import { createPrivateKey, createPublicKey, generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import forge from 'node-forge';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadKeyPair } from '../../src/main/security/tokens/keystore.js';

const PASSWORD = 'secret-of-the-keystore';
const pem = (bits = 2048): string =>
  generateKeyPairSync('rsa', { modulusLength: bits }).privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** A PKCS#12 file with this key under an alias. */
function pkcs12(key: string, alias: string): Buffer {
  const parsed = forge.pki.privateKeyFromPem(key);
  // Without a certificate, which the typings do not know of.
  const none = null as unknown as forge.pki.Certificate[];
  const asn1 = forge.pkcs12.toPkcs12Asn1(parsed, none, PASSWORD, { friendlyName: alias, algorithm: 'aes256' });
  return Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1');
}

describe('a keystore', () => {
  let folder: string;
  const file = async (name: string, content: string | Buffer): Promise<string> => {
    const path = join(folder, name);
    await writeFile(path, content);
    return path;
  };
  const first = pem();

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-keystore-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([
    ['PKCS#12', () => pkcs12(first, 'Tokens'), PASSWORD, ''],
    ['PKCS#12 by its alias, in any case', () => pkcs12(first, 'Tokens'), PASSWORD, 'tokenS'],
    ['PEM', () => first, '', ''],
    ['PEM of the old form', () => createPrivateKey(first).export({ type: 'pkcs1', format: 'pem' }), '', ''],
    [
      'PEM with a password',
      () =>
        createPrivateKey(first).export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSWORD }),
      PASSWORD,
      '',
    ],
  ])('is read as %s', async (_, content, password, alias) => {
    const pair = await loadKeyPair(await file('store', content()), password, alias);
    const signature = sign('sha256', Buffer.from('text'), pair.privateKey);
    expect(verify('sha256', Buffer.from('text'), createPublicKey(first), signature)).toBe(true);
    expect(verify('sha256', Buffer.from('text'), pair.publicKey, signature)).toBe(true);
  });

  it.each([
    ['a wrong password', () => pkcs12(first, 'a'), 'wrong', '', /password is wrong/],
    ['another alias', () => pkcs12(first, 'a'), PASSWORD, 'b', /no key of that alias/],
    ['a Java keystore', () => Buffer.from('feedfeed00000002', 'hex'), PASSWORD, '', /keytool -importkeystore/],
    ['its sibling JCEKS', () => Buffer.from('cececece00000002', 'hex'), PASSWORD, '', /keytool -importkeystore/],
    ['nothing in it', () => '', PASSWORD, '', /neither PKCS#12 nor PEM/],
    [
      'a certificate alone',
      () => '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      '',
      '',
      /no private key/,
    ],
    ['a short key', () => pem(1024), '', '', /less than 2048 bits/],
    [
      'a key of another kind',
      () => generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
      '',
      '',
      /no RSA key/,
    ],
    ['too much in it', () => Buffer.alloc(2_000_000), '', '', /too large/],
  ])('with %s is refused', async (_, content, password, alias, message) => {
    await expect(loadKeyPair(await file('bad', content()), password, alias)).rejects.toThrow(message);
  });

  it('that is not there, or a folder, is refused', async () => {
    await expect(loadKeyPair(join(folder, 'none'), '', '')).rejects.toThrow(/no such file/);
    await expect(loadKeyPair(folder, '', '')).rejects.toThrow(/cannot be read/);
  });
});
