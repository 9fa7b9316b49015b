/** Which background work there is on content. */
import type { GraphNode } from '../../graph/index.js';
import type { MediaContext } from '../context.js';
import { textStep } from '../text/text-step.js';
import { conversionStep } from '../video/conversion-step.js';
import { videoInfoStep } from '../video/info-step.js';
import type { Step } from './step.js';

/** In order. A new step is one file and one line here. */
const STEPS: readonly Step[] = [conversionStep, videoInfoStep, textStep];

/** What is to be done with the content of a file. */
export function stepsFor(file: GraphNode, hasTrait: (name: string) => boolean, context: MediaContext): readonly Step[] {
  // What is known of an image is known of its thumbnails.
  if (file.properties['isThumbnail'] === true) return [];
  return STEPS.filter((step) => step.wants(file, hasTrait, context));
}
