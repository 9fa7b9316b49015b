/** What a file is, by its name and content type (docs/interface/files.md 1.6, 3.6). */
import type { PropertyChanges, PropertyMap } from '../../../graph/index.js';
import { contentTypeOf } from '../../../../shared/content-type.js';
import { SchemaError } from '../../model/errors.js';
import type { TraitRule } from '../rule.js';

/** What the service knows of the content: whoever could write it could keep others, and storages, from reading the content. */
const OF_CONTENT = ['size', 'checksum', 'crc32', 'md5', 'sha1', 'sha512'] as const;

/** A file that is made without content is empty. */
function isEmpty(key: string, values: PropertyChanges, before: PropertyMap | undefined): boolean {
  return key === 'size' && before === undefined && values[key] === 0;
}

export const fileRule: TraitRule = {
  trait: 'File',
  normalise(values, before, { actor }) {
    const written = OF_CONTENT.find(
      (key) => key in values && (values[key] ?? null) !== (before?.[key] ?? null) && !isEmpty(key, values, before),
    );
    if (written !== undefined && !actor.isAdmin) {
      throw new SchemaError(`Property ‛${written}‛ is read-only`, [
        { type: 'File', property: written, token: 'is_read_only_property' },
      ]);
    }
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
