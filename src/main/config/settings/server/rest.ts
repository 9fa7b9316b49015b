import { choice, group, integer, string } from '../../setting.js';

const UNKNOWN_INPUT = ['accept', 'accept_warn', 'ignore', 'ignore_warn', 'reject', 'reject_warn'] as const;

export const restSettings = {
  ...group('servlets/JsonRestServlet', {
    'jsonrestservlet.defaultview': string('public', 'View of a request that names none'),
    'jsonrestservlet.outputdepth': integer(3, 'How deep related objects are written into an answer', {
      min: 0,
      max: 100,
    }),
    'jsonrestservlet.outputtimeout': integer(
      60_000,
      'Time that the objects below those of an answer may take together (ms); 0: no limit',
      { min: 0 },
    ),
    'jsonrestservlet.unknowninput.validation.mode': choice(
      'accept_warn',
      UNKNOWN_INPUT,
      'What happens to unknown keys of a request body',
    ),
  }),
  ...group('servlets/OpenAPIServlet', {
    'openapiservlet.server.title': string('Svc REST Server', 'Title of the OpenAPI document'),
    'openapiservlet.server.version': string('', 'Version of the OpenAPI document; empty: the version of this program'),
  }),
} as const;
