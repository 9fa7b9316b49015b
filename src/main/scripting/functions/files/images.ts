/** Images of images (docs/interface/script-runtime.md 8.8, docs/interface/media.md 2.3). */
import { addressOf, formatNamed, type Edited } from '../../../media/index.js';
import type { Within } from '../../../files/index.js';
import type { GraphNode } from '../../../graph/index.js';
import { ScriptError } from '../../language/errors.js';
import { isMap, type ScriptEntity, type ScriptValue } from '../../language/values.js';
import { optionalText } from '../../run/function/arguments.js';
import type { FunctionCategory } from '../../run/function/function.js';
import { ofObjects } from '../../run/function/pairs.js';
import { readableFile } from '../../run/files/file-content.js';
import { withinScript } from '../../run/files/within.js';
import type { ScriptContext } from '../../run/run.js';

const IMAGE = "first(find('Image', 'name', 'photo.jpg'))";

/** A whole number. Throws `ScriptError` 422 for anything else. */
function whole(value: ScriptValue | undefined, what: string): number {
  const number = typeof value === 'bigint' ? Number(value) : value;
  if (typeof number === 'number' && Number.isInteger(number)) return number;
  throw new ScriptError(422, `The ${what} of an image is a whole number.`);
}

function optional(value: ScriptValue | undefined, what: string): number | undefined {
  return value === undefined || value === null ? undefined : whole(value, what);
}

function optionsOf(value: ScriptValue | undefined, name: string): ReadonlyMap<string, ScriptValue> {
  if (value === undefined || value === null) return new Map();
  if (isMap(value)) return value;
  throw new ScriptError(422, `The options of ${name}() are a map.`);
}

/** A new image, beside its original, in the transaction of the script. */
async function put(
  image: ScriptEntity,
  context: ScriptContext,
  make: (node: GraphNode, within: Within) => Promise<Edited>,
): Promise<ScriptEntity> {
  const { edits } = context.run.parts.media;
  const node = await readableFile(image, context);
  const made = await withinScript(context, async (within) => {
    const edited = await make(node, within);
    try {
      const objects = await within.objects();
      objects.onEnd(() => void edits.abandon(edited));
      return await edits.put(objects, node, edited);
    } catch (error) {
      await edits.abandon(edited);
      throw error;
    }
  });
  return context.run.entities.of(made);
}

export const imageFunctions: FunctionCategory = {
  title: 'Files',
  functions: [
    ofObjects(
      {
        name: 'getThumbnail',
        signature: 'getThumbnail(image, width, height [, crop = false])',
        meaning:
          'The thumbnail of an image that fits into a box of so many pixels, or fills it when it is cropped; it is made when it is not there. ' +
          'It never is larger than the image. Where nothing can be written, as in a Function property, what is not there is null, and made afterwards.',
        example: `getThumbnail(${IMAGE}, 200, 200, true).path`,
        min: 3,
        max: 4,
      },
      ['Image'],
      async ([one], [width, height, crop = null], context) => {
        if (one === undefined) return null;
        const { thumbnails } = context.run.parts.media;
        const wish = {
          width: whole(width, 'width'),
          height: whole(height, 'height'),
          crop: crop === true || crop === 'true',
        };
        const image = await readableFile(one, context);
        const { transaction } = context.run;
        const known = await thumbnails.known(image, wish, (work) => transaction.read(work));
        if (known !== undefined) return context.run.entities.of(known);
        if (transaction.isReadOnly) {
          thumbnails.later([{ image, wishes: [wish] }]);
          return null;
        }
        return context.run.entities.of(
          await withinScript(context, (within) => thumbnails.get(image, wish, within.objects)),
        );
      },
    ),
    ofObjects(
      {
        name: 'cropImage',
        signature: 'cropImage(image, x, y, width, height [, format])',
        meaning:
          'A new image with a part of another, in pixels from its upper left corner as it is shown, in the same folder. What lies outside is ' +
          'left out. Formats: png, jpeg, webp, avif, gif; without one that of the image.',
        example: `cropImage(${IMAGE}, 10, 20, 300, 200).name`,
        min: 5,
        max: 6,
      },
      ['Image'],
      async ([one], [x, y, width, height, format = null], context) => {
        if (one === undefined) return null;
        const part = {
          x: whole(x, 'x'),
          y: whole(y, 'y'),
          width: whole(width, 'width'),
          height: whole(height, 'height'),
        };
        const named = format === null ? undefined : formatNamed(optionalText(format, '', context));
        const { edits } = context.run.parts.media;
        return put(one, context, (node, within) => edits.crop(node, part, named, within));
      },
    ),
    ofObjects(
      {
        name: 'convertImage',
        signature: 'convertImage(image, format [, options])',
        meaning:
          'A new image in another format, in the same folder: png, jpeg, webp, avif or gif. Options: quality (1 to 100), width and height of a ' +
          'box that it is to fit into.',
        example: `convertImage(${IMAGE}, 'webp').name`,
        min: 2,
        max: 3,
      },
      ['Image'],
      async ([one], [format = null, given = null], context) => {
        if (one === undefined) return null;
        const options = optionsOf(given, 'convertImage');
        const conversion = {
          format: formatNamed(optionalText(format, '', context)),
          quality: optional(options.get('quality'), 'quality'),
          width: optional(options.get('width'), 'width'),
          height: optional(options.get('height'), 'height'),
        };
        const { edits } = context.run.parts.media;
        return put(one, context, (node, within) => edits.convert(node, conversion, within));
      },
    ),
    ofObjects(
      {
        name: 'imageUrl',
        signature: 'imageUrl(image [, options])',
        meaning:
          'The address, on this server, of an image in another size, signed with the secret of application.images.url.secret. Options: width, ' +
          'height, fit (inside, cover, fill), format (png, jpeg, webp, avif, gif, or auto), quality, enlarge, still. Who may see the image sees it there.',
        example: `imageUrl(${IMAGE})`,
        min: 1,
        max: 2,
      },
      ['Image'],
      ([one], [given = null], { run }) =>
        one === undefined ? null : addressOf(run.parts.config, one.id, optionsOf(given, 'imageUrl')),
    ),
  ],
};
