/** What work on images may cost, as the settings say now. */
import type { Config } from '../../config/index.js';
import type { Limits } from '../../../workers/media/open-image.js';

const MILLION = 1_000_000;
const KB = 1024;
/** Beyond what an image may take: a thread that does not end then is ended. */
const GRACE = 5000;

export function limitsOf(config: Config): Limits {
  return {
    pixels: config.get('application.images.maxpixels') * MILLION,
    frames: config.get('application.images.maxframes'),
    svgSize: config.get('application.images.svg.maxsize') * KB,
    seconds: config.get('application.images.time'),
  };
}

/** Milliseconds for work that makes so many images. */
export function timeFor({ seconds }: Limits, images: number): number {
  return seconds * 1000 * Math.max(1, images) + GRACE;
}
