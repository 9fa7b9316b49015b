/**
 * `/svc/login`, `/svc/logout` and `/svc/token`: what the REST endpoints of these names do, for forms of pages
 * (docs/interface/security.md 3.3). They answer with a redirect, or with JSON to scripts of pages that ask for it, and need no permission for an endpoint.
 */
import type { Config } from '../../config/index.js';
import { HttpError, targetOf, type Exchange, type Handler } from '../../http/index.js';
import type { JsonObject } from '../../../shared/json/index.js';
import type { Requests } from '../../request/index.js';
import type { Security } from '../../security/index.js';
import { beginSession, endLogin, grantTokens, refuseForeign } from './credentials.js';
import { describeError, RestError, sendError } from '../errors.js';

/** The path of the page that a status shows whoever sends a request; undefined: there is none. */
export type ErrorPath = (exchange: Exchange, status: number) => Promise<string | undefined>;

type Action = (exchange: Exchange, security: Security, form: JsonObject, requests: Requests) => Promise<unknown>;

const actions: ReadonlyMap<string, Action> = new Map<string, Action>([
  ['/svc/login', beginSession],
  ['/svc/token', grantTokens],
  [
    '/svc/logout',
    async (exchange, security, _, requests) => {
      await endLogin(exchange, security, await requests.sender(exchange));
    },
  ],
]);

const BODY_LIMIT = 65_536;
const FORM = /^application\/x-www-form-urlencoded\s*(?:;|$)/i;

/** Handler of the three paths. `errorPath`: of pages. */
export function createForms(config: Config, security: Security, requests: Requests, errorPath: ErrorPath): Handler {
  return async (exchange) => {
    const action = actions.get(exchange.path);
    if (action === undefined) {
      sendError(exchange, new RestError(404, `There is no form at ${exchange.path}`));
    } else if (exchange.method !== 'POST') {
      const message = `${exchange.method} not allowed on ${exchange.path}`;
      sendError(exchange, new RestError(405, message, [], { Allow: 'POST' }));
    } else {
      await submit(exchange, security, requests, action, errorPath, config.get('application.root.path'));
    }
  };
}

/** Whether the path is that of a form. */
export function isForm(path: string): boolean {
  return actions.has(path);
}

async function submit(
  exchange: Exchange,
  security: Security,
  requests: Requests,
  action: Action,
  errorPath: ErrorPath,
  root: string,
): Promise<void> {
  try {
    refuseForeign(exchange, security);
    const form = await readForm(exchange);
    await action(exchange, security, form, requests);
    if (wantsJson(exchange)) {
      exchange.status = 204;
      exchange.setHeader('Cache-Control', 'no-store');
      exchange.end();
      return;
    }
    const { target } = form;
    // Who says where to go on knows what the address begins with.
    redirect(exchange, target === undefined || target === '' ? `${root}/` : targetOf(target));
  } catch (error) {
    if (exchange.aborted || exchange.responded) return;
    if (wantsJson(exchange)) {
      exchange.setHeader('Cache-Control', 'no-store');
      sendError(exchange, error);
      return;
    }
    const { status, headers } = describeError(error);
    for (const [name, value] of Object.entries(headers)) exchange.setHeader(name, value);
    redirect(exchange, `${root}${(await errorPath(exchange, status)) ?? '/'}?status=${String(status)}`);
  }
}

/** Scripts of pages cannot see a redirect, so that they ask for what it would say, and for nothing else: libraries name JSON among others by themselves. */
function wantsJson(exchange: Exchange): boolean {
  return exchange.header('accept').trim().toLowerCase() === 'application/json';
}

async function readForm(exchange: Exchange): Promise<JsonObject> {
  const bytes = await exchange.readBody(BODY_LIMIT);
  const form = Object.create(null) as JsonObject;
  if (bytes.length === 0) return form;
  if (!FORM.test(exchange.header('content-type'))) throw new HttpError(415, 'The body must be that of a form');
  for (const [name, value] of new URLSearchParams(bytes.toString())) form[name] ??= value;
  return form;
}

function redirect(exchange: Exchange, location: string): void {
  exchange.status = 302;
  exchange.setHeader('Location', location);
  exchange.setHeader('Cache-Control', 'no-store');
  exchange.end();
}
