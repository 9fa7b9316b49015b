/** The table of one type: what is shown of it, and what is done with it. */
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { Button, Confirm, Notice } from '../../common/parts.js';
import { useLoaded, useWork } from '../../common/work.js';
import { Trouble } from '../frame/trouble.js';
import { loadProperties, type PropertyInfo } from '../server/schema.js';
import { remove } from '../server/rest.js';
import { useFormats, useTexts } from '../texts/index.js';
import { ColumnChoice } from './column-choice.js';
import { columnOf, keepColumns, shownColumns } from './columns.js';
import { CreateObject } from './create-object.js';
import { ExportCsv, ImportCsv } from './csv.js';
import { queryOf, type Filters, type Order } from './filters.js';
import { Grid } from './grid.js';
import { useRows } from './rows.js';

export function DataTable({ type }: { readonly type: string }): ReactNode {
  const { value: properties, problem } = useLoaded(() => loadProperties(type));
  if (properties === undefined) return <Trouble problem={problem} />;
  return <Table type={type} properties={properties} />;
}

function Table({
  type,
  properties,
}: {
  readonly type: string;
  readonly properties: readonly PropertyInfo[];
}): ReactNode {
  const { t } = useTexts();
  const { number } = useFormats();
  const [shown, setShown] = useState(() => shownColumns(type, properties));
  const [filters, setFilters] = useState<Filters>({});
  const [order, setOrder] = useState<Order>();
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [asking, setAsking] = useState(false);
  const [told, setTold] = useState('');
  const work = useWork();
  const all = useMemo(
    () => properties.filter(({ serializationDisabled }) => serializationDisabled !== true).map(columnOf),
    [properties],
  );
  const columns = useMemo(
    () => shown.flatMap((name) => all.find((column) => column.name === name) ?? []),
    [shown, all],
  );
  const query = queryOf(columns, useDeferredValue(filters), order);
  const rows = useRows(type, query, shown);
  const filtered = Object.values(filters).some((text) => text !== '');
  const changed = (text: string): void => {
    setTold(text);
    setSelected(new Set());
    rows.again();
  };
  const removeSelected = async (): Promise<void> => {
    for (const id of selected) await remove(`${encodeURIComponent(type)}/${id}`);
  };
  return (
    <section className="table" aria-label={type}>
      <div className="bar">
        <h2>
          {type}{' '}
          <small className="soft" role="status">
            {rows.count === undefined ? '' : t('data.objects', { n: number(rows.count) })}
          </small>
        </h2>
        {filtered ? (
          <Button
            onClick={() => {
              setFilters({});
            }}
          >
            {t('data.clearFilters')}
          </Button>
        ) : null}
        {selected.size === 0 ? null : (
          <Button
            kind="danger"
            onClick={() => {
              setAsking(true);
            }}
          >
            {t('data.delete', { n: number(selected.size) })}
          </Button>
        )}
        <ColumnChoice
          all={all}
          shown={shown}
          onChange={(names) => {
            setShown(names);
            keepColumns(type, names);
          }}
        />
        <ExportCsv type={type} query={query} />
        <ImportCsv
          type={type}
          onImported={(count) => {
            changed(t('data.imported', { n: number(count) }));
          }}
        />
        <CreateObject
          type={type}
          columns={all}
          onCreated={() => {
            changed(t('data.created'));
          }}
        />
      </div>
      {asking ? (
        <Confirm
          question={t('data.deleteSure', { n: number(selected.size) })}
          yes={t('app.delete')}
          no={t('app.cancel')}
          disabled={work.busy}
          onYes={() => {
            void work.run(removeSelected).then(() => {
              setAsking(false);
              changed('');
            });
          }}
          onNo={() => {
            setAsking(false);
          }}
        />
      ) : null}
      <Trouble problem={work.problem ?? rows.problem} />
      {told === '' ? null : <Notice kind="good">{told}</Notice>}
      <Grid
        type={type}
        columns={columns}
        rows={rows}
        filters={filters}
        onFilter={(name, text) => {
          setFilters({ ...filters, [name]: text });
        }}
        order={order}
        onOrder={setOrder}
        selected={selected}
        onSelect={setSelected}
      />
      {rows.count === 0 ? <p className="soft empty">{t(filtered ? 'data.emptyFiltered' : 'data.empty')}</p> : null}
    </section>
  );
}
