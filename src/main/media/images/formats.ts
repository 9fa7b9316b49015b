/** Formats that images are made in. */
import type { GraphNode } from '../../graph/index.js';
import { essenceOf } from '../../files/index.js';
import { MediaError } from '../errors.js';
import type { OutputFormat } from '../../../workers/media/make-image.js';

export const CONTENT_TYPES: Readonly<Record<OutputFormat, string>> = {
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  avif: 'image/avif',
  gif: 'image/gif',
};

const ENDINGS: Readonly<Record<OutputFormat, string>> = {
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
  avif: 'avif',
  gif: 'gif',
};

/** A format by its name, `jpg` among them. Throws `MediaError` 400 for others. */
export function formatNamed(name: string): OutputFormat {
  const format = name.toLowerCase().replace(/^jpg$/, 'jpeg');
  if (Object.hasOwn(CONTENT_TYPES, format)) return format as OutputFormat;
  throw new MediaError(400, 'Images can be made in the formats png, jpeg, webp, avif and gif.');
}

/** The format of an image by its content type, as far as it is one that is made; `otherwise` for others. */
export function ownFormat(image: GraphNode, otherwise: OutputFormat): OutputFormat {
  const type = essenceOf(image);
  const own = Object.entries(CONTENT_TYPES).find(([, one]) => one === type)?.[0];
  return own === undefined ? otherwise : (own as OutputFormat);
}

/** A name with the ending of a format. */
export function nameFor(name: string, format: OutputFormat): string {
  return `${name.replace(/\.[A-Za-z0-9]{1,5}$/, '')}.${ENDINGS[format]}`;
}
