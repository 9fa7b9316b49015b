/** What is known of a file or folder, and what of it can be set (docs/interface/files.md 1.2, media.md 2.1). */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice, TextField, Tick } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useSession } from '../../frame/session-context.js';
import { OthersChanged } from '../../parts/others-changed.js';
import type { Entity } from '../../server/rest.js';
import { saveValues, type Met } from '../../server/save-over.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { filesTexts } from '../../texts/files.js';
import { useFormats } from '../../texts/index.js';
import { contentAddress, find, resourceOf, type Entry } from '../tree-server.js';

type Value = string | number | boolean | null;

interface Setting {
  readonly key: SettingKey;
  readonly kind: 'text' | 'number' | 'boolean';
  readonly adminsOnly?: boolean;
}

type SettingKey =
  | 'contentType'
  | 'indexed'
  | 'isTemplate'
  | 'dontCache'
  | 'cacheForSeconds'
  | 'enableBasicAuth'
  | 'basicAuthRealm'
  | 'includeInFrontendExport'
  | 'enabledChecksums'
  | 'excludeSubtreeFromExport';

const OF_FILES: readonly Setting[] = [
  { key: 'contentType', kind: 'text' },
  { key: 'indexed', kind: 'boolean' },
  { key: 'isTemplate', kind: 'boolean', adminsOnly: true },
  { key: 'dontCache', kind: 'boolean' },
  { key: 'cacheForSeconds', kind: 'number' },
  { key: 'enableBasicAuth', kind: 'boolean' },
  { key: 'basicAuthRealm', kind: 'text' },
  { key: 'includeInFrontendExport', kind: 'boolean' },
];

const OF_FOLDERS: readonly Setting[] = [
  { key: 'includeInFrontendExport', kind: 'boolean' },
  { key: 'excludeSubtreeFromExport', kind: 'boolean' },
  { key: 'enabledChecksums', kind: 'text' },
];

const FACTS = [
  'path',
  'type',
  'size',
  'version',
  'createdDate',
  'lastModifiedDate',
  'md5',
  'isExternal',
  'width',
  'height',
  'processingState',
  'processingMessage',
  'extractedLanguage',
] as const;
/** What a camera has said, each an object as JSON text. */
const TAGS = ['exifIFD0Data', 'exifSubIFDData', 'gpsData'];

