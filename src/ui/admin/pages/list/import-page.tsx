/** A page from HTML that is there: written here, from a file, or at the address of another site (docs/interface/pages.md 8.1, 8.5, 8.6). */
import { type ReactNode, useState } from 'react';
import { Button, FileField, Notice, TextField, Tick } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { CodeEditor } from '../../parts/code-editor.js';
import { Modal } from '../../parts/modal.js';
import { TabRow } from '../../parts/tab-row.js';
import { call } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { Visibility, type Seen } from './visibility.js';

interface Imported {
  readonly id: string;
  readonly name: string;
  readonly files?: readonly { readonly id: string; readonly path: string }[];
  readonly missing?: readonly { readonly address: string; readonly reason: string }[];
}

type Source = 'code' | 'address';

export function ImportPage({ onClose }: { readonly onClose: () => void }): ReactNode {
  const { t } = useAreaTexts(pages);
  const [source, setSource] = useState<Source>('code');
  const [name, setName] = useState('');
  const [code, setCode] = useState('');
  const [address, setAddress] = useState('');
  const [asExport, setAsExport] = useState(false);
  const [inExport, setInExport] = useState(true);
  const [seen, setSeen] = useState<Seen>({ publicly: true, byUsers: true });
  const [done, setDone] = useState<Imported>();
  const { busy, problem, run } = useWork();
  const makePage = async (): Promise<void> => {
    const flags = { name, publicVisible: seen.publicly, authVisible: seen.byUsers };
    const made = await call<Imported>(
      'Page/importPage',
      source === 'code'
        ? { ...flags, code, ...(asExport ? { processDeploymentInfo: true } : {}) }
        : { ...flags, address, includeInExport: inExport },
    );
    if (made === undefined) return;
    if ((made.missing ?? []).length > 0) setDone(made);
    else {
      onClose();
      goOn(placeOf('pages', made.id));
    }
  };
  const isReady = name.trim() !== '' && (source === 'code' ? code.trim() !== '' : address.trim() !== '');
  if (done !== undefined) return <Told imported={done} onClose={onClose} />;
  return (
    <Modal title={t('pages.import')} onClose={onClose} wide>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(makePage);
        }}
      >
        <Trouble problem={problem} />
        <TextField label={t('pages.name')} value={name} onChange={setName} help={t('pages.nameHelp')} />
        <TabRow
          label={t('pages.importFrom')}
          chosen={source}
          onChoose={(chosen) => {
            setSource(chosen as Source);
          }}
          tabs={[
            {
              name: 'code',
              title: t('pages.importCode'),
              content: () => (
                <>
                  <FileField
                    label={t('pages.importFile')}
                    accept=".html,.htm,text/html"
                    onChange={(file) => {
                      if (file === undefined) return;
                      if (name === '') setName(file.name.replace(/\.html?$/i, ''));
                      void file.text().then(setCode);
                    }}
                  />
                  <span className="label">{t('pages.html')}</span>
                  <div className="code-field tall">
                    <CodeEditor label={t('pages.html')} value={code} onChange={setCode} language="html" />
                  </div>
                  <Tick checked={asExport} onChange={setAsExport} label={t('pages.asExport')} />
                </>
              ),
            },
            {
              name: 'address',
              title: t('pages.importAddress'),
              content: () => (
                <>
                  <TextField
                    label={t('pages.address')}
                    value={address}
                    onChange={setAddress}
                    help={t('pages.addressHelp')}
                  />
                  <Tick checked={inExport} onChange={setInExport} label={t('pages.inExport')} />
                </>
              ),
            },
          ]}
        />
        <Visibility seen={seen} onChange={setSeen} />
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || !isReady}>
            {busy ? t('pages.importing') : t('pages.importGo')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}

/** What could not be fetched with the page. */
function Told({ imported, onClose }: { readonly imported: Imported; readonly onClose: () => void }): ReactNode {
  const { t } = useAreaTexts(pages);
  const { id, name, files = [], missing = [] } = imported;
  return (
    <Modal title={t('pages.imported', { name })} onClose={onClose} wide>
      <Notice kind="note">{t('pages.missing', { files: files.length, missing: missing.length })}</Notice>
      <ul className="long-list">
        {missing.map(({ address, reason }) => (
          <li key={address}>
            <code>{address}</code> <span className="soft">{reason}</span>
          </li>
        ))}
      </ul>
      <div className="row">
        <a className="button main" href={placeOf('pages', id)} onClick={onClose}>
          {t('pages.openPage')}
        </a>
      </div>
    </Modal>
  );
}
