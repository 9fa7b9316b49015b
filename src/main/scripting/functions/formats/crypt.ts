/** Encryption, hashes and signatures (docs/interface/script-runtime.md 8.7). */
import { createHash, createHmac, getHashes } from 'node:crypto';
import { decryptText, encryptText } from '../../../schema/index.js';
import { ScriptError } from '../../language/errors.js';
import type { FunctionCategory, ScriptFunction } from '../../run/function/function.js';
import { note } from '../../run/notes.js';
import { textOf } from '../../language/text.js';
import type { ScriptValue } from '../../language/values.js';
import type { ScriptContext } from '../../run/run.js';
import { checkLength } from '../../run/function/arguments.js';

function passwordOf(key: ScriptValue | undefined, context: ScriptContext): string | undefined {
  if (key !== undefined && key !== null) return textOf(key, context);
  const { parts, transaction } = context.run;
  return transaction.switches.encryptionKey ?? parts.keys.key;
}

const encrypt: ScriptFunction = {
  name: 'encrypt',
  signature: 'encrypt(text [, key])',
  meaning:
    'The text encrypted (AES-GCM) with a key, without one with that of `setEncryptionKey`, else with the setting ' +
    '`application.encryption.secret`.',
  example: "decrypt(encrypt('secret', 'key'), 'key') // secret",
  min: 1,
  max: 2,
  pure: true,
  run: ([value = null, key], context) => {
    if (value === null) return null;
    const password = passwordOf(key, context);
    if (password === undefined) {
      throw new ScriptError(
        422,
        'Nothing can be encrypted: there is neither a key nor the setting application.encryption.secret.',
      );
    }
    const text = textOf(value, context);
    checkLength((text.length * 4) / 3, 'encrypt');
    return encryptText(text, password);
  },
};

const decrypt: ScriptFunction = {
  name: 'decrypt',
  signature: 'decrypt(text [, key])',
  meaning:
    'What `encrypt` was given, with the same key; reads the older format too. Null when the key or the text is wrong.',
  example: "decrypt('b4bn2+w7yaEve3YGtn4IGA==', 'password') // plaintext",
  min: 1,
  max: 2,
  pure: true,
  run: ([value = null, key], context) => {
    const password = passwordOf(key, context);
    if (value === null || password === undefined) return null;
    return decryptText(textOf(value, context), password) ?? null;
  },
};

const setEncryptionKey: ScriptFunction = {
  name: 'setEncryptionKey',
  signature: 'setEncryptionKey(key)',
  meaning:
    'The key of `encrypt`, `decrypt` and encrypted properties until this run of scripts ends, with what it sets off in its transaction; ' +
    'null is that of the settings again. For administrators alone.',
  example: 'setEncryptionKey(null) // ',
  min: 1,
  max: 1,
  run: ([key = null], context) => {
    if (!context.actor.isAdmin) throw new ScriptError(403, 'Only administrators may call setEncryptionKey().');
    const text = key === null ? '' : textOf(key, context);
    context.run.transaction.switches.encryptionKey = text === '' ? undefined : text;
    // What has been read of encrypted properties reads otherwise now.
    context.run.transaction.changedUnseen();
    return null;
  },
};

const md5: ScriptFunction = {
  name: 'md5',
  signature: 'md5(text)',
  meaning: 'MD5 of the text in hexadecimal digits; not fit for passwords and signatures.',
  example: "md5('Hello') // 8b1a9953c4611296a827abf8c47804d7",
  min: 1,
  max: 1,
  pure: true,
  run: ([value = null], context) =>
    value === null ? null : createHash('md5').update(textOf(value, context), 'utf8').digest('hex'),
};

/** Digests by their names without dashes, as Java and OpenSSL both spell them. */
const DIGESTS = 'md5 sha1 sha224 sha256 sha384 sha512 sha512224 sha512256 sha3224 sha3256 sha3384 sha3512';
const OPENSSL = new Map([
  ['sha512224', 'sha512-224'],
  ['sha512256', 'sha512-256'],
  ['sha3224', 'sha3-224'],
  ['sha3256', 'sha3-256'],
  ['sha3384', 'sha3-384'],
  ['sha3512', 'sha3-512'],
]);

/** The name that OpenSSL has for a digest, however it is written: `SHA-256`, `SHA256`, `SHA3-256`, `SHA-512/256`. */
function digestNamed(name: string): string | undefined {
  const plain = name.toLowerCase().replace(/[-_/]/g, '');
  const known = DIGESTS.split(' ').find((one) => one === plain);
  if (known === undefined) return undefined;
  const digest = OPENSSL.get(known) ?? known;
  return getHashes().some((one) => one.toLowerCase() === digest) ? digest : undefined;
}

const hash: ScriptFunction = {
  name: 'hash',
  signature: 'hash(algorithm, text)',
  meaning:
    'Digest of the text in hexadecimal digits: `MD5`, `SHA-1`, `SHA-256`, `SHA-512`, `SHA3-256`, ... Null for others.',
  example: "hash('SHA-1', 'Hello') // f7ff9e8b7bb2e09b70935a5d785e0cc5d9d0abf0",
  min: 2,
  max: 2,
  pure: true,
  run: ([algorithm = null, value = null], context) => {
    if (algorithm === null || value === null) return null;
    const digest = digestNamed(textOf(algorithm, context));
    if (digest !== undefined) return createHash(digest).update(textOf(value, context), 'utf8').digest('hex');
    note(context, `hash() knows ${DIGESTS.replaceAll(' ', ', ')}`);
    return null;
  },
};

const hmac: ScriptFunction = {
  name: 'hmac',
  signature: 'hmac(text, secret [, algorithm = "SHA256" [, raw]])',
  meaning: 'Signature of the text with a secret in hexadecimal digits; with a fourth argument its bytes.',
  example: "hmac('Hello', 'key') // c70b9f4d665bd62974afc83582de810e72a41a58db82c538a9d734c9266d321e",
  min: 2,
  max: 4,
  pure: true,
  run: (args, context) => {
    const [value = null, secret = null, algorithm = null] = args;
    if (value === null || secret === null) return null;
    const digest = digestNamed(algorithm === null ? 'SHA256' : textOf(algorithm, context));
    if (digest === undefined) {
      note(context, `hmac() knows ${DIGESTS.replaceAll(' ', ', ')}`);
      return null;
    }
    const signed = createHmac(digest, textOf(secret, context)).update(textOf(value, context), 'utf8').digest();
    return args.length > 3 ? new Uint8Array(signed) : signed.toString('hex');
  },
};

export const crypt: FunctionCategory = {
  title: 'Cryptography',
  functions: [encrypt, decrypt, setEncryptionKey, md5, hash, hmac],
};
