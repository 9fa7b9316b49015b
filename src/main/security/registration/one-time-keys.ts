/**
 * Keys in links of mails (docs/interface/security.md 7.1): random, valid for a time, used once, stored as a hash with the time of their
 * creation. Who reads a user learns nothing he could follow.
 */
import { hash, randomUUID, timingSafeEqual } from 'node:crypto';

const HASHED = /^[0-9a-f]{64}!\d*$/;
const TIME = /!(\d{1,15})$/;
/** `<uuid>.<id of the user>!<time>`: a reset key names its user, whose stored key no index has. */
const RESET = /^[0-9a-f-]{36}\.([0-9a-fA-F-]{32,36})!\d{1,15}$/;
const MINUTE = 60_000;
const MAX_LENGTH = 200;

export function newConfirmationKey(): string {
  return `${randomUUID()}!${String(Date.now())}`;
}

export function newResetKey(userId: string): string {
  return `${randomUUID()}.${userId}!${String(Date.now())}`;
}

/** Id of the user a reset key is for; undefined for any other key. */
export function userOfResetKey(key: string): string | undefined {
  return RESET.exec(key)?.[1];
}

/** What is stored of a key. */
export function storedKey(key: string): string {
  return `${hash('sha256', key, 'hex')}!${TIME.exec(key)?.[1] ?? ''}`;
}

/**
 * What may be stored for a key that was followed: our hash, or the key itself as scripts of applications write it. A hash
 * is no key, or everybody who reads it could use it. Empty for what is no key at all.
 */
export function storedForms(key: string): readonly string[] {
  if (key === '' || key.length > MAX_LENGTH || HASHED.test(key)) return [];
  return [storedKey(key), key];
}

/** Whether what is stored belongs to this key; how long it takes tells nothing about it. */
export function isStoredFor(key: string, stored: string): boolean {
  const digest = (text: string): Buffer => hash('sha256', text, 'buffer');
  return storedForms(key).some((form) => timingSafeEqual(digest(form), digest(stored)));
}

/** Whether a key is young enough; one without time, when `withoutTime` says so. */
export function isInTime(key: string, minutes: number, withoutTime: boolean): boolean {
  const created = TIME.exec(key)?.[1];
  return created === undefined ? withoutTime : Date.now() - Number(created) <= minutes * MINUTE;
}
