/** The schema (docs/interface/admin-ui.md, "Schema"). The place is `#/schema/<tab>`, and `#/schema/types/<Type>/<tab>` for one type. */
import { type ReactNode, useLayoutEffect } from 'react';
import { late } from '../../common/late.js';
import { useLoaded } from '../../common/work.js';
import { placeOf, type AreaProps } from '../frame/place.js';
import { Trouble } from '../frame/trouble.js';
import { TabRow } from '../parts/tab-row.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { schemaTexts } from '../texts/schema.js';
import { beginProperties } from './diagram/own-properties.js';
import { loadSchema } from './model.js';
import { Commands } from './operations/commands.js';
import { Documents } from './operations/documents.js';
import { Snapshots } from './operations/snapshots.js';
import { RelationTable } from './relations/relation-table.js';
import './schema.css';
import { TypePage } from './types/type-page.js';
import { TypeTable } from './types/type-table.js';

/** Its libraries are read when somebody looks at it. */
const Diagram = late(async () => (await import('./diagram/diagram.js')).default);

export default function SchemaArea({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(schemaTexts);
  const { value: schema, again, problem } = useLoaded(loadSchema);
  const [tab = 'types', name, part] = place;
  const isDiagram = tab === 'diagram';
  useLayoutEffect(() => {
    if (!isDiagram) return;
    // Together with the schema, and not after it.
    beginProperties();
    void Diagram.begin();
  }, [isDiagram]);
  const type = tab === 'types' ? schema?.types.find((one) => one.name === name) : undefined;
  return (
    <div className="schema">
      <h1 className="area-title">{t('schema.title')}</h1>
      <Trouble problem={problem} />
      {schema === undefined ? (
        problem === undefined ? (
          <p className="soft">{t('app.loading')}</p>
        ) : null
      ) : (
        <TabRow
          label={t('schema.title')}
          chosen={tab}
          onChoose={(next) => {
            location.hash = placeOf('schema', next);
          }}
          tabs={[
            {
              name: 'types',
              title: t('types.title'),
              content: () =>
                type !== undefined ? (
                  <TypePage
                    key={`${type.name} ${type.id ?? ''}`}
                    schema={schema}
                    type={type}
                    part={part}
                    onChanged={again}
                  />
                ) : (
                  <TypeTable schema={schema} missing={name} onChanged={again} />
                ),
            },
            {
              name: 'relations',
              title: t('relations.title'),
              content: () => <RelationTable schema={schema} chosen={name} onChanged={again} />,
            },
            {
              name: 'diagram',
              title: t('diagram.title'),
              content: () => (
                <Diagram schema={schema} onChanged={again} waiting={<p className="soft">{t('app.loading')}</p>} />
              ),
            },
            {
              name: 'snapshots',
              title: t('snapshots.title'),
              content: () => (
                <>
                  <Snapshots onRestored={again} />
                  <Documents onReplaced={again} />
                </>
              ),
            },
            {
              name: 'admin',
              title: t('commands.title'),
              content: () => <Commands schema={schema} onChanged={again} />,
            },
          ]}
        />
      )}
    </div>
  );
}
