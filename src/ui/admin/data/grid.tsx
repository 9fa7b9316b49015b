/** Rows and columns, of which those that are seen are drawn. By keyboard: arrows move, Enter edits, Space selects, Escape leaves a field. */
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { useFormats, useTexts } from '../texts/index.js';
import type { Entity } from '../server/rest.js';
import { CellEditor } from './cell-editor.js';
import type { Column } from './columns.js';
import { canFilter, type Filters, type Order } from './filters.js';
import type { Rows } from './rows.js';
import { useScrollWindow } from '../parts/scroll-window.js';
import { Value } from './values.js';

/** Pixels; as in the style. */
const ROW = 36;
const HEAD = 78;

interface Place {
  readonly row: number;
  /** 0: the box that selects; from 1: columns. */
  readonly column: number;
}

interface GridProps {
  readonly type: string;
  readonly columns: readonly Column[];
  readonly rows: Rows;
  readonly filters: Filters;
  readonly onFilter: (name: string, text: string) => void;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
  readonly selected: ReadonlySet<string>;
  readonly onSelect: (selected: ReadonlySet<string>) => void;
}

export function Grid(props: GridProps): ReactNode {
  const { type, columns, rows, filters, onFilter, order, onOrder, selected, onSelect } = props;
  const { t } = useTexts();
  const box = useRef<HTMLDivElement>(null);
  const count = rows.count ?? 0;
  const view = useScrollWindow(box, count, ROW, HEAD);
  const [active, setActive] = useState<Place>({ row: 0, column: 1 });
  const [editing, setEditing] = useState<Place>();
  const { first, last } = view;
  useEffect(() => {
    rows.look(first, Math.max(first, last));
  }, [first, last, rows.count === undefined]);
  const toggle = (id: string): void => {
    const next = new Set(selected);
    if (!next.delete(id)) next.add(id);
    onSelect(next);
  };
  const moveTo = (place: Place): void => {
    const row = Math.max(0, Math.min(count - 1, place.row));
    const column = Math.max(0, Math.min(columns.length, place.column));
    setActive({ row, column });
    view.show(row);
    // Drawn after the list has moved.
    requestAnimationFrame(() => {
      box.current?.querySelector<HTMLElement>(`[data-place="${String(row)}:${String(column)}"]`)?.focus();
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (editing !== undefined || !(event.target as HTMLElement).dataset['place']) return;
    const step = STEPS[event.key];
    if (step !== undefined) moveTo({ row: active.row + step[0], column: active.column + step[1] });
    else if (event.key === 'Enter' || event.key === 'F2') edit(active);
    else if (event.key === ' ') {
      const row = rows.at(active.row);
      if (row !== undefined) toggle(row.id);
    } else return;
    event.preventDefault();
  };
  const edit = (place: Place): void => {
    if (columns[place.column - 1]?.readOnly === false) setEditing(place);
  };
  const drawn: ReactNode[] = [];
  for (let row = first; row <= last; row++) {
    drawn.push(
      <Row
        key={row}
        type={type}
        index={row}
        entity={rows.at(row)}
        columns={columns}
        active={active.row === row ? active.column : undefined}
        editing={editing?.row === row ? editing.column : undefined}
        selected={selected}
        onToggle={toggle}
        onActive={(column) => {
          setActive({ row, column });
        }}
        onEdit={(column) => {
          edit({ row, column });
        }}
        onEdited={(values) => {
          setEditing(undefined);
          const entity = rows.at(row);
          if (values !== undefined && entity !== undefined) rows.patch(entity.id, values);
          moveTo({ row, column: editing?.column ?? active.column });
        }}
      />,
    );
  }
  return (
    <div
      className="grid"
      ref={box}
      role="grid"
      aria-label={type}
      aria-rowcount={count + 2}
      aria-colcount={columns.length + 1}
      onKeyDown={onKeyDown}
    >
      <div className="head" role="rowgroup">
        <div className="line" role="row" aria-rowindex={1}>
          <div className="cell box" role="columnheader">
            <span className="hidden">{t('data.select')}</span>
          </div>
          {columns.map((column) => (
            <div key={column.name} className="cell" role="columnheader" aria-sort={sortOf(column, order)}>
              <SortButton column={column} order={order} onOrder={onOrder} />
            </div>
          ))}
        </div>
        <div className="line filters" role="row" aria-rowindex={2}>
          <div className="cell box" role="gridcell" />
          {columns.map((column) => (
            <div key={column.name} className="cell" role="gridcell">
              {canFilter(column) ? (
                <FilterField
                  column={column}
                  text={filters[column.name] ?? ''}
                  onChange={(text) => {
                    onFilter(column.name, text);
                  }}
                />
              ) : null}
            </div>
          ))}
        </div>
      </div>
      <div className="body" role="rowgroup" style={{ height: view.height }}>
        <div className="drawn" role="presentation" style={{ transform: `translateY(${String(view.top)}px)` }}>
          {drawn}
        </div>
      </div>
    </div>
  );
}

const STEPS: Readonly<Record<string, readonly [rows: number, columns: number]>> = {
  ArrowDown: [1, 0],
  ArrowUp: [-1, 0],
  ArrowRight: [0, 1],
  ArrowLeft: [0, -1],
  PageDown: [15, 0],
  PageUp: [-15, 0],
  Home: [-Infinity, 0],
  End: [Infinity, 0],
};

function sortOf({ name }: Column, order: Order | undefined): 'ascending' | 'descending' | 'none' {
  if (order?.name !== name) return 'none';
  return order.descending ? 'descending' : 'ascending';
}

function SortButton({
  column,
  order,
  onOrder,
}: {
  readonly column: Column;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
}): ReactNode {
  const { t } = useTexts();
  const { name, kind } = column;
  if (kind === 'related' || kind === 'other') return <span className="name">{name}</span>;
  const here = order?.name === name;
  return (
    <button
      type="button"
      className="name"
      title={t('data.sort', { name })}
      onClick={() => {
        onOrder(here && order.descending ? undefined : { name, descending: here });
      }}
    >
      {name} <span aria-hidden="true">{here ? (order.descending ? '↓' : '↑') : ''}</span>
    </button>
  );
}

function FilterField({
  column,
  text,
  onChange,
}: {
  readonly column: Column;
  readonly text: string;
  readonly onChange: (text: string) => void;
}): ReactNode {
  const { t } = useTexts();
  const label = t('data.filter', { name: column.name });
  const choices = column.kind === 'boolean' ? ['true', 'false'] : column.kind === 'enum' ? column.members : undefined;
  if (choices === undefined)
    return (
      <input
        type="search"
        aria-label={label}
        placeholder={column.kind === 'number' ? t('data.range') : ''}
        value={text}
        onChange={(event) => {
          onChange(event.target.value);
        }}
      />
    );
  return (
    <select
      aria-label={label}
      value={text}
      onChange={(event) => {
        onChange(event.target.value);
      }}
    >
      <option value="">{t('data.any')}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice}>
          {column.kind === 'boolean' ? t(choice === 'true' ? 'data.yes' : 'data.no') : choice}
        </option>
      ))}
    </select>
  );
}

