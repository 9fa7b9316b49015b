/** The media room: images, videos and texts of files. */
export { MediaError } from './errors.js';
export type { MediaParts } from './context.js';
export { Media } from './media.js';
export type { Edited, Maker } from './images/edits.js';
export type { Storing, Videos } from './video/videos.js';
export { Missing, ThumbnailsMissing } from './images/thumbnails/missing.js';
export { formatNamed } from './images/formats.js';
export { parseOptions } from './images/variants/options.js';
export { addressOf, checkSignature, IMAGES } from './images/variants/signature.js';
export type { Variant } from './images/variants/variants.js';
