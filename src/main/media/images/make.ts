/** Other images of an image, made by a thread; what is wrong with it is told in one way (docs/interface/media.md 2). */
import { placeOfContent, sizeOf } from '../../files/index.js';
import type { GraphNode } from '../../graph/index.js';
import { shortWork, type Priority } from '../../../shared/work/index.js';
import type { ImageAnswer, ImageJob } from '../../../workers/media/image.js';
import type { ImageOutput } from '../../../workers/media/make-image.js';
import type { Outcome } from '../../../workers/outcome.js';
import type { MediaContext } from '../context.js';
import { MediaError } from '../errors.js';
import { contentName } from '../processing/content-name.js';
import { limitsOf, timeFor } from './limits.js';

/** A side that nothing was said about. */
const ANY = 1_000_000;

/** The box that an image is to fit into, of which one side is enough; none: it keeps its size. */
export function boxOf(width: number | undefined, height: number | undefined): Pick<ImageOutput, 'box'> {
  if (width === undefined && height === undefined) return {};
  return { box: { width: width ?? ANY, height: height ?? ANY } };
}

export interface MakeOptions {
  /** For metrics and messages. */
  readonly what: string;
  readonly priority?: Priority;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Throws `MediaError` 422 for what cannot be made of this content, now and later; `WorkError` where it could not be made now; `FilesError` for
 * content that cannot be read.
 */
export async function makeImages(
  { files, config, attempts }: MediaContext,
  file: GraphNode,
  outputs: readonly ImageOutput[],
  { what, priority = 'asked', signal }: MakeOptions,
): Promise<ImageAnswer> {
  if (file.properties['isTemplate'] === true) throw new MediaError(422, 'The content of a template is no image.');
  const size = sizeOf(file);
  if (size === 0) throw new MediaError(422, 'The image is empty.');
  const limits = limitsOf(config);
  const outcome = await attempts.run(contentName(file), (died) =>
    files.onDisk.with(
      placeOfContent(file),
      size,
      async (path) => {
        const job: ImageJob = { path, size, outputs, ...limits };
        const time = timeFor(limits, outputs.length);
        const work = { file: 'media/image', what, time, priority, signal, died };
        const found = await shortWork().run<Outcome<ImageAnswer>>(job, work);
        // What the library says may name the file.
        return 'problem' in found ? { problem: found.problem.replaceAll(path, 'the file') } : found;
      },
      signal,
    ),
  );
  if ('value' in outcome) return outcome.value;
  throw new MediaError(422, `The image cannot be read: ${outcome.problem.replace(/\.$/, '')}.`);
}
