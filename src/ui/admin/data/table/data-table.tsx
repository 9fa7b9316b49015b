/** The table of one type: what is shown of it, and what is done with it. */
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { Button, Empty, Notice } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { loadProperties, type PropertyInfo } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import { ColumnChoice } from './column-choice.js';
import { columnOf, usualColumns } from '../columns.js';
import { CreateObject } from '../object/create-object.js';
import { Deletion, type Selection } from './deletion.js';
import { isSet, queryOf, type Filters, type Order } from './filters.js';
import { Grid } from './grid.js';
import { keepColumns, keepWidths, shownColumns, shownWidths } from './kept.js';
import { ObjectPanel } from '../object/object-panel.js';
import { useRows } from './rows.js';
import { Export, Import } from '../transfer/transfer.js';

const NONE: ReadonlySet<string> = new Set();

/** `open`: the id of the object that is shown beside it. */
export function DataTable({ type, open }: { readonly type: string; readonly open: string | undefined }): ReactNode {
  const { value: properties, problem } = useLoaded(() => loadProperties(type));
  if (properties === undefined) return <Trouble problem={problem} />;
  return <Table type={type} properties={properties} open={open} />;
}

function Table({
  type,
  properties,
  open,
}: {
  readonly type: string;
  readonly properties: readonly PropertyInfo[];
  readonly open: string | undefined;
}): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const [shown, setShown] = useState(() => shownColumns(type, properties));
  const [widths, setWidths] = useState(() => shownWidths(type));
  const [filters, setFilters] = useState<Filters>({});
  const [order, setOrder] = useState<Order>();
  const [selected, setSelected] = useState<Selection>(NONE);
  const [asking, setAsking] = useState(false);
  const [told, setTold] = useState('');
  const all = useMemo(
    () => properties.filter(({ serializationDisabled }) => serializationDisabled !== true).map(columnOf),
    [properties],
  );
  const columns = useMemo(
    () => shown.flatMap((name) => all.find((column) => column.name === name) ?? []),
    [shown, all],
  );
  const query = queryOf(all, useDeferredValue(filters), order);
  const rows = useRows(type, query, columns);
  const isFiltered = Object.values(filters).some(isSet);
  const n = selected === 'all' ? (rows.count ?? 0) : selected.size;
  const changed = (text: string): void => {
    setTold(text);
    setSelected(NONE);
    rows.again();
  };
  const close = (): void => {
    goOn(placeOf('data', type));
    // Back to where the object was opened.
    document.querySelector<HTMLElement>('.grid [data-place][tabindex="0"]')?.focus();
  };
  return (
    <>
      <section className="table" aria-label={type}>
        <div className="bar">
          <h2>
            {type}{' '}
            <small className="soft" role="status">
              {rows.count === undefined ? '' : t('data.objects', { n: rows.count })}
            </small>
          </h2>
          {isFiltered ? (
            <Button
              onClick={() => {
                setFilters({});
                setSelected(NONE);
              }}
            >
              {t('data.clearFilters')}
            </Button>
          ) : null}
          {n === 0 ? null : (
            <Button
              kind="danger"
              onClick={() => {
                setTold('');
                setAsking(true);
              }}
            >
              {t('data.delete', { n })}
            </Button>
          )}
          <ColumnChoice
            all={all}
            shown={shown}
            onChange={(names) => {
              setShown(names ?? usualColumns(properties));
              keepColumns(type, names);
            }}
          />
          <Export type={type} query={query} />
          <Import type={type} columns={all} onImported={changed} />
          <CreateObject
            type={type}
            columns={all}
            onCreated={() => {
              changed(t('data.created'));
            }}
          />
        </div>
        {asking ? (
          <Deletion
            type={type}
            query={query}
            selected={selected}
            n={n}
            onDone={(deleted) => {
              setAsking(false);
              changed(t('data.deleted', { n: deleted }));
            }}
            onCancel={() => {
              setAsking(false);
            }}
          />
        ) : null}
        <Trouble problem={rows.problem} />
        {told === '' ? null : <Notice kind="good">{told}</Notice>}
        <Grid
          type={type}
          columns={columns}
          rows={rows}
          widths={widths}
          onWidths={(next) => {
            setWidths(next);
            keepWidths(type, next);
          }}
          filters={filters}
          onFilter={(name, filter) => {
            setFilters({ ...filters, [name]: filter });
            // What was selected may be out of sight now.
            setSelected(NONE);
          }}
          order={order}
          onOrder={setOrder}
          selected={selected}
          onSelect={setSelected}
          onOpen={(id) => {
            location.hash = placeOf('data', type, id);
          }}
        />
        {rows.count === 0 ? <Empty>{t(isFiltered ? 'data.emptyFiltered' : 'data.empty')}</Empty> : null}
      </section>
      {open === undefined ? null : (
        <ObjectPanel
          key={open}
          type={type}
          id={open}
          columns={all}
          onSaved={(values) => {
            rows.patch(open, values);
          }}
          onClose={close}
        />
      )}
    </>
  );
}
