/** Widgets of this server as entries of the palette, and the window where they are written. */
import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '../../../common/parts.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { Chip } from '../page/chip.js';
import type { PaletteEntry } from '../page/entries.js';
import { WidgetForm } from './widget-form.js';
import { findWidgets, type Widget } from './widgets.js';

const SHOWN = 100;
/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 150;

export function WidgetPalette(props: {
  readonly wanted: string;
  readonly disabled: boolean;
  readonly onAdd: (entry: PaletteEntry) => void;
}): ReactNode {
  const { wanted, disabled, onAdd } = props;
  const { t } = useAreaTexts(pages);
  const [found, setFound] = useState<readonly Widget[]>([]);
  const [turn, setTurn] = useState(0);
  const [edited, setEdited] = useState<string | null>();
  useEffect(() => {
    let stale = false;
    const timer = setTimeout(() => {
      findWidgets(wanted, SHOWN).then(
        (widgets) => {
          if (!stale) setFound(widgets);
        },
        // Who may not see widgets has none.
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [wanted, turn]);
  return (
    <>
      <h2>{t('pages.widgets')}</h2>
      <ul className="widgets">
        {found.map(({ id, name, treePath }) => (
          <li key={id}>
            <Chip
              entry={{ kind: 'widget', id }}
              title={[treePath ?? '', name ?? id].filter(Boolean).join(' / ').replace(/^\//, '')}
              disabled={disabled}
              onAdd={onAdd}
            />
            <button
              type="button"
              className="link"
              aria-label={`${t('pages.edit')}: ${name ?? id}`}
              onClick={() => {
                setEdited(id);
              }}
            >
              {t('pages.edit')}
            </button>
          </li>
        ))}
      </ul>
      <Button
        onClick={() => {
          setEdited(null);
        }}
      >
        {t('pages.newWidget')}
      </Button>
      {edited === undefined ? null : (
        <WidgetForm
          id={edited ?? undefined}
          onClose={() => {
            setEdited(undefined);
            setTurn(turn + 1);
          }}
        />
      )}
    </>
  );
}
