/** What a group is (docs/interface/security.md 1.3). */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import type { Edited } from '../edited.js';
import { FieldOf, SaveOf, TickOf } from '../form-parts.js';

export function GroupForm(props: { readonly edited: Edited; readonly onSaved: () => void }): ReactNode {
  const { edited, onSaved } = props;
  const { t } = useAreaTexts(security);
  return (
    <>
      <div className="row">
        <FieldOf edited={edited} name="name" label={t('sec.name')} />
        <FieldOf edited={edited} name="jwksReferenceId" label={t('sec.jwksReferenceId')} />
      </div>
      <fieldset className="sec-ticks">
        <legend className="hidden">{t('sec.mayDo')}</legend>
        <TickOf edited={edited} name="isAdmin" label={t('sec.isAdminGroup')} help={t('sec.isAdminGroupHelp')} />
      </fieldset>
      <SaveOf edited={edited} onSaved={onSaved} />
    </>
  );
}
