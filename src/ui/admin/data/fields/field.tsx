/** The field to edit a value with: of one value, of a list, of related objects. */
import type { ReactNode } from 'react';
import { ListField } from './list-field.js';
import { RelatedField } from './related-field.js';
import { TextOf, type FieldProps } from './text-field.js';

export function ValueField(props: FieldProps): ReactNode {
  const { column, draft, onChange } = props;
  if (column.kind === 'list') return <ListField {...props} />;
  if (column.kind === 'related') return <RelatedField {...props} />;
  return (
    <TextOf
      {...props}
      text={draft.text}
      onText={(text) => {
        onChange({ ...draft, text });
      }}
    />
  );
}
