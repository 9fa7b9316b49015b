/** A storage configuration, new or changed (docs/interface/files.md 9.2). What is entered is stored encrypted and shown to nobody but administrators. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { Modal } from '../../parts/modal.js';
import { OthersChanged } from '../../parts/others-changed.js';
import type { Picked } from '../../parts/object-picker.js';
import { change, create, list, readState, remove, type Entity } from '../../server/rest.js';
import { metIn, rebased } from '../../server/rebase.js';
import { onlyOver, saveOver, type Met } from '../../server/save-over.js';
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
type Key = (typeof PROVIDERS)[Provider][number];
const KEYS: readonly Key[] = Object.values(PROVIDERS).flat();
const PACKAGE = 'org.svc.storage.providers.';
const isProvider = (name: string): name is Provider => Object.hasOwn(PROVIDERS, name);
const isKey = (name: string): name is Key => KEYS.some((key) => key === name);

/** A configuration as it is shown: its entries are fields by their names. */
type Shown = Readonly<Record<'name' | 'provider' | Key, string>>;

/** A configuration as it was read. */
interface Read {
  readonly shown: Shown;
  /** All entries, also those that this form does not know. */
  readonly entries: readonly Entity[];
  /** Tag of the state of the configuration (rest.md 4.6). */
  readonly state?: string | undefined;
}

const EMPTY = Object.fromEntries(KEYS.map((key) => [key, ''])) as Record<Key, string>;
const NEW: Read = { shown: { ...EMPTY, name: '', provider: 'local.LocalFSStorageProvider' }, entries: [] };

/** Throws `RefusedError` 404: it is gone. */
async function readStorage(id: string): Promise<Read> {
  const { entity, state } = await readState(
    `StorageConfiguration/${id}/all`,
    {},
    { properties: ['id', 'name', 'provider'] },
  );
  const { result: entries } = await list(
    'StorageConfigurationEntry',
    { configuration: id },
    { properties: ['id', 'name', 'value'] },
  );
  const known = entries.filter(({ name }) => isKey(name ?? ''));
  const values: Readonly<Record<string, string>> = Object.fromEntries(
    known.map(({ name, value }) => [name ?? '', typeof value === 'string' ? value : '']),
  );
  const provider = String(entity['provider']).replace(PACKAGE, '');
  return { shown: { ...EMPTY, ...values, name: entity.name ?? '', provider }, entries, state };
}

/** The entries that a provider takes and that have a value; of one that this form does not know, all. */
function wantedOf(shown: Shown): readonly Key[] {
  const taken: readonly Key[] = isProvider(shown.provider) ? PROVIDERS[shown.provider] : KEYS;
  return taken.filter((key) => shown[key] !== '');
}

async function createStorage(shown: Shown): Promise<string> {
  const entries = wantedOf(shown).map((name) => ({ name, value: shown[name] }));
  return create('StorageConfiguration', { name: shown.name, provider: `${PACKAGE}${shown.provider}`, entries });
}

/** Writes what of `shown` differs from what there is. */
async function changeStorage(id: string, shown: Shown, { shown: before, entries, state }: Read): Promise<void> {
  const wanted = wantedOf(shown);
  // Of two of the same name the last one counts.
  const entryOf = new Map(entries.map(({ id: entry, name }) => [name, entry]));
  const isOver = ({ id: entry, name }: Entity): boolean =>
    isKey(name ?? '') && !wanted.some((key) => key === name && entryOf.get(key) === entry);
  const changed = {
    ...(shown.name === before.name ? {} : { name: shown.name }),
    ...(shown.provider === before.provider ? {} : { provider: `${PACKAGE}${shown.provider}` }),
    entries: [
      // They hold secrets. They stay linked until they are deleted, so that whoever saves again finds those that are left.
      ...entries.map((entry) => (isOver(entry) ? { id: entry.id, value: null } : changeOf(entry, shown, before))),
      ...wanted.filter((key) => !entryOf.has(key)).map((name) => ({ name, value: shown[name] })),
    ],
  };
  await change(`StorageConfiguration/${id}`, changed, onlyOver(state));
  for (const entry of entries) if (isOver(entry)) await remove(`StorageConfigurationEntry/${entry.id}`);
}

