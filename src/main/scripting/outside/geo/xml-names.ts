/** Elements of XML by their names without prefixes: documents choose these freely. */
import type { XmlElement } from '../../language/formats/xml-document.js';

export function localName({ name }: XmlElement): string {
  return name.slice(name.indexOf(':') + 1);
}

/** Elements directly within one, of these names; without a name all. */
export function childrenOf(element: XmlElement, ...names: readonly string[]): XmlElement[] {
  return element.children.filter(
    (child): child is XmlElement =>
      typeof child !== 'string' && (names.length === 0 || names.includes(localName(child))),
  );
}
