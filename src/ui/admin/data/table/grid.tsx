/**
 * Rows and columns, of which those that are seen are drawn. By keyboard: arrows move, Enter edits, Shift-Enter opens the object, Space selects,
 * Escape leaves a field.
 */
import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { Entity } from '../../server/rest.js';
import { GridHead, type HeadProps } from './grid-head.js';
import { Row, type RowActions } from './row.js';
import type { Rows } from './rows.js';
import { useScrollWindow } from '../../parts/scroll-window.js';

/** Pixels; as in the style. */
const ROW = 36;
const HEAD = 78;

interface Place {
  readonly row: number;
  /** 0: the box that selects; from 1: columns. */
  readonly column: number;
}

interface GridProps extends HeadProps {
  readonly type: string;
  readonly rows: Rows;
  readonly onOpen: (id: string) => void;
}

export function Grid(props: GridProps): ReactNode {
  const { type, rows, onOpen, ...head } = props;
  const { columns, widths, selected, onSelect } = head;
  const box = useRef<HTMLDivElement>(null);
  const count = rows.count ?? 0;
  const view = useScrollWindow(box, count, ROW, HEAD);
  const [active, setActive] = useState<Place>({ row: 0, column: 1 });
  const [editing, setEditing] = useState<Place>();
  /** Where the focus is to go. */
  const wanted = useRef<string>(undefined);
  const { first, last } = view;
  useEffect(() => {
    rows.look(first, Math.max(first, last));
  }, [first, last, rows.count === undefined]);
  const toggle = ({ id }: Entity): void => {
    // Of all that are found none is taken out: what is selected begins anew.
    const next = new Set(selected === 'all' ? [] : selected);
    if (selected === 'all' || !next.delete(id)) next.add(id);
    onSelect(selected === 'all' ? new Set() : next);
  };
  const moveTo = (place: Place): void => {
    const row = Math.max(0, Math.min(count - 1, place.row));
    const column = Math.max(0, Math.min(columns.length, place.column));
    if (count > 0) wanted.current = `${String(row)}:${String(column)}`;
    setActive({ row, column });
    view.show(row);
  };
  // The cell may be drawn only after the list has moved, or its editor has gone.
  useLayoutEffect(() => {
    if (wanted.current === undefined) return;
    const cell = box.current?.querySelector<HTMLElement>(`[data-place="${wanted.current}"]`);
    if (cell === null || cell === undefined) return;
    wanted.current = undefined;
    cell.focus();
  });
  const edit = (place: Place): void => {
    if (columns[place.column - 1]?.readOnly === false) setEditing(place);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    if (editing !== undefined || !(event.target as HTMLElement).dataset['place']) return;
    const step = STEPS[event.key];
    const entity = rows.at(active.row);
    if (step !== undefined) moveTo({ row: active.row + step[0], column: active.column + step[1] });
    else if (event.key === 'Enter' && event.shiftKey) {
      if (entity !== undefined) onOpen(entity.id);
    } else if (event.key === 'Enter' || event.key === 'F2') edit(active);
    else if (event.key === ' ') {
      if (entity !== undefined) toggle(entity);
    } else return;
    event.preventDefault();
  };
  const latest = useRef<RowActions>(undefined);
  latest.current = {
    toggle,
    open: ({ id }) => {
      onOpen(id);
    },
    activate: (row, column) => {
      wanted.current = undefined;
      setActive((now) => (now.row === row && now.column === column ? now : { row, column }));
    },
    edit: (row, column) => {
      edit({ row, column });
    },
    edited: (row, column, values) => {
      const entity = rows.at(row);
      if (values !== undefined && entity !== undefined) rows.patch(entity.id, values);
      // What was saved late must not close the field that was opened meanwhile.
      if (editing?.row !== row || editing.column !== column) return;
      setEditing(undefined);
      moveTo({ row, column });
    },
  };
  const actions = useMemo<RowActions>(
    () => ({
      toggle: (entity) => latest.current?.toggle(entity),
      open: (entity) => latest.current?.open(entity),
      activate: (row, column) => latest.current?.activate(row, column),
      edit: (row, column) => latest.current?.edit(row, column),
      edited: (row, column, values) => latest.current?.edited(row, column, values),
    }),
    [],
  );
  const drawn: ReactNode[] = [];
  for (let row = first; row <= last; row++) {
    const entity = rows.at(row);
    drawn.push(
      <Row
        key={row}
        type={type}
        index={row}
        entity={entity}
        columns={columns}
        widths={widths}
        active={active.row === row ? active.column : undefined}
        editing={editing?.row === row ? editing.column : undefined}
        isSelected={entity !== undefined && (selected === 'all' || selected.has(entity.id))}
        actions={actions}
      />,
    );
  }
  return (
    <div
      className="grid"
      ref={box}
      role="grid"
      aria-label={type}
      aria-multiselectable="true"
      aria-rowcount={count + 2}
      aria-colcount={columns.length + 1}
      onKeyDown={onKeyDown}
    >
      <GridHead {...head} />
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
