/** The component schemas that every document has, whatever the schema of the database (docs/interface/rest.md 9.3). */
import type { JsonObject } from '../../../../shared/json/index.js';

const text = (description?: string): JsonObject => ({
  type: 'string',
  ...(description === undefined ? {} : { description }),
});
const count = (description: string): JsonObject => ({ type: 'integer', format: 'int64', description });
const seconds = (description: string): JsonObject => ({ type: 'string', description, example: '0.000123456' });

const totals: JsonObject = {
  matches: {
    type: 'array',
    description: 'With _search: what is known of each result beside it, in the same order',
    items: {
      type: 'object',
      properties: {
        id: { type: 'string' },
        score: { type: 'number', description: '1 for the best one that may be read, less for the others' },
        snippets: {
          type: 'object',
          description: 'By property, HTML around what was found, which is in mark elements',
          additionalProperties: { type: 'array', items: { type: 'string' } },
        },
      },
    },
  },
  result_count: count('Number of results; missing when there are more than the soft limit'),
  page_count: count('Number of pages; missing together with result_count'),
  result_count_time: seconds('Seconds spent counting'),
  serialization_time: seconds('Seconds spent writing the answer'),
};

const withResult = (base: string, result: JsonObject): JsonObject => ({
  allOf: [{ $ref: `#/components/schemas/${base}` }, { type: 'object', properties: { result } }],
});

function credentials(key: 'name' | 'eMail'): JsonObject {
  return {
    type: 'object',
    required: [key, 'password'],
    properties: { [key]: text(), password: { type: 'string', format: 'password' } },
  };
}

/** By name; `User` and `NodeInterface` are made of their types. */
export const FIXED_SCHEMAS: ReadonlyMap<string, JsonObject> = new Map<string, JsonObject>([
  [
    'GetBaseResponse',
    {
      type: 'object',
      description: 'What an answer to GET holds beside its result',
      properties: {
        ...totals,
        query_time: seconds('Seconds spent searching'),
        page: count('Number of the page; only with a page size'),
        page_size: count('Size asked for; only with a page size'),
        info: { type: 'object', description: 'Says so when the result was cut at the soft limit' },
      },
    },
  ],
  [
    'WriteBaseResponse',
    { type: 'object', description: 'What an answer to a writing request holds beside its result', properties: totals },
  ],
  ['WriteResponse', withResult('WriteBaseResponse', { type: 'array', description: 'Empty', items: {} })],
  [
    'CreateResponse',
    withResult('WriteBaseResponse', { type: 'array', description: 'Ids of the new objects', items: text() }),
  ],
  ['LoginResponse', withResult('WriteBaseResponse', { $ref: '#/components/schemas/User' })],
  [
    'TokenResponse',
    withResult('WriteBaseResponse', {
      type: 'object',
      properties: {
        access_token: text(),
        refresh_token: text(),
        expiration_date: text('Milliseconds since 1970'),
        token_type: { type: 'string', enum: ['Bearer'] },
      },
    }),
  ],
  ['ok', withResult('WriteBaseResponse', { description: 'Whatever the request results in' })],
  [
    'ErrorToken',
    {
      type: 'object',
      description: 'One thing that is wrong',
      properties: {
        type: text('Type of the object'),
        property: text('Name of the property'),
        token: { type: 'string', description: 'What is wrong with it', example: 'must_not_be_empty' },
        detail: { description: 'What would be right, or which object is concerned' },
      },
    },
  ],
  [
    'RESTResponse',
    {
      type: 'object',
      required: ['code', 'message'],
      properties: {
        code: { type: 'integer', format: 'int32', description: 'The HTTP status' },
        message: text(),
        errors: { type: 'array', items: { $ref: '#/components/schemas/ErrorToken' } },
        moreErrors: { type: 'integer', format: 'int32', description: 'How many errors are left out' },
      },
    },
  ],
  ['UsernameLoginBody', credentials('name')],
  ['EMailLoginBody', credentials('eMail')],
  [
    'RefreshTokenLoginBody',
    {
      type: 'object',
      required: ['refresh_token'],
      properties: { refresh_token: text('As issued with the access token') },
    },
  ],
]);

/** Types whose public view every document has. */
export const FIXED_TYPES: readonly string[] = ['User', 'NodeInterface'];
