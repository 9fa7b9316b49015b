/** Makes images of an image: other sizes, parts, other formats (docs/interface/media.md 2). Positions and all other metadata stay behind; colours become sRGB. */
import type { Sharp } from 'sharp';
import type { OpenImage } from './open-image.js';
import sharp from './sharp.js';

/** Formats that are written. */
export type OutputFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif';

/** In pixels from the upper left corner of an image. */
export interface Part {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** How an image is to become. */
export interface ImageOutput {
  /** A part of the image as it is shown, in pixels; absent: all of it. */
  readonly part?: Part;
  /** The box that it is made for; absent: it keeps its size. */
  readonly box?: { readonly width: number; readonly height: number };
  /** `inside`: it fits into the box, whole. `cover`: it fills the box, what is too much at two sides is cut off. `fill`: it is stretched. */
  readonly fit: 'inside' | 'cover' | 'fill';
  /** Whether it may become larger than it is. */
  readonly enlarge: boolean;
  readonly format: OutputFormat;
  /** From 1 to 100; PNG and GIF have none. */
  readonly quality: number;
  /** Whether what moves goes on moving, where the format can. */
  readonly animated: boolean;
}

export interface MadeImage {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly height: number;
}

/** Colour behind what is transparent, for formats without. */
const BACKGROUND = '#ffffff';
/** No side of a made image is shorter. */
const SHORTEST = 4;
const MOVING: ReadonlySet<OutputFormat> = new Set(['webp', 'gif']);
/** Of vector images. */
const USUAL_DENSITY = 72;
const LARGEST_DENSITY = 4800;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** In the order of the outputs. Throws what is wrong with the image. */
export async function makeImages(image: OpenImage, outputs: readonly ImageOutput[]): Promise<MadeImage[]> {
  const { pixels } = image.limits;
  if (image.width * image.height > pixels && !image.isVector)
    throw new Error(`it has more than ${String(pixels)} pixels`);
  const shared = await sharedStart(image, outputs);
  const made: MadeImage[] = [];
  for (const output of outputs) {
    const start = shared?.outputs.has(output) === true ? shared.begin() : undefined;
    made.push(await makeOne(image, output, start));
  }
  return made;
}

/**
 * What several smaller copies of a picture are made of: the largest of them, in memory. Reading a large file costs more than all that comes
 * after it.
 */
async function sharedStart(
  image: OpenImage,
  outputs: readonly ImageOutput[],
): Promise<{ readonly outputs: ReadonlySet<ImageOutput>; readonly begin: () => Sharp } | undefined> {
  const alike = outputs.filter(
    (output) =>
      output.fit === 'inside' && output.part === undefined && output.box !== undefined && !moves(image, output),
  );
  if (alike.length < 2 || image.isVector) return undefined;
  const sizes = alike.map((output) => sizeFor(image, output));
  const largest = sizes.reduce((a, b) => (a.width >= b.width ? a : b));
  const { data, info } = await image
    .read()
    .resize(largest.width, largest.height, { fit: 'fill' })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  return { outputs: new Set(alike), begin: () => sharp(data, { raw }) };
}

async function makeOne(image: OpenImage, wanted: ImageOutput, start: Sharp | undefined): Promise<MadeImage> {
  const output = wanted.part === undefined ? wanted : { ...wanted, part: within(wanted.part, image) };
  const size = sizeFor(image, output);
  const animated = moves(image, output);
  let pipeline = start ?? image.read({ animated, ...densityFor(image, output, size) });
  const { part } = output;
  if (part !== undefined)
    pipeline = pipeline.extract({ left: part.x, top: part.y, width: part.width, height: part.height });
  const fit = output.fit === 'cover' ? 'cover' : 'fill';
  if (output.box !== undefined || image.isVector)
    pipeline = pipeline.resize(size.width, size.height, { fit, position: 'centre' });
  const { data, info } = await written(pipeline, output).toBuffer({ resolveWithObject: true });
  return { bytes: data, width: info.width, height: info.pageHeight ?? info.height };
}

function written(pipeline: Sharp, { format, quality }: ImageOutput): Sharp {
  switch (format) {
    case 'jpeg':
      return pipeline.flatten({ background: BACKGROUND }).jpeg({ quality });
    case 'webp':
      return pipeline.webp({ quality, effort: 3 });
    case 'avif':
      return pipeline.avif({ quality, effort: 2 });
    case 'gif':
      return pipeline.gif({ effort: 3 });
    case 'png':
      return pipeline.png({ compressionLevel: 6 });
  }
}

function moves({ pages }: OpenImage, { animated, format, part }: ImageOutput): boolean {
  return animated && pages > 1 && MOVING.has(format) && part === undefined;
}

/** What of a part lies in the image. */
function within(part: Part, image: Size): Part {
  const [x, y] = [Math.max(0, part.x), Math.max(0, part.y)];
  const width = Math.min(part.x + part.width, image.width) - x;
  const height = Math.min(part.y + part.height, image.height) - y;
  if (width < 1 || height < 1) throw new Error('the part lies outside of it');
  return { x, y, width, height };
}

/** The exact size of what is made. */
function sizeFor(
  image: Size,
  { part, box, fit, enlarge }: Pick<ImageOutput, 'part' | 'box' | 'fit' | 'enlarge'>,
): Size {
  const { width, height } = part ?? image;
  if (box === undefined) return { width, height };
  const [across, down] = [box.width / width, box.height / height];
  if (fit === 'inside') {
    const scale = Math.min(across, down, enlarge ? Infinity : 1);
    const side = (length: number): number => Math.max(Math.min(SHORTEST, length), Math.round(length * scale));
    return { width: side(width), height: side(height) };
  }
  if (enlarge) return box;
  return { width: Math.min(box.width, width), height: Math.min(box.height, height) };
}

/** Vector images are drawn in the size that is needed. */
function densityFor(image: OpenImage, { part }: ImageOutput, size: Size): { readonly density?: number } {
  if (!image.isVector || part !== undefined) return {};
  const scale = Math.max(size.width / image.width, size.height / image.height);
  return scale <= 1 ? {} : { density: Math.min(LARGEST_DENSITY, Math.ceil(USUAL_DENSITY * scale)) };
}
