/** Gives a page another name, which is its address. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { OthersChanged } from '../../parts/others-changed.js';
import { saveValues, type Met, type Values } from '../../server/save-over.js';
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
  const [base, setBase] = useState<Values>({ name });
  const [met, setMet] = useState<readonly Met[]>([]);
  const { busy, problem, run } = useWork();
  return (
    <Modal title={t('pages.renameTitle', { name })} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(async () => {
            const properties = ['id', 'name'];
            const saved = await saveValues({ path: `Page/${id}`, base, changed: { name: text }, properties });
            setMet(saved.met);
            setBase(saved.now);
            if (saved.met.length === 0) onClose();
          });
        }}
      >
        <Trouble problem={problem} />
        <OthersChanged met={met} titleOf={() => t('pages.name')} />
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
