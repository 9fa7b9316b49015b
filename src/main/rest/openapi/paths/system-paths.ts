/** Paths that need no schema: sessions, and the commands of administrators (docs/interface/rest.md 9.3). */
import { maintenanceCommand } from '../../maintenance/table.js';
import type { JsonObject } from '../../../../shared/json/index.js';
import { NOT_AVAILABLE, responseRef } from '../schemas/components.js';
import { operationIds, schemaRef } from '../names.js';
import { failures, jsonBody, operation, type PathEntry } from './operation.js';
import { MAINTENANCE_TAG, SESSION_TAG } from '../selection.js';

const CREDENTIALS = ['UsernameLoginBody', 'EMailLoginBody'].map(schemaRef);

/** Login, logout and tokens: in every document. */
export function sessionPaths(): readonly PathEntry[] {
  const post = (id: string, summary: string, body: JsonObject | undefined, responses: JsonObject): JsonObject => ({
    post: {
      ...operation({
        id,
        summary,
        tags: [SESSION_TAG],
        ...(body === undefined ? {} : { body: jsonBody(body) }),
        responses,
      }),
      // What gives credentials needs none.
      ...(body === undefined ? {} : { security: [] }),
    },
  });
  return [
    [
      '/login',
      post(
        'login',
        'Begin a session',
        { anyOf: [...CREDENTIALS] },
        {
          '200': responseRef('loginResponse'),
          '401': responseRef('loginError'),
          '403': responseRef('forbidden'),
        },
      ),
    ],
    ['/logout', post('logout', 'End the session', undefined, { '200': responseRef('ok'), ...failures() })],
    [
      '/token',
      post(
        'token',
        'Issue an access token and a refresh token',
        { anyOf: [...CREDENTIALS, schemaRef('RefreshTokenLoginBody')] },
        {
          '200': responseRef('tokenResponse'),
          '401': responseRef('tokenError'),
        },
      ),
    ],
  ];
}

type Field = 'string' | 'boolean' | 'integer';
interface Command {
  readonly summary: string;
  readonly fields?: Readonly<Record<string, Field | readonly string[]>>;
  /** It can be used already. */
}

/** Maintenance commands with the fields of their bodies (contract, Maintenance). */
const COMMANDS: Readonly<Record<string, Command>> = {
  analyzeSchema: { summary: 'Derive types from the data that is there' },
  changeNodePropertyKey: {
    summary: 'Move values of nodes to another key',
    fields: { type: 'string', oldKey: 'string', newKey: 'string' },
  },
  clearDatabase: { summary: 'Delete everything in the database' },
  copyRelationshipProperties: {
    summary: 'Copy values of relationships to another key',
    fields: { sourceKey: 'string', destKey: 'string' },
  },
  createLabels: {
    summary: 'Bring the labels of nodes in line with their types',
    fields: { type: 'string', removeUnused: 'boolean' },
  },
  deleteSpatialIndex: { summary: 'Delete the nodes of an old spatial index' },
  deploy: {
    summary: 'Export or import the application',
    fields: { mode: ['export', 'import'], target: 'string', source: 'string' },
  },
  deployData: {
    summary: 'Export or import data',
    fields: { mode: ['export', 'import'], target: 'string', source: 'string', types: 'string' },
  },
  directFileImport: {
    summary: 'Import a folder of the server into the file system',
    fields: {
      source: 'string',
      target: 'string',
      mode: ['copy', 'move'],
      existing: ['skip', 'overwrite', 'rename'],
      index: 'boolean',
    },
  },
  fixNodeProperties: { summary: 'Convert values of the wrong type', fields: { type: 'string', name: 'string' } },
  flushCaches: { summary: 'Empty the caches' },
  letsencrypt: {
    summary: 'Get a certificate',
    fields: {
      server: ['staging', 'production'],
      challenge: ['http', 'dns'],
      mode: ['wait', 'create', 'verify'],
      wait: 'integer',
    },
  },
  maintenanceMode: { summary: 'Switch the maintenance mode', fields: { action: ['enable', 'disable'] } },
  manageDatabases: {
    summary: 'List and change database connections',
    fields: {
      command: ['list', 'add', 'remove', 'activate'],
      name: 'string',
      url: 'string',
      username: 'string',
      password: 'string',
    },
  },
  manageThreads: {
    summary: 'List and stop threads',
    fields: { command: ['list', 'interrupt', 'kill'], id: 'integer' },
  },
  migrate: { summary: 'Run the steps of migration', fields: { mode: ['dry-run', 'apply'] } },
  migrateChangelog: { summary: 'Move changelogs of objects to files' },
  extractText: {
    summary: 'Read the texts of files anew',
    fields: { type: 'string', folder: 'string' },
  },
  rebuildIndex: {
    summary: 'Build indexes anew',
    fields: { type: 'string', relType: 'string', mode: ['nodesOnly', 'relsOnly', 'fulltext'] },
  },
  setNodeProperties: { summary: 'Set values of all nodes of a type', fields: { type: 'string', newType: 'string' } },
  setRelationshipProperties: { summary: 'Set values of all relationships of a type', fields: { type: 'string' } },
  setUuid: {
    summary: 'Give ids to objects without one',
    fields: { type: 'string', relType: 'string', allNodes: 'boolean', allRels: 'boolean' },
  },
  sync: {
    summary: 'Export or import the graph',
    fields: {
      mode: ['export', 'exportDb', 'import'],
      file: 'string',
      query: 'string',
      validate: 'boolean',
      batchSize: 'integer',
    },
  },
};

/** Maintenance commands: in the whole document only. */
export function maintenancePaths(): readonly PathEntry[] {
  return Object.entries(COMMANDS).map(([name, { summary, fields = {} }]) => [
    `/maintenance/${name}`,
    {
      post: operation({
        id: operationIds.maintenance(name),
        summary,
        tags: [MAINTENANCE_TAG],
        body: jsonBody(bodySchema({ ...fields, background: 'boolean' }), false),
        responses: {
          '200': responseRef('ok'),
          ...failures('forbidden', 'validationError'),
          ...(maintenanceCommand(name) === 'missing' ? { '501': NOT_AVAILABLE } : {}),
        },
      }),
    },
  ]);
}

function bodySchema(fields: NonNullable<Command['fields']>): JsonObject {
  const field = (kind: Field | readonly string[]): JsonObject =>
    typeof kind === 'string' ? { type: kind } : { type: 'string', enum: [...kind] };
  const properties = Object.entries(fields).map(([name, kind]) => [name, field(kind)] as const);
  return { type: 'object', ...(properties.length === 0 ? {} : { properties: Object.fromEntries(properties) }) };
}
