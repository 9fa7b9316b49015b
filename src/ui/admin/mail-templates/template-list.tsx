/** The templates by name, each with its languages. */
import type { ReactNode } from 'react';
import { Button } from '../../common/parts.js';
import { placeOf } from '../frame/place.js';
import { mailTexts } from '../texts/mail-templates.js';
import { useAreaTexts } from '../texts/catalogue.js';
import type { Listed } from './templates.js';

export function TemplateList(props: {
  readonly templates: readonly Listed[];
  readonly hasMore: boolean;
  readonly chosen: string;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly locale: string | undefined;
  readonly onLocale: (locale: string | undefined) => void;
  readonly onMore: () => void;
  readonly unsaved: ReadonlySet<string>;
}): ReactNode {
  const { templates, hasMore, chosen, text, onText, locale, onLocale, onMore, unsaved } = props;
  const { t } = useAreaTexts(mailTexts);
  const locales = [...new Set(templates.map((one) => one.locale))].sort();
  const shown = templates.filter((one) => locale === undefined || one.locale === locale);
  return (
    <nav className="mail-list" aria-label={t('mail.list')}>
      <input
        type="search"
        className="find"
        value={text}
        aria-label={t('mail.find')}
        placeholder={t('mail.find')}
        onChange={(event) => {
          onText(event.target.value);
        }}
      />
      <div className="field">
        <label htmlFor="mail-locale">{t('mail.locale')}</label>
        <select
          id="mail-locale"
          value={locale === undefined ? 'any' : `=${locale}`}
          onChange={(event) => {
            onLocale(event.target.value === 'any' ? undefined : event.target.value.slice(1));
          }}
        >
          <option value="any">{t('mail.anyLocale')}</option>
          {locales.map((one) => (
            <option key={one} value={`=${one}`}>
              {one === '' ? t('mail.noLocale') : one}
            </option>
          ))}
        </select>
      </div>
      {shown.length === 0 ? (
        <p className="soft">{t(text === '' && locale === undefined ? 'mail.none' : 'mail.noneFound')}</p>
      ) : (
        <ul>
          {shown.map((one) => (
            <li key={one.id}>
              <a
                className="tab"
                href={placeOf('mail-templates', one.id)}
                aria-current={one.id === chosen ? 'page' : undefined}
                title={one.name.slice(0, 200)}
              >
                <bdi className="mail-name">{one.name}</bdi>
                <small className="soft">
                  {one.locale === '' ? t('mail.noLocale') : one.locale}
                  {unsaved.has(one.id) ? ` · ${t('mail.unsaved')}` : ''}
                </small>
              </a>
            </li>
          ))}
        </ul>
      )}
      {hasMore ? <Button onClick={onMore}>{t('mail.more')}</Button> : null}
    </nav>
  );
}
