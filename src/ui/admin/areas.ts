/** The areas. An area is a line here and a folder; it is loaded when it is opened. */
import type { ComponentType } from 'react';
import type { AreaProps } from './frame/place.js';
import type { TextKey } from './texts/en.js';

export interface Area {
  /** In the address: `#/<name>`. */
  readonly name: string;
  readonly title: TextKey;
  readonly load: () => Promise<{ readonly default: ComponentType<AreaProps> }>;
}

export const AREAS: readonly Area[] = [
  { name: 'dashboard', title: 'dashboard.title', load: () => import('./dashboard/dashboard.js') },
  { name: 'data', title: 'data.title', load: () => import('./data/data.js') },
  { name: 'schema', title: 'schema.title', load: () => import('./schema/schema.js') },
  { name: 'code', title: 'code.title', load: () => import('./code/code.js') },
  { name: 'console', title: 'console.title', load: () => import('./console/console.js') },
  { name: 'pages', title: 'pages.title', load: () => import('./pages/pages.js') },
  { name: 'security', title: 'security.title', load: () => import('./security/security.js') },
  { name: 'files', title: 'files.title', load: () => import('./files/files.js') },
  { name: 'mail-templates', title: 'mailTemplates.title', load: () => import('./mail-templates/mail-templates.js') },
  { name: 'localisations', title: 'localisations.title', load: () => import('./localisations/localisations.js') },
  { name: 'analytics', title: 'analytics.title', load: () => import('./analytics/analytics.js') },
  { name: 'changelog', title: 'changelog.title', load: () => import('./changelog/changelog.js') },
];
