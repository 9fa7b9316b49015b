/** Renames or deletes a key with its texts in all languages. */
import { type ReactNode, useState } from 'react';
import { Button, Confirm, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { Modal } from '../parts/modal.js';
import { localTexts } from '../texts/localisations.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { allOf, changeMany, removeEntry, type Entry } from './entries.js';
import type { Key } from './keys.js';

export function ChangeKey(props: {
  readonly changed: Key;
  readonly onDone: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { changed, onDone, onClose } = props;
  const { t } = useAreaTexts(localTexts);
  const [name, setName] = useState(changed.name);
  const [domain, setDomain] = useState(changed.domain);
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useWork();
  // Also those that somebody else has added meanwhile.
  const entries = async (): Promise<readonly Entry[]> =>
    (await allOf([changed.name])).filter((entry) => entry.domain === changed.domain);
  const rename = async (): Promise<void> => {
    const wanted = { name: name.trim(), domain: domain.trim() === '' ? null : domain.trim() };
    await changeMany((await entries()).map(({ id }) => ({ id, ...wanted })));
    onDone();
  };
  const removeAll = async (): Promise<void> => {
    for (const { id } of await entries()) await removeEntry(id);
    onDone();
  };
  return (
    <Modal title={t('local.changeTitle')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(rename);
        }}
      >
        <Trouble problem={problem} />
        <TextField label={t('local.key')} value={name} onChange={setName} help={t('local.renameHelp')} />
        <TextField label={t('local.domain')} value={domain} onChange={setDomain} />
        {asking ? (
          <Confirm
            question={t('local.deleteSure', { n: changed.texts.size })}
            yes={t('app.delete')}
            no={t('app.cancel')}
            disabled={busy}
            onYes={() => void run(removeAll)}
            onNo={() => {
              setAsking(false);
            }}
          />
        ) : null}
        <div className="row">
          <Button
            type="submit"
            kind="main"
            disabled={busy || name.trim() === '' || (name === changed.name && domain === changed.domain)}
          >
            {t('app.save')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
          <Button
            kind="danger"
            disabled={busy}
            onClick={() => {
              setAsking(true);
            }}
          >
            {t('local.deleteKey')}
          </Button>
        </div>
      </form>
    </Modal>
  );
}
