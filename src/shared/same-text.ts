/** Comparison of secrets. */
import { createHash, timingSafeEqual } from 'node:crypto';

/** Comparison whose time tells nothing about the expected text. An empty expected text never matches. */
export function sameText(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected)) && expected !== '';
}
