import type { GraphEntity, StoredValue } from './types.js';

/** About how many bytes the texts of an entity take: other values do not make one large. */
export function sizeOfEntity({ properties }: GraphEntity): number {
  let size = 0;
  for (const key of Object.keys(properties)) size += lengthOf(properties[key]);
  return size;
}

function lengthOf(value: StoredValue | undefined): number {
  if (typeof value === 'string') return value.length;
  if (!Array.isArray(value)) return 8;
  let size = 0;
  for (const one of value as readonly unknown[]) size += typeof one === 'string' ? one.length : 8;
  return size;
}
