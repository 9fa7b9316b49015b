/** What stands above the diagram: a search, what can be done with what is selected, and layouts. */
import { Popover } from '@base-ui/react/popover';
import { type ReactNode, useState } from 'react';
import { Button, Tick } from '../../../common/parts.js';
import { useLoaded, useWork } from '../../../common/work.js';
import { placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { operationTexts } from '../../texts/schema-operations.js';
import type { Relation } from '../model.js';
import { namedLayouts, removeLayout, saveLayout } from './kept-layouts.js';
import type { Places } from './layout.js';
import type { TypeNode } from './shapes.js';

export function Bar(props: {
  readonly types: readonly TypeNode[];
  readonly chosenType: string | undefined;
  readonly chosenRelation: Relation | undefined;
  readonly withBuiltin: boolean;
  readonly places: () => Places;
  readonly onWithBuiltin: (value: boolean) => void;
  readonly onPlaces: (places: Places) => void;
  readonly onLayOut: () => void;
  readonly onFind: (name: string) => void;
  readonly onRelate: (source: string) => void;
}): ReactNode {
  const {
    types,
    chosenType,
    chosenRelation,
    withBuiltin,
    places,
    onWithBuiltin,
    onPlaces,
    onLayOut,
    onFind,
    onRelate,
  } = props;
  const { t } = useAreaTexts(operationTexts);
  const [text, setText] = useState('');
  const find = (typed: string): void => {
    const wanted = typed.trim().toLowerCase();
    const names = types.map(({ id }) => id);
    const found =
      names.find((name) => name.toLowerCase() === wanted) ?? names.find((name) => name.toLowerCase().includes(wanted));
    if (wanted !== '' && found !== undefined) onFind(found);
  };
  return (
    <div className="bar diagram-bar">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          find(text);
        }}
      >
        <input
          type="search"
          className="find"
          list="diagram-types"
          value={text}
          aria-label={t('diagram.find')}
          placeholder={t('diagram.find')}
          onChange={(event) => {
            setText(event.target.value);
            // One that was picked from the list is gone to at once.
            if (types.some(({ id }) => id === event.target.value)) find(event.target.value);
          }}
        />
        <datalist id="diagram-types">
          {types.map(({ id }) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </form>
      <Tick label={t('diagram.withBuiltin')} checked={withBuiltin} onChange={onWithBuiltin} />
      <span className="chosen-what" role="status">
        {chosenType !== undefined ? (
          <>
            <a className="button plain" href={placeOf('schema', 'types', chosenType)}>
              {t('diagram.open', { name: chosenType })}
            </a>
            <Button
              onClick={() => {
                onRelate(chosenType);
              }}
            >
              {t('diagram.relate')}
            </Button>
          </>
        ) : chosenRelation !== undefined ? (
          <a className="button plain" href={placeOf('schema', 'relations', chosenRelation.id)}>
            {t('diagram.open', { name: chosenRelation.relationshipType })}
          </a>
        ) : (
          <span className="soft">{t('diagram.help')}</span>
        )}
      </span>
      <Button onClick={onLayOut}>{t('diagram.layOut')}</Button>
      <Layouts places={places} onPlaces={onPlaces} />
    </div>
  );
}

/** Layouts that are kept on the server by their names. */
function Layouts({
  places,
  onPlaces,
}: {
  readonly places: () => Places;
  readonly onPlaces: (places: Places) => void;
}): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  return (
    <Popover.Root>
      <Popover.Trigger className="button plain">{t('layouts.title')} ▾</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner className="floating" align="end" sideOffset={4}>
          <Popover.Popup className="card layouts" aria-label={t('layouts.title')}>
            <LayoutList places={places} onPlaces={onPlaces} />
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

function LayoutList({
  places,
  onPlaces,
}: {
  readonly places: () => Places;
  readonly onPlaces: (places: Places) => void;
}): ReactNode {
  const { t } = useAreaTexts(operationTexts);
  const { value: layouts, again, problem } = useLoaded(namedLayouts);
  const work = useWork();
  const [name, setName] = useState('');
  return (
    <>
      <Trouble problem={work.problem ?? problem} />
      {layouts?.length === 0 ? <p className="soft">{t('layouts.none')}</p> : null}
      <ul>
        {layouts?.map((layout) => (
          <li key={layout.id}>
            <button
              type="button"
              className="link"
              onClick={() => {
                onPlaces(layout.places);
              }}
            >
              {layout.name}
            </button>
            <Button
              disabled={work.busy}
              aria-label={`${t('app.delete')}: ${layout.name}`}
              onClick={() => {
                void work.run(() => removeLayout(layout.id).then(again));
              }}
            >
              ×
            </Button>
          </li>
        ))}
      </ul>
      <form
        className="row"
        onSubmit={(event) => {
          event.preventDefault();
          void work.run(async () => {
            await saveLayout(name.trim(), places(), layouts ?? []);
            setName('');
            again();
          });
        }}
      >
        <div className="field">
          <label htmlFor="layout-name">{t('layouts.name')}</label>
          <input
            id="layout-name"
            value={name}
            autoComplete="off"
            onChange={(event) => {
              setName(event.target.value);
            }}
          />
        </div>
        <Button type="submit" kind="main" disabled={work.busy || name.trim() === ''}>
          {t('app.save')}
        </Button>
      </form>
    </>
  );
}
