/** Text without a format, in any charset; Markdown, whose signs are not text. */
import { optional } from '../../../../shared/optional-package.js';
import { decodedText, isBinary } from '../charset.js';
import type { Format } from '../format.js';
import { endingOf, type Source } from '../source.js';
import { addHtml } from './html.js';

/** Bytes of a character at most, as far as they are read. */
const BYTES_OF_ONE = 4;

const textOf = async (source: Source, room: number): Promise<string> =>
  decodedText(await source.bytes(room * BYTES_OF_ONE));

export const plain: Format = {
  name: 'text',
  is: ({ head }) => !isBinary(head),
  read: async (source, { sink }) => sink.add(await textOf(source, sink.room)),
};

export const markdown: Format = {
  name: 'Markdown',
  is: ({ name, contentType, head }) =>
    (['md', 'markdown', 'mdown'].includes(endingOf(name)) || /^text\/(?:x-)?markdown/.test(contentType)) &&
    !isBinary(head),
  async read(source, { sink }) {
    const { markdown: rendered } = await optional(() => import('../../../html/markup/markdown.js'));
    addHtml(rendered(await textOf(source, sink.room)), sink);
  },
};
