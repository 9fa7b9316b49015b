/** One type, with all that it is made of. */
import { type ReactNode, useState } from 'react';
import { Badge, Button } from '../../../common/parts.js';
import { useWork } from '../../../common/work.js';
import { placeOf } from '../../frame/place.js';
import { Trouble } from '../../frame/trouble.js';
import { TabRow } from '../../parts/tab-row.js';
import { create } from '../../server/rest.js';
import { useAreaTexts } from '../../texts/catalogue.js';
import { schemaTexts } from '../../texts/schema.js';
import { MethodList } from '../methods/method-list.js';
import type { Owner, Schema, SchemaType } from '../model.js';
import { PropertyList } from '../properties/property-list.js';
import { RelationTable } from '../relations/relation-table.js';
import { ViewList } from '../views/view-list.js';
import { Grants } from './grants.js';
import { TypeSettings } from './type-settings.js';

export function TypePage({
  schema,
  type,
  part,
  onChanged,
}: {
  readonly schema: Schema;
  readonly type: SchemaType;
  readonly part: string | undefined;
  readonly onChanged: () => void;
}): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const owner: Owner = { name: type.name, isRelation: false, ...(type.id === undefined ? {} : { id: type.id }) };
  const hasObjects = !type.isServiceClass;
  return (
    <section className="type-page">
      <p className="soft">
        <a href={placeOf('schema', 'types')}>← {t('types.all')}</a>
      </p>
      <h2 className="type-name">
        {type.name} {type.isBuiltin ? <Badge>{t('types.builtin')}</Badge> : null}
        {type.isServiceClass ? <Badge>{t('types.service')}</Badge> : null}
      </h2>
      <Traits schema={schema} type={type} />
      <TabRow
        label={type.name}
        chosen={part}
        onChoose={(next) => {
          location.hash = placeOf('schema', 'types', type.name, next);
        }}
        tabs={[
          ...(hasObjects
            ? [
                { name: 'properties', title: t('properties.title'), content: () => <PropertyList owner={owner} /> },
                {
                  name: 'relations',
                  title: t('relations.title'),
                  content: () => <RelationTable schema={schema} of={type.name} onChanged={onChanged} />,
                },
                { name: 'views', title: t('views.title'), content: () => <ViewList owner={owner} /> },
              ]
            : []),
          {
            name: 'methods',
            title: t('methods.title'),
            content: () => <MethodList owner={owner} isService={type.isServiceClass} />,
          },
          ...(hasObjects
            ? [{ name: 'grants', title: t('grants.title'), content: () => <Grants owner={owner} /> }]
            : []),
          {
            name: 'settings',
            title: t('settings.title'),
            content: () =>
              type.id === undefined ? (
                <Extend name={type.name} onChanged={onChanged} />
              ) : (
                <TypeSettings schema={schema} type={type} id={type.id} onChanged={onChanged} />
              ),
          },
        ]}
      />
    </section>
  );
}

/** What the type inherits, base first, each a way to it. */
function Traits({ schema, type }: { readonly schema: Schema; readonly type: SchemaType }): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const known = new Set(schema.types.map(({ name }) => name));
  const traits = type.traits.filter((name) => name !== type.name && known.has(name));
  const heirs = schema.types.filter(({ name, traits: theirs }) => name !== type.name && theirs.includes(type.name));
  const line = (title: string, names: readonly string[]): ReactNode =>
    names.length === 0 ? null : (
      <p className="traits">
        <span className="soft">{title}</span>
        {names.map((name) => (
          <a key={name} className="badge" href={placeOf('schema', 'types', name)}>
            {name}
          </a>
        ))}
      </p>
    );
  return (
    <>
      {line(t('types.traits'), traits)}
      {line(
        t('types.heirs'),
        heirs.map(({ name }) => name),
      )}
    </>
  );
}

function Extend({ name, onChanged }: { readonly name: string; readonly onChanged: () => void }): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { busy, problem, run } = useWork();
  const [done, setDone] = useState(false);
  return (
    <div className="card">
      <p>{t('types.extendHelp')}</p>
      <Trouble problem={problem} />
      <Button
        kind="main"
        disabled={busy || done}
        onClick={() => {
          void run(async () => {
            await create('SchemaNode', { name });
            setDone(true);
            onChanged();
          });
        }}
      >
        {t('types.extend')}
      </Button>
    </div>
  );
}
