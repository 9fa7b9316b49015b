/** EPUB: the pages of a book in its order. */
import { decodedText } from '../charset.js';
import type { TextSink } from '../sink.js';
import { attribute, readXml } from '../xml.js';
import type { Zip } from '../zip.js';
import { addHtml } from './html.js';

export const EPUB = 'application/epub+zip';
const PAGES = /\.(?:xhtml|html|htm)$/i;

export async function readEpub(zip: Zip, sink: TextSink): Promise<void> {
  for (const name of await pagesOf(zip, sink)) {
    const bytes = await zip.bytes(name);
    if (bytes === undefined) continue;
    addHtml(await decodedText(bytes), sink);
    sink.add('\n');
  }
}

async function pagesOf(zip: Zip, sink: TextSink): Promise<readonly string[]> {
  let book: string | undefined;
  await readXml(zip.stream('META-INF/container.xml'), {
    open(element, attributes) {
      if (element === 'rootfile') book ??= attribute(attributes, 'full-path');
    },
  });
  const pages = new Map<string, string>();
  const order: string[] = [];
  let title = false;
  if (book !== undefined) {
    const folder = book.slice(0, book.lastIndexOf('/') + 1);
    await readXml(zip.stream(book), {
      open(element, attributes) {
        const [id, href] = [attribute(attributes, 'id'), attribute(attributes, 'href')];
        if (element === 'item' && id !== undefined && href !== undefined) pages.set(id, folder + unescaped(href));
        else if (element === 'itemref') order.push(attribute(attributes, 'idref') ?? '');
        else title = element === 'title' || element === 'creator';
      },
      text(some) {
        if (title) sink.line(some.trim());
      },
      close() {
        title = false;
      },
    });
  }
  const names = order.flatMap((id) => pages.get(id) ?? []);
  return names.length > 0 ? names : zip.named(PAGES);
}

function unescaped(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}
