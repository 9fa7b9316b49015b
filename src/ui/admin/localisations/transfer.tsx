/** Texts as files, out and in (docs/interface/admin-ui.md, Localisations). */
import { type ReactNode, useState } from 'react';
import { Button, FileField, Notice } from '../../common/parts.js';
import { RefusedError, send } from '../../common/request.js';
import { useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { Modal } from '../parts/modal.js';
import { localTexts } from '../texts/localisations.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { useFormats } from '../texts/index.js';
import { allOf, changeMany, createMany, loadPage, type Entry } from './entries.js';

/** Texts that are written at once. */
const AT_ONCE = 200;
const ALL = { text: '', within: 'keys', domain: '' } as const;

/** Texts as a file has them. */
type Told = Omit<Entry, 'id'>;

export function Exports(): ReactNode {
  const { t } = useAreaTexts(localTexts);
  const { busy, problem, run } = useWork();
  const exportJson = async (): Promise<void> => {
    const all: object[] = [];
    for (let page = 1, more = true; more; page++) {
      const { entries, read } = await loadPage(ALL, page);
      for (const { name, domain, locale, text } of entries)
        all.push({ name, domain: domain === '' ? null : domain, locale, localizedName: text });
      more = read > 0;
    }
    const url = URL.createObjectURL(new Blob([`${JSON.stringify(all, undefined, 2)}\n`], { type: 'application/json' }));
    const link = document.createElement('a');
    link.href = url;
    link.download = 'localisations.json';
    link.click();
    URL.revokeObjectURL(url);
  };
  return (
    <>
      <a
        className="button"
        href="csv/Localization/ui?_sort=name&_sort=domain&_sort=locale&_disableSoftLimit=1"
        download="localisations.csv"
      >
        {t('local.exportCsv')}
      </a>
      <Button disabled={busy} onClick={() => void run(exportJson)}>
        {t('local.exportJson')}
      </Button>
      <Trouble problem={problem} />
    </>
  );
}

function toldIn(text: string): readonly Told[] | undefined {
  try {
    const value = JSON.parse(text) as readonly Readonly<Record<string, unknown>>[];
    return value.map(({ name, domain, locale, localizedName }) => {
      if (typeof name !== 'string' || typeof locale !== 'string' || typeof localizedName !== 'string')
        throw new Error('no text');
      return { name, domain: typeof domain === 'string' ? domain : '', locale, text: localizedName };
    });
  } catch {
    return undefined;
  }
}

const keyOf = ({ name, domain, locale }: Told): string => JSON.stringify([name, domain, locale]);

interface Counts {
  made: number;
  changed: number;
  same: number;
}

export function Import({
  onDone,
  onClose,
}: {
  readonly onDone: (told: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(localTexts);
  const { number } = useFormats();
  const [file, setFile] = useState<File>();
  const [done, setDone] = useState(0);
  const [all, setAll] = useState(0);
  const { busy, problem, run } = useWork();
  const importJson = async (texts: readonly Told[]): Promise<Counts> => {
    const counts = { made: 0, changed: 0, same: 0 };
    // Of a text that is there twice the last one counts.
    const wanted = [...new Map(texts.map((told) => [keyOf(told), told])).values()];
    setAll(wanted.length);
    for (let i = 0; i < wanted.length; i += AT_ONCE) {
      const part = wanted.slice(i, i + AT_ONCE);
      const there = new Map(
        (await allOf([...new Set(part.map(({ name }) => name))])).map((entry) => [keyOf(entry), entry]),
      );
      const changed = part.flatMap((told) => {
        const entry = there.get(keyOf(told));
        return entry === undefined || entry.text === told.text ? [] : [{ id: entry.id, localizedName: told.text }];
      });
      const made = part.filter((told) => !there.has(keyOf(told)));
      await changeMany(changed);
      await createMany(made);
      counts.made += made.length;
      counts.changed += changed.length;
      counts.same += part.length - made.length - changed.length;
      setDone(i + part.length);
    }
    return counts;
  };
  const load = async (): Promise<void> => {
    if (file === undefined) return;
    let counts: Counts;
    if (/\.csv$/i.test(file.name)) {
      const line = (await file.slice(0, 4096).text()).split('\n', 1)[0] ?? '';
      const delimiter = [';', ',', '\t'].sort((a, b) => line.split(b).length - line.split(a).length)[0] ?? ';';
      const response = await send(`csv/Localization?delimiter=${encodeURIComponent(delimiter)}`, {
        method: 'POST',
        body: file,
        headers: { 'Content-Type': 'text/csv' },
      });
      const { result } = (await response.json()) as { readonly result: readonly string[] };
      counts = { made: result.length, changed: 0, same: 0 };
    } else {
      const texts = toldIn(await file.text());
      if (texts === undefined) throw new RefusedError(422, t('local.badFile'), new Set());
      counts = await importJson(texts);
    }
    onDone(
      t('local.imported', { made: number(counts.made), changed: number(counts.changed), same: number(counts.same) }),
    );
  };
  return (
    <Modal title={t('local.importTitle')} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void run(load);
        }}
      >
        <p className="soft">{t('local.importHelp')}</p>
        <Trouble problem={problem} />
        <FileField label={t('local.file')} accept=".json,.csv,application/json,text/csv" onChange={setFile} />
        {busy && all > 0 ? (
          <Notice kind="note">{t('local.importing', { n: number(done), all: number(all) })}</Notice>
        ) : null}
        <div className="row">
          <Button type="submit" kind="main" disabled={busy || file === undefined}>
            {t('local.importGo')}
          </Button>
          <Button onClick={onClose}>{t('app.cancel')}</Button>
        </div>
      </form>
    </Modal>
  );
}
