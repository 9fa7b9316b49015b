/** A storage configuration, new or changed (docs/interface/files.md 9.2). What is entered is stored encrypted and shown to nobody but administrators. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import type { Picked } from '../../parts/object-picker.js';
import { change, create, list, readState, remove } from '../../server/rest.js';
import { onlyOver, saveOver } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';

/** The entries that each provider takes. */
const PROVIDERS = {
  'local.LocalFSStorageProvider': ['mountTarget'],
  's3.GenericS3BucketStorageProvider': ['bucketName', 'region', 'endpoint', 'accessKey', 'secretKey'],
  'archive.ZipArchiveStorageProvider': ['archive'],
  'memory.InMemoryStorageProvider': [],
} as const;

type Provider = keyof typeof PROVIDERS;
const PACKAGE = 'org.svc.storage.providers.';
const isProvider = (name: string): name is Provider => Object.hasOwn(PROVIDERS, name);

/** A configuration as it is shown: entries by their names. */
interface Shown {
  readonly name: string;
  readonly provider: Provider;
  readonly values: Readonly<Record<string, string>>;
  /** Ids of entries by their names. */
  readonly ids: Readonly<Record<string, string>>;
  /** Tag of the state of the configuration (rest.md 4.6). */
  readonly state?: string | undefined;
}

const NEW: Shown = { name: '', provider: 'local.LocalFSStorageProvider', values: {}, ids: {} };

/** Throws `RefusedError` 404: it is gone. */
async function readStorage(id: string): Promise<Shown> {
  const { entity, state } = await readState(
    `StorageConfiguration/${id}/all`,
    {},
    { properties: ['id', 'name', 'provider'] },
  );
  const { result } = await list(
    'StorageConfigurationEntry',
    { configuration: id },
    { properties: ['id', 'name', 'value'] },
  );
  const provider = String(entity['provider']).replace(PACKAGE, '');
  return {
    name: entity.name ?? '',
    provider: isProvider(provider) ? provider : NEW.provider,
    values: Object.fromEntries(result.map(({ name, value }) => [name ?? '', typeof value === 'string' ? value : ''])),
    ids: Object.fromEntries(result.map(({ id: entry, name }) => [name ?? '', entry])),
    state,
  };
}

/** Writes a configuration, of `before` as one transaction; its id. */
async function writeStorage({ name, provider, values }: Shown, id?: string, before = NEW): Promise<string> {
  const wanted = PROVIDERS[provider].filter((key) => (values[key] ?? '') !== '');
  const entries = wanted.map((key) => {
    const entry = before.ids[key];
    return { ...(entry === undefined ? { name: key } : { id: entry }), value: values[key] };
  });
  const input = { name, provider: `${PACKAGE}${provider}`, entries };
  if (id === undefined) return create('StorageConfiguration', input);
  await change(`StorageConfiguration/${id}`, input, onlyOver(before.state));
  // They hold secrets, and belong to nothing any more.
  const kept: ReadonlySet<string> = new Set(wanted);
  for (const [key, entry] of Object.entries(before.ids))
    if (!kept.has(key)) await remove(`StorageConfigurationEntry/${entry}`);
  return id;
}

const same = (a: Shown, b: Shown): boolean =>
  JSON.stringify([a.name, a.provider, a.values]) === JSON.stringify([b.name, b.provider, b.values]);

/** `id`: one that is there; absent: a new one. */
export function StorageForm({
  id,
  onClose,
  onSaved,
}: {
  readonly id?: string | undefined;
  readonly onClose: () => void;
  readonly onSaved: (storage: Picked) => void;
}): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const [known, setKnown] = useState(NEW);
  const [shown, setShown] = useState(id === undefined ? NEW : undefined);
  const [meanwhile, setMeanwhile] = useState(false);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (id === undefined) return;
    void run(async () => {
      const found = await readStorage(id);
      setKnown(found);
      setShown(found);
    });
  }, [id]);
  if (shown === undefined)
    return (
      <Modal title={t('changeStorage')} onClose={onClose}>
        <Trouble problem={problem} />
      </Modal>
    );
  const { name, provider, values } = shown;
  const save = async (): Promise<void> => {
    if (id === undefined) {
      onSaved({ id: await writeStorage(shown), name });
      return;
    }
    const { met, seen } = await saveOver<Shown, 'storage'>(known, {
      look: () => readStorage(id),
      met: (now, before) => (same(now, before) ? [] : ['storage']),
      write: async (before) => {
        await writeStorage(shown, id, before);
      },
      // Entries are objects of their own.
      looksFirst: true,
    });
    setMeanwhile(met.length > 0);
    setKnown(seen);
    if (met.length === 0) onSaved({ id, name });
  };
  return (
    <Modal title={t(id === undefined ? 'newStorage' : 'changeStorage')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        {meanwhile ? <Notice kind="note">{t('storageChanged')}</Notice> : null}
        <TextField
          label={t('name')}
          value={name}
          onChange={(entered) => {
            setShown({ ...shown, name: entered });
          }}
          problem={problem?.fields.has('name') === true ? t('wrongValue') : undefined}
        />
        <div className="field">
          <label htmlFor="storage-provider">{t('provider')}</label>
          <select
            id="storage-provider"
            value={provider}
            onChange={(event) => {
              if (isProvider(event.target.value)) setShown({ ...shown, provider: event.target.value });
            }}
          >
            {Object.keys(PROVIDERS).map((key) => (
              <option key={key} value={key}>
                {isProvider(key) ? t(`provider.${key}`) : key}
              </option>
            ))}
          </select>
        </div>
        {PROVIDERS[provider].map((key) => (
          <TextField
            key={key}
            label={t(`entry.${key}`)}
            value={values[key] ?? ''}
            type={key === 'secretKey' ? 'password' : 'text'}
            problem={problem?.fields.has(key) === true ? t('wrongValue') : undefined}
            onChange={(value) => {
              setShown({ ...shown, values: { ...values, [key]: value } });
            }}
          />
        ))}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || name === ''}>
            {t(id === undefined ? 'create' : 'app.save')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
