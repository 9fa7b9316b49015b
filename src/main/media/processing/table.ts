/** Background work on content, in order. A new step is one file and one line here. */
import { textStep } from '../text/text-step.js';
import { conversionStep } from '../video/conversion-step.js';
import { videoInfoStep } from '../video/info-step.js';
import type { Step } from './step.js';

export const STEPS: readonly Step[] = [conversionStep, videoInfoStep, textStep];