interface RowProps {
  readonly type: string;
  readonly index: number;
  readonly entity: Entity | undefined;
  readonly columns: readonly Column[];
  readonly active: number | undefined;
  readonly editing: number | undefined;
  readonly selected: ReadonlySet<string>;
  readonly onToggle: (id: string) => void;
  readonly onActive: (column: number) => void;
  readonly onEdit: (column: number) => void;
  readonly onEdited: (values: Readonly<Record<string, unknown>> | undefined) => void;
}

function Row(props: RowProps): ReactNode {
  const { type, index, entity, columns, active, editing, selected, onToggle, onActive, onEdit, onEdited } = props;
  const { t } = useTexts();
  const { number } = useFormats();
  const isSelected = entity !== undefined && selected.has(entity.id);
  return (
    <div
      className={`line${isSelected ? ' selected' : ''}`}
      role="row"
      aria-rowindex={index + 3}
      aria-selected={isSelected}
    >
      <div className="cell box" role="gridcell">
        {entity === undefined ? null : (
          <input
            type="checkbox"
            data-place={`${String(index)}:0`}
            tabIndex={active === 0 ? 0 : -1}
            checked={isSelected}
            aria-label={t('data.selectRow', { n: number(index + 1) })}
            onFocus={() => {
              onActive(0);
            }}
            onChange={() => {
              onToggle(entity.id);
            }}
          />
        )}
      </div>
      {columns.map((column, i) => {
        const place = i + 1;
        if (editing === place && entity !== undefined)
          return (
            <div key={column.name} className="cell editing" role="gridcell">
              <CellEditor type={type} entity={entity} column={column} onEnd={onEdited} />
            </div>
          );
        return (
          <div
            key={column.name}
            className={`cell ${column.kind}${column.readOnly ? ' fixed' : ''}`}
            role="gridcell"
            aria-readonly={column.readOnly}
            data-place={`${String(index)}:${String(place)}`}
            tabIndex={active === place ? 0 : -1}
            onFocus={() => {
              onActive(place);
            }}
            onDoubleClick={() => {
              onEdit(place);
            }}
          >
            {entity === undefined ? (
              <span className="waiting" />
            ) : (
              <span dir="auto" className="value">
                <Value column={column} value={entity[column.name]} />
              </span>
            )}
          </div>
        );
      })}
    </div>
  );
}
