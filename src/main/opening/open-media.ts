/** What works on the content of files. */
import { Media, type MediaParts } from '../media/index.js';
import type { MediaPlace } from './open-schema.js';

/** From here on the schema finds it at `place`. */
export async function openMedia(parts: MediaParts, place: MediaPlace): Promise<Media> {
  const media = new Media(parts);
  await media.start();
  place.wants = media.wants;
  place.read = media.thumbnails.read;
  return media;
}
