import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../support/client.js';
import { TestServer } from '../support/server.js';
import { bearer, claimsOf, hmac, makeToken, rsa } from '../support/tokens.js';

const ADMIN = { name: 'admin', password: 'admin' };
const PASSWORD = 'keystore-password-of-the-test';

describe('tokens signed with a key pair', () => {
  let server: TestServer;
  let folder: string;
  let key: KeyObject;
  const token = (): Promise<Answer> => server.as('admin', 'admin').post('/token', ADMIN);
  const me = async (value: string): Promise<number> => (await server.as().get('/me', bearer(value))).status;
  const settings = (file: string): Record<string, string> => ({
    'security.jwt.secrettype': 'keypair',
    'security.jwt.secret': 'a-secret-that-does-not-count-here-0123456789',
    'security.jwt.keystore': join(folder, file),
    'security.jwt.keystore.password': PASSWORD,
  });

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'svc-keys-'));
    key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const pem = key.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: PASSWORD });
    await writeFile(join(folder, 'key.pem'), pem);
    await writeFile(join(folder, 'old.jks'), Buffer.from('feedfeed0000000200000001', 'hex'));
    server = await TestServer.start({ settings: settings('key.pem') });
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('are issued with RS256 and say who asks', async () => {
    const answer = await token();
    expect(answer.status).toBe(200);
    const { access_token: access, refresh_token: refresh } = answer.body.result as Record<string, string>;
    expect(JSON.parse(Buffer.from((access ?? '').split('.')[0] ?? '', 'base64url').toString())).toEqual({
      typ: 'JWT',
      alg: 'RS256',
    });
    expect([await me(access ?? ''), await me(refresh ?? '')]).toEqual([200, 401]);
    expect((await server.as('admin', 'admin').post('/token', { refresh_token: refresh })).status).toBe(200);
  });

  it('are refused when signed with anything but the private key', async () => {
    const claims = claimsOf((await token()).body.result.access_token as string);
    const publicKey = createPublicKey(key);
    const spki = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const pkcs1 = publicKey.export({ type: 'pkcs1', format: 'pem' }).toString();
    const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const RS256 = { alg: 'RS256', typ: 'JWT' };
    expect(await me(makeToken(RS256, claims, rsa(key)))).toBe(200);
    for (const forged of [
      makeToken({ alg: 'HS256' }, claims, hmac(spki)),
      makeToken({ alg: 'HS256' }, claims, hmac(spki.trim())),
      makeToken({ alg: 'HS256' }, claims, hmac(pkcs1)),
      makeToken(RS256, claims, hmac(spki)),
      makeToken({ alg: 'HS256' }, claims, hmac('a-secret-that-does-not-count-here-0123456789')),
      makeToken(RS256, claims, rsa(other)),
      makeToken({ ...RS256, jwk: createPublicKey(other).export({ format: 'jwk' }) }, claims, rsa(other)),
      makeToken({ alg: 'none' }, claims, () => ''),
      makeToken(RS256, claims, () => ''),
    ])
      expect(await me(forged)).toBe(401);
  });

  it.each([
    ['a Java keystore', 'old.jks', /keytool -importkeystore .*-deststoretype PKCS12/],
    ['a file that is not there', 'none.p12', /there is no such file/],
  ])('are not issued with %s: the answer and the log say why', async (_, file, message) => {
    server = await server.restart({ settings: settings(file) });
    const answer = await token();
    expect(answer.status).toBe(500);
    expect(answer.body.message).toMatch(message);
    expect(await server.untilLogged(message)).not.toEqual([]);
    expect(server.lines.join('\n') + answer.text).not.toContain(PASSWORD);
    expect(await me('a.b.c')).toBe(401);
  });
});
