/** Objects of any type, as a table (docs/interface/admin-ui.md 5). The place is `#/data/<Type>`, with an object beside the table `#/data/<Type>/<id>`. */
import { type ReactNode, useEffect } from 'react';
import { Empty } from '../../common/parts.js';
import { useLoaded } from '../../common/work.js';
import type { AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { loadTypes } from '../server/schema.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { dataTexts } from '../texts/data.js';
import { DataTable } from './table/data-table.js';
import './data.css';
import { TypeList } from './table/type-list.js';

const LAST = 'svc.data.type';

export default function Data({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const { value: types, problem } = useLoaded(loadTypes);
  const named = place[0] ?? sessionStorage.getItem(LAST) ?? '';
  const chosen = types?.find(({ name }) => name === named)?.name;
  useEffect(() => {
    if (chosen !== undefined) sessionStorage.setItem(LAST, chosen);
  }, [chosen]);
  return (
    <div className="data">
      <div className="area-side">
        <h1>{t('data.title')}</h1>
        {types === undefined ? null : <TypeList types={types} chosen={chosen} />}
      </div>
      {types === undefined ? (
        <div>
          <Trouble problem={problem} />
        </div>
      ) : chosen === undefined ? (
        <Empty>{t('data.noType')}</Empty>
      ) : (
        <DataTable key={chosen} type={chosen} open={place[1]} />
      )}
    </div>
  );
}
