/** The areas. An area is a line here and a folder; it is loaded when it is opened. */
import type { ComponentType } from 'react';
import type { TextKey } from './texts/en.js';

export interface Area {
  /** In the address: `#/<name>`. */
  readonly name: string;
  readonly title: TextKey;
  readonly load: () => Promise<{ readonly default: ComponentType<AreaProps> }>;
}

export interface AreaProps {
  /** What stands behind the area in the address, by its segments. */
  readonly place: readonly string[];
}

export const AREAS: readonly Area[] = [
  { name: 'dashboard', title: 'dashboard.title', load: () => import('./dashboard/dashboard.js') },
  { name: 'data', title: 'data.title', load: () => import('./data/data.js') },
  { name: 'pages', title: 'pages.title', load: () => import('./pages/pages.js') },
  { name: 'security', title: 'security.title', load: () => import('./security/security.js') },
];
