/** Opens images of formats that the service reads, and of no other, whatever a file is called (docs/interface/media.md 2.1). */
import { open, readFile } from 'node:fs/promises';
import type { Sharp, SharpInput, SharpOptions } from 'sharp';
import { formatOf, SVG } from '../../shared/image-format.js';
import sharp from './sharp.js';

/** What an image may cost. */
export interface Limits {
  /** More pixels, of all frames that are read, are refused. */
  readonly pixels: number;
  /** Images with more frames do not move. */
  readonly frames: number;
  /** Bytes of an SVG; larger ones are refused. */
  readonly svgSize: number;
  /** Seconds for each image that is made. */
  readonly seconds: number;
}

/** An image whose head was read. */
export interface OpenImage {
  /** Its size as it is shown, in pixels. */
  readonly width: number;
  readonly height: number;
  readonly orientation: number | undefined;
  readonly exif: Buffer | undefined;
  /** Frames; 1: it does not move. */
  readonly pages: number;
  readonly isVector: boolean;
  readonly limits: Limits;
  /** Begins to read it, upright. `animated`: all of its frames. `density`: of a vector image, dots for each inch of 72 of its units. */
  read(options?: { readonly animated?: boolean; readonly density?: number }): Sharp;
}

const HEAD = 4100;

/** Throws for what is no image of these formats, or is more than the limits allow. */
export async function openImage(path: string, size: number, limits: Limits): Promise<OpenImage> {
  const format = formatOf(await headOf(path));
  if (format === undefined) throw new Error('it is no image of a format that the service reads');
  // By its path an SVG could name files beside it. What has no path has no neighbours; what is on other servers is not loaded at all.
  const isVector = format === SVG;
  if (isVector && size > limits.svgSize) throw new Error(`it is an SVG of more than ${String(limits.svgSize)} bytes`);
  const input: SharpInput = isVector ? await readFile(path) : path;
  const general: SharpOptions = { limitInputPixels: limits.pixels, failOn: 'none' };
  const {
    autoOrient,
    width,
    orientation,
    exif,
    pages = 1,
    pageHeight,
  } = await sharp(input, {
    ...general,
    // What is told of it is told of those that are too large as well.
    limitInputPixels: false,
  }).metadata();
  const pixels = width * (pageHeight ?? autoOrient.height);
  const moves = pages > 1 && pages <= limits.frames && pixels * pages <= limits.pixels && format !== 'tiff';
  return {
    width: autoOrient.width,
    height: autoOrient.height,
    orientation,
    exif,
    pages: moves ? pages : 1,
    isVector,
    limits,
    read: ({ animated = false, density } = {}) => {
      const image = sharp(input, {
        ...general,
        animated: animated && moves,
        ...(density === undefined ? {} : { density }),
      });
      return image.timeout({ seconds: limits.seconds }).autoOrient();
    },
  };
}

async function headOf(path: string): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
