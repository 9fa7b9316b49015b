/** What images are, found out when their content comes (contract, File and Folder; docs/design/media.md 2). */
import type { PropertyMap } from '../../graph/index.js';
import type { Place } from '../../files/index.js';
import { formatOf } from '../../../shared/image-format.js';
import { logger } from '../../../shared/log.js';
import { shortWork } from '../../../shared/work/index.js';
import type { ImageAnswer, ImageJob } from '../../../workers/media/image.js';
import type { Outcome } from '../../../workers/outcome.js';
import type { MediaParts } from '../context.js';
import { limitsOf } from './limits.js';

const log = logger('media.images');

/** Properties that content decides about: what was found of other content says nothing of this one. */
export const FACT_KEYS: readonly string[] = [
  'width',
  'height',
  'orientation',
  'exifIFD0Data',
  'exifSubIFDData',
  'gpsData',
  'isCreatingThumb',
  'thumbnailCreationFailed',
];

/** Milliseconds: headers are short. */
const LONGEST = 5000;

/** Properties of an image with this content; undefined: it is none. Never rejects. */
export function factsOf(
  { files, config }: MediaParts,
  place: Place,
  head: Buffer,
  size: number,
): Promise<PropertyMap | undefined> | undefined {
  if (formatOf(head) === undefined) return undefined;
  return files.onDisk
    .with(place, size, async (path) => {
      const job: ImageJob = { path, size, outputs: [], ...limitsOf(config) };
      const work = { file: 'media/image', what: 'looking at an image', time: LONGEST } as const;
      const outcome = await shortWork().run<Outcome<ImageAnswer>>(job, work);
      return 'value' in outcome ? { ...outcome.value.facts } : undefined;
    })
    .catch((error: unknown) => {
      log.debug(`nothing is known of an image: ${error instanceof Error ? error.message : ''}`);
      return undefined;
    });
}
