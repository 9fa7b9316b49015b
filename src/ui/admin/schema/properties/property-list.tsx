/** The properties of a type or a relation: own ones to be edited, inherited ones to be seen. */
import { type ReactNode, useState } from 'react';
import { Badge, Button, Empty } from '../../../common/parts.js';
import { useLoaded } from '../../../common/work.js';
import { placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import type { Entity } from '../../server/rest.js';
import { loadProperties, type PropertyInfo } from '../../server/schema.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { memberTexts, type MemberText } from '../../texts/schema-members.js';
import { isBase, loadMembers, text, type Owner } from '../model.js';
import { PropertyForm } from './property-form.js';

const MARKS: readonly (readonly [flag: string, title: MemberText])[] = [
  ['notNull', 'properties.notNull'],
  ['unique', 'properties.unique'],
  ['compound', 'properties.compound'],
  ['indexed', 'properties.indexed'],
  ['fulltext', 'properties.fulltext'],
  ['readOnly', 'properties.readOnly'],
];

const load = async (
  owner: Owner,
): Promise<{
  readonly own: readonly Entity[];
  readonly views: readonly Entity[];
  readonly all: readonly PropertyInfo[];
}> => {
  const [own, views, all] = await Promise.all([
    loadMembers('SchemaProperty', owner),
    loadMembers('SchemaView', owner),
    loadProperties(owner.name).catch(() => []),
  ]);
  return { own, views, all };
};

export function PropertyList({ owner }: { readonly owner: Owner }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const { value, again, problem } = useLoaded(() => load(owner));
  const [open, setOpen] = useState<Entity | 'new'>();
  const close = (): void => {
    setOpen(undefined);
  };
  const names = new Set(value?.own.map(({ name }) => name));
  const inherited = value?.all.filter(({ jsonName }) => !names.has(jsonName)) ?? [];
  return (
    <div>
      <div className="bar">
        <span className="grow soft">{t('properties.help')}</span>
        <Button
          kind="main"
          onClick={() => {
            setOpen('new');
          }}
        >
          {t('properties.create')}
        </Button>
      </div>
      <Trouble problem={problem} />
      {open === undefined || value === undefined ? null : (
        <PropertyForm
          owner={owner}
          property={open === 'new' ? undefined : open}
          views={value.views}
          onDone={() => {
            close();
            again();
          }}
          onClose={close}
        />
      )}
      {value === undefined ? null : value.own.length === 0 ? (
        <Empty>{t('properties.none')}</Empty>
      ) : (
        <table className="schema-table framed">
          <thead>
            <tr>
              <th scope="col">{t('properties.name')}</th>
              <th scope="col">{t('properties.type')}</th>
              <th scope="col">{t('properties.rules')}</th>
              <th scope="col">{t('properties.defaultValue')}</th>
            </tr>
          </thead>
          <tbody>
            {value.own.map((property) => (
              <tr key={property.id}>
                <th scope="row" className="long">
                  <button
                    type="button"
                    className="link"
                    onClick={() => {
                      setOpen(property);
                    }}
                  >
                    {property.name}
                  </button>
                  <small className="soft">{text(property['hint'])}</small>
                </th>
                <td className="long">
                  {String(property['propertyType'])}
                  <small className="soft">{text(property['format']).slice(0, 120)}</small>
                </td>
                <td>
                  <Marks of={property} />
                </td>
                <td className="long">{text(property['defaultValue']).slice(0, 120)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {inherited.length === 0 ? null : <Inherited properties={inherited} owner={owner} />}
    </div>
  );
}

function Marks({ of }: { readonly of: Readonly<Record<string, unknown>> | PropertyInfo }): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  const flags = of as Readonly<Record<string, unknown>>;
  return (
    <span className="marks">
      {MARKS.filter(([flag]) => flags[flag] === true).map(([flag, title]) => (
        <Badge key={flag}>{t(title)}</Badge>
      ))}
    </span>
  );
}

/** What comes from other traits and from relations. */
function Inherited({
  properties,
  owner,
}: {
  readonly properties: readonly PropertyInfo[];
  readonly owner: Owner;
}): ReactNode {
  const { t } = useAreaTexts(memberTexts);
  return (
    <details className="inherited">
      <summary>{t('properties.inherited', { n: properties.length })}</summary>
      <table className="schema-table framed">
        <thead>
          <tr>
            <th scope="col">{t('properties.name')}</th>
            <th scope="col">{t('properties.type')}</th>
            <th scope="col">{t('properties.rules')}</th>
            <th scope="col">{t('properties.from')}</th>
          </tr>
        </thead>
        <tbody>
          {properties.map((property) => (
            <tr key={property.jsonName}>
              <th scope="row" className="long">
                {property.jsonName}
              </th>
              <td className="long">{property.uiType}</td>
              <td>
                <Marks of={property} />
              </td>
              <td className="long">
                {property.declaringClass === owner.name ? (
                  t('properties.fromRelation')
                ) : isBase(property.declaringClass) ? (
                  property.declaringClass
                ) : (
                  <a href={placeOf('schema', 'types', property.declaringClass)}>{property.declaringClass}</a>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
