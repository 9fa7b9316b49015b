/** Makes HTML of texts in other formats, on a thread: it takes long, and what others have written may be made to take long (`pages/formats`). */
import { optional } from '../../shared/optional-package.js';
import { clean } from './markup/clean.js';
import { outcomeOf, type Outcome } from '../outcome.js';

export type Dialect = 'asciidoc' | 'confluence' | 'html' | 'markdown' | 'mediawiki' | 'textile' | 'tracwiki';

export interface MarkupItem {
  readonly dialect: Dialect;
  readonly text: string;
  /** Nothing that runs, or sends somebody elsewhere, may be in what it becomes. */
  readonly cleaned: boolean;
}

export interface MarkupJob {
  readonly items: readonly MarkupItem[];
  /** Characters that one text may become. */
  readonly longest: number;
}

type Converter = (text: string) => string | Promise<string>;

/** Loaded with the first text of theirs. */
const CONVERTERS: Readonly<Record<Dialect, () => Promise<Converter>>> = {
  asciidoc: async () => (await optional(() => import('./markup/asciidoc.js'))).asciidoc,
  confluence: async () => (await import('./markup/confluence.js')).confluence,
  html: () => Promise.resolve((text) => text),
  markdown: async () => (await optional(() => import('./markup/markdown.js'))).markdown,
  mediawiki: async () => (await import('./markup/mediawiki.js')).mediawiki,
  textile: async () => (await optional(() => import('./markup/textile.js'))).textile,
  tracwiki: async () => (await import('./markup/tracwiki.js')).tracwiki,
};

/** One outcome a text, in their order. */
export default function convert({ items, longest }: MarkupJob): Promise<Outcome<string>[]> {
  return Promise.all(
    items.map(({ dialect, text, cleaned }) =>
      outcomeOf(async () => {
        const convert = await CONVERTERS[dialect]();
        const made = (await convert(text)).replace(/\n+$/, '');
        const html = cleaned ? clean(made) : made;
        if (html.length > longest) throw new Error(`it becomes longer than ${String(longest)} characters`);
        return html;
      }),
    ),
  );
}
