/** Objects out and in, as tables (docs/interface/monitoring.md 7) and as JSON (docs/interface/lists.md, rest.md 3). */
import { Menu } from '@base-ui/react/menu';
import { type ReactNode, useRef, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { RefusedError, send } from '../../../common/request.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { restPath, type Query } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import { importObjects, objectsIn, StoppedError, type Progress } from './import-objects.js';

/** Links to all that the filters leave, in the order of the table. */
export function Export({ type, query }: { readonly type: string; readonly query: Query }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const all = { ...query, _disableSoftLimit: '1' };
  const name = encodeURIComponent(type);
  const csv = `csv/${name}/all?${new URLSearchParams(all).toString()}`;
  // Related objects are told by id, type and name.
  const json = restPath(`${name}/all`, { ...all, _outputNestingDepth: 1, _outputReductionDepth: 0 });
  return (
    <Choices title={t('data.export')}>
      <Menu.Item className="option" render={<a href={csv} download={`${type}.csv`} />}>
        {t('data.asCsv')}
      </Menu.Item>
      <Menu.Item className="option" render={<a href={json} download={`${type}.json`} />}>
        {t('data.asJson')}
      </Menu.Item>
    </Choices>
  );
}

function Choices({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactNode {
  return (
    <Menu.Root>
      <Menu.Trigger className="button plain">{title} ▾</Menu.Trigger>
      <Menu.Portal>
        <Menu.Positioner className="floating" sideOffset={6} align="end">
          <Menu.Popup className="card options menu">{children}</Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

interface ImportProps {
  readonly type: string;
  readonly columns: readonly Column[];
  /** With what is to be said of it. */
  readonly onImported: (told: string) => void;
}

/** Two menu items, and the fields of files that they open. */
export function Import({ type, columns, onImported }: ImportProps): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const csv = useRef<HTMLInputElement>(null);
  const json = useRef<HTMLInputElement>(null);
  const aborter = useRef<AbortController>(undefined);
  const [progress, setProgress] = useState<Progress>();
  const [stopped, setStopped] = useState<number>();
  const { busy, problem, run } = useWork();
  const loadJson = async (file: File): Promise<void> => {
    const objects = objectsIn(await file.text());
    if (objects === undefined) throw new RefusedError(400, t('data.noJson'), new Set());
    const { signal } = (aborter.current = new AbortController());
    try {
      const { made, changed } = await importObjects(type, columns, objects, setProgress, signal);
      onImported(t('data.importedJson', { made, changed }));
    } catch (error) {
      if (!(error instanceof StoppedError)) throw error;
      setStopped(error.done);
      if (error.cause instanceof Error) throw error.cause;
    } finally {
      setProgress(undefined);
    }
  };
  const chosen = (file: File | undefined, load: (file: File) => Promise<void>): void => {
    setStopped(undefined);
    if (file !== undefined) void run(() => load(file));
  };
  return (
    <>
      <FileField
        field={csv}
        label={t('data.importCsv')}
        accept=".csv,text/csv"
        onFile={(file) => {
          chosen(file, async () => {
            onImported(t('data.imported', { n: await importTable(type, file) }));
          });
        }}
      />
      <FileField
        field={json}
        label={t('data.importJson')}
        accept=".json,application/json"
        onFile={(file) => {
          chosen(file, loadJson);
        }}
      />
      <Choices title={t('data.import')}>
        <Menu.Item className="option" disabled={busy} onClick={() => csv.current?.click()}>
          {t('data.importCsv')}
        </Menu.Item>
        <Menu.Item className="option" disabled={busy} onClick={() => json.current?.click()}>
          {t('data.importJson')}
        </Menu.Item>
      </Choices>
      {progress === undefined ? null : (
        <div className="data-progress" role="status">
          <progress value={progress.done} max={progress.n} aria-label={t('data.import')} />
          {t('data.importing', { done: progress.done, n: progress.n })}
          <Button onClick={() => aborter.current?.abort()}>{t('app.cancel')}</Button>
        </div>
      )}
      {stopped === undefined ? null : <p className="notice note">{t('data.importStopped', { n: stopped })}</p>}
      <Trouble problem={problem} />
    </>
  );
}

function FileField(props: {
  readonly field: React.RefObject<HTMLInputElement | null>;
  readonly label: string;
  readonly accept: string;
  readonly onFile: (file: File) => void;
}): ReactNode {
  const { field, label, accept, onFile } = props;
  return (
    <input
      ref={field}
      type="file"
      accept={accept}
      hidden
      aria-label={label}
      onChange={(event) => {
        const file = event.target.files?.[0];
        event.target.value = '';
        if (file !== undefined) onFile(file);
      }}
    />
  );
}

/** How many objects were made: of each row one, or none at all. */
async function importTable(type: string, file: File): Promise<number> {
  const head = await file.slice(0, 4096).text();
  const line = head.split('\n', 1)[0] ?? '';
  // What separates cells is what the first line has most of.
  const delimiter = [';', ',', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ';';
  const response = await send(`csv/${encodeURIComponent(type)}?delimiter=${encodeURIComponent(delimiter)}`, {
    method: 'POST',
    body: file,
    headers: { 'Content-Type': 'text/csv' },
  });
  const { result } = (await response.json()) as { readonly result: readonly string[] };
  return result.length;
}
