/** An application or data in: an archive of the browser or of an address, or what lies on the server. */
import { type ReactNode, useState } from 'react';
import { Button, FileField, Notice, TextField, Tick } from '../../common/parts.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { isOver, wentWrong } from '../server/jobs.js';
import { useTexts } from '../texts/index.js';
import { ChoiceField } from './choice-field.js';
import { deployOnServer, followWhile, KindField, type Kind } from './on-server.js';
import { RunLog, useRun } from './run.js';
import { upload } from './transfer.js';

type Source = 'file' | 'url' | 'server';

export function Import(): ReactNode {
  const { t } = useTexts();
  const [kind, setKind] = useState<Kind>('app');
  const [source, setSource] = useState<Source>('file');
  const [file, setFile] = useState<File>();
  const [place, setPlace] = useState('');
  const [extend, setExtend] = useState(false);
  const [percent, setPercent] = useState<number>();
  const { busy, problem, run: work } = useWork();
  const run = useRun();
  const ready = source === 'file' ? file !== undefined : place !== '';
  const begin = async (): Promise<void> => {
    setPercent(undefined);
    if (source !== 'file') {
      const how = kind === 'app' && extend ? { extendExistingApp: true } : {};
      await deployOnServer(run, kind, { mode: 'import', source: place, ...how });
      return;
    }
    const form = new FormData();
    form.set('mode', kind);
    if (file !== undefined) form.set('file', file);
    await followWhile(run, kind === 'app' ? 'DEPLOYMENT_IMPORT' : 'DEPLOYMENT_DATA_IMPORT', () =>
      upload(form, setPercent),
    );
  };
  const { job } = run;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) void work(begin);
      }}
    >
      <h3>{t('deploy.import')}</h3>
      <Trouble problem={problem} />
      {job !== undefined && isOver(job) && job.status === 'FINISHED' && !wentWrong(job) ? (
        <Notice kind="good">{t('deploy.done')}</Notice>
      ) : null}
      <KindField id="import-kind" kind={kind} onChange={setKind} />
      <ChoiceField
        id="import-source"
        label={t('deploy.from')}
        value={source}
        options={[
          ['file', t('deploy.fromFile')],
          ['url', t('deploy.fromUrl')],
          ['server', t('deploy.fromServer')],
        ]}
        onChange={setSource}
      />
      {source === 'file' ? (
        <FileField label={t('deploy.file')} accept=".zip,application/zip" onChange={setFile} />
      ) : (
        <TextField label={t(source === 'url' ? 'deploy.url' : 'deploy.path')} value={place} onChange={setPlace} />
      )}
      {kind === 'app' && source !== 'file' ? (
        <Tick label={t('deploy.extend')} checked={extend} onChange={setExtend} />
      ) : null}
      {kind === 'app' && (source === 'file' || !extend) ? <p className="soft">{t('deploy.appWarning')}</p> : null}
      <Button type="submit" kind="main" disabled={!ready || busy}>
        {t('deploy.go')}
      </Button>
      {busy ? (
        <p role="status">
          {percent === undefined || percent >= 100 ? (
            t('deploy.running')
          ) : (
            <>
              <progress max={100} value={percent} aria-label={t('deploy.file')} /> {t('deploy.uploading', { percent })}
            </>
          )}
        </p>
      ) : null}
      <RunLog run={run} />
    </form>
  );
}
