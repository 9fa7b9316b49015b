/** The sections of an application export. A new one is one file in `sections/` and one line here. */
import { actionMapping } from './sections/action-mapping.js';
import { components } from './sections/components.js';
import { configurationData } from './sections/configuration-data.js';
import { cors } from './sections/cors.js';
import { files } from './sections/files.js';
import { grants } from './sections/grants.js';
import { localizations } from './sections/localizations.js';
import { mailTemplates } from './sections/mail-templates.js';
import { pagePaths } from './sections/page-paths.js';
import { pages } from './sections/pages.js';
import { parameterMapping } from './sections/parameter-mapping.js';
import { schema } from './sections/schema.js';
import { schemaGrants } from './sections/schema-grants.js';
import { sites } from './sections/sites.js';
import { flows } from './modules/flows.js';
import { kept } from './modules/kept.js';
import { messaging } from './modules/messaging.js';
import { virtualTypes } from './modules/virtual-types.js';
import { templates } from './sections/templates.js';
import { widgets } from './sections/widgets.js';
import type { Section } from './section.js';

/** In the order in which an import makes their objects. */
export const SECTIONS: readonly Section[] = [
  grants,
  cors,
  mailTemplates,
  widgets,
  localizations,
  configurationData,
  schema,
  schemaGrants,
  files,
  templates,
  components,
  pages,
  sites,
  pagePaths,
  parameterMapping,
  actionMapping,
  flows,
  messaging,
  virtualTypes,
  kept,
];

/** Files of which an export has at least one. */
export const MARKS: readonly string[] = [
  ...[
    'files.json',
    'sites.json',
    'page-paths.json',
    'pages.json',
    'components.json',
    'templates.json',
    'mail-templates.json',
  ],
  ...['localizations.json', 'widgets.json', 'application-configuration-data.json', 'events/action-mapping.json'],
  ...['events/parameter-mapping.json', 'security/grants.json', 'security/cors-settings.json', 'schema/schema.json'],
];
