/**
 * `/svc/rest`: the way of a REST request (ARCHITECTURE.md). Who asks, what is the path, may they, do it.
 */
import type { Exchange, Handler } from '../http/index.js';
import { AccessError, NOTICE_HEADER } from '../security/index.js';
import { NO_BODY, readRequestBody } from './body.js';
import type { RestRequest, RestServices, RestSettings, Verb } from './context.js';
import { sendNone } from './envelope.js';
import { RestError, sendError } from './errors.js';
import { Parameters } from './parameters.js';
import { route, signatureOf } from './router.js';
import { onRestSettingsChange, restSettings } from './settings.js';

const BASE = '/svc/rest';
const BODY_VERBS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The handler of everything below `/svc/rest`. */
export function createRest(services: RestServices): Handler {
  let settings = restSettings(services.config);
  onRestSettingsChange(services.config, () => {
    settings = restSettings(services.config);
  });
  return async (exchange) => {
    try {
      await handle(exchange, services, settings);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

async function handle(exchange: Exchange, services: RestServices, settings: RestSettings): Promise<void> {
  const startedAt = performance.now();
  const { method } = exchange;
  const { security } = services;
  // Promises only where there is something to wait for: an await costs a hot path more than the decision.
  const authenticated = security.authentication.authenticate(exchange);
  const actor = authenticated instanceof Promise ? await authenticated : authenticated;
  const notice = security.documentedPassword.noticeFor(actor.id);
  if (notice !== undefined) exchange.setHeader(NOTICE_HEADER, notice);
  const body = BODY_VERBS.has(method) ? await readRequestBody(exchange, settings.bodyLimit) : NO_BODY;
  // From here on the request sees one schema, whatever is committed meanwhile.
  const { schema } = services.schemas;
  const found = route(exchange.path.slice(BASE.length), schema, settings);
  const { resource } = found;
  if (method === 'OPTIONS') {
    exchange.setHeader('Allow', resource.allow.join(','));
    exchange.end();
    return;
  }
  const checking = security.resourceAccess.check(actor, signatureOf(found), method, exchange.path);
  if (checking !== undefined) await checking;
  const rules = security.objectAccess.of(actor);
  const access = rules instanceof Promise ? await rules : rules;
  const run = resource.verbs[(method === 'HEAD' ? 'GET' : method) as Verb];
  if (run === undefined) {
    const message = resource.notAllowedMessage?.(method) ?? `${method} not allowed on ${found.path}`;
    throw new RestError(405, message, [], { Allow: resource.allow.join(',') });
  }
  const request: RestRequest = {
    exchange,
    services,
    settings,
    schema,
    actor,
    access,
    path: found.path,
    view: found.view,
    parameters: new Parameters(exchange.query, settings.legacyParameters),
    body,
    startedAt,
  };
  try {
    await run(request);
  } catch (error) {
    await sendPending(request, error);
  }
}

/** A login that needs its second step is answered like a success without result; any other error is thrown again. */
async function sendPending(request: RestRequest, error: unknown): Promise<void> {
  if (!(error instanceof AccessError) || error.status !== 202) throw error;
  const { exchange } = request;
  exchange.status = error.status;
  for (const [name, value] of Object.entries(error.headers)) exchange.setHeader(name, value);
  await sendNone(request);
}
