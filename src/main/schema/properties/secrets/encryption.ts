/**
 * Encrypted texts: one format for encrypted properties and for the functions `encrypt` and `decrypt` (docs/interface/script-runtime.md 8.7), so that what
 * one of them wrote the others read, and databases of the interface's other servers too.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes, scryptSync } from 'node:crypto';

const IV_BYTES = 12;
const TAG_BYTES = 16;
const BLOCK_BYTES = 16;
/** Begins what the service wrote into encrypted properties before it had the common format; never Base64. */
const OWN_PREFIX = 'svc1.';
const OWN_SALT = 'svc application.encryption.secret';

/** Keys of the own format by secret; deriving one takes about 50 milliseconds, on purpose. */
const ownKeys = new Map<string, Buffer>();

function ownKeyOf(secret: string): Buffer {
  let key = ownKeys.get(secret);
  if (key === undefined) {
    key = scryptSync(secret, OWN_SALT, 32);
    // Secrets are settings: there is one, and perhaps its predecessor.
    if (ownKeys.size >= 8) ownKeys.clear();
    ownKeys.set(secret, key);
  }
  return key;
}

/** The format says that keys are made of secrets in this way. */
function keyOf(secret: string): Buffer {
  return createHash('md5').update(secret, 'utf8').digest();
}

/** Base64 of a random vector, AES-128-GCM of the text, and the tag. The same text never gives the same result twice. */
export function encryptText(text: string, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-128-gcm', keyOf(secret), iv);
  return Buffer.concat([iv, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64');
}

/**
 * The text that was encrypted with this secret, also by the older format (AES-128-ECB) or by this service before it had the common
 * one; undefined: it is none, or the secret is another.
 */
export function decryptText(encrypted: string, secret: string): string | undefined {
  if (encrypted.startsWith(OWN_PREFIX)) return decryptOwn(encrypted.slice(OWN_PREFIX.length), secret);
  const bytes = Buffer.from(encrypted, 'base64');
  const key = keyOf(secret);
  const end = bytes.length - TAG_BYTES;
  return (
    attempt(end >= IV_BYTES, () => {
      const cipher = createDecipheriv('aes-128-gcm', key, bytes.subarray(0, IV_BYTES));
      cipher.setAuthTag(bytes.subarray(end));
      return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES, end)), cipher.final()]);
    }) ??
    attempt(bytes.length > 0 && bytes.length % BLOCK_BYTES === 0, () => {
      const cipher = createDecipheriv('aes-128-ecb', key, null);
      return Buffer.concat([cipher.update(bytes), cipher.final()]);
    })
  );
}

function decryptOwn(encoded: string, secret: string): string | undefined {
  const bytes = Buffer.from(encoded, 'base64url');
  return attempt(bytes.length >= IV_BYTES + TAG_BYTES, () => {
    const cipher = createDecipheriv('aes-256-gcm', ownKeyOf(secret), bytes.subarray(0, IV_BYTES));
    cipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([cipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), cipher.final()]);
  });
}

/** Wrong keys of the older format are known by what comes out, which is seldom text. */
function attempt(possible: boolean, decipher: () => Buffer): string | undefined {
  if (!possible) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decipher());
  } catch {
    return undefined;
  }
}
