/** A value of a script or of REST: a list of objects as a table, everything else as text or JSON. */
import { type ReactNode, useState } from 'react';
import { Button } from '../../common/parts.js';
import { useFormats } from '../texts/index.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { scriptTexts } from '../texts/scripts.js';
import './script.css';

/** Rows that are drawn at a time, and columns altogether. */
const ROWS = 50;
const MOST_COLUMNS = 40;
/** Rows whose keys become columns. */
const LOOKED_AT = 200;
const MOST_CELL = 300;
const MOST_TEXT = 100_000;
const FIRST_COLUMNS = ['id', 'type', 'name'];
/** What all objects have, and seldom is what one looks for. */
const LAST_COLUMNS = [
  ...['owner', 'createdBy', 'createdDate', 'lastModifiedBy', 'lastModifiedDate', 'hidden'],
  ...['visibleToPublicUsers', 'visibleToAuthenticatedUsers'],
];

type Row = Readonly<Record<string, unknown>>;

const isRow = (value: unknown): value is Row => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a value is a list of objects, which a table can show. */
function rowsOf(value: unknown): readonly Row[] | undefined {
  return Array.isArray(value) && value.length > 0 && value.every(isRow) ? value : undefined;
}

/** Keys that have a value somewhere; what names an object first. */
function columnsOf(rows: readonly Row[]): readonly string[] {
  const keys = new Set<string>();
  for (const row of rows.slice(0, LOOKED_AT)) {
    for (const [key, value] of Object.entries(row)) if (value !== null && value !== undefined) keys.add(key);
  }
  const first = FIRST_COLUMNS.filter((key) => keys.has(key));
  const last = LAST_COLUMNS.filter((key) => keys.has(key));
  const others = [...keys].filter((key) => !first.includes(key) && !last.includes(key));
  return [...first, ...others, ...last].slice(0, MOST_COLUMNS);
}

function cellText(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (isRow(value) && typeof value['name'] === 'string' && value['name'] !== '') return cut(value['name']);
  return cut(typeof value === 'string' ? value : JSON.stringify(value));
}

const cut = (text: string): string => (text.length > MOST_CELL ? `${text.slice(0, MOST_CELL)}…` : text);

/** `label`: what the table is called for those who do not see it. */
export function ValueView({ value, label }: { readonly value: unknown; readonly label: string }): ReactNode {
  const { t } = useAreaTexts(scriptTexts);
  const { number } = useFormats();
  const [asJson, setAsJson] = useState(false);
  const rows = rowsOf(value);
  if (value === null || value === undefined || value === '') return <p className="soft">{t('script.noValue')}</p>;
  if (Array.isArray(value) && value.length === 0) return <p className="soft">{t('script.emptyList')}</p>;
  if (rows === undefined) return <TextView text={typeof value === 'string' ? value : JSON.stringify(value, null, 2)} />;
  return (
    <div className="value">
      <div className="value-bar">
        <span className="soft">{t('script.rows', { n: number(rows.length) })}</span>
        <Button
          aria-pressed={asJson}
          onClick={() => {
            setAsJson(!asJson);
          }}
        >
          {t('script.json')}
        </Button>
      </div>
      {asJson ? <TextView text={JSON.stringify(value, null, 2)} /> : <RowTable rows={rows} label={label} />}
    </div>
  );
}

function RowTable({ rows, label }: { readonly rows: readonly Row[]; readonly label: string }): ReactNode {
  const { t } = useAreaTexts(scriptTexts);
  const { number } = useFormats();
  const [shown, setShown] = useState(ROWS);
  const columns = columnsOf(rows);
  const more = Math.min(ROWS, rows.length - shown);
  return (
    <>
      <div className="value-table" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead>
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col">
                  {cut(column)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.slice(0, shown).map((row, i) => (
              <tr key={i}>
                {columns.map((column) => (
                  <td key={column}>
                    <bdi>{cellText(row[column])}</bdi>
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {more > 0 ? (
        <Button
          onClick={() => {
            setShown(shown + ROWS);
          }}
        >
          {t('script.more', { n: number(more) })}
        </Button>
      ) : null}
    </>
  );
}

/** A long text, of which the beginning is shown. */
export function TextView({ text }: { readonly text: string }): ReactNode {
  const { t } = useAreaTexts(scriptTexts);
  const { number } = useFormats();
  return (
    <>
      <pre className="value-text" tabIndex={0}>
        {text.slice(0, MOST_TEXT)}
      </pre>
      {text.length > MOST_TEXT ? <p className="soft">{t('script.cut', { n: number(MOST_TEXT) })}</p> : null}
    </>
  );
}
