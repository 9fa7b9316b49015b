/** A form for a new user or group, of the built-in type or one of one's own. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { create } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { problemAt } from '../edited.js';
import { typesOf } from './principals.js';

export function CreatePrincipal({
  trait,
  onCreated,
}: {
  readonly trait: 'User' | 'Group';
  readonly onCreated: (told: string) => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        onClick={() => {
          setOpen(true);
        }}
      >
        {t(trait === 'User' ? 'sec.newUser' : 'sec.newGroup')}
      </Button>
      {isOpen ? (
        <Form
          trait={trait}
          onCreated={onCreated}
          onClose={() => {
            setOpen(false);
          }}
        />
      ) : null}
    </>
  );
}

function Form({
  trait,
  onCreated,
  onClose,
}: {
  readonly trait: 'User' | 'Group';
  readonly onCreated: (told: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(security);
  const isUser = trait === 'User';
  const { value: types = [trait] } = useLoaded(() => typesOf(trait));
  const [type, setType] = useState<string>(trait);
  const [name, setName] = useState('');
  const [eMail, setEMail] = useState('');
  const [password, setPassword] = useState('');
  const { busy, problem, run } = useWork();
  const save = async (): Promise<void> => {
    await create(encodeURIComponent(type), {
      ...(name === '' ? {} : { name }),
      ...(eMail === '' ? {} : { eMail }),
      ...(password === '' ? {} : { password }),
    });
    onCreated(t('sec.created', { name: name === '' ? eMail : name }));
    onClose();
  };
  return (
    <Modal title={t(isUser ? 'sec.newUser' : 'sec.newGroup')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        {types.length < 2 ? null : (
          <label className="field sec-labelled">
            {t('sec.type')}
            <select
              value={type}
              onChange={(event) => {
                setType(event.target.value);
              }}
            >
              {types.map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </label>
        )}
        <TextField label={t('sec.name')} value={name} onChange={setName} problem={problemAt(problem, 'name')} />
        {isUser ? (
          <>
            <TextField
              label={t('sec.eMail')}
              value={eMail}
              onChange={setEMail}
              problem={problemAt(problem, 'eMail')}
              help={t('sec.oneOfBoth')}
            />
            <TextField
              label={t('sec.password')}
              type="password"
              autoComplete="new-password"
              value={password}
              onChange={setPassword}
              problem={problemAt(problem, 'password')}
              help={t('sec.passwordLater')}
            />
          </>
        ) : null}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || (name === '' && eMail === '')}>
            {t('sec.create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
