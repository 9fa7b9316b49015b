/** What threads do with images: what they are, and other images made of them. */
import type { Outcome } from '../outcome.js';
import { outcomeOf } from '../outcome.js';
import type { ExifTexts } from './exif.js';
import type { ImageOutput, MadeImage } from './make-image.js';
import type { Limits } from './open-image.js';

/** Work on one image, which lies at a path of this machine. */
export interface ImageJob extends Limits {
  readonly path: string;
  /** Bytes of the file. */
  readonly size: number;
  /** What is to be made; nothing: only what it is is found out. */
  readonly outputs: readonly ImageOutput[];
}

/** What an image is, as it is stored in its properties. */
export interface ImageFacts extends ExifTexts {
  /** As it is shown: after its orientation was applied. */
  readonly width: number;
  readonly height: number;
  /** Of EXIF, 1 to 8. */
  readonly orientation?: number;
}

export interface ImageAnswer {
  readonly facts: ImageFacts;
  /** In the order of `outputs`. */
  readonly made: readonly MadeImage[];
}

/** Answers what the job asks for, or what is wrong with the image. */
export default function work(job: ImageJob): Promise<Outcome<ImageAnswer>> {
  return outcomeOf(async () => {
    const [{ openImage }, { makeImages }, { exifTexts }] = await Promise.all([
      import('./open-image.js'),
      import('./make-image.js'),
      import('./exif.js'),
    ]);
    const image = await openImage(job.path, job.size, job);
    const { width, height, orientation, exif } = image;
    const facts = { width, height, ...(orientation === undefined ? {} : { orientation }), ...exifTexts(exif) };
    return { facts, made: job.outputs.length === 0 ? [] : await makeImages(image, job.outputs) };
  });
}
