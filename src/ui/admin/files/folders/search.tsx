/** Search by name and in content, over all folders (docs/interface/lists.md 1.3, 1.9). */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import type { Source } from '../list/listing.js';

export interface Wanted {
  readonly text: string;
  readonly where: 'names' | 'content';
}

/** The lists that a search reads. */
export function sourcesOf({ text, where }: Wanted): readonly Source[] {
  const words = text.trim();
  if (where === 'content')
    return [{ path: 'File', query: { _search: words, _searchIn: 'extractedContent', _snippets: 1 }, withPath: true }];
  // These two mean something in a search; what is before them is looked for.
  const name = words.replace(/[,;].*/, '');
  const query = { name, _inexact: 1, _sort: 'name' };
  return [
    { path: 'Folder', query, withPath: true },
    { path: 'File', query, withPath: true },
  ];
}

export function SearchBar({
  wanted,
  onChange,
}: {
  readonly wanted: Wanted;
  readonly onChange: (wanted: Wanted) => void;
}): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  return (
    <div className="search" role="search">
      <input
        type="search"
        aria-label={t('search')}
        placeholder={t('search')}
        value={wanted.text}
        maxLength={500}
        onChange={(event) => {
          onChange({ ...wanted, text: event.target.value });
        }}
      />
      <select
        aria-label={t('searchIn')}
        value={wanted.where}
        onChange={(event) => {
          onChange({ ...wanted, where: event.target.value === 'content' ? 'content' : 'names' });
        }}
      >
        <option value="names">{t('searchNames')}</option>
        <option value="content">{t('searchContent')}</option>
      </select>
    </div>
  );
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", '#x27': "'" };

/** Texts of a piece of HTML in which only `mark` is an element: every second one is marked. */
export function piecesOf(html: string): readonly string[] {
  return html
    .split(/<\/?mark>/)
    .map((piece) => piece.replaceAll(/&(#?\w+);/g, (whole, name: string) => ENTITIES[name] ?? whole));
}

/** What a search has found in a text, with its words marked. It is taken apart here and never becomes HTML. */
export function Snippet({ html }: { readonly html: string }): ReactNode {
  return (
    <small className="soft where" dir="auto">
      {piecesOf(html).map((piece, i) => (i % 2 === 1 ? <mark key={i}>{piece}</mark> : piece))}
    </small>
  );
}
