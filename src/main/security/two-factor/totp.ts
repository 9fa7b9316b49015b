/** Codes that change with time (RFC 6238), and what an app learns to make them from. */
import { timingSafeEqual } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

export interface TotpOptions {
  readonly issuer: string;
  readonly algorithm: 'SHA1' | 'SHA256' | 'SHA512';
  readonly digits: number;
  /** Seconds. */
  readonly period: number;
}

const SECOND = 1000;

/** The code at a moment (ms since 1970). Throws when the secret is no Base32. */
export function codeAt(secret: string, options: TotpOptions, now: number): string {
  const { algorithm, digits, period } = options;
  return new TOTP({ secret: Secret.fromBase32(secret), algorithm, digits, period }).generate({ timestamp: now });
}

/** Whether this is the code of this moment; how long it takes tells nothing about the right one. */
export function isCodeOf(code: string, secret: string, options: TotpOptions, now: number): boolean {
  const given = Buffer.from(code);
  const right = Buffer.from(codeAt(secret, options, now));
  return given.length === right.length && timingSafeEqual(given, right);
}

/** Beginning of the time in which the code of this moment holds (ms since 1970). */
export function stepOf({ period }: TotpOptions, now: number): number {
  return now - (now % (period * SECOND));
}

/** What the picture says (docs/interface/security.md 5). */
export function otpauthUri(account: string, secret: string, options: TotpOptions): string {
  const { issuer, algorithm, digits, period } = options;
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  const query = new URLSearchParams({ secret, issuer, algorithm, digits: String(digits), period: String(period) });
  return `otpauth://totp/${label}?${query.toString()}`;
}
