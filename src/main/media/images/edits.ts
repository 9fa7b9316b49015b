/** New images that users make of images: parts of them, and other formats (docs/interface/media.md 2.3). */
import type { Derived } from '../../files/index.js';
import type { GraphNode } from '../../graph/index.js';
import type { ObjectTransaction } from '../../schema/index.js';
import type { ImageOutput, OutputFormat } from '../../../workers/media/make-image.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { CONTENT_TYPES, nameFor, ownFormat, WHITE } from './formats.js';
import { makeImages } from './make.js';

/** A part of an image, in pixels of the image as it is shown; what is outside of it is left out. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface Conversion {
  readonly format: OutputFormat;
  /** From 1 to 100. */
  readonly quality: number | undefined;
  /** A box that it is to fit into. */
  readonly width: number | undefined;
  readonly height: number | undefined;
}

const QUALITY = 90;
const LARGEST = 16_383;
const ANY = 1_000_000;

export class ImageEdits {
  constructor(private readonly context: MediaContext) {}

  /** Cuts a part out; stored, and not yet a file. `format` undefined: that of the image. Throws what `makeImages` throws. */
  async crop(image: GraphNode, part: Part, format: OutputFormat | undefined, signal?: AbortSignal): Promise<Derived> {
    for (const side of [part.width, part.height]) mustBeSide(side);
    const to = format ?? ownFormat(image, 'png');
    return this.#make(
      image,
      { part, ...plain(to) },
      ({ width, height }) => {
        return `${nameOf(image)}_cropped_${String(width)}x${String(height)}`;
      },
      signal,
    );
  }

  /** The same for another format, and perhaps a smaller size. */
  async convert(
    image: GraphNode,
    { format, quality, width, height }: Conversion,
    signal?: AbortSignal,
  ): Promise<Derived> {
    for (const side of [width, height]) if (side !== undefined) mustBeSide(side);
    if (quality !== undefined && !(quality >= 1 && quality <= 100))
      throw new MediaError(422, 'The quality is from 1 to 100.');
    const box =
      width === undefined && height === undefined ? {} : { box: { width: width ?? ANY, height: height ?? ANY } };
    const output = { ...plain(format), ...box, quality: quality ?? QUALITY };
    return this.#make(image, output, () => nameFor(nameOf(image), format), signal);
  }

  /** Makes it a file beside its original, with the rights of the transaction. What is not committed is to be abandoned. */
  async put(objects: ObjectTransaction, image: GraphNode, derived: Derived): Promise<GraphNode> {
    const now = await objects.tx.node(image.id);
    if (now === undefined || !(await objects.may('read', now))) throw new MediaError(404, 'The image is gone.');
    return this.context.files.derived.createBeside(objects, now, derived);
  }

  /** After a transaction, whatever became of it. */
  abandon({ received }: Derived): Promise<void> {
    return this.context.files.derived.abandon(received);
  }

  async #make(
    image: GraphNode,
    output: ImageOutput,
    name: (size: { readonly width: number; readonly height: number }) => string,
    signal: AbortSignal | undefined,
  ): Promise<Derived> {
    const { made } = await makeImages(this.context, image, [output], { what: 'images', signal });
    const [one] = made;
    if (one === undefined) throw new MediaError(422, 'The image cannot be made.');
    const { bytes, width, height } = one;
    const received = await this.context.files.derived.store(bytes, { width, height });
    return { received, name: name(one), contentType: CONTENT_TYPES[output.format] };
  }
}

function plain(format: OutputFormat): ImageOutput {
  return { fit: 'inside', enlarge: false, format, quality: QUALITY, animated: true, background: WHITE };
}

function nameOf({ id, properties }: GraphNode): string {
  return typeof properties['name'] === 'string' ? properties['name'] : id;
}

function mustBeSide(pixels: number): void {
  if (Number.isInteger(pixels) && pixels >= 1 && pixels <= LARGEST) return;
  throw new MediaError(422, `The sides of an image are from 1 to ${String(LARGEST)} pixels long.`);
}
