/** Logging in: password, second factor, other providers, forgotten password. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { logIn, type SecondStep } from '../server/session.js';
import { useTexts } from '../texts/index.js';
import { ResetPassword } from './reset-password.js';
import { SecondFactor } from './second-factor.js';
import { whyRefused } from './why-refused.js';

export function Login({
  providers,
  onLogin,
}: {
  readonly providers: readonly string[];
  readonly onLogin: () => void;
}): ReactNode {
  const { t } = useTexts();
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const [step, setStep] = useState<'password' | 'reset' | SecondStep>('password');
  const { busy, problem, run } = useWork();
  const back = (): void => {
    setPassword('');
    setStep('password');
  };
  if (step === 'reset') return <ResetPassword onBack={back} />;
  if (step !== 'password') return <SecondFactor step={step} onLogin={onLogin} onBack={back} />;
  return (
    <form
      className="card"
      onSubmit={(event) => {
        event.preventDefault();
        void run(async () => {
          const next = await logIn({ name, password });
          if (next === undefined) onLogin();
          else setStep(next);
        });
      }}
    >
      {problem === undefined ? null : <Notice kind="wrong">{whyRefused(problem, t)}</Notice>}
      <TextField label={t('login.name')} value={name} onChange={setName} autoComplete="username" />
      <TextField
        label={t('login.password')}
        type="password"
        value={password}
        onChange={setPassword}
        autoComplete="current-password"
      />
      <div className="row spread">
        <Button kind="main" type="submit" disabled={busy || name === ''}>
          {t('login.go')}
        </Button>
        <button
          type="button"
          className="link"
          onClick={() => {
            setStep('reset');
          }}
        >
          {t('login.forgotten')}
        </button>
      </div>
      {providers.length === 0 ? null : (
        <div className="providers">
          <p className="soft">{t('login.or')}</p>
          {providers.map((provider) => (
            <a key={provider} className="button" href={`../oauth/${provider}/login?isBackendOAuthLogin=true`}>
              {t('login.with', { provider: provider.charAt(0).toUpperCase() + provider.slice(1) })}
            </a>
          ))}
        </div>
      )}
      <p className="soft">{t('login.first')}</p>
    </form>
  );
}
