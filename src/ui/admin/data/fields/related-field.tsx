/** Related objects: one is chosen by its name, several are added and taken away. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { ObjectPicker, type Picked } from '../../parts/object-picker.js';
import { list, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import { pickedOf } from '../drafts.js';
import type { FieldProps } from './text-field.js';

/** Related objects that are read at once. */
const PAGE = 20;

export function RelatedField(props: FieldProps): ReactNode {
  const { column, draft, onChange, label } = props;
  const { type = 'NodeInterface', many = false } = column.relation ?? {};
  if (many) return <Several {...props} type={type} />;
  return (
    <ObjectPicker
      type={type}
      label={label}
      picked={draft.picked[0]}
      onPick={(picked) => {
        onChange({ ...draft, picked: picked === undefined ? [] : [picked] });
      }}
    />
  );
}

/** Those that are linked, page by page. */
function useLinked(path: string | undefined, name: string) {
  const [linked, setLinked] = useState<readonly Picked[]>([]);
  const [count, setCount] = useState(0);
  const { busy, problem, run } = useWork();
  const more = (): void => {
    if (path === undefined) return;
    void run(async () => {
      const page = Math.floor(linked.length / PAGE) + 1;
      const { result, result_count: all } = await list<Entity>(
        `${path}/${encodeURIComponent(name)}`,
        { _pageSize: PAGE, _page: page, _outputNestingDepth: 1, _forceResultCount: 1 },
        { properties: ['id', 'type', 'name'] },
      );
      const known = new Set(linked.map(({ id }) => id));
      const next = result.flatMap((one) => pickedOf(one) ?? []).filter(({ id }) => !known.has(id));
      setLinked([...linked, ...next]);
      setCount(all ?? result.length);
    });
  };
  useEffect(more, [path, name]);
  return { linked, count, busy, problem, more };
}

function Several(props: FieldProps & { readonly type: string }): ReactNode {
  const { column, path, label, draft, onChange, type } = props;
  const { name } = column;
  const { t } = useAreaTexts(dataTexts);
  const { linked, count, busy, problem, more } = useLinked(path, name);
  const { picked, items } = draft;
  return (
    <fieldset className="several" aria-label={label}>
      <ul>
        {linked.map((one) => {
          const goes = items.includes(one.id);
          return (
            <Chip
              key={one.id}
              type={type}
              one={one}
              note={goes ? t('data.willGo') : ''}
              action={t(goes ? 'data.bring' : 'data.remove', { name: one.name })}
              sign={goes ? '↺' : '×'}
              onAction={() => {
                onChange({ ...draft, items: goes ? items.filter((id) => id !== one.id) : [...items, one.id] });
              }}
            />
          );
        })}
        {picked.map((one) => (
          <Chip
            key={one.id}
            type={type}
            one={one}
            note={path === undefined ? '' : t('data.willCome')}
            action={t('data.remove', { name: one.name })}
            sign="×"
            onAction={() => {
              onChange({ ...draft, picked: picked.filter(({ id }) => id !== one.id) });
            }}
          />
        ))}
      </ul>
      {count > linked.length ? (
        <Button disabled={busy} onClick={more}>
          {t('data.loadMore', { n: count - linked.length })}
        </Button>
      ) : null}
      <Trouble problem={problem} />
      <Adder
        type={type}
        label={t('data.addRelated', { name })}
        onAdd={(one) => {
          const isThere = picked.some(({ id }) => id === one.id) || linked.some(({ id }) => id === one.id);
          if (!isThere) onChange({ ...draft, picked: [...picked, one] });
          else if (items.includes(one.id)) onChange({ ...draft, items: items.filter((id) => id !== one.id) });
        }}
      />
    </fieldset>
  );
}

/** A picker that is empty again after each choice. */
export function Adder(props: {
  readonly type: string;
  readonly label: string;
  readonly onAdd: (one: Picked) => void;
}): ReactNode {
  const { type, label, onAdd } = props;
  const [turn, setTurn] = useState(0);
  return (
    <ObjectPicker
      key={turn}
      type={type}
      label={label}
      picked={undefined}
      onPick={(one) => {
        if (one === undefined) return;
        onAdd(one);
        setTurn(turn + 1);
      }}
    />
  );
}

export function Chip(props: {
  readonly type?: string;
  readonly one: Picked;
  readonly note?: string;
  readonly action: string;
  readonly sign: string;
  readonly onAction: () => void;
}): ReactNode {
  const { type, one, note = '', action, sign, onAction } = props;
  return (
    <li className={note === '' ? 'linked-chip' : 'linked-chip changed'}>
      <span className="chip-name" dir="auto">
        {type === undefined ? one.name : <a href={placeOf('data', type, one.id)}>{one.name}</a>}
      </span>
      {note === '' ? null : <small>{note}</small>}
      <button type="button" aria-label={action} title={action} onClick={onAction}>
        {sign}
      </button>
    </li>
  );
}
