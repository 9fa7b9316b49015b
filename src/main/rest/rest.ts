/** `/svc/rest`: where a path leads, and what is done there for the context that the room `request` makes. */
import type { Exchange, Handler } from '../http/index.js';
import { Delivery, type Entered } from '../request/index.js';
import { answered } from '../../shared/happened.js';
import { AccessError, markAnswer } from '../security/index.js';
import { showsOutside, type Actor, type Schema } from '../schema/index.js';
import { NO_BODY, readRequestBody } from './request/body.js';
import { BodyMemory, type BodyShare } from './request/body-memory.js';
import type { RestRequest, RestServices, RestSettings, Verb } from './context.js';
import type { RequestBody } from './request/request-body.js';
import { sendNone } from './answer/envelope.js';
import { JSON_HEADERS } from './answer/frame.js';
import { RestError, sendError } from './errors.js';
import { HeldObjects } from './answer/held-objects.js';
import { restRequest } from './rest-request.js';
import { BASE, route, signatureOf, type Route } from './router.js';
import { bodyMemoryLimits, onRestSettingsChange, restSettings } from './settings.js';

/** Said to browsers that ask before they ask: the same at every path, as they ask without the user's credentials. */
const PREFLIGHT: readonly string[] = ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'];
const BODY_VERBS: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH']);

/** What all doors to objects count together. */
export interface RestMemory {
  readonly bodies: BodyMemory;
  /** Large objects that answers keep. */
  readonly held: HeldObjects;
}

/** What the settings allow. */
export function restMemory({ config }: RestServices): RestMemory {
  const bodies = new BodyMemory(bodyMemoryLimits(config));
  onRestSettingsChange(config, () => {
    bodies.configure(bodyMemoryLimits(config));
  });
  return { bodies, held: new HeldObjects() };
}

/** The handler of everything below `/svc/rest`. */
export function createRest(services: RestServices, { bodies, held }: RestMemory): Handler {
  let settings = restSettings(services.config);
  onRestSettingsChange(services.config, () => {
    settings = restSettings(services.config);
  });
  return (exchange) => {
    const arrival = new RestArrival(exchange, services, settings, bodies);
    if (exchange.method !== 'GET') return caught(arrival, handle(arrival, held));
    try {
      const entering = services.requests.enter(arrival);
      if (entering instanceof Promise) return caught(arrival, answerLater(arrival, entering, held));
      if (!isHere(arrival, entering) && exchange.handOver()) return exchange.handedOver;
      if (answerAtOnce(arrival, entering)) return;
      return caught(arrival, answer(arrival, entering, NO_BODY, held));
    } catch (error) {
      sendError(exchange, error, arrival.actor);
    }
  };
}

async function caught(arrival: RestArrival, work: Promise<void>): Promise<void> {
  try {
    await work;
  } catch (error) {
    sendError(arrival.exchange, error, arrival.actor);
  }
}

async function answerLater(arrival: RestArrival, entering: Promise<Entered<Route>>, held: HeldObjects): Promise<void> {
  await answerOrHandOver(arrival, await entering, held);
}

async function answerOrHandOver(arrival: RestArrival, entered: Entered<Route>, held: HeldObjects): Promise<void> {
  const { exchange } = arrival;
  if (isHere(arrival, entered) || !exchange.handOver()) await answer(arrival, entered, NO_BODY, held);
  else await exchange.handedOver;
}

/** Answers a GET for which nothing has to be waited for: promises cost a short read more than all that is decided for it. */
function answerAtOnce({ services, settings, startedAt }: RestArrival, entered: Entered<Route>): boolean {
  const { exchange, actor, target } = entered;
  const text = target.resource.atOnce?.({ entered, services, settings, startedAt });
  if (text === undefined) return false;
  answered('Rest', exchange.method, signatureOf(target), actor);
  exchange.setHeaders(JSON_HEADERS);
  exchange.end(text);
  return true;
}

/** A REST request on its way. */
class RestArrival extends Delivery<Route, RequestBody> {
  readonly startedAt = performance.now();
  /** Who asks, once that is known. */
  actor: Actor | undefined;
  /** What its body takes of the memory for bodies; absent until one is taken. */
  share: BodyShare | undefined;

  constructor(
    exchange: Exchange,
    readonly services: RestServices,
    readonly settings: RestSettings,
    private readonly memory: BodyMemory,
  ) {
    super(exchange);
  }

  find(schema: Schema): Route {
    const found = route(this.exchange.path.slice(BASE.length), schema, this.settings);
    this.exchange.place = found.place;
    return found;
  }

  signature(target: Route): string {
    return signatureOf(target);
  }

  override seen(actor: Actor): void {
    this.actor = actor;
    markAnswer(this.exchange, actor);
    const notice = this.services.security.documentedPassword.noticeFor(actor.id);
    if (notice !== undefined) this.exchange.setHeaders(notice);
  }

  take({ actor, target }: Entered<Route>): Promise<RequestBody> {
    const { exchange, settings } = this;
    this.share = this.memory.share(exchange, actor.id);
    return readRequestBody(exchange, settings.body, this.share, target.resource.bodyLimit);
  }
}

async function handle(arrival: RestArrival, held: HeldObjects): Promise<void> {
  const { exchange, services } = arrival;
  const { requests, security } = services;
  if (exchange.method === 'OPTIONS' && security.isPreflight(exchange)) {
    sendAllow(exchange, PREFLIGHT);
    return;
  }
  if (BODY_VERBS.has(exchange.method)) {
    try {
      const { entered, body } = await requests.receive(arrival);
      await answer(arrival, entered, body, held);
    } finally {
      arrival.share?.release();
    }
    return;
  }
  await answerOrHandOver(arrival, await requests.enter(arrival), held);
}

/** Whether this thread may answer: others than the main thread read what the graph alone tells. */
function isHere({ services }: RestArrival, { exchange, schema, target }: Entered<Route>): boolean {
  if (services.isFrontEnd !== true) return true;
  const { resource, view } = target;
  const { anywhere } = resource;
  if (anywhere === undefined) return false;
  // Administrators may choose keys of all views.
  const shown = exchange.header('accept').includes('properties=') ? 'all' : view;
  return !showsOutside(schema, anywhere.type, shown);
}

async function answer(
  { services, settings, startedAt }: RestArrival,
  entered: Entered<Route>,
  body: RequestBody,
  held: HeldObjects,
): Promise<void> {
  const { exchange, actor, target } = entered;
  const { method } = exchange;
  const { resource, path } = target;
  if (resource.allow.length === 0) throw new RestError(404, `Cannot resolve URL path ${path}`);
  answered('Rest', method, signatureOf(target), actor);
  if (method === 'OPTIONS') {
    sendAllow(exchange, resource.allow);
    return;
  }
  const run = resource.verbs[(method === 'HEAD' ? 'GET' : method) as Verb];
  if (run === undefined) {
    const message = resource.notAllowedMessage?.(method) ?? `${method} not allowed on ${path}`;
    throw new RestError(405, message, [], { Allow: resource.allow.join(',') });
  }
  const request = restRequest(entered, { services, settings, startedAt, body, held });
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
