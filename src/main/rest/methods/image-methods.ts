/** Images of images by method: thumbnails, parts, other formats, addresses (docs/interface/media.md 2.3). */
import type { GraphNode } from '../../graph/index.js';
import { addressOf, formatNamed, type Edited, type Maker } from '../../media/index.js';
import type { RestRequest } from '../context.js';
import { write } from '../write.js';
import { numberIn, ResultNodes, textIn, type BuiltinMethod } from './method.js';

export const imageMethods: readonly BuiltinMethod[] = [
  {
    trait: 'Image',
    name: 'getThumbnail',
    parameters: { 'width!': 'integer', 'height!': 'integer', crop: 'boolean' },
    run: async (request, image, input) => {
      const { graph, media } = request.services;
      const wish = {
        width: numberIn(input, 'width') ?? 0,
        height: numberIn(input, 'height') ?? 0,
        crop: input['crop'] === true,
      };
      const found = await media.thumbnails.made(image, wish, (work) => graph.read(work));
      return new ResultNodes(found);
    },
  },
  {
    trait: 'Image',
    name: 'crop',
    parameters: { 'width!': 'integer', 'height!': 'integer', offsetX: 'integer', offsetY: 'integer', format: 'string' },
    run: async (request, image, input) => {
      const part = {
        x: numberIn(input, 'offsetX') ?? 0,
        y: numberIn(input, 'offsetY') ?? 0,
        width: numberIn(input, 'width') ?? 0,
        height: numberIn(input, 'height') ?? 0,
      };
      const named = textIn(input, 'format');
      const format = named === undefined ? undefined : formatNamed(named);
      return put(request, image, await request.services.media.edits.crop(image, part, format, makerOf(request)));
    },
  },
  {
    trait: 'Image',
    name: 'convert',
    parameters: { 'format!': 'string', quality: 'integer', width: 'integer', height: 'integer' },
    run: async (request, image, input) => {
      const conversion = {
        format: formatNamed(textIn(input, 'format') ?? ''),
        quality: numberIn(input, 'quality'),
        width: numberIn(input, 'width'),
        height: numberIn(input, 'height'),
      };
      return put(request, image, await request.services.media.edits.convert(image, conversion, makerOf(request)));
    },
  },
  {
    trait: 'Image',
    name: 'getImageUrl',
    parameters: {
      width: 'integer',
      height: 'integer',
      fit: 'string',
      format: 'string',
      quality: 'integer',
      enlarge: 'boolean',
      still: 'boolean',
    },
    run: ({ services }, image, input) =>
      Promise.resolve(addressOf(services.config, image.id, new Map(Object.entries(input)))),
  },
];

function makerOf({ actor, access, services, exchange }: RestRequest): Maker {
  return { actor, access, signal: exchange.signal, read: (work) => services.graph.read(work) };
}

/** The new file, beside its original. */
async function put(request: RestRequest, image: GraphNode, edited: Edited): Promise<ResultNodes> {
  const { edits } = request.services.media;
  try {
    return new ResultNodes(await write(request, 'Image', (objects) => edits.put(objects, image, edited)));
  } finally {
    await edits.abandon(edited);
  }
}
