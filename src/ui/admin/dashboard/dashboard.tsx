/** What runs here, and how it does (docs/interface/admin-ui.md 4). */
import type { ReactNode } from 'react';
import { Notice } from '../../common/parts.js';
import { useSession } from '../frame/session-context.js';
import { useTexts } from '../texts/index.js';
import { Contents } from './contents.js';
import './dashboard.css';
import { Deployment } from './deployment.js';
import { Jobs } from './jobs.js';
import { MaintenanceMode } from './maintenance-mode.js';
import { ServerLog } from './server-log.js';
import { ServerFacts } from './server-facts.js';

export default function Dashboard(): ReactNode {
  const { t } = useTexts();
  const { user } = useSession();
  return (
    <>
      <h1>{t('dashboard.title')}</h1>
      <div className="cards">
        {user.isAdmin ? <ServerFacts /> : null}
        <Contents />
      </div>
      {user.isAdmin ? null : <Notice kind="note">{t('dashboard.adminsOnly')}</Notice>}
      <Jobs />
      {user.isAdmin ? (
        <>
          <Deployment />
          <ServerLog />
          <MaintenanceMode />
        </>
      ) : null}
    </>
  );
}
