/** AsciiDoc, as a part of a page: no header and footer, nothing included, no file or address read. */
import { convert, LoggerManager, NullLogger } from '@asciidoctor/core';

// What it has to say of a text is said to nobody who could change it.
LoggerManager.logger = new NullLogger();

export async function asciidoc(text: string): Promise<string> {
  const html = await convert(text, { safe: 'secure', standalone: false });
  if (typeof html !== 'string') throw new Error('AsciiDoc became no text');
  return html;
}
