/** What can be put into the page: a click puts it into what is chosen, dragging puts it where it is dropped. */
import { type ReactNode, useState } from 'react';
import { useLoaded } from '../../../common/work.js';
import type { Entity } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { pages } from '../../texts/pages.js';
import { WidgetPalette } from '../widgets/widget-palette.js';
import { Chip } from './chip.js';
import type { PaletteEntry } from './entries.js';
import { findShadowDocument, rootsOf, titleOf } from './nodes.js';
import { GROUPS } from './tags.js';

export interface PaletteProps {
  /** What a click puts it into; absent: nothing that can hold it is chosen. */
  readonly into: string | undefined;
  readonly onAdd: (entry: PaletteEntry) => void;
  readonly revision: number;
}

export function Palette({ into, onAdd, revision }: PaletteProps): ReactNode {
  const { t } = useAreaTexts(pages);
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const disabled = into === undefined;
  return (
    <section className="palette" aria-label={t('pages.palette')}>
      <input
        type="search"
        value={text}
        aria-label={t('pages.findElement')}
        placeholder={t('pages.findElement')}
        onChange={(event) => {
          setText(event.target.value);
        }}
      />
      <p className="soft">{disabled ? t('pages.intoNothing') : t('pages.into', { name: into })}</p>
      {GROUPS.map(({ name, tags }) => {
        const found = tags.filter((tag) => tag.includes(wanted));
        return found.length === 0 ? null : (
          <div key={name}>
            <h2>{t(`pages.group.${name}`)}</h2>
            <div className="chips">
              {found.map((tag) => (
                <Chip key={tag} entry={{ kind: 'tag', tag }} title={tag} disabled={disabled} onAdd={onAdd} />
              ))}
            </div>
          </div>
        );
      })}
      <h2>{t('pages.texts')}</h2>
      <div className="chips">
        {(['Content', 'Template', 'Comment'] as const).map((type) => (
          <Chip
            key={type}
            entry={{ kind: 'text', type }}
            title={t(`pages.type.${type}`)}
            disabled={disabled}
            onAdd={onAdd}
          />
        ))}
      </div>
      <Components key={`components ${String(revision)}`} wanted={wanted} disabled={disabled} onAdd={onAdd} />
      <WidgetPalette wanted={wanted} disabled={disabled} onAdd={onAdd} />
    </section>
  );
}

function Components(props: {
  readonly wanted: string;
  readonly disabled: boolean;
  readonly onAdd: (entry: PaletteEntry) => void;
}): ReactNode {
  const { wanted, disabled, onAdd } = props;
  const { t } = useAreaTexts(pages);
  const { value } = useLoaded(async () => {
    const document = await findShadowDocument();
    return document === undefined ? [] : rootsOf(document);
  });
  const found = (value ?? []).filter((node) => nameOf(node).toLowerCase().includes(wanted));
  if (found.length === 0) return null;
  return (
    <>
      <h2>{t('pages.components')}</h2>
      <div className="chips">
        {found.map((node) => (
          <Chip
            key={node.id}
            entry={{ kind: 'component', id: node.id }}
            title={nameOf(node)}
            disabled={disabled}
            onAdd={onAdd}
          />
        ))}
      </div>
    </>
  );
}

const nameOf = (node: Entity): string => node.name ?? titleOf(node);
