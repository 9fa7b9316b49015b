/** The second step of a login (docs/interface/security.md 5). */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { logIn, type SecondStep } from '../server/session.js';
import { useTexts } from '../texts/index.js';
import { whyRefused } from './why-refused.js';

export function SecondFactor({
  step,
  onLogin,
  onBack,
}: {
  readonly step: SecondStep;
  readonly onLogin: () => void;
  readonly onBack: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [code, setCode] = useState('');
  const { busy, problem, run } = useWork();
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          await logIn({ twoFactorToken: step.token, twoFactorCode: code.trim() });
          onLogin();
        });
      }}
    >
      {problem === undefined ? null : <Notice kind="wrong">{whyRefused(problem, t)}</Notice>}
      {step.picture === undefined ? null : (
        <>
          <p>{t('login.scan')}</p>
          <img className="qr" src={`data:image/png;base64,${step.picture}`} width="200" height="200" alt="" />
        </>
      )}
      <TextField
        label={t('login.code')}
        value={code}
        onChange={setCode}
        help={t('login.codeHelp')}
        autoComplete="one-time-code"
      />
      <div className="row">
        <Button kind="main" type="submit" disabled={busy || code === ''}>
          {t('login.go')}
        </Button>
        <Button onClick={onBack}>{t('login.back')}</Button>
      </div>
    </form>
  );
}
