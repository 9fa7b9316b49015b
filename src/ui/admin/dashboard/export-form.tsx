/** An application or data out: as an archive for the browser, or into a folder of the server. */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { useFormats, useTexts } from '../texts/index.js';
import { ChoiceField } from './choice-field.js';
import { deployOnServer, followWhile, KindField, type Kind } from './on-server.js';
import { RunLog, useRun } from './run.js';
import { download } from './transfer.js';

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
      await deployOnServer(run, kind, { mode: 'export', target: path, ...(kind === 'data' ? { types } : {}) });
      return;
    }
    await followWhile(run, kind === 'app' ? 'DEPLOYMENT_EXPORT' : 'DEPLOYMENT_DATA_EXPORT', async () => {
      const query = { name, mode: kind, ...(kind === 'data' ? { types } : {}) };
      const size = await download(query, `${name}.zip`, setReceived);
      setDone(t('deploy.saved', { name: `${name}.zip`, size: bytes(size) }));
    });
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
      {done === '' ? null : <Notice kind="good">{done}</Notice>}
      {to === 'server' && run.job?.status === 'FINISHED' ? (
        <Notice kind="good">{t('deploy.exported', { place: run.job.filepath ?? '' })}</Notice>
      ) : null}
      <KindField id="export-kind" kind={kind} onChange={setKind} />
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
