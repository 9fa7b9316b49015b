/** Where a node is repeated, and when it is shown (docs/interface/pages.md 4, 5). */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { useDraft } from './draft.js';
import { DraftField, DraftForm, type FormField } from './draft-form.js';
import type { OfNode } from './of-node.js';

export function Repeater({ node, revision, touched }: OfNode): ReactNode {
  const { t } = useAreaTexts(pages);
  const repeated: readonly FormField[] = [
    { key: 'dataKey', label: t('pages.dataKey'), help: t('pages.dataKeyHelp') },
    { key: 'functionQuery', label: t('pages.functionQuery'), kind: 'code', help: t('pages.functionQueryHelp') },
    { key: 'cypherQuery', label: t('pages.cypherQuery'), kind: 'code', language: 'text', help: t('pages.cypherHelp') },
    ...(node.type === 'Option'
      ? [{ key: 'selectedValues', label: t('pages.selectedValues'), help: t('pages.selectedValuesHelp') }]
      : []),
  ];
  const conditions: readonly FormField[] = [
    { key: 'hidden', label: t('pages.hidden'), kind: 'flag', help: t('pages.hiddenHelp') },
    { key: 'showConditions', label: t('pages.showConditions'), help: t('pages.showConditionsHelp') },
    { key: 'hideConditions', label: t('pages.hideConditions'), help: t('pages.hideConditionsHelp') },
    { key: 'showForLocales', label: t('pages.showForLocales'), help: t('pages.localesHelp') },
    { key: 'hideForLocales', label: t('pages.hideForLocales') },
  ];
  const keys = [...repeated, ...conditions].map(({ key }) => key);
  const draft = useDraft({ path: `${node.type}/${node.id}`, form: 'repeater', keys, revision, onSaved: touched });
  return (
    <DraftForm draft={draft} fields={repeated}>
      <h3>{t('pages.conditions')}</h3>
      {conditions.map((field) => (
        <DraftField key={field.key} field={field} draft={draft} />
      ))}
    </DraftForm>
  );
}