/** What is known of a file or folder, and the form of its settings. `onChanged`: something was saved. */
export function Details({ entry, onChanged }: { readonly entry: Entry; readonly onChanged: () => void }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { user } = useSession();
  const settings = (entry.isFolder ? OF_FOLDERS : OF_FILES).filter(({ adminsOnly }) => !adminsOnly || user.isAdmin);
  const [entity, setEntity] = useState<Entity>();
  const [texts, setTexts] = useState<Readonly<Record<string, Value>>>({});
  const [saved, setSaved] = useState(false);
  const [met, setMet] = useState<readonly Met[]>([]);
  const { busy, problem, run } = useWork();
  const load = async (): Promise<Entity | undefined> =>
    find(entry.isFolder ? 'Folder' : 'File', entry.id, [
      ...new Set(['id', ...settings.map(({ key }) => key), ...FACTS, ...TAGS]),
    ]);
  useEffect(() => {
    void run(async () => {
      setEntity(await load());
    });
  }, []);
  if (entity === undefined) return <Trouble problem={problem} />;
  const changedKeys = settings.filter(({ key }) => key in texts && texts[key] !== valueOf(entity[key]));
  const wrong = changedKeys.some(({ key, kind }) => kind === 'number' && !/^\d*$/.test(String(texts[key] ?? '')));
  const save = async (): Promise<void> => {
    const values: Record<string, Value> = {};
    for (const { key, kind } of changedKeys) {
      const value = texts[key] ?? null;
      values[key] = value === '' ? null : kind === 'number' && value !== null ? Number(value) : value;
    }
    const { met: found, now } = await saveValues({
      path: resourceOf(entry),
      base: entity,
      changed: values,
      properties: ['id', ...Object.keys(values)],
    });
    setMet(found);
    // What is told is what the next save replaces, not what may have been written since.
    const told = Object.fromEntries(Object.keys(values).map((key) => [key, now[key]]));
    setEntity({ ...((await load()) ?? entity), ...told });
    if (found.length > 0) return;
    // What was typed while it was saved stays.
    setTexts((typed) => Object.fromEntries(Object.entries(typed).filter(([key, value]) => value !== texts[key])));
    setSaved(true);
    onChanged();
  };
  return (
    <div className="details">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (!wrong) void run(save);
        }}
      >
        <Trouble problem={problem} />
        <OthersChanged
          met={met}
          titleOf={(name) => {
            const found = settings.find(({ key }) => key === name);
            return found === undefined ? name : t(found.key);
          }}
        />
        {saved && changedKeys.length === 0 ? <Notice kind="good">{t('saved')}</Notice> : null}
        {settings.map(({ key, kind }) => {
          const value = key in texts ? texts[key] : valueOf(entity[key]);
          const set = (next: Value): void => {
            setTexts((typed) => ({ ...typed, [key]: next }));
          };
          if (kind === 'boolean') return <Tick key={key} label={t(key)} checked={value === true} onChange={set} />;
          return (
            <TextField
              key={key}
              label={t(key)}
              value={String(value ?? '')}
              onChange={set}
              problem={
                problem?.fields.has(key) === true || (kind === 'number' && !/^\d*$/.test(String(value ?? '')))
                  ? t('wrongValue')
                  : undefined
              }
            />
          );
        })}
        <Button type="submit" kind="main" disabled={busy || wrong || changedKeys.length === 0}>
          {t('app.save')}
        </Button>
      </form>
      <Facts entry={entry} entity={entity} />
    </div>
  );
}

/** What is stored of a setting; a number as the text of its field. */
const valueOf = (value: unknown): Value =>
  typeof value === 'number' ? String(value) : typeof value === 'string' || typeof value === 'boolean' ? value : null;

function Facts({ entry, entity }: { readonly entry: Entry; readonly entity: Entity }): ReactNode {
  const { t } = useAreaTexts(filesTexts);
  const { bytes, number, time } = useFormats();
  const textOf = (key: string): string => {
    const value = entity[key];
    if (key === 'size' && typeof value === 'number') return `${bytes(value)} (${number(value)})`;
    if (typeof value === 'string' && /Date$/.test(key)) return time(value);
    return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';
  };
  const facts: (readonly [string, string])[] = FACTS.flatMap((key) => {
    const text = textOf(key);
    return text === '' || text === 'false' ? [] : [[t(`fact.${key}`), text] as const];
  });
  facts.unshift([t('fact.id'), entry.id]);
  for (const key of TAGS) facts.push(...tagsOf(entity[key]));
  return (
    <div>
      <h3>{t('facts')}</h3>
      <table className="facts">
        <tbody>
          {facts.map(([key, text], i) => (
            <tr key={`${key} ${String(i)}`}>
              <th scope="row">{key}</th>
              <td className="long" dir="auto">
                {text}
              </td>
            </tr>
          ))}
          {entry.isFolder ? null : (
            <tr>
              <th scope="row">{t('address')}</th>
              <td className="long">
                <a href={contentAddress(entry.id)} target="_blank" rel="noreferrer">
                  {`/${entry.id}`}
                </a>
              </td>
            </tr>
          )}
        </tbody>
      </table>
    </div>
  );
}

/** Tags of a photo: an object as JSON text. */
function tagsOf(value: unknown): readonly (readonly [string, string])[] {
  if (typeof value !== 'string') return [];
  try {
    return Object.entries(JSON.parse(value) as Readonly<Record<string, unknown>>).map(
      ([name, text]) => [name, String(text)] as const,
    );
  } catch {
    return [];
  }
}
