/** The views of a type (docs/interface/schema.md 2.3, 8). */
import { type ReactNode, useState } from 'react';
import { Button, Empty, Tick } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { Trouble } from '../../frame/trouble.js';
import type { Entity } from '../../server/rest.js';
import { loadProperties, type PropertyInfo } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import type { Values } from '../form/draft.js';
import { TextInput, useForm } from '../form/fields.js';
import { ObjectWindow } from '../form/object-form.js';
import { loadMembers, ownedBy, type Owner } from '../model.js';

interface Named {
  readonly id: string;
  readonly name: string;
}

const linked = (value: unknown): readonly Named[] => (Array.isArray(value) ? (value as readonly Named[]) : []);
const split = (value: unknown): readonly string[] =>
  typeof value === 'string'
    ? value
        .split(',')
        .map((one) => one.trim())
        .filter((one) => one !== '')
    : [];

/** What the view shows, by name: linked properties first, as the server has it. */
const keysOf = (view: Entity): readonly string[] => [
  ...new Set([...linked(view['schemaProperties']).map(({ name }) => name), ...split(view['nonGraphProperties'])]),
];

const valuesOf = (view: Entity): Values => ({
  name: view.name ?? '',
  keys: keysOf(view),
  sortOrder: view['sortOrder'] ?? '',
});

const load = async (
  owner: Owner,
): Promise<{
  readonly views: readonly Entity[];
  readonly own: readonly Entity[];
  readonly all: readonly PropertyInfo[];
}> => {
  const [views, own, all] = await Promise.all([
    loadMembers('SchemaView', owner),
    loadMembers('SchemaProperty', owner),
    loadProperties(owner.name).catch(() => []),
  ]);
  return { views, own, all };
};

export function ViewList({ owner }: { readonly owner: Owner }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { value, again, problem } = useLoaded(() => load(owner));
  const [open, setOpen] = useState<Entity | 'new'>();
  const close = (): void => {
    setOpen(undefined);
  };
  const done = (): void => {
    close();
    again();
  };
  const idOf = new Map(value?.own.map(({ id, name }) => [name ?? '', id]));
  const view = open === 'new' ? undefined : open;
  return (
    <div>
      <div className="bar">
        <span className="grow soft">{t('views.help')}</span>
        <Button
          kind="main"
          onClick={() => {
            setOpen('new');
          }}
        >
          {t('views.create')}
        </Button>
      </div>
      <Trouble problem={problem} />
      {open === undefined || value === undefined ? null : (
        <ObjectWindow
          title={view === undefined ? t('views.new', { type: owner.name }) : `${owner.name} · ${view.name ?? ''}`}
          collection="SchemaView"
          id={view?.id}
          initial={view === undefined ? { name: '', keys: ['id', 'type', 'name'], sortOrder: '' } : valuesOf(view)}
          valuesOf={valuesOf}
          inputOf={({ keys, ...values }) => ({
            ...values,
            ...(keys === undefined ? {} : splitKeys(keys as readonly string[], idOf)),
            ...(view === undefined ? ownedBy(owner) : {}),
          })}
          onDone={done}
          deleteQuestion={t('views.deleteQuestion', { name: view?.name ?? '' })}
          onDeleted={done}
          onClose={close}
        >
          {() => <Fields all={value.all} />}
        </ObjectWindow>
      )}
      {value === undefined ? null : value.views.length === 0 ? (
        <Empty>{t('views.none')}</Empty>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('properties.name')}</th>
              <th scope="col">{t('views.keys')}</th>
            </tr>
          </thead>
          <tbody>
            {value.views.map((one) => (
              <tr key={one.id}>
                <th scope="row" className="long">
                  <button
                    type="button"
                    className="link"
                    onClick={() => {
                      setOpen(one);
                    }}
                  >
                    {one.name}
                  </button>
                </th>
                <td className="long">{keysOf(one).join(', ')}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

/** Properties of the type itself are linked, so that they follow a new name; all others are named. The order is told once more. */
function splitKeys(keys: readonly string[], idOf: ReadonlyMap<string, string>): Values {
  const own = keys.flatMap((key) => idOf.get(key) ?? []);
  return { schemaProperties: own, nonGraphProperties: keys.filter((key) => !idOf.has(key)).join(',') };
}

function Fields({ all }: { readonly all: readonly PropertyInfo[] }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { draft } = useForm();
  const [text, setText] = useState('');
  const keys = draft.values['keys'] as readonly string[];
  const known = new Set(all.map(({ jsonName }) => jsonName));
  // Keys that the type does not have any more are shown as well, so that they can be taken away.
  const offered = [...keys.filter((key) => !known.has(key)), ...known];
  const found = offered.filter((key) => key.toLowerCase().includes(text.toLowerCase()));
  return (
    <>
      <TextInput
        name="name"
        label={t('properties.name')}
        help={t('views.nameHelp')}
        list={['public', 'ui', 'custom']}
      />
      <fieldset className="group">
        <legend>{t('views.keysChosen', { n: keys.length })}</legend>
        <input
          type="search"
          value={text}
          aria-label={t('views.find')}
          placeholder={t('views.find')}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <div className="ticks keys">
          {found.map((key) => (
            <Tick
              key={key}
              label={key}
              checked={keys.includes(key)}
              onChange={(isOn) => {
                draft.set('keys', isOn ? [...keys, key] : keys.filter((one) => one !== key));
              }}
            />
          ))}
        </div>
      </fieldset>
      <TextInput name="sortOrder" label={t('views.sortOrder')} help={t('views.sortOrderHelp')} />
    </>
  );
}
