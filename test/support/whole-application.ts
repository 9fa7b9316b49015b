/** An application that has something in every file of an export. */
import type { Client } from './client.js';
import { id } from './deploying.js';
import { writeTree } from './export-tree.js';

const visible = { visibleToPublicUsers: true, visibleToAuthenticatedUsers: true };
const entry = (digit: string, more: object = {}): object => ({ id: id(digit), ...visible, ...more });
const EDITORS = [{ name: 'editors', allowed: ['read', 'write'] }];
const at = (prefix: string, digit: string): string => `${prefix}${digit.repeat(32 - prefix.length)}`;

/** Files of an import, texts as they are, everything else as JSON. The user `owner` and the group `editors` have to be there. */
export const WHOLE: Readonly<Record<string, unknown>> = {
  'deployment.conf': 'visibility-flags-relative-to = parent\nuuid-format = without_dashes\n',
  'schema/schema.json': {
    definitions: {
      Task: {
        type: 'object',
        traits: ['Linkable'],
        properties: {
          due: { type: 'string', format: 'date-time' },
          size: { type: 'integer', minimum: 1, maximum: 5 },
          words: { type: 'array', items: { type: 'string' } },
          calc: { type: 'function', readFunction: './Task/functions/calc.readFunction', typeHint: 'int' },
        },
        required: ['due'],
        views: { mine: ['due', 'size'] },
        viewOrder: { mine: 'size, due' },
        methods: { go: { source: './Task/methods/go', isStatic: true, parameters: { a: { parameterIndex: 0 } } } },
        grants: { editors: { read: true, write: false, delete: false, accessControl: false } },
        tags: ['x'],
      },
      Part: { type: 'object', traits: [], properties: { label: { type: 'string' } } },
      TaskHASPart: {
        rel: 'HAS',
        $source: '#/definitions/Task',
        $target: '#/definitions/Part',
        sourceName: 'task',
        targetName: 'parts',
        cardinality: 'OneToMany',
        cascade: { delete: 'sourceToTarget' },
      },
    },
    methods: [{ name: 'twice', source: './_globalMethods/twice', parameters: { n: { parameterIndex: 0 } } }],
  },
  'schema/_globalMethods/twice': '{ return 2 * $.args.n; }',
  'schema/Task/methods/go': '{ return 1; }',
  'schema/Task/functions/calc.readFunction': '{ return 7; }',
  'security/grants.json': [entry('1', { signature: 'Task', flags: 21, grantees: EDITORS })],
  'security/schema-grants.json': [
    {
      id: at('1', '2'),
      principal: { name: 'editors' },
      schemaNode: { name: 'Task' },
      staticSchemaNodeName: null,
      allowRead: true,
      allowWrite: false,
      allowDelete: false,
      allowAccessControl: false,
    },
  ],
  'security/cors-settings.json': [{ id: id('2'), requestUri: '/svc/rest', acceptedOrigins: '*', maxAge: 5 }],
  'mail-templates.json': [entry('3', { name: 'welcome', locale: 'de', filename: 'welcome_-_de.html' })],
  'mail-templates/welcome_-_de.html': '<p>Hallo</p>',
  'widgets.json': [entry('4', { name: 'card', source: '<b></b>', selectors: ['p'], isPageTemplate: false })],
  'localizations.json': [entry('5', { name: 'hello', localizedName: 'hallo', locale: 'de', domain: 'd' })],
  'application-configuration-data.json': [
    { id: id('6'), name: 'layout', configType: 'ui', content: '{}', owner: { name: 'owner' }, grantees: EDITORS },
  ],
  'files.json': {
    '/assets': entry('7', {
      type: 'Folder',
      includeInFrontendExport: true,
      owner: { name: 'owner' },
      grantees: EDITORS,
    }),
    '/assets/a.txt': entry('8', { type: 'File', isTemplate: false, contentType: 'text/plain', cacheForSeconds: 3 }),
  },
  'files/assets/a.txt': 'text',
  'templates.json': { [`card-${id('9')}`]: entry('9', { contentType: 'text/html', shared: 'false' }) },
  [`templates/card-${id('9')}.html`]: '<i>${1 < 2}</i>',
  'components.json': { [`menu-${id('a')}`]: entry('a') },
  [`components/menu-${id('a')}.html`]: `<!-- @svc:public -->\n<nav data-svc-meta-name="menu" data-svc-meta-id="${id('a')}"></nav>`,
  'pages.json': {
    home: entry('b', {
      contentType: 'text/html',
      position: 1,
      cacheForSeconds: 5,
      owner: { name: 'owner' },
      grantees: EDITORS,
    }),
  },
  'pages/home.html': `<!DOCTYPE html>
<html data-svc-meta-id="${at('b', '1')}">
\t<body data-svc-meta-id="${at('b', '2')}">
\t\t<!-- @svc:owner(owner), @svc:grant(editors,rw) -->
\t\t<button data-svc-meta-id="${at('b', '3')}"><!-- @svc:content(text/plain) -->Go</button>
\t\t<!-- @svc:link(/assets/a.txt) -->
\t\t<a data-svc-meta-id="${at('b', '4')}"></a>
\t\t<svc:component src="menu-${id('a')}" data-svc-meta-id="${at('b', '5')}">
\t\t</svc:component>
\t\t<svc:template src="card-${id('9')}" data-svc-meta-name="card" data-svc-meta-id="${id('9')}"></svc:template>
\t</body>
</html>`,
  'sites.json': [
    entry('c', { name: 's', hostname: 'h.example', port: 80, pages: ['home'], owner: null, grantees: [] }),
  ],
  'page-paths.json': [
    entry('d', {
      name: '/home/{n}',
      priority: 3,
      page: { id: id('b') },
      parameters: [{ id: at('d', '1'), name: 'n', position: 0, valueType: 'Integer', isOptional: true }],
    }),
  ],
  'events/action-mapping.json': [
    entry('e', {
      event: 'click',
      action: 'create',
      dataType: 'Task',
      successNotificationsDelay: 100,
      triggerElements: [at('b', '3')],
      successTargets: [at('b', '4')],
      parameterMappings: [id('f')],
    }),
  ],
  'events/parameter-mapping.json': [
    entry('f', { name: 'p', parameterName: 'size', parameterType: 'user-input', inputElement: at('b', '3') }),
  ],
  'modules/flows/flows/shop/__children/order/flow-container.json': {
    id: at('0', 'a'),
    type: 'FlowContainer',
    name: 'order',
    ...visible,
  },
  [`modules/flows/flows/shop/__children/order/nodes/${at('0', 'b')}/node.json`]: {
    id: at('0', 'b'),
    type: 'FlowReturn',
    ...visible,
  },
  [`modules/flows/flows/shop/__children/order/nodes/${at('0', 'b')}/scripts/result`]: '1 + 1\n',
  [`modules/flows/flows/shop/__children/order/config/${at('0', 'c')}/config.json`]: {
    id: at('0', 'c'),
    type: 'FlowContainerConfiguration',
    name: 'c',
    validForEditor: 'e',
    configJson: '{"a": 1}',
    ...visible,
  },
  [`modules/flows/flows/shop/__children/order/rels/${at('0', 'd')}/rel.json`]: {
    id: at('0', 'd'),
    type: 'FlowContainerBaseNode',
    relType: 'FLOW_CONTAINER',
    sourceId: at('0', 'a'),
    targetId: at('0', 'b'),
  },
  [`modules/flows/flows/shop/__children/order/rels/${at('0', 'e')}/rel.json`]: {
    id: at('0', 'e'),
    type: 'FlowContainerFlowNode',
    relType: 'START_NODE',
    sourceId: at('0', 'a'),
    targetId: at('0', 'b'),
  },
  [`modules/flows/flows/shop/__children/order/rels/${at('0', 'f')}/rel.json`]: {
    id: at('0', 'f'),
    type: 'FlowContainerConfigurationFlow',
    relType: 'CONTAINS_CONFIGURATION_FOR',
    sourceId: at('0', 'c'),
    targetId: at('0', 'a'),
  },
  'modules/messaging-module/messaging-engine.json': [
    entry('1', { id: at('c', '1'), type: 'MessageSubscriber', name: 's', topic: 't', callback: '{}' }),
    entry('1', {
      id: at('c', '2'),
      type: 'KafkaClient',
      name: 'k',
      servers: ['a:1'],
      enabled: false,
      subscribers: [at('c', '1')],
    }),
  ],
  'modules/api-builder/virtual-types.json': [
    entry('1', {
      id: at('d', '2'),
      name: 'V',
      sourceType: 'Task',
      position: 1,
      properties: [{ id: at('d', '3'), sourceName: 'size', targetName: 'much', position: 1 }],
    }),
  ],
  'scratchpads.json': '[\n  {"id": "1", "name": "try"}\n]',
  'scratchpads/try-1.js': 'return 1;\n',
  'data-adapters.json': '[{"id":"2"}]\n',
  'component-configurations.json': '{"x": {"id": "3"}}',
  'modules/process/bpmn-deployment.json': '{"processes": [{"id": "4"}]}',
  'modules/own/deep/er/file.bin': 'x',
};

/** The users and groups that it names. */
export async function makePrincipals(admin: Client): Promise<void> {
  await admin.create('User', { name: 'owner', password: 'correct horse' });
  await admin.create('Group', { name: 'editors' });
}

/** Writes it into a directory. */
export function writeWhole(directory: string, changed: Readonly<Record<string, unknown>> = {}): Promise<void> {
  return writeTree(directory, { ...WHOLE, ...changed });
}
