import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  BoundedQueue,
  hashPassword,
  isOldHash,
  PasswordQueueFullError,
  verifyPassword,
} from '../../../src/main/schema/properties/secrets/password-hash.js';
import { decryptText, encryptText } from '../../../src/main/schema/properties/secrets/encryption.js';
import { sealHash } from '../../../src/main/schema/properties/password.js';
import type { JsonValue } from '../../../src/shared/json/index.js';
import { afterWriting, property, refusal } from './support.js';

const HIDDEN = '****** HIDDEN ******';
const sha512 = (text: string): string => createHash('sha512').update(text).digest('hex');

describe('Password', () => {
  const p = property('Password');
  const prepare = (input: JsonValue): Promise<JsonValue> =>
    p.prepare?.(input) ?? Promise.reject(new Error('no prepare'));

  test('stores a hash that the password fits', async () => {
    const stored = p.fromJson(await prepare('geheim'), 'T');
    expect(stored).toMatch(/^\$argon2id\$/);
    expect(await verifyPassword(String(stored), 'geheim')).toBe(true);
    expect(await verifyPassword(String(stored), 'Geheim')).toBe(false);
    for (const value of [stored ?? undefined, undefined]) expect(p.toJson(value)).toBe(JSON.stringify(HIDDEN));
    expect(p.definition.hidden).toBe(true);
    expect(p.companions).toBeUndefined();
  });

  test('nobody can hand in a hash of his own', async () => {
    const hash = await hashPassword('x');
    expect(p.fromJson(sealHash(hash), 'T')).toBe(hash);
    for (const input of [hash, {}, { hash }, [hash], 5, true] as JsonValue[]) refusal(() => p.fromJson(input, 'T'));
    const copy = JSON.parse(JSON.stringify(await prepare('x'))) as JsonValue;
    refusal(() => p.fromJson(copy, 'T'));
  });

  test('empty text and null clear', async () => {
    expect(p.fromJson(await prepare(''), 'T')).toBeNull();
    expect(p.fromJson(await prepare(null), 'T')).toBeNull();
    await expect(prepare(['x'])).rejects.toThrow(/takes text/);
  });

  test.each([
    ['of ours', async () => ({ p: await hashPassword('same') })],
    ['of the old kind', () => Promise.resolve({ p: sha512(sha512('same') + 'pepper'), salt: 'pepper' })],
  ])('the same password keeps its hash %s, another one gets a new one', async (_, make) => {
    const properties: Record<string, string> = await make();
    const before = { kind: 'node', id: 'x', type: 'T', properties } as const;
    expect(p.fromJson((await p.prepare?.('same', before)) ?? null, 'T')).toBe(properties['p']);
    const other = p.fromJson((await p.prepare?.('other', before)) ?? null, 'T');
    expect(await verifyPassword(String(other), 'other')).toBe(true);
  });

  test('old hashes are recognised', async () => {
    expect(await verifyPassword(sha512('geheim'), 'geheim')).toBe(true);
    expect(await verifyPassword(sha512(sha512('geheim') + 'salt'), 'geheim', 'salt')).toBe(true);
    expect(await verifyPassword(sha512(sha512('geheim') + 'salt'), 'geheim', 'pepper')).toBe(false);
    expect(isOldHash(sha512('x'))).toBe(true);
    expect(isOldHash(await hashPassword('x'))).toBe(false);
  });

  test.each(['', 'x', '$argon2id$v=19$m=99999999,t=1,p=1$c2FsdHNhbHQ$aGFzaA', '$argon2id$v=19$m=8,t=1,p=1$!$!'])(
    '%j is the hash of nothing',
    async (stored) => {
      expect(await verifyPassword(stored, '')).toBe(false);
    },
  );

  test('hashing is bounded', async () => {
    const queue = new BoundedQueue(2, 3);
    let running = 0;
    let most = 0;
    const order: number[] = [];
    const task = (n: number) => async (): Promise<void> => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 2));
      running--;
      order.push(n);
      if (n === 1) throw new Error('one that fails');
    };
    const runs = [0, 1, 2, 3, 4, 5, 6].map((n) => queue.run(task(n)));
    const results = await Promise.allSettled(runs);
    expect(most).toBe(2);
    expect(order).toEqual([0, 1, 2, 3, 4]);
    expect(
      results.map((result) => result.status === 'rejected' && result.reason instanceof PasswordQueueFullError),
    ).toEqual([false, false, false, false, false, true, true]);
    await queue.run(task(7));
    expect(order.at(-1)).toBe(7);
  });
});

