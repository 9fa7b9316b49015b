/** The foot of a window over one object: deletes it when that was asked, or closes the window. */
import { type ReactNode, useState } from 'react';
import { Button, Confirm } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { remove } from '../server/rest.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { security } from '../texts/security.js';

/** `path`: of the object. */
export function DeleteFooter(props: {
  readonly path: string;
  readonly question: string;
  readonly onDeleted: () => void;
  readonly onClose: () => void;
}): ReactNode {
  const { path, question, onDeleted, onClose } = props;
  const { t } = useAreaTexts(security);
  const [asking, setAsking] = useState(false);
  const { busy, problem, run } = useWork();
  return (
    <footer className="sec-footer">
      <Trouble problem={problem} />
      {asking ? (
        <Confirm
          question={question}
          yes={t('app.delete')}
          no={t('app.cancel')}
          disabled={busy}
          onYes={() => {
            void run(async () => {
              await remove(path);
              onDeleted();
            });
          }}
          onNo={() => {
            setAsking(false);
          }}
        />
      ) : (
        <div className="row spread">
          <Button
            kind="danger"
            onClick={() => {
              setAsking(true);
            }}
          >
            {t('app.delete')}
          </Button>
          <Button onClick={onClose}>{t('sec.close')}</Button>
        </div>
      )}
    </footer>
  );
}
