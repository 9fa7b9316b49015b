/** Components that every document has beside the schemas (docs/interface/rest.md 9.3). */
import type { JsonObject } from '../../../../shared/json/index.js';
import { schemaRef } from '../names.js';

export const SECURITY_SCHEMES: JsonObject = {
  CookieAuth: { type: 'apiKey', in: 'cookie', name: 'JSESSIONID', description: 'The session that a login begins' },
  BearerAuth: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  XUserAuth: { type: 'apiKey', in: 'header', name: 'X-User', description: 'User name; together with X-Password' },
  XPassAuth: { type: 'apiKey', in: 'header', name: 'X-Password', description: 'Password; together with X-User' },
};

/** One of these is needed; the two headers belong together. */
export const SECURITY: JsonObject[] = [{ CookieAuth: [] }, { BearerAuth: [] }, { XUserAuth: [], XPassAuth: [] }];

const json = (schema: string): JsonObject => ({ 'application/json': { schema: schemaRef(schema) } });
const answer = (description: string, schema: string): JsonObject => ({ description, content: json(schema) });

export const RESPONSES: JsonObject = {
  ok: answer('Done', 'ok'),
  created: answer('Created; the result holds the ids of the new objects', 'CreateResponse'),
  badRequest: answer('The request cannot be understood: broken JSON, or an unknown search key', 'RESTResponse'),
  unauthorized: answer('The credentials are wrong, or the permission for this endpoint is missing', 'RESTResponse'),
  loginError: answer('The user name or the password is wrong', 'RESTResponse'),
  loginResponse: answer('Logged in; the result is the user', 'LoginResponse'),
  tokenError: answer('The credentials are wrong, or the refresh token is not valid', 'RESTResponse'),
  tokenResponse: answer('Issued; the result holds the tokens', 'TokenResponse'),
  forbidden: answer('The object may not be changed, or the endpoint is for administrators', 'RESTResponse'),
  notFound: answer('There is no such object, or it may not be read', 'RESTResponse'),
  validationError: answer('The values are not valid; the errors say which and why', 'RESTResponse'),
};

/**
 * For endpoints whose feature is not part of the service yet. They are described because clients are generated from the
 * document; this entry goes when the feature comes.
 */
export const NOT_AVAILABLE: JsonObject = answer(
  'This version of the service does not have this feature yet',
  'RESTResponse',
);

/** A reference to one of `RESPONSES`. */
export const responseRef = (name: string): JsonObject => ({ $ref: `#/components/responses/${name}` });
/** A reference to one of `sharedParameters`. */
export const parameterRef = (name: string): JsonObject => ({ $ref: `#/components/parameters/${name}` });

/** Query parameters of many operations; `legacyNames` as in `application.legacy.requestparameters.enabled`. */
export function sharedParameters(legacyNames: boolean): JsonObject {
  const query = (name: string, description: string, schema: JsonObject): JsonObject => ({
    name: reservedName(name, legacyNames),
    in: 'query',
    description,
    schema,
  });
  return {
    page: query('page', 'Number of the page', { type: 'integer', format: 'int32', default: 1 }),
    pageSize: query('pageSize', 'Objects on a page; all of them without it', { type: 'integer', format: 'int32' }),
    inexactSearch: query('inexact', 'Search keys find parts of texts, in any case', {
      type: 'boolean',
      default: false,
    }),
    outputNestingDepth: query('outputNestingDepth', 'How deep related objects are written', {
      type: 'integer',
      format: 'int32',
    }),
  };
}

/** A reserved parameter as requests name it. */
export const reservedName = (name: string, legacyNames: boolean): string => (legacyNames ? name : `_${name}`);
