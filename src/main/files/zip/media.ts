import { essence } from '../content/content-type.js';

/** Text and numbers among the kinds whose other types are compressed by themselves. */
const PLAIN = new Set([
  'image/svg+xml',
  'image/bmp',
  'image/x-ms-bmp',
  'image/tiff',
  'image/x-icon',
  'image/vnd.microsoft.icon',
  'image/vnd.adobe.photoshop',
  'audio/wav',
  'audio/wave',
  'audio/x-wav',
  'audio/vnd.wave',
  'audio/aiff',
  'audio/x-aiff',
  'audio/midi',
  'audio/basic',
  'font/ttf',
  'font/otf',
  'font/sfnt',
]);
const MEDIA = /^(?:image|audio|video|font)\//;
/** Archives, and documents that are archives inside. */
const ARCHIVE =
  /^application\/(?:(?:x-)?(?:zip|gzip|bzip2?|xz|7z|rar|lzip|lzma|zstd|compress|lz4|apple-diskimage|rpm|deb|debian-package|java-archive|font-woff2?|matroska|mpegurl|ogg|mp4)(?:-compressed)?|vnd\.rar|vnd\.debian\.binary-package|epub\+zip|pdf|java-archive|vnd\.android\.package-archive|vnd\.openxmlformats-officedocument\..*|vnd\.oasis\.opendocument\..*|vnd\.ms-cab-compressed|.*\+(?:zip|gzip))$/;

/** Whether content of this type is compressed by itself, so that doing so once more gains nothing. */
export function isPacked(contentType: string): boolean {
  const type = essence(contentType);
  return ARCHIVE.test(type) || (MEDIA.test(type) && !PLAIN.has(type));
}
