/** Who sees a new page: visitors, users who have logged in. */
import type { ReactNode } from 'react';
import { Tick } from '../../../common/parts.js';
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
      <Tick
        label={t('pages.publicly')}
        checked={seen.publicly}
        onChange={(isOn) => {
          onChange({ ...seen, publicly: isOn });
        }}
      />
      <Tick
        label={t('pages.byUsers')}
        checked={seen.byUsers}
        onChange={(isOn) => {
          onChange({ ...seen, byUsers: isOn });
        }}
      />
    </fieldset>
  );
}
