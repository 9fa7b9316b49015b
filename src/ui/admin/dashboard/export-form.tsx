/** An application or data out: as an archive for the browser, or into a folder of the server. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { call } from '../server/rest.js';
import { useFormats, useTexts } from '../texts/index.js';
import { ChoiceField } from './choice-field.js';
import { RunLog, RunRefused, useRun } from './run.js';
import { download } from './transfer.js';

type Kind = 'app' | 'data';

export function Export(): ReactNode {
  const { t } = useTexts();
  const { bytes } = useFormats();
  const [kind, setKind] = useState<Kind>('app');
  const [to, setTo] = useState<'file' | 'server'>('file');
  const [name, setName] = useState('application');
  const [path, setPath] = useState('');
  const [types, setTypes] = useState('');
  const [received, setReceived] = useState<number>();
  const [done, setDone] = useState('');
  const { busy, problem, run: work } = useWork();
  const run = useRun();
  const ready = (to === 'file' ? /^[\w.-]+$/.test(name) : path !== '') && (kind === 'app' || types.trim() !== '');
  const begin = async (): Promise<void> => {
    setDone('');
    setReceived(undefined);
    if (to === 'server') {
      const [begun] =
        (await call<readonly { readonly jobId: number }[]>(`maintenance/${kind === 'app' ? 'deploy' : 'deployData'}`, {
          mode: 'export',
          target: path,
          background: true,
          ...(kind === 'data' ? { types } : {}),
        })) ?? [];
      if (begun !== undefined) await run.follow({ id: begun.jobId });
      return;
    }
    await run.follow({ type: kind === 'app' ? 'DEPLOYMENT_EXPORT' : 'DEPLOYMENT_DATA_EXPORT' });
    try {
      const query = { name, mode: kind, ...(kind === 'data' ? { types } : {}) };
      const size = await download(query, `${name}.zip`, setReceived);
      setDone(t('deploy.saved', { name: `${name}.zip`, size: bytes(size) }));
    } catch (error) {
      run.stop();
      throw error;
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void work(begin);
      }}
    >
      <h3>{t('deploy.export')}</h3>
      <Trouble problem={problem} />
      {problem === undefined ? <RunRefused run={run} /> : null}
      {done === '' ? null : <Notice kind="good">{done}</Notice>}
      {to === 'server' && run.job?.status === 'FINISHED' ? (
        <Notice kind="good">{t('deploy.exported', { place: run.job.filepath ?? '' })}</Notice>
      ) : null}
      <ChoiceField
        id="export-kind"
        label={t('deploy.kind')}
        value={kind}
        options={[
          ['app', t('deploy.app')],
          ['data', t('deploy.data')],
        ]}
        onChange={setKind}
      />
      <ChoiceField
        id="export-to"
        label={t('deploy.to')}
        value={to}
        options={[
          ['file', t('deploy.toFile')],
          ['server', t('deploy.toServer')],
        ]}
        onChange={setTo}
      />
      {to === 'file' ? (
        <TextField label={t('deploy.name')} value={name} onChange={setName} />
      ) : (
        <TextField label={t('deploy.path')} value={path} onChange={setPath} help={t('deploy.targetHelp')} />
      )}
      {kind === 'data' ? <TextField label={t('deploy.types')} value={types} onChange={setTypes} /> : null}
      <Button type="submit" disabled={!ready || busy}>
        {t(to === 'file' ? 'deploy.download' : 'deploy.export.go')}
      </Button>
      {busy ? (
        <p role="status">
          {received === undefined ? t('deploy.exporting') : t('deploy.receiving', { size: bytes(received) })}
        </p>
      ) : null}
      <RunLog run={run} />
    </form>
  );
}
