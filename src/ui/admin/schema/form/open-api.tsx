/** What the OpenAPI document tells of a type, a relation or a method (docs/interface/rest.md 9.3). */
import type { ReactNode } from 'react';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import { texts } from '../model.js';
import type { Values } from './draft.js';
import { ListInput, partsOf, TextInput, Tick } from './fields.js';

export const openApiValues = (entity: Entity): Values => ({
  includeInOpenAPI: entity['includeInOpenAPI'] === true,
  tags: texts(entity['tags']),
  summary: entity['summary'] ?? '',
  description: entity['description'] ?? '',
});

/** Values as they are sent: tags are a list. */
export const openApiInput = (values: Values): Values =>
  values['tags'] === undefined ? values : { ...values, tags: partsOf(values['tags']) };

export function OpenApiFields({ children }: { readonly children?: ReactNode }): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  return (
    <fieldset className="group">
      <legend>OpenAPI</legend>
      <Tick name="includeInOpenAPI" label={t('openApi.include')} />
      <ListInput name="tags" label={t('openApi.tags')} help={t('openApi.tagsHelp')} />
      <TextInput name="summary" label={t('openApi.summary')} />
      <TextInput name="description" label={t('openApi.description')} rows={3} />
      {children}
    </fieldset>
  );
}
