/** A value before or after a change, as text; long ones are shown in part until somebody asks for them. */
import { type ReactNode, useState } from 'react';
import { changelogTexts } from '../texts/changelog.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';

const SHOWN = 300;

/** Texts are shown without their quotes. */
function textOf(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'string' ? value : json;
  } catch {
    return json;
  }
}

/** `isDate`: it is milliseconds since 1970. */
export function Value({ json, isDate }: { readonly json: string | undefined; readonly isDate: boolean }): ReactNode {
  const { t } = useAreaTexts(changelogTexts);
  const { number, time } = useFormats();
  const [whole, setWhole] = useState(false);
  if (json === undefined || json === 'null') return <i className="soft">{t('changelog.nothing')}</i>;
  const text = isDate && /^-?\d{1,15}$/.test(json) ? time(Number(json)) : textOf(json);
  if (text === '') return <code className="value">""</code>;
  if (whole || text.length <= SHOWN) return <code className="value">{text}</code>;
  return (
    <>
      <code className="value">{text.slice(0, SHOWN)}…</code>{' '}
      <button
        type="button"
        className="link"
        onClick={() => {
          setWhole(true);
        }}
      >
        {t('changelog.whole', { n: number(text.length) })}
      </button>
    </>
  );
}
