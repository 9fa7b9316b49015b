/**
 * `/svc/rest`: the way of a REST request (ARCHITECTURE.md). Who asks, what is the path, may they, do it.
 */
import type { Exchange, Handler } from '../http/index.js';
import { AccessError, markAnswer, NOTICE_HEADER } from '../security/index.js';
import type { Actor, Schema } from '../schema/index.js';
import { NO_BODY, readRequestBody } from './body.js';
import { BodyMemory, type BodyShare } from './body-memory.js';
import type { RequestBody, RestRequest, RestServices, RestSettings, Verb } from './context.js';
import { sendNone } from './envelope.js';
import { RestError, sendError } from './errors.js';
import { HeldObjects } from './held-objects.js';
import { Parameters } from './parameters.js';
import { route, signatureOf, type Route } from './router.js';
import { bodyMemoryLimits, onRestSettingsChange, restSettings } from './settings.js';

const BASE = '/svc/rest';
/** Said to browsers that ask before they ask: the same at every path, as they ask without the user's credentials. */
const PREFLIGHT: readonly string[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const BODY_VERBS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** The handler of everything below `/svc/rest`. */
export function createRest(services: RestServices): Handler {
  let settings = restSettings(services.config);
  const memory = new BodyMemory(bodyMemoryLimits(services.config));
  const held = new HeldObjects();
  onRestSettingsChange(services.config, () => {
    settings = restSettings(services.config);
    memory.configure(bodyMemoryLimits(services.config));
  });
  return async (exchange) => {
    const way: Way = {
      exchange,
      services,
      settings,
      path: exchange.path.slice(BASE.length),
      startedAt: performance.now(),
      held,
    };
    try {
      await handle(way, memory);
    } catch (error) {
      sendError(exchange, error);
    }
  };
}

/** What is known of a request from its beginning. */
interface Way {
  readonly exchange: Exchange;
  readonly services: RestServices;
  readonly settings: RestSettings;
  /** As sent, after `/svc/rest`. */
  readonly path: string;
  readonly startedAt: number;
  readonly held: HeldObjects;
}

/** Where a path leads, and by which schema. */
interface Found {
  readonly schema: Schema;
  readonly route: Route;
}

async function handle(way: Way, memory: BodyMemory): Promise<void> {
  const { exchange, services } = way;
  const { authentication, documentedPassword, principals } = services.security;
  if (exchange.method === 'OPTIONS' && services.security.isPreflight(exchange)) {
    sendAllow(exchange, PREFLIGHT);
    return;
  }
  const { generation } = principals;
  // Promises only where there is something to wait for: an await costs a hot path more than the decision.
  const authenticated = authentication.authenticate(exchange);
  const actor = authenticated instanceof Promise ? await authenticated : authenticated;
  markAnswer(exchange, actor);
  const notice = documentedPassword.noticeFor(actor.id);
  if (notice !== undefined) exchange.setHeader(NOTICE_HEADER, notice);
  if (BODY_VERBS.has(exchange.method)) {
    const share = memory.share(exchange.address, actor.id);
    try {
      await answerWithBody(way, actor, generation, share);
    } finally {
      share.release();
    }
    return;
  }
  const found = find(way);
  const checking = mayUse(way, actor, found);
  if (checking !== undefined) await checking;
  await answer(way, actor, found, NO_BODY);
}

/**
 * Nothing is taken from who may not use the endpoint. And who lost his rights while his body was on its way, which he can
 * make long, is asked again.
 */
async function answerWithBody(way: Way, sender: Actor, generation: number, share: BodyShare): Promise<void> {
  const { exchange, services, settings } = way;
  const { principals, authentication } = services.security;
  let actor = sender;
  let found = find(way);
  const before = mayUse(way, actor, found);
  if (before !== undefined) await before;
  const body = await readRequestBody(exchange, settings.body, share, found.route.resource.bodyLimit);
  if (principals.generation !== generation) actor = await authentication.authenticate(exchange);
  if (services.schemas.schema !== found.schema) found = find(way);
  const after = mayUse(way, actor, found);
  if (after !== undefined) await after;
  await answer(way, actor, found, body);
}

/** From here on the request sees one schema, whatever is committed meanwhile. */
function find({ services, path, settings }: Way): Found {
  const { schema } = services.schemas;
  return { schema, route: route(path, schema, settings) };
}

/** Throws `AccessError`. */
function mayUse({ exchange, services }: Way, actor: Actor, found: Found): void | Promise<void> {
  return services.security.resourceAccess.check(actor, signatureOf(found.route), exchange.method, exchange.path);
}

async function answer(way: Way, actor: Actor, found: Found, body: RequestBody): Promise<void> {
  const { exchange, services, settings, startedAt } = way;
  const { method } = exchange;
  const { schema, route } = found;
  if (route.resource.allow.length === 0) throw new RestError(404, `Cannot resolve URL path ${route.path}`);
  if (method === 'OPTIONS') {
    sendAllow(exchange, route.resource.allow);
    return;
  }
  const rules = services.security.objectAccess.of(actor);
  const access = rules instanceof Promise ? await rules : rules;
  const run = route.resource.verbs[(method === 'HEAD' ? 'GET' : method) as Verb];
  if (run === undefined) {
    const message = route.resource.notAllowedMessage?.(method) ?? `${method} not allowed on ${route.path}`;
    throw new RestError(405, message, [], { Allow: route.resource.allow.join(',') });
  }
  const request: RestRequest = {
    exchange,
    services,
    settings,
    schema,
    actor,
    access,
    path: route.path,
    view: route.view,
    viewInPath: route.viewInPath,
    parameters: new Parameters(exchange.query, settings.legacyParameters),
    body,
    startedAt,
    held: way.held,
    memory: undefined,
  };
  try {
    await run(request);
  } catch (error) {
    await sendPending(request, error);
  } finally {
    request.memory?.release();
  }
}

function sendAllow(exchange: Exchange, methods: readonly string[]): void {
  exchange.setHeader('Allow', methods.join(','));
  exchange.end();
}

/** A login that needs its second step is answered like a success without result; any other error is thrown again. */
async function sendPending(request: RestRequest, error: unknown): Promise<void> {
  if (!(error instanceof AccessError) || error.status !== 202) throw error;
  const { exchange } = request;
  exchange.status = error.status;
  for (const [name, value] of Object.entries(error.headers)) exchange.setHeader(name, value);
  await sendNone(request);
}
