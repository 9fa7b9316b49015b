/** The media room: images, videos and texts of files. */
export { MediaError } from './errors.js';
export { Media } from './media.js';
export { ThumbnailsMissing, type Missing } from './images/thumbnails/missing.js';
