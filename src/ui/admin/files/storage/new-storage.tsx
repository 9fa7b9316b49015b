/** A new storage configuration (docs/interface/files.md 9.2). What is entered is stored encrypted and shown to nobody but administrators. */
import { type ReactNode, useState } from 'react';
import { Button, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import type { Picked } from '../../parts/object-picker.js';
import { create } from '../../server/rest.js';
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

export function NewStorage({
  onClose,
  onMade,
}: {
  readonly onClose: () => void;
  readonly onMade: (storage: Picked) => void;
}): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const [name, setName] = useState('');
  const [provider, setProvider] = useState<Provider>('local.LocalFSStorageProvider');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { busy, problem, run } = useWork();
  const save = async (): Promise<void> => {
    const entries = PROVIDERS[provider].flatMap((key) =>
      (values[key] ?? '') === '' ? [] : [{ name: key, value: values[key] }],
    );
    const id = await create('StorageConfiguration', { name, provider: `${PACKAGE}${provider}`, entries });
    onMade({ id, name });
  };
  return (
    <Modal title={t('newStorage')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        <TextField
          label={t('name')}
          value={name}
          onChange={setName}
          problem={problem?.fields.has('name') === true ? t('wrongValue') : undefined}
        />
        <div className="field">
          <label htmlFor="storage-provider">{t('provider')}</label>
          <select
            id="storage-provider"
            value={provider}
            onChange={(event) => {
              if (isProvider(event.target.value)) setProvider(event.target.value);
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
            onChange={(value) => {
              setValues({ ...values, [key]: value });
            }}
          />
        ))}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || name === ''}>
            {t('create')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
