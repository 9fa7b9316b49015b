/** `/svc/config`: the Configuration Interface (contract, Configuration interface; docs/interface/operations.md 1.6). */
import { builtFolder } from '../../shared/built-folder.js';
import { isJsonObject, parseJson, type JsonObject } from '../../shared/json/index.js';
import { bringsForm, HttpError, openPageFiles, type Exchange, type Handler } from '../http/index.js';
import { ConfigAccess, type AccessParts } from './access.js';
import { ConfigurationError } from './errors.js';
import { actByForm, actByQuery, hasAction } from './form-actions.js';
import type { ResourceParts } from './resource.js';
import { RESOURCES } from './resources.js';

const BASE = '/svc/config';
const API = `${BASE}/api/`;
/** The page; its scripts and styles lie beside it. */
const PAGE = 'config/index.html';
const FOLDER = 'config/';
/** Characters of a body. */
const LIMIT = 1024 * 1024;

export interface ConfigurationParts extends ResourceParts, Omit<AccessParts, 'config' | 'setup' | 'sessions'> {
  readonly version: string;
  readonly packs: () => boolean;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

/** Whether a path is that of the interface. */
export function isConfiguration(path: string): boolean {
  return path === BASE || path.startsWith(`${BASE}/`);
}

/** Answers all paths of the interface. */
export async function createConfiguration(parts: ConfigurationParts): Promise<Handler> {
  const files = await openPageFiles(builtFolder('ui'), parts.packs, 'no-referrer');
  const access = new ConfigAccess(parts);
  return async (exchange) => {
    try {
      if (exchange.path.startsWith(API)) await answerApi(exchange, exchange.path.slice(API.length), access, parts);
      else if (bringsForm(exchange)) await actByForm(exchange, access, parts);
      else if (exchange.method === 'GET' && hasAction(exchange)) await actByQuery(exchange, access, parts);
      else await files.answer(exchange, fileOf(exchange.path));
    } catch (error) {
      parts.sendError(exchange, error);
    }
  };
}

function fileOf(path: string): string {
  return path === BASE || path === `${BASE}/` ? PAGE : `${FOLDER}${path.slice(BASE.length + 1)}`;
}

async function answerApi(
  exchange: Exchange,
  name: string,
  access: ConfigAccess,
  parts: ConfigurationParts,
): Promise<void> {
  const { method } = exchange;
  if (name === 'state' && method === 'GET') {
    send(exchange, stateOf(exchange, access, parts));
    return;
  }
  if (name === 'login' && method === 'POST') {
    access.refuseForeign(exchange);
    const { password, token } = await inputOf(exchange);
    access.login(exchange, { password: textOf(password, 'password'), token: textOf(token, 'token') });
    send(exchange, { loggedIn: true });
    return;
  }
  if (name === 'logout' && method === 'POST') {
    access.logout(exchange);
    send(exchange, { loggedIn: false });
    return;
  }
  const session = access.require(exchange);
  const resource = RESOURCES.get(name);
  if (resource === undefined) throw new HttpError(404, `There is nothing at ${exchange.path}`);
  const answer = method === 'GET' || method === 'POST' ? resource[method] : undefined;
  if (answer === undefined) {
    const allow = Object.keys(resource).join(',');
    throw new HttpError(405, `${method} not allowed on ${exchange.path}`, { Allow: allow });
  }
  send(exchange, await answer({ parts, session, input: method === 'POST' ? await inputOf(exchange) : {} }));
}

/** What everybody may know, so that the page shows the right form. */
function stateOf(exchange: Exchange, access: ConfigAccess, { config, setup, version }: ConfigurationParts): JsonObject {
  const loggedIn = access.sessionOf(exchange) !== undefined;
  const known = {
    title: config.get('application.title'),
    instance: config.get('application.instance.name'),
    stage: config.get('application.instance.stage'),
    setup: setup.isComplete ? 'completed' : 'incomplete',
    loggedIn,
    hasPassword: config.get('superuser.password') !== '',
  };
  return loggedIn ? { ...known, version } : known;
}

/** JSON alone is taken: forms of other pages can send none without asking first. */
async function inputOf(exchange: Exchange): Promise<JsonObject> {
  if (!/^application\/json\b/i.test(exchange.header('content-type')))
    throw new HttpError(415, 'The body must be JSON, with Content-Type: application/json.');
  const text = (await exchange.readBody(LIMIT)).toString('utf8');
  exchange.bodyDone();
  const input = await parseJson(text);
  if (!isJsonObject(input)) throw new HttpError(400, 'The body must be one JSON object.');
  return input;
}

function textOf(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value;
  throw new ConfigurationError(422, `${name} must be a text`, name);
}

function send(exchange: Exchange, body: unknown): void {
  if (exchange.responded) return;
  exchange.setHeader('Content-Type', 'application/json; charset=utf-8');
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.end(JSON.stringify(body));
}
