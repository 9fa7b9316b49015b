/** Users, groups and who may do what (docs/interface/admin-ui.md, Security). The place is `#/security/<tab>/<what is open>`. */
import type { ReactNode } from 'react';
import { placeOf, type AreaProps } from '../frame/place.js';
import { TabRow } from '../parts/tab-row.js';
import { useAreaTexts } from '../texts/catalogue.js';
import { security } from '../texts/security.js';
import { Endpoints } from './endpoints/endpoints.js';
import { Origins } from './origins/origins.js';
import { People } from './people/people.js';
import { TypeGrants } from './types/type-grants.js';
import { Why } from './why/why.js';
import './security.css';

export default function Security({ place }: AreaProps): ReactNode {
  const { t } = useAreaTexts(security);
  const [tab, opened, further] = place;
  return (
    <>
      <h1>{t('security.title')}</h1>
      <TabRow
        label={t('security.title')}
        chosen={tab}
        onChoose={(name) => {
          location.hash = placeOf('security', name);
        }}
        tabs={[
          { name: 'people', title: t('sec.people'), content: () => <People opened={opened} /> },
          { name: 'endpoints', title: t('sec.endpoints'), content: () => <Endpoints /> },
          { name: 'types', title: t('sec.types'), content: () => <TypeGrants /> },
          { name: 'origins', title: t('sec.cors'), content: () => <Origins /> },
          { name: 'why', title: t('sec.why'), content: () => <Why object={opened} user={further} /> },
        ]}
      />
    </>
  );
}
