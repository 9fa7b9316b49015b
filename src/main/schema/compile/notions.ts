/** Notions as definitions write them (docs/interface/schema.md 9). */
import type { Notion } from '../model/relation-property.js';

const PLAIN: Notion = { keys: ['id'], creates: false };

/** `key`, `+key`, `key, key` to a notion; undefined for none. */
export function parseNotion(text: string | undefined): Notion | undefined {
  const trimmed = text?.trim() ?? '';
  if (trimmed === '') return undefined;
  const creates = trimmed.startsWith('+');
  const keys = trimmed
    .replace(/^\+/, '')
    .split(/[\s,]+/)
    .filter((k) => k !== '');
  return keys.length === 0 ? undefined : { keys, creates };
}

/**
 * Format of a Notion or IdNotion property: `relProp, key[, key...]`; `relProp, key, true|false` switches creation.
 * undefined when the format is missing.
 */
export function parseNotionFormat(
  propertyType: 'Notion' | 'IdNotion',
  format: string | undefined,
): { relationName: string; notion: Notion } | undefined {
  const parts = (format ?? '').split(',').map((p) => p.trim());
  const relationName = parts[0] ?? '';
  if (relationName === '') return undefined;
  if (propertyType === 'IdNotion') return { relationName, notion: PLAIN };
  const keys = parts.slice(1).filter((k) => k !== '');
  const last = keys.at(-1)?.toLowerCase();
  if (keys.length === 2 && (last === 'true' || last === 'false')) {
    return { relationName, notion: { keys: keys.slice(0, 1), creates: last === 'true' } };
  }
  return keys.length === 0 ? undefined : { relationName, notion: { keys, creates: false } };
}
