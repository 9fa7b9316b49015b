/** Changes the password of who is logged in. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { useSession } from '../frame/session-context.js';
import { change } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

/** Says that the documented password is in use, with the form to change it; and in the area where it was changed, that it was. */
export function DocumentedPassword({ area }: { readonly area: string }): ReactNode {
  const { t } = useTexts();
  const { user, again } = useSession();
  const [open, setOpen] = useState(false);
  const [doneIn, setDoneIn] = useState<string>();
  if (doneIn === area) return <Notice kind="good">{t('password.changed')}</Notice>;
  if (!user.hasDocumentedPassword) return null;
  return (
    <section className="notice note documented" aria-label={t('password.change')}>
      <p>{t('password.warning')}</p>
      {open ? (
        <ChangePassword
          onChanged={() => {
            setDoneIn(area);
            again();
          }}
        />
      ) : (
        <Button
          onClick={() => {
            setOpen(true);
          }}
        >
          {t('password.change')}
        </Button>
      )}
    </section>
  );
}

/** `onClose`: the form can be left, by a button. */
export function ChangePassword({
  onChanged,
  onClose,
}: {
  readonly onChanged: () => void;
  readonly onClose?: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const { busy, problem, run } = useWork();
  const differs = repeated !== '' && repeated !== password;
  return (
    <form
      className="narrow"
      onSubmit={(event) => {
        event.preventDefault();
        void run(() => change('me', { password })).then((went) => {
          if (went) onChanged();
        });
      }}
    >
      <Trouble problem={problem} />
      <TextField
        label={t('password.new')}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="new-password"
      />
      <TextField
        label={t('password.repeat')}
        type="password"
        value={repeated}
        onChange={setRepeated}
        autoComplete="new-password"
        problem={differs ? t('password.differs') : undefined}
      />
      <div className="row">
        <Button kind="main" type="submit" disabled={busy || password === '' || repeated !== password}>
          {t('password.change')}
        </Button>
        {onClose === undefined ? null : <Button onClick={onClose}>{t('work.close')}</Button>}
      </div>
    </form>
  );
}
