/** What relationships that carry rights give, as bits of `access_entry.rights`. */
import type Sqlite from 'better-sqlite3';
import { ALLOWED, OWNS, type Right, SECURITY } from '../../access.js';
import type { PropertyMap } from '../../types.js';
import { decodeProperties } from '../connection/codec.js';

const BITS: Readonly<Record<Right, number>> = { read: 1, write: 2, delete: 4, accessControl: 8 };
export const ALL_RIGHTS = 15;
/** The bits, one by one. */
export const RIGHT_BITS: readonly number[] = Object.values(BITS);

/** The bit of a right in `rights`. */
export function rightBit(right: Right): number {
  return BITS[right];
}

export function carriesRights(relType: string): boolean {
  return relType === OWNS || relType === SECURITY;
}

/** The rights that a relationship of one of the two types gives. */
export function rightsOf(relType: string, properties: PropertyMap): number {
  if (relType === OWNS) return ALL_RIGHTS;
  const allowed = properties[ALLOWED];
  let rights = 0;
  if (typeof allowed !== 'object') return rights;
  for (const right of allowed) if (isRight(right)) rights |= BITS[right];
  return rights;
}

function isRight(value: unknown): value is Right {
  return typeof value === 'string' && Object.hasOwn(BITS, value);
}

/** The same in SQL: `svc_rights(relType, props)`. */
export function registerRights(db: Sqlite.Database): void {
  db.function('svc_rights', { deterministic: true }, (relType: unknown, props: unknown) =>
    typeof props === 'number'
      ? ALL_RIGHTS
      : rightsOf(String(relType), typeof props === 'string' ? decodeProperties(props) : {}),
  );
}
