/** Users and groups in the lists: what can be done with them, how they are named, and how they are dragged. */
import type { DragEvent, ReactNode } from 'react';
import { useAreaTexts } from '../../texts/catalogue.js';
import { security } from '../../texts/security.js';
import { DRAGGED, nameOf, type Principal } from './principals.js';

/** What can be done with users and groups from anywhere in the lists. */
export interface Deeds {
  readonly open: (id: string) => void;
  /** Asks for the group. */
  readonly ask: (members: readonly Principal[]) => void;
  readonly put: (group: Principal, members: readonly Principal[]) => void;
  readonly take: (group: Principal, member: Principal) => void;
  /** Another number: what is shown has changed. */
  readonly revision: number;
  readonly changed: (told: string) => void;
}

/** Begins to drag these. */
export function drag(event: DragEvent, dragged: readonly Principal[]): void {
  event.stopPropagation();
  event.dataTransfer.effectAllowed = 'copy';
  event.dataTransfer.setData(DRAGGED, JSON.stringify(dragged));
}

/** The name, which opens it, and the button that puts it into a group. */
export function Name({ principal, deeds }: { readonly principal: Principal; readonly deeds: Deeds }): ReactNode {
  const { t } = useAreaTexts(security);
  const { eMail } = principal;
  const name = nameOf(principal);
  return (
    <>
      <button
        type="button"
        className="sec-name"
        onClick={() => {
          deeds.open(principal.id);
        }}
      >
        <bdi>{name}</bdi>
        {typeof eMail === 'string' && eMail !== name ? <small className="soft">{eMail}</small> : null}
      </button>
      <button
        type="button"
        className="button sec-small"
        aria-label={t('sec.putInto', { name })}
        title={t('sec.putInto', { name })}
        onClick={() => {
          deeds.ask([principal]);
        }}
      >
        {t('sec.plusGroup')}
      </button>
    </>
  );
}
