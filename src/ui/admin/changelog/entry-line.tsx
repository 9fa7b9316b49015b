/** One entry as a sentence. */
import type { ReactNode } from 'react';
import { placeOf } from '../frame/place.js';
import { changelogTexts } from '../texts/changelog.js';
import { useAreaTexts } from '../texts/catalogue.js';
import type { Entry } from './history.js';
import { Value } from './value.js';

/** Stands in a sentence where the link to an object comes. */
const WHAT = '\u0000';

/** `isDate`: the values are times. */
export function EntryLine({
  entry,
  ofUser,
  isDate,
}: {
  readonly entry: Entry;
  readonly ofUser: boolean;
  readonly isDate: boolean;
}): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const { verb, key = '', rel = '', relDir } = entry;
  const values = { what: WHAT, key, rel };
  if (verb === 'change')
    return (
      <>
        <Sentence text={t(ofUser ? 'changelog.didChangeOf' : 'changelog.didChange', values)} entry={entry} />
        <span className="change">
          <span className="hidden">{t('changelog.before')}</span>
          <Value json={entry.prev} isDate={isDate} />
          <span aria-hidden="true"> → </span>
          <span className="hidden">{t('changelog.after')}</span>
          <Value json={entry.val} isDate={isDate} />
        </span>
      </>
    );
  // The log of a user tells of relationships that were made, where those of objects tell of links.
  if (rel !== '') {
    const from = relDir === 'in' ? 'From' : '';
    return (
      <Sentence
        text={t(
          verb === 'link' || verb === 'create' ? `changelog.didLink${from}` : `changelog.didUnlink${from}`,
          values,
        )}
        entry={entry}
      />
    );
  }
  return <Sentence text={t(verb === 'create' ? 'changelog.didCreate' : 'changelog.didDelete', values)} entry={entry} />;
}

function Sentence({ text, entry }: { readonly text: string; readonly entry: Entry }): ReactNode {
  const [before = '', after] = text.split(WHAT);
  if (after === undefined) return <span className="sentence">{before}</span>;
  return (
    <span className="sentence">
      {before}
      <Target entry={entry} />
      {after}
    </span>
  );
}

/** The object that an entry is about: its name where it is there, else its type and id. A click shows its history. */
function Target({ entry }: { readonly entry: Entry }): ReactNode {
  const { target = '', targetObj, type, rel = '', verb } = entry;
  const isNode = type !== undefined || verb === 'link' || verb === 'unlink' || verb === 'change';
  const kind = targetObj?.type ?? type ?? (isNode ? '' : rel);
  const name = targetObj?.name ?? target;
  if (target === '') return <bdi>{kind}</bdi>;
  return (
    <>
      {kind === '' ? null : <span>{kind} </span>}
      <a href={placeOf('changelog', 'object', target)}>
        <bdi>{name.length > 80 ? `${name.slice(0, 80)}…` : name}</bdi>
      </a>
    </>
  );
}
