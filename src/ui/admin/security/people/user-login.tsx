/** How a user logs in: password, failures, second factor, registration (docs/interface/security.md 4, 5, 7). */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Notice, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { change } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { security } from '../../texts/security.js';
import { problemAt, textIn, type Values } from '../edited.js';
import type { Opened } from './principals.js';

interface LoginProps {
  readonly path: string;
  readonly opened: Opened;
  readonly onSaved: () => void;
}

export function UserLogin(props: LoginProps): ReactNode {
  const { path, opened, onSaved } = props;
  const { t } = useAreaTexts(security);
  const { time, number } = useFormats();
  const { busy, problem, run } = useWork();
  const write = (values: Values): void => {
    void run(async () => {
      await change(path, values);
      onSaved();
    });
  };
  const when = (key: string): string => (textIn(opened, key) === '' ? t('sec.never') : time(textIn(opened, key)));
  const failures = opened.passwordAttempts ?? 0;
  const hasSecond = opened.isTwoFactorUser === true;
  return (
    <>
      <Trouble problem={problem} />
      <dl className="sec-facts">
        <Fact name={t('sec.lastLogin')}>{when('lastLoginDate')}</Fact>
        <Fact name={t('sec.passwordChanged')}>{when('passwordChangeDate')}</Fact>
        <Fact name={t('sec.passwordAttempts')}>
          {number(failures)}{' '}
          {failures === 0 ? null : (
            <Button
              disabled={busy}
              onClick={() => {
                write({ passwordAttempts: 0 });
              }}
            >
              {t('sec.unlock')}
            </Button>
          )}
        </Fact>
        {textIn(opened, 'confirmationKey') === '' ? null : (
          <Fact name={t('sec.registration')}>
            <Badge kind="warn">{t('sec.notConfirmed')}</Badge>{' '}
            <Button
              disabled={busy}
              onClick={() => {
                write({ confirmationKey: null });
              }}
            >
              {t('sec.confirm')}
            </Button>
          </Fact>
        )}
        <Fact name={t('sec.secondFactor')}>
          {hasSecond ? (
            <Badge kind="good">{t(opened['twoFactorConfirmed'] === true ? 'sec.secondSetUp' : 'sec.secondNext')}</Badge>
          ) : (
            <Badge>{t('sec.secondOff')}</Badge>
          )}{' '}
          <Button
            disabled={busy}
            onClick={() => {
              write({ isTwoFactorUser: !hasSecond });
            }}
          >
            {t(hasSecond ? 'sec.secondTurnOff' : 'sec.secondTurnOn')}
          </Button>{' '}
          {opened['twoFactorConfirmed'] === true ? (
            <Button
              disabled={busy}
              title={t('sec.secondResetHelp')}
              onClick={() => {
                write({ twoFactorConfirmed: false });
              }}
            >
              {t('sec.secondReset')}
            </Button>
          ) : null}
        </Fact>
      </dl>
      <NewPassword {...props} />
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function NewPassword({ path, onSaved }: LoginProps): ReactNode {
  const { t } = useAreaTexts(security);
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [isSet, setSet] = useState(false);
  const { busy, problem, run } = useWork();
  const differs = repeated !== '' && repeated !== password;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setSet(false);
        void run(async () => {
          await change(path, { password });
          setPassword('');
          setRepeated('');
          setSet(true);
          onSaved();
        });
      }}
    >
      <h3>{t('sec.newPassword')}</h3>
      <p className="soft">{t('sec.newPasswordHelp')}</p>
      <Trouble problem={problem} />
      {isSet ? <Notice kind="good">{t('password.changed')}</Notice> : null}
      <div className="row">
        <TextField
          label={t('password.new')}
          type="password"
          autoComplete="new-password"
          value={password}
          onChange={setPassword}
          problem={problemAt(problem, 'password')}
        />
        <TextField
          label={t('password.repeat')}
          type="password"
          autoComplete="new-password"
          value={repeated}
          onChange={setRepeated}
          problem={differs ? t('password.differs') : undefined}
        />
        <Button type="submit" kind="main" disabled={busy || password === '' || password !== repeated}>
          {t('sec.setPassword')}
        </Button>
      </div>
    </form>
  );
}
