/** A window for a new type. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import { TextInput, Tick } from '../form/fields.js';
import { ObjectWindow } from '../form/object-form.js';
import { text, type Schema } from '../model.js';
import { TraitsField } from './traits-field.js';

export function CreateType({
  schema,
  onCreated,
  onClose,
}: {
  readonly schema: Schema;
  readonly onCreated: (name: string) => void;
  readonly onClose: () => void;
}): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  let name = '';
  return (
    <ObjectWindow
      title={t('types.createTitle')}
      collection="SchemaNode"
      initial={{ name: '', inheritedTraits: [], isServiceClass: false }}
      valuesOf={({ name: named, inheritedTraits, isServiceClass }) => ({
        name: named,
        inheritedTraits,
        isServiceClass,
      })}
      inputOf={(values) => {
        name = text(values['name']);
        return values;
      }}
      onDone={() => {
        onCreated(name);
      }}
      onClose={onClose}
    >
      {(values) => (
        <>
          <TextInput name="name" label={t('types.name')} help={t('types.nameHelp')} />
          {values['isServiceClass'] === true ? null : <TraitsField schema={schema} />}
          <Tick name="isServiceClass" label={t('types.service')} help={t('types.serviceHelp')} />
        </>
      )}
    </ObjectWindow>
  );
}
