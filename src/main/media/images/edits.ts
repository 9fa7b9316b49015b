/** New images that users make of images: parts of them, and other formats (docs/interface/media.md 2.3). */
import { FilesError, type FileBeside, type Received, type Within } from '../../files/index.js';
import type { GraphNode } from '../../graph/index.js';
import { allowed, folderOf, type ObjectTransaction } from '../../schema/index.js';
import type { ImageOutput, OutputFormat, Part } from '../../../workers/media/make-image.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { CONTENT_TYPES, nameFor, ownFormat } from './formats.js';
import { boxOf, makeImages } from './make.js';

export interface Conversion {
  readonly format: OutputFormat;
  /** From 1 to 100. */
  readonly quality: number | undefined;
  /** A box that it is to fit into. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

/** Who makes it, and how he reads. */
export type Maker = Pick<Within, 'actor' | 'access' | 'read' | 'signal'>;

/** An image whose content is stored, and which is no file yet. */
export type Edited = FileBeside & { readonly received: Received };

const QUALITY = 90;
const LARGEST = 16_383;

export class ImageEdits {
  constructor(private readonly context: MediaContext) {}

  /**
   * Cuts a part out, as far as it lies in the image; stored, and not yet a file. `format` undefined: that of the image. Throws what `makeImages` throws, and `FilesError` 403 for
   * who may not write where it would lie.
   */
  async crop(image: GraphNode, part: Part, format: OutputFormat | undefined, maker: Maker): Promise<Edited> {
    for (const side of [part.width, part.height]) mustBeSide(side);
    const to = format ?? ownFormat(image, 'png');
    return this.#make(image, { part, ...plain(to) }, maker, ({ width, height }) => {
      return `${nameOf(image)}_cropped_${String(width)}x${String(height)}`;
    });
  }

  /** The same for another format, and perhaps a smaller size. */
  async convert(image: GraphNode, { format, quality, width, height }: Conversion, maker: Maker): Promise<Edited> {
    for (const side of [width, height]) if (side !== undefined) mustBeSide(side);
    if (quality !== undefined && !(quality >= 1 && quality <= 100))
      throw new MediaError(422, 'The quality is from 1 to 100.');
    const output = { ...plain(format), ...boxOf(width, height), quality: quality ?? QUALITY };
    return this.#make(image, output, maker, () => nameFor(nameOf(image), format));
  }

  /** Makes it a file beside its original, with the rights of the transaction (`FilesBeside.make`). What is not committed is to be abandoned. */
  async put(objects: ObjectTransaction, image: GraphNode, edited: Edited): Promise<GraphNode> {
    const now = await objects.tx.node(image.id);
    if (now === undefined) throw new MediaError(404, 'The image is gone.');
    return this.context.files.beside.make(objects, now, edited);
  }

  /** After a transaction, whatever became of it. */
  abandon({ received }: Edited): Promise<void> {
    return this.context.files.beside.abandon([received]);
  }

  async #make(
    image: GraphNode,
    output: ImageOutput,
    { actor, access, read, signal }: Maker,
    nameWith: (size: { readonly width: number; readonly height: number }) => string,
  ): Promise<Edited> {
    const { files, schemas } = this.context;
    // Nothing is made for who may not keep it.
    const folder = await read(async (tx) => {
      const found = await folderOf({ tx, schema: schemas.schema }, image.id);
      if (found !== undefined && !(await allowed(tx, access, 'write', found)))
        throw new FilesError(403, 'Writing into the folder of this file is not permitted.');
      return found;
    });
    const { made } = await makeImages(this.context, image, [output], { what: 'images', signal });
    const [one] = made;
    if (one === undefined) throw new MediaError(422, 'The image cannot be made.');
    const { bytes, width, height } = one;
    const name = nameWith(one);
    const received = await files.beside.store(actor, folder?.id, name, { bytes }, { width, height });
    return { received, name, type: 'Image', contentType: CONTENT_TYPES[output.format] };
  }
}

function plain(format: OutputFormat): ImageOutput {
  return { fit: 'inside', enlarge: false, format, quality: QUALITY, animated: true };
}

function nameOf({ id, properties }: GraphNode): string {
  return typeof properties['name'] === 'string' ? properties['name'] : id;
}

function mustBeSide(pixels: number): void {
  if (Number.isInteger(pixels) && pixels >= 1 && pixels <= LARGEST) return;
  throw new MediaError(422, `The sides of an image are from 1 to ${String(LARGEST)} pixels long.`);
}
