/** What stands above the columns: their names, which sort and are dragged wider, and the filters. */
import { memo, type PointerEvent, type ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import type { Selection } from './deletion.js';
import { FilterField } from './filter-field.js';
import { canFilter, canSort, type Filter, type Filters, type Order } from './filters.js';
import { NARROWEST, WIDEST, type Widths } from './kept.js';

export interface HeadProps {
  readonly columns: readonly Column[];
  readonly widths: Widths;
  readonly onWidths: (widths: Widths) => void;
  readonly filters: Filters;
  readonly onFilter: (name: string, filter: Filter) => void;
  readonly order: Order | undefined;
  readonly onOrder: (order: Order | undefined) => void;
  readonly selected: Selection;
  readonly onSelect: (selected: Selection) => void;
}

/** Pixels that a key makes a column wider. */
const STEP = 20;

/** As style of all cells of a column; undefined: the usual width. */
export function widthOf(column: Column, widths: Widths): { readonly flex: string; readonly width: number } | undefined {
  const width = widths[column.name];
  // A time is longer than most else.
  if (width === undefined && column.kind === 'date') return { flex: '1 0 208px', width: 208 };
  return width === undefined ? undefined : { flex: `0 0 ${String(width)}px`, width };
}

/** Not drawn again while the rows move. */
export const GridHead = memo(function GridHead(props: HeadProps): ReactNode {
  const { columns, widths, filters, onFilter, order, selected, onSelect } = props;
  const { t } = useAreaTexts(dataTexts);
  return (
    <div className="head" role="rowgroup">
      <div className="line" role="row" aria-rowindex={1}>
        <div className="cell box" role="columnheader">
          <input
            type="checkbox"
            aria-label={t('data.selectAll')}
            checked={selected === 'all'}
            onChange={(event) => {
              onSelect(event.target.checked ? 'all' : new Set());
            }}
          />
        </div>
        {columns.map((column) => (
          <div
            key={column.name}
            className="cell"
            role="columnheader"
            aria-sort={sortOf(column, order)}
            style={widthOf(column, widths)}
          >
            <SortButton {...props} column={column} />
            <Edge {...props} column={column} />
          </div>
        ))}
      </div>
      <div className="line filters" role="row" aria-rowindex={2}>
        <div className="cell box" role="gridcell" />
        {columns.map((column) => (
          <div key={column.name} className="cell" role="gridcell" style={widthOf(column, widths)}>
            {canFilter(column) ? (
              <FilterField
                column={column}
                filter={filters[column.name] ?? {}}
                onChange={(filter) => {
                  onFilter(column.name, filter);
                }}
              />
            ) : null}
          </div>
        ))}
      </div>
    </div>
  );
});

function sortOf({ name }: Column, order: Order | undefined): 'ascending' | 'descending' | 'none' {
  if (order?.name !== name) return 'none';
  return order.descending ? 'descending' : 'ascending';
}

function SortButton({ column, order, onOrder }: HeadProps & { readonly column: Column }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const { name } = column;
  if (!canSort(column)) return <span className="name">{name}</span>;
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

/** The right edge of a column: dragged, or moved by the arrow keys; a double click gives it its usual width. */
function Edge({ column, widths, onWidths }: HeadProps & { readonly column: Column }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const { name } = column;
  const set = (width: number): void => {
    onWidths({ ...widths, [name]: Math.round(Math.min(WIDEST, Math.max(NARROWEST, width))) });
  };
  const cellOf = (element: Element): number => element.parentElement?.getBoundingClientRect().width ?? 0;
  const drag = (event: PointerEvent<HTMLDivElement>): void => {
    const edge = event.currentTarget;
    const [from, width] = [event.clientX, cellOf(edge)];
    edge.setPointerCapture(event.pointerId);
    const move = ({ clientX }: globalThis.PointerEvent): void => {
      set(width + clientX - from);
    };
    edge.addEventListener('pointermove', move);
    edge.addEventListener(
      'lostpointercapture',
      () => {
        edge.removeEventListener('pointermove', move);
      },
      { once: true },
    );
  };
  return (
    <div
      className="edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={t('data.width', { name })}
      aria-valuenow={widths[name] ?? 0}
      aria-valuemin={0}
      aria-valuemax={WIDEST}
      tabIndex={0}
      onPointerDown={drag}
      onDoubleClick={() => {
        onWidths(Object.fromEntries(Object.entries(widths).filter(([one]) => one !== name)));
      }}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowRight' ? STEP : event.key === 'ArrowLeft' ? -STEP : 0;
        if (step === 0) return;
        event.preventDefault();
        set(cellOf(event.currentTarget) + step);
      }}
    />
  );
}
