/** A link for a new password, for who has forgotten the old one (docs/interface/security.md 7.3). */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { call } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

export function ResetPassword({ onBack }: { readonly onBack: () => void }): ReactNode {
  const { t } = useTexts();
  const [eMail, setAddress] = useState('');
  const [sent, setSent] = useState(false);
  const { busy, problem, run } = useWork();
  const off = problem !== undefined && [401, 403, 503].includes(problem.status);
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          await call('reset-password', { eMail });
          setSent(true);
        });
      }}
    >
      <h2>{t('reset.title')}</h2>
      <p className="soft">{t('reset.help')}</p>
      {sent ? <Notice kind="good">{t('reset.sent')}</Notice> : null}
      {problem === undefined ? null : <Notice kind="wrong">{off ? t('reset.off') : problem.message}</Notice>}
      <TextField label={t('reset.address')} value={eMail} onChange={setAddress} autoComplete="email" />
      <div className="row">
        <Button kind="main" type="submit" disabled={busy || eMail === ''}>
          {t('reset.go')}
        </Button>
        <Button onClick={onBack}>{t('login.back')}</Button>
      </div>
    </form>
  );
}
