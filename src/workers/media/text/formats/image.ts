/** Images: what is recognised on them. */
import { formatOf, SVG } from '../../../../shared/image-format.js';
import type { Format } from '../format.js';
import { recognisedImage } from '../ocr.js';

export const image: Format = {
  name: 'image',
  is: ({ head }) => {
    const format = formatOf(head);
    // The text of an SVG is that of its elements.
    return format !== undefined && format !== SVG;
  },
  async read(source, { ocr, budget, sink }) {
    if (ocr === undefined || budget.recognised <= 0) return;
    budget.recognised--;
    sink.line(await recognisedImage(source.path ?? (await source.bytes()), ocr));
  },
};
