/** Where markup begins to say what it is. */

const DOCTYPE = /^<!DOCTYPE\s+svg[^[>]*(?:\[[^\]]*\]\s*)?>/i;

/**
 * What is behind a mark of bytes, a declaration of XML, remarks, and with `doctype` the document type of an SVG. By hand: an expression for several remarks
 * tries each way to take them together, and a few hundred of them would take it for ever.
 */
export function behindRemarks(text: string, doctype = false): string {
  let rest = text.replace(/^\ufeff?\s*(?:<\?xml[^>]*>)?/i, '').trimStart();
  for (;;) {
    let end: number;
    if (rest.startsWith('<!--')) {
      end = rest.indexOf('-->', '<!--'.length);
      if (end < 0) return '';
      end += '-->'.length;
    } else {
      end = doctype ? (DOCTYPE.exec(rest)?.[0].length ?? 0) : 0;
      if (end === 0) return rest;
    }
    rest = rest.slice(end).trimStart();
  }
}
