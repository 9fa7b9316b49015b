/** What images are, found out when their content comes (contract, File and Folder; docs/design/media.md 2). */
import type { StoredValue } from '../../graph/index.js';
import type { Place } from '../../files/index.js';
import { logger } from '../../../shared/log.js';
import { shortWork } from '../../../shared/work/index.js';
import type { ImageFacts, ImageJob } from '../../../workers/media/image.js';
import type { Outcome } from '../../../workers/outcome.js';
import type { MediaParts } from '../context.js';

const log = logger('media.images');

/** Properties that content decides about. */
export const FACT_KEYS: readonly string[] = ['width', 'height', 'orientation'];

/** Milliseconds: headers are short. */
const LONGEST = 5000;

/** By their first bytes. */
const SIGNATURES: readonly (readonly [offset: number, bytes: string])[] = [
  [0, '\xff\xd8\xff'],
  [0, '\x89PNG'],
  [0, 'GIF8'],
  [8, 'WEBP'],
  [0, 'II*\0'],
  [0, 'MM\0*'],
];

export function isImage(head: Buffer): boolean {
  return SIGNATURES.some(([offset, bytes]) => head.toString('latin1', offset, offset + bytes.length) === bytes);
}

/** Properties of an image with this content; undefined: it is none. Never rejects. */
export function factsOf(
  { files }: MediaParts,
  place: Place,
  head: Buffer,
  size: number,
): Promise<Readonly<Record<string, StoredValue>> | undefined> | undefined {
  if (!isImage(head)) return undefined;
  return files.onDisk
    .with(place, size, async (path) => {
      const job: ImageJob = { task: 'facts', path, pixels: Number.MAX_SAFE_INTEGER };
      const work = { file: 'media/image', what: 'looking at an image', time: LONGEST } as const;
      const outcome = await shortWork().run<Outcome<ImageFacts>>(job, work);
      return 'value' in outcome ? { ...outcome.value } : undefined;
    })
    .catch((error: unknown) => {
      log.debug(`nothing is known of an image: ${error instanceof Error ? error.message : ''}`);
      return undefined;
    });
}
