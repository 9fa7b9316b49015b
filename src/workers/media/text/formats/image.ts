/** Images: what is recognised on them. */
import type { Format } from '../format.js';
import { recognisedImage } from '../ocr.js';

const STARTS = ['\xff\xd8\xff', '\x89PNG', 'GIF8', 'II*\0', 'MM\0*', 'BM'];

export const image: Format = {
  name: 'image',
  is: ({ head }) => {
    const start = head.toString('latin1', 0, 12);
    return STARTS.some((one) => start.startsWith(one)) || (start.startsWith('RIFF') && start.endsWith('WEBP'));
  },
  async read(source, { ocr, budget, sink }) {
    if (ocr === undefined || budget.recognised <= 0) return;
    budget.recognised--;
    sink.line(await recognisedImage(source.path ?? (await source.bytes()), ocr));
  },
};
