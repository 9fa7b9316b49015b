/**
 * The page as it is served to who is logged in. The frame has an origin of its own (`sandbox` without `allow-same-origin`): scripts of
 * the page cannot reach this one, and what they ask the server for comes without the session.
 */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';

/** Until changes that follow each other have come, in ms. */
const PAUSE_MS = 200;
/** What was typed as the address of a page, by its id. */
const kept = new Map<string, string>();

type Width = 'full' | 'phone';

export function Preview(props: {
  readonly id: string;
  /** Where the page is served, without the first slash; empty: there is nothing to show. */
  readonly path: string;
  readonly revision: number;
}): ReactNode {
  const { id, path, revision } = props;
  const { t } = useAreaTexts(pages);
  const [typed, setTyped] = useState(kept.get(id));
  const [turn, setTurn] = useState(0);
  const [width, setWidth] = useState<Width>('full');
  const [shown, setShown] = useState({ path: typed ?? path, revision });
  const wanted = (typed ?? path).replace(/^\/+/, '');
  useEffect(() => {
    const timer = setTimeout(() => {
      setShown({ path: wanted, revision });
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
    };
  }, [wanted, revision]);
  return (
    <section className="preview" aria-label={t('pages.preview')}>
      <div className="preview-bar">
        <input
          value={`/${wanted}`}
          aria-label={t('pages.previewAddress')}
          spellCheck={false}
          onChange={(event) => {
            kept.set(id, event.target.value);
            setTyped(event.target.value);
          }}
        />
        <Button
          aria-label={t('pages.reload')}
          title={t('pages.reload')}
          onClick={() => {
            setTurn(turn + 1);
          }}
        >
          ⟳
        </Button>
        <Button
          aria-pressed={width === 'phone'}
          onClick={() => {
            setWidth(width === 'phone' ? 'full' : 'phone');
          }}
        >
          {t('pages.phone')}
        </Button>
        <a className="button" href={`../${wanted}`} target="_blank" rel="noreferrer">
          {t('pages.openTab')}
        </a>
      </div>
      {shown.path === '' ? (
        <p className="soft">{t('pages.noPreview')}</p>
      ) : (
        <iframe
          key={`${String(shown.revision)} ${String(turn)}`}
          className={width}
          title={t('pages.preview')}
          src={`../${shown.path}`}
          sandbox="allow-scripts"
          referrerPolicy="no-referrer"
        />
      )}
    </section>
  );
}
