/** `Thumbnail`: a smaller image of an image, in the size that the format says (docs/interface/media.md 2); the media room makes it. */
import type { GraphEntity } from '../../graph/index.js';
import type { PropertyDefinition } from '../model/property.js';
import type { Computed, ComputeContext, ComputedProperty } from '../model/schema.js';
import type { SchemaSettings } from '../writing/function-properties.js';

export function thumbnailProperty(
  definition: PropertyDefinition,
  trait: string,
  { thumbnails }: SchemaSettings,
): ComputedProperty {
  return {
    kind: 'computed',
    name: definition.name,
    definition,
    declaringTrait: trait,
    valueType: 'Image',
    className: 'ThumbnailProperty',
    isCollection: false,
    isOutside: true,
    compute: (image: GraphEntity, context: ComputeContext): Promise<Computed> =>
      thumbnails?.read?.(image, definition, context) ?? Promise.resolve({ json: null }),
  };
}
