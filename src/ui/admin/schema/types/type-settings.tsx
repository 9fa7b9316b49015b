/** What a type itself has: name, inherited types, visibility of its objects, order of lists, and what OpenAPI tells of it. */
import type { ReactNode } from 'react';
import { Notice } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { read, type Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import type { Values } from '../form/draft.js';
import { Choice, TextInput, Tick } from '../form/fields.js';
import { ObjectCard } from '../form/object-form.js';
import { OpenApiFields, openApiInput, openApiValues } from '../form/open-api.js';
import { texts, type Schema, type SchemaType } from '../model.js';
import { TraitsField } from './traits-field.js';

const valuesOf = (entity: Entity): Values => ({
  name: entity.name,
  inheritedTraits: texts(entity['inheritedTraits']),
  defaultVisibleToPublic: entity['defaultVisibleToPublic'] === true,
  defaultVisibleToAuth: entity['defaultVisibleToAuth'] === true,
  defaultSortKey: entity['defaultSortKey'] ?? '',
  defaultSortOrder: entity['defaultSortOrder'] ?? '',
  changelogDisabled: entity['changelogDisabled'] === true,
  category: entity['category'] ?? '',
  icon: entity['icon'] ?? '',
  ...openApiValues(entity),
});

export function TypeSettings({
  schema,
  type,
  id,
  onChanged,
}: {
  readonly schema: Schema;
  readonly type: SchemaType;
  readonly id: string;
  readonly onChanged: () => void;
}): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { value: entity, problem } = useLoaded(() => read<Entity>(`SchemaNode/${id}/all`));
  const { isServiceClass } = type;
  let name = type.name;
  if (entity === undefined) return <Trouble problem={problem} />;
  return (
    <ObjectCard
      collection="SchemaNode"
      id={id}
      initial={valuesOf(entity)}
      valuesOf={valuesOf}
      inputOf={(values) => {
        if (typeof values['name'] === 'string') ({ name } = values as { readonly name: string });
        return openApiInput(values);
      }}
      onDone={() => {
        onChanged();
        if (name !== type.name) goOn(placeOf('schema', 'types', name, 'settings'));
      }}
      deleteQuestion={type.isBuiltin ? t('types.deleteExtension') : t('types.deleteQuestion', { name: type.name })}
      onDeleted={() => {
        onChanged();
        goOn(placeOf('schema', 'types'));
      }}
    >
      {(values) => (
        <>
          <TextInput name="name" label={t('types.name')} help={t('types.nameHelp')} disabled={type.isBuiltin} />
          {values['name'] === type.name ? null : <Notice kind="note">{t('types.renameHelp')}</Notice>}
          {isServiceClass ? null : (
            <>
              <TraitsField schema={schema} self={type.name} />
              <fieldset className="group">
                <legend>{t('types.objects')}</legend>
                <Tick name="defaultVisibleToPublic" label={t('types.visibleToPublic')} />
                <Tick name="defaultVisibleToAuth" label={t('types.visibleToAuth')} help={t('types.visibleHelp')} />
                <Tick name="changelogDisabled" label={t('types.noChangelog')} />
                <div className="row top-row">
                  <TextInput name="defaultSortKey" label={t('types.sortKey')} />
                  <Choice
                    name="defaultSortOrder"
                    label={t('types.sortOrder')}
                    options={[
                      ['', t('types.ascending')],
                      ['desc', t('types.descending')],
                    ]}
                  />
                </div>
              </fieldset>
            </>
          )}
          <OpenApiFields />
          <fieldset className="group">
            <legend>{t('types.forEditors')}</legend>
            <div className="row">
              <TextInput name="category" label={t('properties.category')} />
              <TextInput name="icon" label={t('types.icon')} />
            </div>
          </fieldset>
        </>
      )}
    </ObjectCard>
  );
}
