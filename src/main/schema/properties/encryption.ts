import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

const PREFIX = 'svc1.';
const IV_BYTES = 12;
const TAG_BYTES = 16;
/** Fixed: the key must be the same in every process. It keeps tables made for other programs from fitting. */
const KEY_SALT = 'svc application.encryption.secret';

/** Keys by secret; deriving one takes about 50 milliseconds, on purpose. */
const keys = new Map<string, Buffer>();

function keyOf(secret: string): Buffer {
  let key = keys.get(secret);
  if (key === undefined) {
    key = scryptSync(secret, KEY_SALT, 32);
    // Secrets are settings: there is one, and perhaps its predecessor.
    if (keys.size >= 8) keys.clear();
    keys.set(secret, key);
  }
  return key;
}

/** AES-256-GCM of a text, as text. The same text never gives the same result twice. */
export function encrypt(text: string, secret: string): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv('aes-256-gcm', keyOf(secret), iv);
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return PREFIX + Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
}

/** The text; undefined when it was not encrypted here with this secret. */
export function decrypt(stored: string, secret: string): string | undefined {
  if (!stored.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(stored.slice(PREFIX.length), 'base64url');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  try {
    const decipher = createDecipheriv('aes-256-gcm', keyOf(secret), bytes.subarray(0, IV_BYTES));
    decipher.setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  } catch {
    return undefined;
  }
}
