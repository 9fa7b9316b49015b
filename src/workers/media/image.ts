/** What threads do with images. */
import type { Outcome } from '../outcome.js';
import { outcomeOf } from '../outcome.js';

/** Work on one image, which lies at a path of this machine. */
export interface ImageJob {
  readonly task: 'facts';
  readonly path: string;
  /** More than so many pixels are refused. */
  readonly pixels: number;
}

/** What an image is, as it is stored in its properties. */
export interface ImageFacts {
  readonly width: number;
  readonly height: number;
  /** Of EXIF, 1 to 8. */
  readonly orientation?: number;
}

/** Answers what the job asks for, or what is wrong with the image. */
export default function work(job: ImageJob): Promise<Outcome<ImageFacts>> {
  return outcomeOf(async () => {
    const { default: sharp } = await import('sharp');
    const { width, height, orientation } = await sharp(job.path, { limitInputPixels: job.pixels }).metadata();
    return { width, height, ...(orientation === undefined ? {} : { orientation }) };
  });
}
