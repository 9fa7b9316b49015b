/** Fields of an object by their groups: those without a category first, what the server keeps last. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { dataTexts } from '../../texts/data.js';
import type { Column } from '../columns.js';
import type { Draft } from '../drafts.js';
import { ValueField } from '../fields/field.js';
import { Value } from '../values.js';

export interface FieldsProps {
  readonly columns: readonly Column[];
  /** So that ids of fields are those of one form. */
  readonly prefix: string;
  /** Of an object that is there. */
  readonly path?: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly drafts: (column: Column) => Draft;
  readonly onDraft: (column: Column, draft: Draft) => void;
  /** What is wrong with a field, or what others have written into it. */
  readonly notes: (column: Column) => string | undefined;
}

const LAST = ['related', 'rights', 'system'];

function groupsOf(columns: readonly Column[]): readonly (readonly [Column['group'], readonly Column[]])[] {
  const groups = new Map<Column['group'], Column[]>();
  for (const column of columns) groups.set(column.group, [...(groups.get(column.group) ?? []), column]);
  // What has no category first, as its name does; then categories, then the rest.
  const rank = (group: string): number => (group === 'own' ? -2 : group.startsWith('=') ? -1 : LAST.indexOf(group));
  return [...groups].sort(([a], [b]) => rank(a) - rank(b));
}

export function ObjectFields(props: FieldsProps): ReactNode {
  const { t } = useAreaTexts(dataTexts);
  const titles = {
    own: t('data.withoutCategory'),
    related: t('data.related'),
    rights: t('data.rights'),
    system: t('data.system'),
  } as const;
  return groupsOf(props.columns).map(([group, columns]) => {
    const title = group.startsWith('=') ? group.slice(1) : titles[group as keyof typeof titles];
    const isOpen = group !== 'rights' && group !== 'system';
    return (
      <details key={group} className="object-group" open={isOpen}>
        <summary>
          <h3 dir="auto">{title}</h3>
        </summary>
        {columns.map((column) => (
          <OneField key={column.name} {...props} column={column} />
        ))}
      </details>
    );
  });
}

function OneField(props: FieldsProps & { readonly column: Column }): ReactNode {
  const { column, prefix, path, values, drafts, onDraft, notes } = props;
  const { name, readOnly, needed, kind } = column;
  const id = `${prefix}-${name}`;
  const note = notes(column);
  if (readOnly) {
    return (
      <div className="field read">
        <span className="label">{name}</span>
        <span className="value" dir="auto">
          <Value column={column} value={values[name]} />
        </span>
      </div>
    );
  }
  // Fields of several parts name their parts themselves.
  const isOne = kind !== 'list' && kind !== 'related';
  const title = `${name}${needed ? ' *' : ''}`;
  return (
    <div className="field">
      {isOne ? (
        <label htmlFor={id}>{title}</label>
      ) : (
        <span className="label" aria-hidden="true">
          {title}
        </span>
      )}
      <ValueField
        column={column}
        id={id}
        label={name}
        {...(path === undefined ? {} : { path })}
        draft={drafts(column)}
        onChange={(draft) => {
          onDraft(column, draft);
        }}
        invalid={note !== undefined}
        wide
      />
      {note === undefined ? null : <p className="wrong">{note}</p>}
    </div>
  );
}
