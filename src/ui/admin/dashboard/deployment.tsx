/** Applications and data, out and in (docs/interface/deployment.md 2 to 4, 7). */
import type { ReactNode } from 'react';
import { useTexts } from '../texts/index.js';
import { Export } from './export-form.js';
import { Import } from './import-form.js';

export function Deployment(): ReactNode {
  const { t } = useTexts();
  return (
    <section className="card" aria-label={t('deploy.title')}>
      <h2>{t('deploy.title')}</h2>
      <div className="halves">
        <Export />
        <Import />
      </div>
    </section>
  );
}
