/** Asks for the group that somebody is put into. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { Modal } from '../../parts/modal.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import type { Principal } from './principals.js';

export function PutIntoGroup({
  title,
  onChosen,
  onClose,
}: {
  readonly title: string;
  readonly onChosen: (group: Principal) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const [picked, setPicked] = useState<Picked>();
  return (
    <Modal title={title} onClose={onClose}>
      <div className="field">
        <ObjectPicker
          type="Group"
          label={t('sec.group')}
          placeholder={t('sec.group')}
          picked={picked}
          onPick={setPicked}
        />
      </div>
      <div className="row">
        <Button
          kind="main"
          disabled={picked === undefined}
          onClick={() => {
            if (picked !== undefined) onChosen({ ...picked, type: 'Group' });
          }}
        >
          {t('sec.put')}
        </Button>
        <Button onClick={onClose}>{t('app.cancel')}</Button>
      </div>
    </Modal>
  );
}
