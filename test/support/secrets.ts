/**
 * Secrets that servers under test were given by their settings. Whatever these servers print, and whatever `Client` is answered, is searched for
 * them, in every test: `no-secrets.ts` fails the file in which one was seen.
 */
import { isSecretSetting } from '../../src/main/config/index.js';

/** Shorter ones are words that stand in texts anyway. */
const SHORTEST = 10;
/** What is told of a leak, around it. */
const AROUND = 80;

/** By the address of the server. */
const known = new Map<string, readonly string[]>();
const leaks: string[] = [];

/** Printed at each start, as whoever reads the log is to use it. */
const PRINTED = 'setup.token';

/** Values of settings that are secrets and long enough to be found. */
export function secretsIn(settings: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(settings)
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([name, value]) => name !== PRINTED && value.length >= SHORTEST && isSecretSetting(name, value))
    .map(([, value]) => value);
}

/** Answers of this server are searched from now on. */
export function keepFrom(url: string, secrets: readonly string[]): void {
  known.set(url, secrets);
}

/** Looks for the secrets of a server in what it has answered. */
export function searchAnswer(url: string, what: string, text: string): void {
  const secrets = known.get(url);
  if (secrets !== undefined) search(secrets, what, text);
}

/** `what`: where the text stands, for the message. */
export function search(secrets: readonly string[], what: string, text: string): void {
  for (const secret of secrets) {
    const at = text.indexOf(secret);
    if (at < 0) continue;
    leaks.push(`${what}: ${text.slice(Math.max(0, at - AROUND), at)}<the secret>`);
  }
}

/** What was found since the last time. */
export function takeLeaks(): string[] {
  return leaks.splice(0);
}
