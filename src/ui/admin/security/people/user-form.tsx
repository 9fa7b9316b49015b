/** What a user is: names, what they may do at all, keys. */
import { type ReactNode, useId } from 'react';
import { Notice } from '../../../common/parts.js';
import { useSession } from '../../frame/session-context.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import type { Edited } from '../edited.js';
import { FieldOf, SaveOf, TickOf } from '../form-parts.js';
import type { Opened } from './principals.js';

export function UserForm(props: {
  readonly edited: Edited;
  readonly opened: Opened;
  readonly onSaved: () => void;
}): ReactNode {
  const { edited, opened, onSaved } = props;
  const { t } = useAreaTexts(security);
  const { user } = useSession();
  const keysId = useId();
  const keys = edited.values['publicKeys'];
  const isSelf = user.id === opened.id;
  const losesItself = isSelf && (edited.values['blocked'] === true || edited.values['isAdmin'] !== true);
  return (
    <>
      <div className="row">
        <FieldOf edited={edited} name="name" label={t('sec.name')} />
        <FieldOf edited={edited} name="eMail" label={t('sec.eMail')} />
        <FieldOf edited={edited} name="locale" label={t('sec.locale')} />
      </div>
      <fieldset className="sec-ticks">
        <legend className="hidden">{t('sec.mayDo')}</legend>
        <TickOf edited={edited} name="isAdmin" label={t('sec.isAdmin')} help={t('sec.isAdminHelp')} />
        <TickOf edited={edited} name="blocked" label={t('sec.isBlocked')} help={t('sec.isBlockedHelp')} />
        <TickOf
          edited={edited}
          name="skipSecurityRelationships"
          label={t('sec.skipSecurity')}
          help={t('sec.skipSecurityHelp')}
        />
      </fieldset>
      {losesItself && opened.isAdmin === true ? <Notice kind="note">{t('sec.losesItself')}</Notice> : null}
      <div className="row sec-keys">
        <div className="field">
          <label htmlFor={keysId}>{t('sec.publicKeys')}</label>
          <textarea
            id={keysId}
            rows={3}
            spellCheck={false}
            value={Array.isArray(keys) ? keys.join('\n') : ''}
            onChange={(event) => {
              const { value } = event.target;
              edited.set('publicKeys', value === '' ? [] : value.split('\n'));
            }}
          />
        </div>
        <FieldOf edited={edited} name="publicKey" label={t('sec.publicKey')} />
      </div>
      <SaveOf edited={edited} onSaved={onSaved} />
    </>
  );
}
