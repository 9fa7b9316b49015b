/** Asks for the superuser's password, or for the token while the setup is not complete. */
import { type FormEvent, type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { server, type State } from '../asking.js';

export function Login({ setup, onLogin }: { readonly setup: State['setup']; readonly onLogin: () => void }): ReactNode {
  const [text, setText] = useState('');
  const { busy, problem, run } = useWork();
  const isNew = setup === 'incomplete';
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    void run(async () => {
      await server.login(isNew ? { token: text.trim() } : { password: text });
      onLogin();
    });
  };
  return (
    <form className="card" onSubmit={submit}>
      {isNew ? (
        <>
          <h2>Initial setup</h2>
          <p>
            The server has no superuser password yet. Its log has a line that begins with “Initial setup:” and names a
            token.
          </p>
          <TextField label="Setup token" value={text} onChange={setText} />
        </>
      ) : (
        <>
          <h2>Log in</h2>
          <TextField
            label="Superuser password"
            type="password"
            autoComplete="current-password"
            value={text}
            onChange={setText}
            help="It stands in svc.conf as superuser.password."
          />
        </>
      )}
      {problem === undefined ? null : <Notice kind="wrong">{problem.message}</Notice>}
      <Button kind="main" type="submit" disabled={busy || text === ''}>
        {isNew ? 'Begin' : 'Log in'}
      </Button>
    </form>
  );
}
