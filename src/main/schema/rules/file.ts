/** What a file is, by its name and content type (files.md 1.9, 3.6). */
import { contentTypeOf } from '../../../shared/content-type.js';
import type { TraitRule } from './rule.js';

export const fileRule: TraitRule = {
  trait: 'File',
  normalise(values, before) {
    const known = values['contentType'] ?? before?.['contentType'];
    if (typeof known === 'string' && known.trim() !== '') return;
    const { name } = values;
    const type = typeof name === 'string' ? contentTypeOf(name) : undefined;
    if (type !== undefined) values['contentType'] = type;
  },
  async complete(node, objects) {
    const { contentType } = node.properties;
    if (node.type !== 'File' || typeof contentType !== 'string' || !contentType.startsWith('image/')) return;
    await objects.tx.setNodeType(node.id, 'Image', objects.schema.type('Image')?.traits);
  },
};
