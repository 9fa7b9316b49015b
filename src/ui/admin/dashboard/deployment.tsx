/** Applications and data, out and in (docs/interface/deployment.md 2 to 4, 7). */
import { type ReactNode, useState } from 'react';
import { Button, Notice, TextField } from '../../common/parts.js';
import { RefusedError } from '../../common/request.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { call } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

type Kind = 'app' | 'data';
type Source = 'file' | 'url' | 'server';

export function Deployment(): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card">
      <h2>{t('deploy.title')}</h2>
      <div className="halves">
        <Export />
        <Import />
      </div>
    </section>
  );
}

function KindChoice({
  id,
  kind,
  onChange,
}: {
  readonly id: string;
  readonly kind: Kind;
  readonly onChange: (kind: Kind) => void;
}): ReactNode {
  const { t } = useTexts();
  return (
    <div className="field">
      <label htmlFor={id}>{t('deploy.kind')}</label>
      <select
        id={id}
        value={kind}
        onChange={(event) => {
          onChange(event.target.value as Kind);
        }}
      >
        <option value="app">{t('deploy.app')}</option>
        <option value="data">{t('deploy.data')}</option>
      </select>
    </div>
  );
}

function Export(): ReactNode {
  const { t } = useTexts();
  const [kind, setKind] = useState<Kind>('app');
  const [name, setName] = useState('application');
  const [types, setTypes] = useState('');
  const query = new URLSearchParams({ name, mode: kind, ...(kind === 'data' ? { types } : {}) });
  const ready = /^[\w.-]+$/.test(name) && (kind === 'app' || types.trim() !== '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) location.assign(`deploy?${query.toString()}`);
      }}
    >
      <h3>{t('deploy.export')}</h3>
      <KindChoice id="export-kind" kind={kind} onChange={setKind} />
      <TextField label={t('deploy.name')} value={name} onChange={setName} />
      {kind === 'data' ? <TextField label={t('deploy.types')} value={types} onChange={setTypes} /> : null}
      <Button type="submit" disabled={!ready}>
        {t('deploy.download')}
      </Button>
    </form>
  );
}

function Import(): ReactNode {
  const { t } = useTexts();
  const [kind, setKind] = useState<Kind>('app');
  const [source, setSource] = useState<Source>('file');
  const [file, setFile] = useState<File>();
  const [place, setPlace] = useState('');
  const [percent, setPercent] = useState<number>();
  const [done, setDone] = useState(false);
  const { busy, problem, run } = useWork();
  const ready = source === 'file' ? file !== undefined : place !== '';
  const begin = async (): Promise<void> => {
    setDone(false);
    if (source === 'server')
      await call(`maintenance/${kind === 'app' ? 'deploy' : 'deployData'}`, { mode: 'import', source: place });
    else {
      const form = new FormData();
      form.set('mode', kind);
      if (source === 'url') form.set('downloadUrl', place);
      else if (file !== undefined) form.set('file', file);
      await upload(form, setPercent);
    }
    setDone(true);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void run(begin).then(() => {
          setPercent(undefined);
        });
      }}
    >
      <h3>{t('deploy.import')}</h3>
      <Trouble problem={problem} />
      {done ? <Notice kind="good">{t('deploy.done')}</Notice> : null}
      <KindChoice id="import-kind" kind={kind} onChange={setKind} />
      <div className="field">
        <label htmlFor="import-source">{t('deploy.from')}</label>
        <select
          id="import-source"
          value={source}
          onChange={(event) => {
            setSource(event.target.value as Source);
          }}
        >
          <option value="file">{t('deploy.fromFile')}</option>
          <option value="url">{t('deploy.fromUrl')}</option>
          <option value="server">{t('deploy.fromServer')}</option>
        </select>
      </div>
      {source === 'file' ? (
        <div className="field">
          <label htmlFor="import-file">{t('deploy.file')}</label>
          <input
            id="import-file"
            type="file"
            accept=".zip,application/zip"
            onChange={(event) => {
              setFile(event.target.files?.[0]);
            }}
          />
        </div>
      ) : (
        <TextField label={t(source === 'url' ? 'deploy.url' : 'deploy.path')} value={place} onChange={setPlace} />
      )}
      {kind === 'app' ? <p className="soft">{t('deploy.appWarning')}</p> : null}
      <Button type="submit" kind="main" disabled={!ready || busy}>
        {t('deploy.go')}
      </Button>
      {busy ? (
        <p role="status">
          {percent === undefined || percent >= 100 ? t('deploy.running') : t('deploy.uploading', { percent })}
        </p>
      ) : null}
    </form>
  );
}

/** `fetch` tells nothing of how much of a body was sent. Throws `RefusedError`. */
function upload(form: FormData, onProgress: (percent: number) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', 'deploy');
    request.upload.onprogress = ({ loaded, total, lengthComputable }) => {
      if (lengthComputable) onProgress(Math.floor((100 * loaded) / total));
    };
    request.onload = () => {
      if (request.status < 300) resolve();
      else reject(new RefusedError(request.status, messageOf(request.responseText), new Set()));
    };
    request.onerror = () => {
      reject(new RefusedError(0, '', new Set()));
    };
    request.send(form);
  });
}

function messageOf(text: string): string {
  try {
    const body = JSON.parse(text) as { readonly error?: string; readonly message?: string };
    return body.error ?? body.message ?? text;
  } catch {
    return text;
  }
}
