/** Requests to services of features and coverages (OGC 06-121r9), and what they say when they refuse. */
import { textIn, type XmlElement } from '../../language/formats/xml-document.js';
import { localName } from '../../outside/geo/xml-names.js';
import { formEncoded } from '../formats/encoding.js';

/** The address of a request: parameters behind those that the base has. */
export function addressOf(base: string, parameters: Iterable<readonly [string, string]>): string {
  const query = [...parameters].map(([name, value]) => `${formEncoded(name)}=${formEncoded(value)}`).join('&');
  const joint = !base.includes('?') ? '?' : /[?&]$/.test(base) ? '' : '&';
  return `${base}${joint}${query}`;
}

/** Why a service refuses; undefined: its answer is no refusal. */
export function refusalIn(root: XmlElement): string | undefined {
  if (!/^(?:Service)?ExceptionReport$/.test(localName(root))) return undefined;
  return `the service says ${JSON.stringify(textIn(root).replace(/\s+/g, ' ').trim().slice(0, 300))}`;
}
