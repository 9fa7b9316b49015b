/** Offers permissions for the requests that were refused last. */
import type { ReactNode } from 'react';
import { Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import { useAgainAndAgain } from '../../server/again-and-again.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { useFormats } from '../../texts/index.js';
import { security } from '../../texts/security.js';
import { permit } from './permissions.js';
import { dismiss, loadRefusals, type Refusal } from './refusals.js';

const PAUSE_MS = 5_000;

export function Refused({ onPermitted }: { readonly onPermitted: (told: string) => void }): ReactNode {
  const { t } = useAreaTexts(security);
  const { value: refusals, problem, now } = useAgainAndAgain(loadRefusals, PAUSE_MS);
  const work = useWork();
  const permitIt = ({ signature, audience, methods }: Refusal): void => {
    void work.run(async () => {
      await permit(signature, audience, methods);
      onPermitted(t('sec.permitted', { signature, methods: methods.join(', ') }));
      now();
    });
  };
  return (
    <section className="card" aria-label={t('sec.refused')}>
      <h2>{t('sec.refused')}</h2>
      <Trouble problem={work.problem ?? problem} />
      {refusals === undefined ? null : refusals.length === 0 ? (
        <p className="soft">{t('sec.nothingRefused')}</p>
      ) : (
        <>
          <p className="soft">{t('sec.refusedHelp')}</p>
          <ul className="sec-list">
            {refusals.map((refusal) => (
              <Offer
                key={`${refusal.audience} ${refusal.signature}`}
                refusal={refusal}
                busy={work.busy}
                onPermit={() => {
                  permitIt(refusal);
                }}
                onDismiss={() => {
                  void work.run(async () => {
                    await dismiss(refusal);
                    now();
                  });
                }}
              />
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

function Offer(props: {
  readonly refusal: Refusal;
  readonly busy: boolean;
  readonly onPermit: () => void;
  readonly onDismiss: () => void;
}): ReactNode {
  const { refusal, busy, onPermit, onDismiss } = props;
  const { signature, audience, methods, count, last, users } = refusal;
  const { t } = useAreaTexts(security);
  const { time, number } = useFormats();
  const who = audience === 'user' ? users.join(', ') : t('sec.notLoggedIn');
  return (
    <li className="sec-item sec-offer">
      <div className="sec-name">
        <bdi className="sec-signature">{signature}</bdi>
        <small className="soft">{t('sec.refusedTimes', { n: number(count), time: time(last), who })}</small>
      </div>
      <Button disabled={busy} onClick={onPermit}>
        {t(audience === 'user' ? 'sec.permitUsers' : 'sec.permitOthers', { methods: methods.join(', ') })}
        <span className="hidden"> {signature}</span>
      </Button>
      <button
        type="button"
        className="button sec-small"
        disabled={busy}
        aria-label={t('sec.dismiss', { signature })}
        title={t('sec.dismiss', { signature })}
        onClick={onDismiss}
      >
        ×
      </button>
    </li>
  );
}
