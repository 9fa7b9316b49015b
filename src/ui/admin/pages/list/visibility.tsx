/** Who sees a new page: visitors, users who have logged in. */
import type { ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';

export interface Seen {
  readonly publicly: boolean;
  readonly byUsers: boolean;
}

export function Visibility({
  seen,
  onChange,
}: {
  readonly seen: Seen;
  readonly onChange: (seen: Seen) => void;
}): ReactNode {
  const { t } = useAreaTexts(pages);
  return (
    <fieldset>
      <legend className="hidden">{t('pages.seenBy')}</legend>
      <label className="choice">
        <input
          type="checkbox"
          checked={seen.publicly}
          onChange={(event) => {
            onChange({ ...seen, publicly: event.target.checked });
          }}
        />
        <span>{t('pages.publicly')}</span>
      </label>
      <label className="choice">
        <input
          type="checkbox"
          checked={seen.byUsers}
          onChange={(event) => {
            onChange({ ...seen, byUsers: event.target.checked });
          }}
        />
        <span>{t('pages.byUsers')}</span>
      </label>
    </fieldset>
  );
}
