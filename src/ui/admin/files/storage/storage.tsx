/** Where the content of a folder lies (docs/interface/files.md 9). For administrators. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField, Tick } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { change, readState, type Entity } from '../../server/rest.js';
import { onlyOver, saveOver } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { StorageForm } from './storage-form.js';
import { resourceOf, type Entry } from '../tree-server.js';

interface Mount {
  /** Tag of the state of the folder (rest.md 4.6). */
  readonly state?: string | undefined;
  readonly storage: Picked | undefined;
  readonly watch: boolean;
  readonly index: boolean;
  readonly interval: string;
  readonly fileType: string;
  readonly folderType: string;
}

const KEYS = [
  'id',
  'name',
  'storageConfiguration',
  'mountWatchContents',
  'mountDoFulltextIndexing',
  'mountScanInterval',
  'mountTargetFileType',
  'mountTargetFolderType',
  'mountLastScanned',
];

const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function mountOf(entity: Entity): Mount {
  const storage = entity['storageConfiguration'] as { readonly id: string; readonly name?: string | null } | null;
  return {
    storage: storage === null ? undefined : { id: storage.id, name: storage.name ?? storage.id },
    watch: entity['mountWatchContents'] === true,
    index: entity['mountDoFulltextIndexing'] === true,
    interval: textOf(entity['mountScanInterval']),
    fileType: textOf(entity['mountTargetFileType']),
    folderType: textOf(entity['mountTargetFolderType']),
  };
}

const same = (a: Mount, b: Mount): boolean =>
  JSON.stringify({ ...a, storage: a.storage?.id, state: '' }) ===
  JSON.stringify({ ...b, storage: b.storage?.id, state: '' });

export function Storage({ folder }: { readonly folder: Entry }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { time } = useFormats();
  const [known, setKnown] = useState<Mount>();
  const [mount, setMount] = useState<Mount>();
  const [scanned, setScanned] = useState('');
  const [form, setForm] = useState<'new' | 'change'>();
  const [told, setTold] = useState<{ readonly kind: 'good' | 'note'; readonly text: string }>();
  const { busy, problem, run } = useWork();
  const load = async (): Promise<Mount> => {
    const { entity, state } = await readState(
      `${resourceOf(folder)}/all`,
      { _outputNestingDepth: 1 },
      { properties: KEYS },
    );
    const last = entity['mountLastScanned'];
    setScanned(typeof last === 'number' && last > 0 ? time(last) : '');
    return { ...mountOf(entity), state };
  };
  useEffect(() => {
    void run(async () => {
      const now = await load();
      setKnown(now);
      setMount(now);
    });
  }, []);
  if (mount === undefined || known === undefined) return <Trouble problem={problem} />;
  const wrongInterval = !/^\d*$/.test(mount.interval);
  const save = async (): Promise<void> => {
    setTold(undefined);
    const values = {
      storageConfiguration: mount.storage?.id ?? null,
      mountWatchContents: mount.watch,
      mountDoFulltextIndexing: mount.index,
      mountScanInterval: mount.interval === '' ? null : Number(mount.interval),
      mountTargetFileType: mount.fileType === '' ? null : mount.fileType,
      mountTargetFolderType: mount.folderType === '' ? null : mount.folderType,
    };
    const { met, seen: now } = await saveOver<Mount, 'mount'>(known, {
      look: load,
      met: (found, before) => (same(found, before) ? [] : ['mount']),
      write: ({ state }) => change(resourceOf(folder), values, onlyOver(state)),
      // The configuration is a link.
      looksFirst: true,
    });
    if (met.length > 0) {
      setKnown(now);
      setTold({ kind: 'note', text: t('storageMeanwhile', { name: now.storage?.name ?? t('noStorage') }) });
      return;
    }
    const saved = await load();
    setKnown(saved);
    setMount(saved);
    setTold({ kind: 'good', text: t('saved') });
  };
  return (
    <div className="storage">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!wrongInterval) void run(save);
        }}
      >
        <p className="soft">{t('storageHelp')}</p>
        <Trouble problem={problem} />
        {told === undefined ? null : <Notice kind={told.kind}>{told.text}</Notice>}
        <div className="field">
          <span className="label-of">{t('storageConfiguration')}</span>
          <ObjectPicker
            key={mount.storage?.id ?? ''}
            type="StorageConfiguration"
            label={t('storageConfiguration')}
            picked={mount.storage}
            onPick={(storage) => {
              setMount({ ...mount, storage });
            }}
          />
          <p className="soft">{mount.storage === undefined ? t('noStorage') : mount.storage.id}</p>
        </div>
        <fieldset>
          <legend>{t('mounted')}</legend>
          <Tick
            label={t('mountWatchContents')}
            checked={mount.watch}
            onChange={(isOn) => {
              setMount({ ...mount, watch: isOn });
            }}
          />
          <Tick
            label={t('mountDoFulltextIndexing')}
            checked={mount.index}
            onChange={(isOn) => {
              setMount({ ...mount, index: isOn });
            }}
          />
          <TextField
            label={t('mountScanInterval')}
            value={mount.interval}
            problem={wrongInterval ? t('wrongValue') : undefined}
            onChange={(interval) => {
              setMount({ ...mount, interval });
            }}
          />
          <TextField
            label={t('mountTargetFileType')}
            value={mount.fileType}
            problem={problem?.fields.has('mountTargetFileType') === true ? t('wrongValue') : undefined}
            onChange={(fileType) => {
              setMount({ ...mount, fileType });
            }}
          />
          <TextField
            label={t('mountTargetFolderType')}
            value={mount.folderType}
            problem={problem?.fields.has('mountTargetFolderType') === true ? t('wrongValue') : undefined}
            onChange={(folderType) => {
              setMount({ ...mount, folderType });
            }}
          />
          {scanned === '' ? null : <p className="soft">{t('mountLastScanned', { time: scanned })}</p>}
        </fieldset>
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || wrongInterval || same(mount, known)}>
            {t('app.save')}
          </Button>
          <Button
            onClick={() => {
              setForm('new');
            }}
          >
            {t('newStorage')}
          </Button>
          {mount.storage === undefined ? null : (
            <Button
              onClick={() => {
                setForm('change');
              }}
            >
              {t('changeStorage')}
            </Button>
          )}
        </div>
      </form>
      {form === undefined ? null : (
        <StorageForm
          id={form === 'change' ? mount.storage?.id : undefined}
          onClose={() => {
            setForm(undefined);
          }}
          onSaved={(storage) => {
            setForm(undefined);
            setMount({ ...mount, storage });
          }}
        />
      )}
    </div>
  );
}
