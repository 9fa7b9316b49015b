/** The keys of texts that a page asks for, found in its source, and their Localizations (docs/interface/pages.md 2.11, Languages). */
import { send } from '../../../common/request.js';
import { list, type Entity } from '../../server/rest.js';

/** A key as a script of the page writes it. */
export interface TextOfPage {
  readonly key: string;
  readonly domain: string;
}

export interface Localization extends Entity {
  readonly locale: string;
  readonly domain: string | null;
  readonly localizedName: string | null;
}

/** Calls of `localize` with a text in quotes; what a script computes is not seen. */
const CALL = /localize\(\s*(?:'([^'\n]+)'|"([^"\n]+)")(?:\s*,\s*(?:'([^'\n]+)'|"([^"\n]+)"))?\s*\)/g;
/** Localizations of so many keys are read in one request. */
const AT_ONCE = 20;
const MOST = 500;

/** The keys in a source, each once with its domain, in their order. */
export function keysIn(source: string): readonly TextOfPage[] {
  const found = new Map<string, TextOfPage>();
  const text = source
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&amp;', '&');
  for (const [, one, other, domain, otherDomain] of text.matchAll(CALL)) {
    const key = one ?? other ?? '';
    const of = domain ?? otherDomain ?? '';
    found.set(`${of}\n${key}`, { key, domain: of });
  }
  return [...found.values()];
}

/** The keys of a page: of its source with all that is put into it, and of its form for exports, which has what stands in templates. */
export async function keysOfPage(id: string): Promise<readonly TextOfPage[]> {
  const sources = await Promise.all(
    [1, 4].map(async (mode) =>
      (await send(`html/${id}?_edit=${String(mode)}`, { method: 'GET', headers: { Accept: 'text/html,*/*' } })).text(),
    ),
  );
  return keysIn(sources.join('\n'));
}

/** All Localizations of these keys, in whatever domain. */
export async function localizationsOf(keys: readonly string[]): Promise<readonly Localization[]> {
  const found: Localization[] = [];
  // `;` and `,` separate values: such a key is asked for by itself, or cannot be.
  const plain = keys.filter((key) => !/[;,]/.test(key));
  for (let from = 0; from < plain.length; from += AT_ONCE) {
    const { result } = await list<Localization>(
      'Localization',
      { name: plain.slice(from, from + AT_ONCE).join(';'), _sort: 'locale', _pageSize: MOST, _page: 1 },
      { properties: ['id', 'type', 'name', 'domain', 'locale', 'localizedName'] },
    );
    found.push(...result);
  }
  return found;
}
