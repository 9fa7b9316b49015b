import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScriptContext } from '../../../src/main/scripting/run/run.js';
import { ScriptError } from '../../../src/main/scripting/language/errors.js';
import { ScriptWorld } from '../support.js';
import { call, type Case } from './support.js';

describe('cryptography of scripts', () => {
  let world: ScriptWorld;
  let context: ScriptContext;
  beforeAll(async () => {
    world = await ScriptWorld.open();
    context = world.context();
  });
  afterAll(() => world.close());

  it.each<Case>([
    ['decrypt', ['b4bn2+w7yaEve3YGtn4IGA==', 'password'], 'plaintext'],
    ['decrypt', ['b4bn2+w7yaEve3YGtn4IGA==', 'other'], null],
    ['decrypt', ['no Base64', 'password'], null],
    ['decrypt', ['', 'password'], null],
    ['decrypt', [null, 'password'], null],
    ['decrypt', ['b4bn2+w7yaEve3YGtn4IGA=='], null],
    ['encrypt', [null, 'password'], null],
    ['md5', ['Hello'], '8b1a9953c4611296a827abf8c47804d7'],
    ['md5', [null], null],
    ['hash', ['SHA-256', 'abc'], 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    ['hash', ['md5', 'Hello'], '8b1a9953c4611296a827abf8c47804d7'],
    ['hash', ['SHA3-256', 'abc'], '3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532'],
    ['hash', ['SHA-512/256', 'abc'], '53048e2681941ef99b2e29b76b4c7dabe4c2d0c634fc6d46e0e2f13107e7af23'],
    ['hash', ['CRC', 'abc'], null],
    ['hash', ['MD5', null], null],
    // RFC 4231, 4.3, and RFC 2202, 2.
    [
      'hmac',
      ['what do ya want for nothing?', 'Jefe'],
      '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    ],
    ['hmac', ['what do ya want for nothing?', 'Jefe', 'MD5'], '750c783e6ab0b503eaa86e310a5db738'],
    ['hmac', ['a', 'b', 'CRC'], null],
    ['hmac', [null, 'b'], null],
  ])('%s(%s) is %s', async (name, args, expected) => {
    expect(await call(context, name, ...args)).toEqual(expected);
  });

  it('hmac gives bytes with a fourth argument', async () => {
    const bytes = await call(context, 'hmac', 'what do ya want for nothing?', 'Jefe', 'SHA1', true);
    expect(Buffer.from(bytes as Uint8Array).toString('hex')).toBe('effcdf6ae5eb2fa2d27416d5f184df9c259a7c79');
  });

  it('what is encrypted can be decrypted with the same key alone', async () => {
    const first = (await call(context, 'encrypt', 'Grüße', 'key')) as string;
    expect(Buffer.from(first, 'base64').length).toBe(12 + Buffer.byteLength('Grüße') + 16);
    expect(await call(context, 'encrypt', 'Grüße', 'key')).not.toBe(first);
    expect(await call(context, 'decrypt', first, 'key')).toBe('Grüße');
    expect(await call(context, 'decrypt', first, 'Key')).toBeNull();
    const changed = Buffer.from(first, 'base64');
    changed[14] = (changed[14] ?? 0) ^ 1;
    expect(await call(context, 'decrypt', changed.toString('base64'), 'key')).toBeNull();
  });

  it('without a key uses that of setEncryptionKey, which is of its run and not of the instance, else the setting', async () => {
    expect(() => call(context, 'encrypt', 'x')).toThrow(ScriptError);
    await call(context, 'setEncryptionKey', 'own');
    expect(() => call(world.context(), 'encrypt', 'x')).toThrow(ScriptError);
    const encrypted = (await call(context, 'encrypt', 'x')) as string;
    expect(await call(context, 'decrypt', encrypted, 'own')).toBe('x');
    world.parts.config.set('application.encryption.secret', 'setting');
    expect(await call(context, 'decrypt', encrypted)).toBe('x');
    expect(await call(world.context(), 'decrypt', encrypted)).toBeNull();
    await call(context, 'setEncryptionKey', null);
    expect(await call(context, 'decrypt', encrypted)).toBeNull();
    expect(await call(context, 'decrypt', (await call(context, 'encrypt', 'y')) as string, 'setting')).toBe('y');
  });

  it('setEncryptionKey is for administrators', () => {
    const stranger = { ...context, actor: { ...context.actor, isAdmin: false } };
    expect(() => call(stranger, 'setEncryptionKey', 'own')).toThrow('Only administrators');
  });
});
