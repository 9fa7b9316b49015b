/** Where the content of a folder lies (docs/interface/files.md 9). For administrators. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField, Tick } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { OthersChanged } from '../../parts/others-changed.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { change, readState, type Entity } from '../../server/rest.js';
import { editedOf, metIn, rebased } from '../../server/rebase.js';
import { onlyOver, saveOver, type Met } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { StorageForm } from './storage-form.js';
import { resourceOf, type Entry } from '../tree-server.js';

interface Mount {
  readonly storage: Picked | undefined;
  readonly watch: boolean;
  readonly index: boolean;
  readonly interval: string;
  readonly fileType: string;
  readonly folderType: string;
}

/** What there is, with the tag of the state of the folder (rest.md 4.6). */
interface Read {
  readonly mount: Mount;
  readonly state: string | undefined;
}

/** The properties that the fields are stored in. */
const STORED = {
  storage: 'storageConfiguration',
  watch: 'mountWatchContents',
  index: 'mountDoFulltextIndexing',
  interval: 'mountScanInterval',
  fileType: 'mountTargetFileType',
  folderType: 'mountTargetFolderType',
} as const satisfies Record<keyof Mount, string>;

const KEYS = ['id', 'name', ...Object.values(STORED), 'mountLastScanned'];

const isField = (name: string): name is keyof Mount => Object.hasOwn(STORED, name);

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

/** What is sent of a field. */
function inputOf(mount: Mount, field: keyof Mount): unknown {
  if (field === 'storage') return mount.storage?.id ?? null;
  const value = mount[field];
  if (value === '') return null;
  return field === 'interval' ? Number(value) : value;
}

/** The storage of a folder, and how a directory is mounted in it; what others have changed meanwhile is told before it is replaced. */
export function Storage({ folder }: { readonly folder: Entry }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { time } = useFormats();
  const [known, setKnown] = useState<Read>();
  const [mount, setMount] = useState<Mount>();
  const [scanned, setScanned] = useState('');
  const [form, setForm] = useState<'new' | 'change'>();
  const [met, setMet] = useState<readonly Met[]>([]);
  const [saved, setSaved] = useState(false);
  const { busy, problem, run } = useWork();
  const load = async (): Promise<Read> => {
    const { entity, state } = await readState(
      `${resourceOf(folder)}/all`,
      { _outputNestingDepth: 1 },
      { properties: KEYS },
    );
    const last = entity['mountLastScanned'];
    setScanned(typeof last === 'number' && last > 0 ? time(last) : '');
    return { mount: mountOf(entity), state };
  };
  useEffect(() => {
    void run(async () => {
      const now = await load();
      setKnown(now);
      setMount(now.mount);
    });
  }, []);
  if (mount === undefined || known === undefined) return <Trouble problem={problem} />;
  const wrongInterval = !/^\d*$/.test(mount.interval);
  const edited = editedOf(mount, known.mount);
  const set = (part: Partial<Mount>): void => {
    setMount((before) => (before === undefined ? before : { ...before, ...part }));
  };
  const save = async (): Promise<void> => {
    setSaved(false);
    const values = Object.fromEntries(edited.map((field) => [STORED[field], inputOf(mount, field)]));
    const meets = metIn(mount, known.mount);
    const { met: found, seen } = await saveOver<Read, Met>(known, {
      look: load,
      met: (now, before) => meets(now.mount, before.mount),
      write: ({ state }) => change(resourceOf(folder), values, onlyOver(state)),
      // The configuration is a link.
      looksFirst: true,
    });
    setMet(found);
    const isSaved = found.length === 0;
    const now = isSaved ? await load() : seen;
    setKnown(now);
    // What was typed meanwhile stays.
    const base = isSaved ? mount : known.mount;
    setMount((shown) => shown && rebased(shown, base, now.mount));
    setSaved(isSaved);
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
        <OthersChanged
          met={met.map(({ key, theirs }) => ({
            key,
            theirs: key === 'storage' ? ((theirs as Mount['storage'])?.name ?? t('noStorage')) : theirs,
          }))}
          titleOf={(name) => (isField(name) ? t(STORED[name]) : name)}
        />
        {saved && edited.length === 0 ? <Notice kind="good">{t('saved')}</Notice> : null}
        <div className="field">
          <span className="label-of">{t('storageConfiguration')}</span>
          <ObjectPicker
            key={mount.storage?.id ?? ''}
            type="StorageConfiguration"
            label={t('storageConfiguration')}
            picked={mount.storage}
            onPick={(storage) => {
              set({ storage });
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
              set({ watch: isOn });
            }}
          />
          <Tick
            label={t('mountDoFulltextIndexing')}
            checked={mount.index}
            onChange={(isOn) => {
              set({ index: isOn });
            }}
          />
          <TextField
            label={t('mountScanInterval')}
            value={mount.interval}
            problem={wrongInterval ? t('wrongValue') : undefined}
            onChange={(interval) => {
              set({ interval });
            }}
          />
          <TextField
            label={t('mountTargetFileType')}
            value={mount.fileType}
            problem={problem?.fields.has('mountTargetFileType') === true ? t('wrongValue') : undefined}
            onChange={(fileType) => {
              set({ fileType });
            }}
          />
          <TextField
            label={t('mountTargetFolderType')}
            value={mount.folderType}
            problem={problem?.fields.has('mountTargetFolderType') === true ? t('wrongValue') : undefined}
            onChange={(folderType) => {
              set({ folderType });
            }}
          />
          {scanned === '' ? null : <p className="soft">{t('mountLastScanned', { time: scanned })}</p>}
        </fieldset>
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || wrongInterval || edited.length === 0}>
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
            set({ storage });
          }}
        />
      )}
    </div>
  );
}
