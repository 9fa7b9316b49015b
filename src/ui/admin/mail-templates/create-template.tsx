/** Makes a template: a new one, or one for another language of one that is there. */
import { type ReactNode, useId, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { Modal } from '../parts/modal.js';
import { mailTexts } from '../texts/mail-templates.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { createTemplate, isThere, KNOWN_NAMES, type Draft } from './templates.js';

const EMPTY: Draft = {
  name: '',
  locale: '',
  description: '',
  text: '',
  visibleToPublicUsers: false,
  visibleToAuthenticatedUsers: false,
};

export function CreateTemplate(props: {
  /** What is copied; absent: a new one. */
  readonly from?: Draft | undefined;
  readonly onMade: (id: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { from, onMade, onClose } = props;
  const { t } = useAreaTexts(mailTexts);
  const [name, setName] = useState(from?.name ?? '');
  const [locale, setLocale] = useState('');
  const [exists, setExists] = useState(false);
  const { busy, problem, run } = useWork();
  const id = useId();
  const make = async (): Promise<void> => {
    const wanted = { ...(from ?? EMPTY), name: name.trim(), locale: locale.trim() };
    const there = await isThere(wanted.name, wanted.locale);
    setExists(there);
    if (!there) onMade(await createTemplate(wanted));
  };
  return (
    <Modal title={t(from === undefined ? 'mail.createTitle' : 'mail.copyTitle')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(make);
        }}
      >
        <Trouble problem={problem} />
        {exists ? <Notice kind="wrong">{t('mail.there')}</Notice> : null}
        <div className="field">
          <label htmlFor={id}>{t('mail.name')}</label>
          <input
            id={id}
            list={`${id}-known`}
            value={name}
            autoComplete="off"
            spellCheck={false}
            aria-describedby={`${id}-help`}
            onChange={(event) => {
              setName(event.target.value);
              setExists(false);
            }}
          />
          <datalist id={`${id}-known`}>
            {KNOWN_NAMES.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
          <p id={`${id}-help`} className="soft">
            {t('mail.nameHelp')}
          </p>
        </div>
        <TextField
          label={t('mail.locale')}
          value={locale}
          onChange={(text) => {
            setLocale(text);
            setExists(false);
          }}
          help={t('mail.localeHelp')}
        />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || name.trim() === ''}>
            {t('mail.go')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
