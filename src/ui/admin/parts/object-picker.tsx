/** Chooses an object of a type by its name: what is typed is looked for on the server. */
import { Combobox } from '@base-ui/react/combobox';
import { type ReactNode, useEffect, useState } from 'react';
import { asRefusal, type RefusedError } from '../../common/request.js';
import { wordsOf } from '../frame/trouble.js';
import { list, type Entity } from '../server/rest.js';
import { useTexts } from '../texts/index.js';

/** How many are offered at once. */
const OFFERED = 20;
/** Until somebody has ended typing, in ms. */
const PAUSE_MS = 150;

export interface Picked {
  readonly id: string;
  readonly name: string;
}

const pickedOf = ({ id, name }: Entity): Picked => ({ id, name: name ?? id });

interface Found {
  readonly items: readonly Picked[];
  readonly problem?: RefusedError;
}

/** What fits the text, as it is typed; an id is found as well. */
function useFound(type: string, text: string): Found {
  const [found, setFound] = useState<Found>({ items: [] });
  useEffect(() => {
    const aborter = new AbortController();
    const timer = setTimeout(() => {
      const isId = /^[0-9a-f]{32}$/i.test(text);
      const query = isId ? { id: text } : text === '' ? {} : { name: text, _inexact: 1 };
      list(
        encodeURIComponent(type),
        { ...query, _sort: 'name', _pageSize: OFFERED, _page: 1, _disableSoftLimit: 1 },
        { properties: ['id', 'type', 'name'], signal: aborter.signal },
      ).then(
        ({ result }) => {
          setFound({ items: result.map(pickedOf) });
        },
        (error: unknown) => {
          if (!aborter.signal.aborted) setFound({ items: [], problem: asRefusal(error) });
        },
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      aborter.abort();
    };
  }, [type, text]);
  return found;
}

/** A field that takes one object. `onPick` gets `undefined` when it is emptied. */
export function ObjectPicker(props: {
  readonly type: string;
  readonly label: string;
  readonly picked: Picked | undefined;
  readonly onPick: (picked: Picked | undefined) => void;
  readonly disabled?: boolean;
  /** While the field is empty; absent: that objects of the type are searched. */
  readonly placeholder?: string;
}): ReactNode {
  const { type, label, picked, onPick, disabled = false } = props;
  const { t } = useTexts();
  const { placeholder = type === 'Principal' ? t('picker.principal') : t('picker.search', { type }) } = props;
  const [text, setText] = useState('');
  const found = useFound(type, text === picked?.name ? '' : text);
  return (
    <Combobox.Root
      items={found.items}
      // The server has looked already.
      filter={null}
      value={picked ?? null}
      onValueChange={(next) => {
        onPick(next ?? undefined);
      }}
      onInputValueChange={setText}
      itemToStringLabel={({ name }) => name}
      isItemEqualToValue={(a, b) => a.id === b.id}
      disabled={disabled}
    >
      <Combobox.Input aria-label={label} placeholder={placeholder} />
      <Combobox.Portal>
        <Combobox.Positioner className="floating">
          <Combobox.Popup className="card options">
            <Combobox.Empty className="soft">
              {found.problem === undefined ? t('picker.none') : wordsOf(found.problem, t)}
            </Combobox.Empty>
            <Combobox.List>
              {(item: Picked) => (
                <Combobox.Item key={item.id} value={item} className="option">
                  {item.name}
                  <small className="soft">{item.id}</small>
                </Combobox.Item>
              )}
            </Combobox.List>
          </Combobox.Popup>
        </Combobox.Positioner>
      </Combobox.Portal>
    </Combobox.Root>
  );
}
