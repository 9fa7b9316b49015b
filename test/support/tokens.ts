/** Making and taking apart tokens in tests. */
import { createHmac, createSign, type KeyObject } from 'node:crypto';

export const SECRET = 'a-secret-of-the-tests-0123456789-abcdef';

const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A token with any header and any claims, signed as told; `sign` gets the text that is signed. */
export function makeToken(header: object, claims: object, sign: (text: string) => string): string {
  const text = `${encode(header)}.${encode(claims)}`;
  return `${text}.${sign(text)}`;
}

/** Signs as HS256, HS384 and HS512 do. */
export const hmac =
  (key: string, bits = 256) =>
  (text: string): string =>
    createHmac(`sha${String(bits)}`, key)
      .update(text)
      .digest('base64url');

/** Signs as RS256 does. */
export const rsa =
  (key: KeyObject | string) =>
  (text: string): string =>
    createSign('sha256').update(text).sign(key).toString('base64url');

/** Claims of a token, unchecked. */
export function claimsOf(token: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as Record<string, unknown>;
}

/** Seconds since 1970. */
export const now = (): number => Math.floor(Date.now() / 1000);

/** The header that carries a token. */
export const bearer = (token: string): Record<string, string> => ({ Authorization: `Bearer ${token}` });
