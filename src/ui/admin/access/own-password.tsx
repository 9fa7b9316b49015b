/** A window in which who is logged in changes their password, such as after a link for a new one (docs/interface/admin-ui.md 3). */
import { type ReactNode, useState } from 'react';
import { Button, Notice } from '../../common/parts.js';
import { useSession } from '../frame/session-context.js';
import { Modal } from '../parts/modal.js';
import { useTexts } from '../texts/index.js';
import { ChangePassword } from './change-password.js';

/** The window; `onClose` is called when it is left, before or after the password was changed. */
export default function OwnPassword({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useTexts();
  const { again } = useSession();
  const [done, setDone] = useState(false);
  return (
    <Modal title={t('password.change')} onClose={onClose}>
      {done ? (
        <>
          <Notice kind="good">{t('password.changed')}</Notice>
          <div className="row">
            <Button onClick={onClose}>{t('work.close')}</Button>
          </div>
        </>
      ) : (
        <ChangePassword
          onClose={onClose}
          onChanged={() => {
            setDone(true);
            again();
          }}
        />
      )}
    </Modal>
  );
}
