/** Relations, of all types or of one, with a search; the place `#/schema/relations/<id>` is one of them. */
import { type ReactNode, useState } from 'react';
import { Button, Empty, Notice } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { goOn, placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { TabRow } from '../../parts/tab-row.js';
import { read, type Entity } from '../../server/rest.js';
import { useFormats } from '../../texts/index.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts } from '../../texts/schema-members.js';
import { MethodList } from '../methods/method-list.js';
import type { Owner, Relation, Schema } from '../model.js';
import { PropertyList } from '../properties/property-list.js';
import { ViewList } from '../views/view-list.js';
import { CreateRelation, RelationSettings } from './relation-form.js';

const SHOWN = 200;

interface TableProps {
  readonly schema: Schema;
  /** The id of the relation that is open. */
  readonly chosen?: string | undefined;
  /** Only those that begin or end at this type. */
  readonly of?: string;
  readonly onChanged: () => void;
}

export function RelationTable(props: TableProps): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { schema, chosen, onChanged } = props;
  if (chosen === undefined) return <All {...props} />;
  const relation = schema.relations.find(({ id }) => id === chosen);
  if (relation === undefined) return <Notice kind="note">{t('relations.gone')}</Notice>;
  return <One key={relation.id} schema={schema} relation={relation} onChanged={onChanged} />;
}

function All({ schema, of, onChanged }: TableProps): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { number } = useFormats();
  const [text, setText] = useState('');
  const [creating, setCreating] = useState(false);
  const wanted = text.trim().toLowerCase();
  const mine =
    of === undefined
      ? schema.relations
      : schema.relations.filter(({ source, target }) => source === of || target === of);
  const found = mine.filter(({ name, sourceJsonName, targetJsonName }) =>
    [name, sourceJsonName, targetJsonName].some((one) => one.toLowerCase().includes(wanted)),
  );
  return (
    <section>
      <div className="bar">
        <input
          type="search"
          className="find"
          value={text}
          aria-label={t('relations.find')}
          placeholder={t('relations.find')}
          onChange={(event) => {
            setText(event.target.value);
          }}
        />
        <span className="grow" />
        <Button
          kind="main"
          onClick={() => {
            setCreating(true);
          }}
        >
          {t('relations.create')}
        </Button>
      </div>
      {creating ? (
        <CreateRelation
          schema={schema}
          {...(of === undefined ? {} : { source: of })}
          onDone={() => {
            setCreating(false);
            onChanged();
          }}
          onClose={() => {
            setCreating(false);
          }}
        />
      ) : null}
      {found.length === 0 ? (
        <Empty>{t('relations.none')}</Empty>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('relations.type')}</th>
              <th scope="col">{t('relations.source')}</th>
              <th scope="col">{t('relations.target')}</th>
              <th scope="col">{t('relations.names')}</th>
            </tr>
          </thead>
          <tbody>
            {found.slice(0, SHOWN).map((relation) => (
              <tr key={relation.id}>
                <th scope="row" className="long">
                  <a href={placeOf('schema', 'relations', relation.id)}>{relation.relationshipType}</a>
                </th>
                <td className="long">
                  <TypeLink name={relation.source} /> <span className="soft">{relation.sourceMultiplicity}</span>
                </td>
                <td className="long">
                  <TypeLink name={relation.target} /> <span className="soft">{relation.targetMultiplicity}</span>
                </td>
                <td className="long">
                  {[relation.targetJsonName, relation.sourceJsonName].filter(Boolean).join(' ⇄ ') || (
                    <span className="soft">{t('relations.madeUp')}</span>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {found.length > SHOWN ? <p className="soft">{t('relations.more', { n: number(found.length - SHOWN) })}</p> : null}
    </section>
  );
}

const TypeLink = ({ name }: { readonly name: string }): ReactNode => (
  <a href={placeOf('schema', 'types', name)}>{name}</a>
);

/** One relation: what it is, and what its relationships have. */
function One({
  schema,
  relation,
  onChanged,
}: {
  readonly schema: Schema;
  readonly relation: Relation;
  readonly onChanged: () => void;
}): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const [tab, setTab] = useState('settings');
  const { value: entity, problem } = useLoaded(() => read<Entity>(`SchemaRelationshipNode/${relation.id}/all`));
  const owner: Owner = { id: relation.id, name: relation.name, isRelation: true };
  return (
    <section className="type-page">
      <p className="soft">
        <a href={placeOf('schema', 'relations')}>← {t('relations.all')}</a>
      </p>
      <h2 className="type-name">
        {relation.source} – {relation.relationshipType} → {relation.target}
      </h2>
      <p className="traits">
        <TypeLink name={relation.source} />
        <TypeLink name={relation.target} />
      </p>
      <Trouble problem={problem} />
      {entity === undefined ? null : (
        <TabRow
          label={relation.name}
          chosen={tab}
          onChoose={setTab}
          tabs={[
            {
              name: 'settings',
              title: t('relations.settings'),
              content: () => (
                <RelationSettings
                  schema={schema}
                  relation={entity}
                  onDone={onChanged}
                  onDeleted={() => {
                    onChanged();
                    goOn(placeOf('schema', 'relations'));
                  }}
                />
              ),
            },
            { name: 'properties', title: t('properties.title'), content: () => <PropertyList owner={owner} /> },
            { name: 'views', title: t('views.title'), content: () => <ViewList owner={owner} /> },
            {
              name: 'methods',
              title: t('methods.title'),
              content: () => <MethodList owner={owner} isService={false} />,
            },
          ]}
        />
      )}
    </section>
  );
}
