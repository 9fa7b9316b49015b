/**
 * The keywords of both languages (docs/interface/scripting.md 5), one row each. Names that exist in some scripts alone (`data`, `value`, `page`,
 * `current`, `link`, ...) are constants of the context, which are asked first.
 */
import { findSettingName, type Config } from '../../../config/index.js';
import type { ScriptContext } from '../run.js';
import { camelCase } from '../../language/camel-case.js';
import { currentUser, requestObject, sessionObject } from './request-objects.js';
import { RESPONSE } from '../response/response-body.js';
import { storeObject } from '../stores/stores.js';
import { ScriptEntity, type Awaitable, type ScriptMap, type ScriptValue } from '../../language/values.js';

export interface Keyword {
  /** In camelCase; snake_case is the same keyword. */
  readonly name: string;
  readonly aliases?: readonly string[];
  /** What it stands for, for the documentation. */
  readonly meaning: string;
  of(context: ScriptContext): Awaitable<ScriptValue>;
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const;
const NOT_IN_ANSWER = -1n;
/** Where the rooms begin that know of a path of their own (servlet paths of the interface). */
const ROOM = /^\/svc\/(?:rest|html)(?=\/|$)/;

export const keywords: readonly Keyword[] = [
  {
    name: 'this',
    meaning: 'The object whose script it is; null in static methods and user-defined functions.',
    of: (context) => context.self,
  },
  {
    name: 'me',
    meaning: 'The user whose rights the script has; null when nobody is logged in.',
    of: currentUser,
  },
  {
    name: 'now',
    meaning: 'The time; expressions see it as text in the default date format.',
    of: () => new Date(),
  },
  { name: 'locale', meaning: 'Language and country, such as `de_DE`.', of: ({ run }) => run.locale },
  {
    name: 'request',
    meaning: 'The parameters of the request; null without a request.',
    of: ({ run }) => (run.options.request === undefined ? null : requestObject(run.options.request)),
  },
  {
    name: 'session',
    meaning:
      'The session: its attributes, `id`, `creationTime`, `lastAccessedTime` and `isNew`. Without one, JavaScript keeps attributes until ' +
      'the request is over; in expressions it is null then.',
    of: (context) => sessionObject(context),
  },
  {
    name: 'response',
    meaning: 'The answer to the request, for `execBinary`; null without a request.',
    of: ({ run }) => (run.options.request === undefined ? null : RESPONSE),
  },
  {
    name: 'statusCode',
    meaning: 'Status of the answer as it is now.',
    of: ({ run }) => {
      const { request } = run.options;
      return request === undefined ? null : BigInt(run.response.status ?? request.exchange.status);
    },
  },
  { name: 'baseUrl', meaning: 'What the URLs of this server begin with.', of: baseUrl },
  {
    name: 'applicationRootPath',
    meaning: 'The setting `application.root.path`.',
    of: ({ run }) => run.parts.config.get('application.root.path'),
  },
  {
    name: 'host',
    meaning: 'Name of the server as the request calls it.',
    of: (context) => addressed(context)?.host ?? null,
  },
  {
    name: 'port',
    meaning: 'Port of the server as the request calls it.',
    of: (context) => {
      const port = addressed(context)?.port;
      return port === undefined ? null : BigInt(port);
    },
  },
  {
    name: 'ip',
    meaning: 'Address of the server that the request has arrived at.',
    of: ({ run }) =>
      run.options.request?.exchange.localAddress().then((address) => (address === '' ? null : address)) ?? null,
  },
  {
    name: 'remoteAddress',
    meaning: 'Address of the client; behind trusted proxies the one that they name.',
    of: ({ run }) => run.options.request?.exchange.address ?? null,
  },
  { name: 'pathInfo', meaning: 'Path of the request behind `/svc/rest` or `/svc/html`, decoded.', of: pathInfo },
  {
    name: 'queryString',
    meaning: 'Query of the request as it was sent; null when there is none.',
    of: ({ run }) => (run.options.request?.exchange.query ?? '') || null,
  },
  { name: 'parameterMap', meaning: 'Lists of the values of all parameters, by name.', of: parameterMap },
  {
    name: 'tenantIdentifier',
    meaning: 'The setting `database.tenant.identifier`.',
    of: ({ run }) => settingOf(run.parts.config, 'database.tenant.identifier') ?? null,
  },
  {
    name: 'applicationStore',
    meaning: 'Values that all scripts of this instance share until it ends.',
    of: ({ run }) => storeObject(run.parts.stores.application, run),
  },
  {
    name: 'requestStore',
    aliases: ['vars'],
    meaning: 'Values that all scripts of this request share.',
    of: ({ run }) => run.requestStore,
  },
  {
    name: 'methodParameters',
    aliases: ['arguments', 'args'],
    meaning: 'Arguments of the method that runs; null outside of methods.',
    of: (context) => context.parameters,
  },
  {
    name: 'depth',
    meaning:
      'For scripts that read a property while an answer is written: how deep its object is in it, from 0 for those at the top; -1 for ' +
      'all other scripts.',
    of: () => NOT_IN_ANSWER,
  },
  {
    name: 'id',
    meaning: 'Uuid of the object that the URL names (`current`).',
    of: ({ constants }) => {
      const current = constants.get('current');
      return current instanceof ScriptEntity ? current.id : null;
    },
  },
];

const byName: ReadonlyMap<string, Keyword> = new Map(
  keywords.flatMap((one) => [one.name, ...(one.aliases ?? [])].map((name) => [name, one] as const)),
);

/** The keyword of a name in either spelling; undefined: there is none. */
export function keywordNamed(name: string): Keyword | undefined {
  return byName.get(name) ?? byName.get(camelCase(name));
}

/** Whether a name is a keyword in any spelling. */
export function isKeyword(name: string): boolean {
  return keywordNamed(name) !== undefined;
}

/** A setting that may come with a later part of the server, or with the operator. */
function settingOf(config: Config, name: string): string | undefined {
  const known = findSettingName(name);
  return known === undefined ? config.dynamic().get(name) : String(config.get(known));
}

interface Addressed {
  readonly host: string;
  readonly port: number;
}

/** The server as the client calls it (`Host`), or as the settings do when the request does not say. */
function addressed({ run }: ScriptContext): Addressed | undefined {
  const exchange = run.options.request?.exchange;
  if (exchange === undefined) return undefined;
  const [, host, port] = /^(\[[0-9A-Fa-f:.]+\]|[\w.~-]*)(?::(\d{1,5}))?$/.exec(exchange.header('host')) ?? [];
  if (host === undefined || host === '') return configured(run.parts.config);
  return { host, port: port === undefined ? DEFAULT_PORTS[exchange.scheme] : Number(port) };
}

function configured(config: Config): Addressed {
  const host = config.get('application.host');
  const secure = config.get('application.https.enabled');
  return {
    // An address that stands for all addresses is no name to call the server by.
    host: ['', '0.0.0.0', '::'].includes(host) ? 'localhost' : host.includes(':') ? `[${host}]` : host,
    port: config.get(secure ? 'application.https.port' : 'application.http.port'),
  };
}

function baseUrl(context: ScriptContext): string {
  const { config } = context.run.parts;
  const override = config.get('application.baseurl.override');
  if (override !== '') return override;
  const scheme =
    context.run.options.request?.exchange.scheme ?? (config.get('application.https.enabled') ? 'https' : 'http');
  const { host, port } = addressed(context) ?? configured(config);
  return `${scheme}://${host}${port === DEFAULT_PORTS[scheme] ? '' : `:${String(port)}`}`;
}

function pathInfo({ run }: ScriptContext): string | null {
  const path = run.options.request?.exchange.path.replace(ROOM, '');
  if (path === undefined || path === '') return null;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function parameterMap({ run }: ScriptContext): ScriptMap | null {
  const { request } = run.options;
  if (request === undefined) return null;
  return new Map(
    [...request.parameters].map(([key, value]) => [key, typeof value === 'string' ? [value] : [...value]]),
  );
}
