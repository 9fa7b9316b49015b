/** Texts of applications: a table of keys by languages (docs/interface/admin-ui.md, Localisations). */
import { type ReactNode, useState } from 'react';
import { Button, Empty, Notice, TextField, Tick } from '../../common/parts.js';
import { Trouble } from '../frame/trouble.js';
import { localTexts } from '../texts/localisations.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { CreateKey } from './create-key.js';
import type { Search } from './entries.js';
import { KeyTable } from './key-table.js';
import { useKeys } from './keys.js';
import './localisations.css';
import { Exports, Import } from './transfer.js';

export default function Localisations(): ReactNode {
  const { t, language } = useAreaTexts(localTexts);
  const { number } = useFormats();
  const [search, setSearch] = useState<Search>({ text: '', within: 'keys', domain: '' });
  const [onlyMissing, setOnlyMissing] = useState(false);
  const [added, setAdded] = useState<readonly string[]>([]);
  const [locale, setLocale] = useState('');
  const [open, setOpen] = useState<'create' | 'import'>();
  const [told, setTold] = useState('');
  const { keys, hasMore, problem, more, again, patch } = useKeys(search);
  const locales = [...new Set([...(keys ?? []).flatMap(({ texts }) => [...texts.keys()]), ...added])].sort();
  const lacking = (keys ?? []).filter(({ texts }) => locales.some((one) => !texts.has(one)));
  const missing = lacking.reduce((sum, { texts }) => sum + locales.length - texts.size, 0);
  const shown = onlyMissing ? lacking : (keys ?? []);
  const close = (): void => {
    setOpen(undefined);
  };
  const changed = (text = ''): void => {
    close();
    setTold(text);
    again();
  };
  return (
    <>
      <div className="head-row">
        <h1>{t('localisations.title')}</h1>
        <div className="row">
          <Exports />
          <Button
            onClick={() => {
              setOpen('import');
            }}
          >
            {t('local.import')}
          </Button>
          <Button
            kind="main"
            onClick={() => {
              setOpen('create');
            }}
          >
            {t('local.create')}
          </Button>
        </div>
      </div>
      <div className="row local-filters">
        <TextField
          label={t('local.search')}
          value={search.text}
          onChange={(text) => {
            setSearch({ ...search, text });
          }}
        />
        <div className="field narrow-field">
          <label htmlFor="local-in">{t('local.in')}</label>
          <select
            id="local-in"
            value={search.within}
            onChange={(event) => {
              setSearch({ ...search, within: event.target.value as Search['within'] });
            }}
          >
            <option value="keys">{t('local.inKeys')}</option>
            <option value="texts">{t('local.inTexts')}</option>
          </select>
        </div>
        <TextField
          label={t('local.domain')}
          value={search.domain}
          onChange={(domain) => {
            setSearch({ ...search, domain });
          }}
        />
        <form
          className="row"
          onSubmit={(event) => {
            event.preventDefault();
            if (locale.trim() === '') return;
            setAdded([...added, locale.trim()]);
            setLocale('');
          }}
        >
          <TextField label={t('local.addLocale')} value={locale} onChange={setLocale} />
          <Button type="submit" disabled={locale.trim() === ''}>
            +<span className="hidden"> {t('local.addLocale')}</span>
          </Button>
        </form>
        <Tick label={t('local.onlyMissing')} checked={onlyMissing} onChange={setOnlyMissing} />
      </div>
      <Trouble problem={problem} />
      {told === '' ? null : <Notice kind="good">{told}</Notice>}
      {keys === undefined ? null : (
        <>
          <p className="soft" role="status">
            {keys.length === 0
              ? t(search.text === '' && search.domain === '' ? 'local.none' : 'local.noneFound')
              : t('local.count', { n: number(shown.length), missing: number(missing) })}
          </p>
          {keys.length > 0 && shown.length === 0 ? <Empty>{t('local.nothingMissing')}</Empty> : null}
          {shown.length === 0 ? null : (
            <KeyTable keys={shown} locales={locales} onChanged={patch} onRenamed={changed} />
          )}
          {hasMore ? (
            <p>
              <Button onClick={more}>{t('local.more')}</Button>
            </p>
          ) : null}
        </>
      )}
      {open === 'create' ? <CreateKey locale={locales[0] ?? language} onMade={changed} onClose={close} /> : null}
      {open === 'import' ? <Import onDone={changed} onClose={close} /> : null}
    </>
  );
}