describe('Encrypted', () => {
  const p = property('Encrypted');

  test('is stored as something else each time', () => {
    const first = p.fromJson('clear', 'T');
    const second = p.fromJson('clear', 'T');
    expect(first).not.toBe(second);
    expect(String(first)).not.toContain('clear');
    expect(p.toJson(first ?? undefined)).toBe('"clear"');
  });

  test('needs the secret it was written with', () => {
    const stored = p.fromJson('clear', 'T') ?? '';
    expect(property('Encrypted', {}, { encryptionSecret: 'another' }).toJson(stored)).toBe('null');
    expect(property('Encrypted', {}, { encryptionSecret: '' }).toJson(stored)).toBe('null');
    expect(p.toJson('clear')).toBe('null');
    expect(p.toJson(String(stored).slice(0, -4) + 'AAAA')).toBe('null');
    const error = refusal(() => property('Encrypted', {}, { encryptionSecret: '' }).fromJson('x', 'T'));
    expect(error.kind).toBe('invalid');
    expect(error.message).toContain('application.encryption.secret');
  });
});

describe('the format of encrypted texts', () => {
  const read = (stored: string, encryptionSecret: string): string =>
    property('Encrypted', {}, { encryptionSecret }).toJson(stored);

  test('is that of the function encrypt, of the older one before it, and of this service before that', () => {
    expect(read(encryptText('clear', 'key'), 'key')).toBe('"clear"');
    expect(decryptText(String(property('Encrypted', {}, { encryptionSecret: 'key' }).fromJson('x', 'T')), 'key')).toBe(
      'x',
    );
    // AES-128-ECB, of the interface.
    expect(read('b4bn2+w7yaEve3YGtn4IGA==', 'password')).toBe('"plaintext"');
    expect(read('svc1.dupW63QoxAEgJeusb3NzhEzGae8IyTc0mxpzuq_P-sgV', 'a secret of the tests')).toBe('"older"');
  });

  test('wrong keys of the older one give no text', () => {
    const read = Array.from({ length: 600 }, (_, i) => decryptText('b4bn2+w7yaEve3YGtn4IGA==', String(i)));
    expect(read.filter((one) => one !== undefined)).toEqual([]);
  });
});

describe('hidden and constant properties', () => {
  test.each(['Password', 'String'])('a hidden %s shows and takes the same text', async (type) => {
    const p = property(type, { hidden: true });
    expect(p.toJson(undefined)).toBe(JSON.stringify(HIDDEN));
    expect(p.toJson('secret')).toBe(JSON.stringify(HIDDEN));
    expect(p.ignoresInput?.(HIDDEN)).toBe(true);
    expect(p.ignoresInput?.('other')).toBe(false);
    expect(p.ignoresInput?.(null)).toBe(false);
    if (p.prepare !== undefined) expect(await p.prepare(HIDDEN)).toBe(HIDDEN);
    for (const search of [() => p.fromText('a', 'T'), () => p.filter(['a'], true), () => p.filterEmpty()]) {
      expect(refusal(search).kind).toBe('bad_request');
    }
  });

  test('a constant reads as its default', () => {
    const p = property('Boolean', { constant: true, defaultValue: 'true' });
    expect(p.toJson(undefined)).toBe('true');
    expect(p.toJson(false)).toBe('true');
    expect(afterWriting(p, false)).toBe('true');
  });
});
