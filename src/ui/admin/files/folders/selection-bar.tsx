/** What is done with the files and folders that are selected. */
import { type ReactNode, useState } from 'react';
import { Button, Confirm } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { MoveDialog } from './move-dialog.js';
import { NameDialog } from './name-dialog.js';
import { filePlace, settingsPlace } from '../places.js';
import { downloadAddress, MOST_IN_ZIP, removeAll, rename, zipAddress, type Entry } from '../tree-server.js';

export function SelectionBar(props: {
  readonly selected: ReadonlyMap<string, Entry>;
  readonly onSelect: (selected: ReadonlyMap<string, Entry>) => void;
  readonly onChanged: (told?: string) => void;
}): ReactNode {
  const { selected, onSelect, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const { number } = useFormats();
  const [asking, setAsking] = useState<'name' | 'place' | 'delete'>();
  const [removed, setRemoved] = useState(0);
  const work = useWork();
  const entries = [...selected.values()];
  const [one] = entries;
  if (one === undefined) return <Trouble problem={work.problem} />;
  const single = entries.length === 1 ? one : undefined;
  const close = (): void => {
    setAsking(undefined);
  };
  return (
    <div className="selection" role="group" aria-label={t('selected', { n: number(entries.length) })}>
      <div className="bar">
        <strong>{t('selected', { n: number(entries.length) })}</strong>
        {single === undefined ? null : (
          <Button
            onClick={() => {
              setAsking('name');
            }}
          >
            {t('rename')}
          </Button>
        )}
        <Button
          onClick={() => {
            setAsking('place');
          }}
        >
          {t('move')}
        </Button>
        {single !== undefined && !single.isFolder ? (
          <a className="button" href={downloadAddress(single)} download={single.name}>
            {t('download')}
          </a>
        ) : entries.length > MOST_IN_ZIP ? null : (
          <a
            className="button"
            href={zipAddress(
              entries.map(({ id }) => id),
              single?.name ?? t('zipName'),
            )}
            download
          >
            {t('downloadZip')}
          </a>
        )}
        {single === undefined ? null : (
          <a
            className="button"
            href={single.isFolder ? settingsPlace(single.id, 'permissions') : filePlace(single.id, 'permissions')}
          >
            {t('permissions')}
          </a>
        )}
        <Button
          kind="danger"
          onClick={() => {
            setAsking('delete');
          }}
        >
          {t('app.delete')}
        </Button>
        <Button
          onClick={() => {
            onSelect(new Map());
          }}
        >
          {t('selectNone')}
        </Button>
      </div>
      <Trouble problem={work.problem} />
      {asking === 'delete' ? (
        <Confirm
          question={t(entries.some(({ isFolder }) => isFolder) ? 'deleteFoldersSure' : 'deleteSure', {
            n: number(entries.length),
          })}
          yes={t('app.delete')}
          no={t('app.cancel')}
          disabled={work.busy}
          onYes={() => {
            let count = 0;
            void work
              .run(async () => {
                await removeAll(entries, (more) => {
                  count += more;
                  setRemoved(count);
                });
              })
              .then((well) => {
                setAsking(undefined);
                setRemoved(0);
                onChanged(well ? t('deleted', { n: number(count) }) : '');
              });
          }}
          onNo={close}
        />
      ) : null}
      {work.busy && removed > 0 ? <p role="status">{t('deleting', { n: number(removed) })}</p> : null}
      {asking === 'name' && single !== undefined ? (
        <RenameDialog entry={single} onClose={close} onChanged={onChanged} />
      ) : null}
      {asking === 'place' ? (
        <MoveDialog
          entries={entries}
          onClose={close}
          onMoved={() => {
            close();
            onChanged();
          }}
        />
      ) : null}
    </div>
  );
}

/** Gives another name, and tells when somebody else has done so meanwhile. */
export function RenameDialog(props: {
  readonly entry: Entry;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}): ReactNode {
  const { entry, onClose, onChanged } = props;
  const { t } = useAreaTexts(filesTexts);
  const [known, setKnown] = useState(entry.name);
  return (
    <NameDialog
      title={t('renameTitle')}
      name={entry.name}
      action={t('rename')}
      onClose={onClose}
      onName={async (name) => {
        const other = await rename(entry, known, name);
        if (other !== undefined) {
          setKnown(other);
          return t('renamedMeanwhile', { name: other });
        }
        onChanged();
        return undefined;
      }}
    />
  );
}
