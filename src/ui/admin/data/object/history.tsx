/** What has become of an object: who has changed what, and when (docs/interface/changelog.md 7). */
import { type ReactNode, useEffect, useState } from 'react';
import { Button, Notice } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { read } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import { useFormats } from '../../texts/index.js';
import type { Column } from '../columns.js';
import { textOf } from '../drafts.js';
import { useWords } from '../values.js';

interface Entry {
  readonly verb: string;
  readonly time: number;
  readonly userId?: string;
  readonly userName?: string;
  readonly key?: string;
  /** JSON, as it is stored. */
  readonly prev?: string;
  readonly val?: string;
  readonly rel?: string;
  readonly target?: string;
  readonly targetObj?: { readonly type: string; readonly name: string | null } | null;
}

interface Log {
  /** Whether the server keeps logs now. */
  readonly enabled: boolean;
  readonly entries: readonly Entry[];
}

const PAGE = 50;

export function History({ id, columns }: { readonly id: string; readonly columns: readonly Column[] }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const [log, setLog] = useState<Log>();
  const [isWhole, setWhole] = useState(false);
  const { busy, problem, run } = useWork();
  const more = (): void => {
    void run(async () => {
      const before = log?.entries ?? [];
      const page = Math.floor(before.length / PAGE) + 1;
      const next = await read<Log>(`_changelog/${id}`, { _order: 'desc', _pageSize: PAGE, _page: page });
      setLog({ enabled: next.enabled, entries: [...before, ...next.entries] });
      setWhole(next.entries.length < PAGE);
    });
  };
  useEffect(more, []);
  return (
    <>
      <Trouble problem={problem} />
      {log === undefined ? null : (
        <>
          {log.enabled ? null : <Notice kind="note">{t('data.historyOff')}</Notice>}
          {log.entries.length === 0 && log.enabled ? <p className="soft">{t('data.historyNone')}</p> : null}
          <ol className="object-history">
            {log.entries.map((entry, i) => (
              <One key={i} entry={entry} columns={columns} />
            ))}
          </ol>
          {isWhole ? null : (
            <Button disabled={busy} onClick={more}>
              {t('data.older')}
            </Button>
          )}
        </>
      )}
    </>
  );
}

function One({ entry, columns }: { readonly entry: Entry; readonly columns: readonly Column[] }): ReactNode {
  const { verb, time, userName = '', userId = '', key = '', prev, val, rel = '', target = '', targetObj } = entry;
  const { t } = useAreaTexts(dataTexts);
  const words = useWords();
  const formats = useFormats();
  const column = columns.find(({ name }) => name === key);
  const shown = (json: string | undefined): ReactNode => {
    const value = valueIn(json);
    const text = column === undefined ? textOf(value) : words(column, value);
    return text === '' ? <em className="soft">{t('data.nothing')}</em> : <span dir="auto">{text}</span>;
  };
  const title =
    verb === 'create'
      ? t('data.made')
      : verb === 'delete'
        ? t('data.gone')
        : verb === 'change'
          ? key
          : t(verb === 'link' ? 'data.linked' : 'data.unlinked', { rel });
  return (
    <li>
      <h3>{title}</h3>
      <p className="soft">
        <time dateTime={new Date(time).toISOString()}>{formats.time(time)}</time> ·{' '}
        <span dir="auto">{userId === 'anonymous' ? t('data.nobody') : userName === '' ? userId : userName}</span>
      </p>
      {verb === 'change' ? (
        <dl>
          <dt>{t('data.before')}</dt>
          <dd>{shown(prev)}</dd>
          <dt>{t('data.after')}</dt>
          <dd>{shown(val)}</dd>
        </dl>
      ) : null}
      {verb === 'link' || verb === 'unlink' ? (
        <p dir="auto">
          {targetObj === null || targetObj === undefined ? (
            <code>{target}</code>
          ) : (
            `${targetObj.type} ${targetObj.name ?? target}`
          )}
        </p>
      ) : null}
    </li>
  );
}

/** The stored value; what is no JSON is shown as it is. */
function valueIn(json: string | undefined): unknown {
  if (json === undefined) return null;
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return json;
  }
}