/** An entry that stays, with its value when that is another one. */
function changeOf({ id, name }: Entity, shown: Shown, before: Shown): { readonly id: string; readonly value?: string } {
  const key = name ?? '';
  return isKey(key) && shown[key] !== before[key] ? { id, value: shown[key] } : { id };
}

/**
 * The form of a storage configuration, for administrators. `id`: of one that is there; absent: it makes a new one. `onSaved` gets what was
 * made or changed; what others have changed meanwhile is told before it is replaced.
 */
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
  const [shown, setShown] = useState(id === undefined ? NEW.shown : undefined);
  const [met, setMet] = useState<readonly Met[]>([]);
  const { busy, problem, run } = useWork();
  useEffect(() => {
    if (id === undefined) return;
    void run(async () => {
      const found = await readStorage(id);
      setKnown(found);
      setShown(found.shown);
    });
  }, [id]);
  if (shown === undefined)
    return (
      <Modal title={t('changeStorage')} onClose={onClose}>
        <Trouble problem={problem} />
      </Modal>
    );
  const { name, provider } = shown;
  if (!isProvider(provider))
    return (
      <Modal title={t('changeStorage')} onClose={onClose}>
        <Notice kind="note">{t('unknownProvider', { provider })}</Notice>
        <Button onClick={onClose}>{t('app.cancel')}</Button>
      </Modal>
    );
  const set = (part: Partial<Shown>): void => {
    setShown((before) => (before === undefined ? before : { ...before, ...part }));
  };
  const save = async (): Promise<void> => {
    if (id === undefined) {
      onSaved({ id: await createStorage(shown), name });
      return;
    }
    const meets = metIn(shown, known.shown);
    const { met: found, seen } = await saveOver<Read, Met>(known, {
      look: () => readStorage(id),
      met: (now, before) => meets(now.shown, before.shown),
      write: (now) => changeStorage(id, rebased(shown, known.shown, now.shown), now),
      // Entries are objects of their own.
      looksFirst: true,
    });
    setMet(found);
    setKnown(seen);
    setShown((typed) => typed && rebased(typed, known.shown, seen.shown));
    if (found.length === 0) onSaved({ id, name: rebased(shown, known.shown, seen.shown).name });
  };
  const theirsOf = ({ key, theirs }: Met): unknown => {
    if (key === 'secretKey') return '…';
    return typeof theirs === 'string' && isProvider(theirs) ? t(`provider.${theirs}`) : theirs;
  };
  const titleOf = (key: string): string => (isKey(key) ? t(`entry.${key}`) : t(key === 'name' ? 'name' : 'provider'));
  return (
    <Modal title={t(id === undefined ? 'newStorage' : 'changeStorage')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(save);
        }}
      >
        <Trouble problem={problem} />
        <OthersChanged met={met.map((one) => ({ ...one, theirs: theirsOf(one) }))} titleOf={titleOf} />
        <TextField
          label={t('name')}
          value={name}
          onChange={(entered) => {
            set({ name: entered });
          }}
          problem={problem?.fields.has('name') === true ? t('wrongValue') : undefined}
        />
        <div className="field">
          <label htmlFor="storage-provider">{t('provider')}</label>
          <select
            id="storage-provider"
            value={provider}
            onChange={(event) => {
              if (isProvider(event.target.value)) set({ provider: event.target.value });
            }}
          >
            {Object.keys(PROVIDERS).map((key) => (
              <option key={key} value={key}>
                {isProvider(key) ? t(`provider.${key}`) : key}
              </option>
            ))}
          </select>
        </div>
        {PROVIDERS[provider].map((key: Key) => (
          <TextField
            key={key}
            label={t(`entry.${key}`)}
            value={shown[key]}
            type={key === 'secretKey' ? 'password' : 'text'}
            problem={problem?.fields.has(key) === true ? t('wrongValue') : undefined}
            onChange={(value) => {
              set({ [key]: value });
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
