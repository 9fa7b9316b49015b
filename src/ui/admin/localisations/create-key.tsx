/** Makes the first text of a key, or one in another language. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { Modal } from '../parts/modal.js';
import { localTexts } from '../texts/localisations.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { createEntry, findEntry } from './entries.js';

export function CreateKey(props: {
  readonly locale: string;
  readonly onMade: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { onMade, onClose } = props;
  const { t } = useAreaTexts(localTexts);
  const [name, setName] = useState('');
  const [domain, setDomain] = useState('');
  const [locale, setLocale] = useState(props.locale);
  const [text, setText] = useState('');
  const [exists, setExists] = useState(false);
  const { busy, problem, run } = useWork();
  const make = async (): Promise<void> => {
    const wanted = { name: name.trim(), domain: domain.trim(), locale: locale.trim() };
    const there = await findEntry(wanted);
    setExists(there !== undefined);
    if (there !== undefined) return;
    await createEntry({ ...wanted, text });
    onMade();
  };
  return (
    <Modal title={t('local.createTitle')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(make);
        }}
      >
        <Trouble problem={problem} />
        {exists ? <Notice kind="wrong">{t('local.there')}</Notice> : null}
        <TextField label={t('local.key')} value={name} onChange={setName} />
        <TextField label={t('local.domain')} value={domain} onChange={setDomain} />
        <TextField label={t('local.locale')} value={locale} onChange={setLocale} help={t('local.localeHelp')} />
        <TextField label={t('local.text')} value={text} onChange={setText} />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || name.trim() === '' || locale.trim() === ''}>
            {t('local.go')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
