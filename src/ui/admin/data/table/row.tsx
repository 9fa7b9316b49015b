/** One row of the table. */
import { memo, type ReactNode } from 'react';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import { CellEditor } from './cell-editor.js';
import type { Column } from '../columns.js';
import { widthOf } from './grid-head.js';
import type { Widths } from './kept.js';
import { Value } from '../values.js';

/** What a row tells the table; the same object at all times, so that rows that have not changed are not drawn again. */
export interface RowActions {
  readonly toggle: (entity: Entity) => void;
  readonly open: (entity: Entity) => void;
  readonly activate: (row: number, column: number) => void;
  readonly edit: (row: number, column: number) => void;
  /** With what was saved; undefined: nothing. */
  readonly edited: (row: number, column: number, values: Readonly<Record<string, unknown>> | undefined) => void;
}

interface RowProps {
  readonly type: string;
  readonly index: number;
  readonly entity: Entity | undefined;
  readonly columns: readonly Column[];
  readonly widths: Widths;
  /** 0: the box that selects; from 1: columns; undefined: it is another row. */
  readonly active: number | undefined;
  readonly editing: number | undefined;
  readonly isSelected: boolean;
  readonly actions: RowActions;
}

export const Row = memo(function Row(props: RowProps): ReactNode {
  const { type, index, entity, columns, widths, active, editing, isSelected, actions } = props;
  return (
    <div
      className={`line${isSelected ? ' selected' : ''}`}
      role="row"
      aria-rowindex={index + 3}
      aria-selected={isSelected}
    >
      <div className="cell box" role="gridcell">
        {entity === undefined ? null : <Box {...props} entity={entity} />}
      </div>
      {columns.map((column, i) => {
        const place = i + 1;
        const style = widthOf(column, widths);
        if (editing === place && entity !== undefined)
          return (
            <div key={column.name} className="cell editing" role="gridcell" style={style}>
              <CellEditor
                type={type}
                entity={entity}
                column={column}
                onEnd={(values) => {
                  actions.edited(index, place, values);
                }}
              />
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
            style={style}
            onFocus={() => {
              actions.activate(index, place);
            }}
            onDoubleClick={() => {
              actions.edit(index, place);
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
});

function Box({ index, entity, active, isSelected, actions }: RowProps & { readonly entity: Entity }): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const tabIndex = active === 0 ? 0 : -1;
  const onFocus = (): void => {
    actions.activate(index, 0);
  };
  return (
    <>
      <input
        type="checkbox"
        data-place={`${String(index)}:0`}
        tabIndex={tabIndex}
        checked={isSelected}
        aria-label={t('data.selectRow', { n: index + 1 })}
        onFocus={onFocus}
        onChange={() => {
          actions.toggle(entity);
        }}
      />
      <button
        type="button"
        className="open-row"
        tabIndex={tabIndex}
        aria-label={t('data.openRow', { n: index + 1 })}
        onFocus={onFocus}
        onClick={() => {
          actions.open(entity);
        }}
      >
        ›
      </button>
    </>
  );
}
