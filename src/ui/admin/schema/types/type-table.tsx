/** All types, with a search; own ones, and built-in ones when they are asked for. */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Empty, Notice, Tick } from '../../../common/parts.js';
import { goOn, placeOf } from '../../frame/place.js';
import { useFormats } from '../../texts/index.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import type { Schema } from '../model.js';
import { CreateType } from './create-type.js';

/** A longer table is no help to anybody; the search finds the others. */
const SHOWN = 200;

export function TypeTable({
  schema,
  missing,
  onChanged,
}: {
  readonly schema: Schema;
  readonly missing: string | undefined;
  readonly onChanged: () => void;
}): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { number } = useFormats();
  const [text, setText] = useState('');
  const [withBuiltin, setWithBuiltin] = useState(false);
  const [creating, setCreating] = useState(false);
  const wanted = text.trim().toLowerCase();
  const own = schema.types.filter(({ id }) => id !== undefined);
  const found = (withBuiltin ? schema.types : own).filter(
    ({ name, inherits }) =>
      name.toLowerCase().includes(wanted) || inherits.some((one) => one.toLowerCase().includes(wanted)),
  );
  const relations = new Map<string, number>();
  for (const { source, target } of schema.relations)
    for (const end of new Set([source, target])) relations.set(end, (relations.get(end) ?? 0) + 1);
  return (
    <section>
      {missing === undefined ? null : <Notice kind="note">{t('types.missing', { name: missing })}</Notice>}
      <div className="bar">
        <input
          type="search"
          className="find"
          value={text}
          aria-label={t('types.find')}
          placeholder={t('types.find')}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <Tick label={t('types.withBuiltin')} checked={withBuiltin} onChange={setWithBuiltin} />
        <span className="grow" />
        <Button
          kind="main"
          onClick={() => {
            setCreating(true);
          }}
        >
          {t('types.create')}
        </Button>
      </div>
      {creating ? (
        <CreateType
          schema={schema}
          onClose={() => {
            setCreating(false);
          }}
          onCreated={(name) => {
            setCreating(false);
            onChanged();
            goOn(placeOf('schema', 'types', name));
          }}
        />
      ) : null}
      {found.length === 0 ? (
        <Empty>{own.length === 0 && wanted === '' ? t('types.none') : t('types.noneFound')}</Empty>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('types.name')}</th>
              <th scope="col">{t('types.inherits')}</th>
              <th scope="col">{t('relations.title')}</th>
              <th scope="col">{t('types.kind')}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN).map(({ name, id, inherits, isBuiltin, isServiceClass }) => (
              <tr key={name}>
                <th scope="row" className="long">
                  <a href={placeOf('schema', 'types', name)}>{name}</a>
                </th>
                <td className="long" data-label={t('types.inherits')}>
                  {inherits.length === 0 ? <span className="soft">–</span> : inherits.join(', ')}
                </td>
                <td data-label={t('relations.title')}>{number(relations.get(name) ?? 0)}</td>
                <td>
                  {isServiceClass ? <Badge>{t('types.service')}</Badge> : null}
                  {isBuiltin ? <Badge>{id === undefined ? t('types.builtin') : t('types.extended')}</Badge> : null}
                  {!isBuiltin && !isServiceClass ? <Badge kind="good">{t('types.own')}</Badge> : null}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > SHOWN ? <p className="soft">{t('types.more', { n: number(found.length - SHOWN) })}</p> : null}
    </section>
  );
}
