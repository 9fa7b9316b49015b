/** One object beside the table, with all its properties and its changelog. The place is `#/data/<Type>/<id>`. */
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { TabRow } from '../../parts/tab-row.js';
import type { Stated } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import { draftOf, isChanged, valueOf, type Draft } from '../drafts.js';
import { History } from './history.js';
import { ObjectFields } from './object-fields.js';
import { pathOf, readObject, save } from './save.js';
import { useWords } from '../values.js';

interface Props {
  readonly type: string;
  readonly id: string;
  readonly columns: readonly Column[];
  /** With what the object has now. */
  readonly onSaved: (values: Readonly<Record<string, unknown>>) => void;
  readonly onClose: () => void;
}

export function ObjectPanel(props: Props): ReactNode {
  const { type, id, columns, onClose } = props;
  const { t } = useAreaTexts(dataTexts);
  const { value: stated, problem } = useLoaded(() => readObject(type, id, columns));
  const [tab, setTab] = useState('properties');
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus();
  }, []);
  const name = stated?.entity.name ?? id;
  return (
    <aside
      className="object-panel card"
      aria-label={t('data.object', { name })}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !event.defaultPrevented) onClose();
      }}
    >
      <div className="object-head">
        <h2 ref={heading} tabIndex={-1}>
          <span className="name" dir="auto">
            {name}
          </span>
          <small className="soft">
            {type} · <code>{id}</code>
          </small>
        </h2>
        <Button aria-label={t('data.close')} onClick={onClose}>
          ×
        </Button>
      </div>
      <Trouble problem={problem} />
      {stated === undefined ? null : (
        <TabRow
          label={name}
          chosen={tab}
          onChoose={setTab}
          tabs={[
            {
              name: 'properties',
              title: t('data.properties'),
              content: () => <Properties {...props} stated={stated} />,
            },
            { name: 'history', title: t('data.history'), content: () => <History id={id} columns={columns} /> },
          ]}
        />
      )}
    </aside>
  );
}

function Properties({ type, id, columns, onSaved, stated }: Props & { readonly stated: Stated }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const words = useWords();
  const [known, setKnown] = useState(stated);
  const [drafts, setDrafts] = useState<Readonly<Record<string, Draft>>>({});
  const [others, setOthers] = useState<readonly string[]>([]);
  const [turn, setTurn] = useState(0);
  const [isSaved, setSaved] = useState(false);
  const { busy, problem, run } = useWork();
  const draftFor = (column: Column): Draft => drafts[column.name] ?? draftOf(column, known.entity[column.name]);
  const edits = columns
    .filter((column) => !column.readOnly)
    .map((column) => ({ column, draft: draftFor(column) }))
    .filter(({ column, draft }) => isChanged(column, draft, known.entity[column.name]) || others.includes(column.name));
  const isWrong = edits.some(({ column, draft }) => valueOf(column, draft) === undefined);
  const write = async (): Promise<void> => {
    const { conflicts } = await save(type, known, edits);
    const now = await readObject(type, id, columns);
    setKnown(now);
    setOthers(conflicts);
    if (conflicts.length > 0) return;
    setDrafts({});
    setSaved(true);
    // Links are read anew.
    setTurn(turn + 1);
    onSaved(now.entity);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (edits.length > 0 && !isWrong) void run(write);
      }}
    >
      <ObjectFields
        key={turn}
        columns={columns}
        prefix={`object-${id}`}
        path={pathOf(type, id)}
        values={known.entity}
        drafts={draftFor}
        onDraft={(column, draft) => {
          setSaved(false);
          setDrafts({ ...drafts, [column.name]: draft });
        }}
        notes={(column) => {
          const { name } = column;
          if (others.includes(name))
            return t('data.conflict', { value: words(column, known.entity[name]) || t('data.nothing') });
          if (valueOf(column, draftFor(column)) === undefined) return t('data.noText');
          const told = problem?.problems.find(({ property }) => property === name);
          return told === undefined ? undefined : `${told.token?.replaceAll('_', ' ') ?? ''} ${told.detail ?? ''}`;
        }}
      />
      <div className="object-foot">
        <Trouble problem={problem} />
        <Button type="submit" kind="main" disabled={busy || edits.length === 0 || isWrong}>
          {t('app.save')}
        </Button>
        <span role="status" className="soft">
          {isSaved && edits.length === 0 ? t('data.saved') : ''}
        </span>
      </div>
    </form>
  );
}
