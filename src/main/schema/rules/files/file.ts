/** What a file is, by its name and content type (docs/interface/files.md 1.6, 3.6). */
import type { GraphNode, PropertyChanges, PropertyMap } from '../../../graph/index.js';
import { contentTypeOf } from '../../../../shared/content-type.js';
import { SchemaError } from '../../model/errors.js';
import { QUEUED } from '../../model/processing.js';
import type { ObjectTransaction } from '../../writing/object-transaction.js';
import type { TraitRule } from '../rule.js';

/** What the service knows of the content: whoever could write it could keep others, and storages, from reading the content. */
const OF_CONTENT = ['size', 'checksum', 'crc32', 'md5', 'sha1', 'sha512'] as const;

/** What decides about work on content, beside the content. */
const DECIDING = ['indexed', 'isTemplate'] as const;

/** A file that is made without content is empty. */
function isEmpty(key: string, values: PropertyChanges, before: PropertyMap | undefined): boolean {
  return key === 'size' && before === undefined && values[key] === 0;
}

/** What becomes of the state of background work on a file that has other content than it is about; undefined: nothing. */
function processingOf(node: GraphNode, { schema }: ObjectTransaction): PropertyChanges | undefined {
  const { version = 0, processedVersion = 0, processingState } = node.properties;
  const wants = schema.settings.processing?.wants;
  if (wants === undefined || version === processedVersion) return undefined;
  const type = schema.typeOf(node);
  const wanted = wants(node, (name) => type.hasTrait(name));
  if (!wanted && processingState === undefined) return undefined;
  return {
    processingState: wanted ? QUEUED : null,
    processingMessage: null,
    processingProgress: null,
    processedVersion: version,
  };
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
    // What is kept of the content is decided anew.
    if (
      before !== undefined &&
      DECIDING.some((key) => key in values && (values[key] ?? null) !== (before[key] ?? null))
    )
      values['processedVersion'] = null;
    const known = values['contentType'] ?? before?.['contentType'];
    if (typeof known === 'string' && known.trim() !== '') return;
    const { name } = values;
    const type = typeof name === 'string' ? contentTypeOf(name) : undefined;
    if (type !== undefined) values['contentType'] = type;
  },
  async complete(node, objects) {
    const { contentType } = node.properties;
    if (node.type === 'File' && typeof contentType === 'string' && contentType.startsWith('image/'))
      await objects.tx.setNodeType(node.id, 'Image', objects.schema.type('Image')?.traits);
    const processing = processingOf((await objects.tx.node(node.id)) ?? node, objects);
    if (processing !== undefined) await objects.tx.updateNode(node.id, processing);
  },
};
