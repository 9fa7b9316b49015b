/** Gives a page another name, which is its address. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { change } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';

export function RenamePage(props: {
  readonly id: string;
  readonly name: string;
  readonly onClose: () => void;
}): ReactNode {
  const { id, name, onClose } = props;
  const { t } = useAreaTexts(pages);
  const [text, setText] = useState(name);
  const { busy, problem, run } = useWork();
  return (
    <Modal title={t('pages.renameTitle', { name })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            await change(`Page/${id}`, { name: text });
            onClose();
          });
        }}
      >
        <Trouble problem={problem} />
        <TextField label={t('pages.name')} value={text} onChange={setText} help={t('pages.nameHelp')} />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || text.trim() === '' || text === name}>
            {t('app.save')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
