/** `/svc/openapi`: the document of the current schema, whole or by tag, and Swagger UI below `ui/` (docs/interface/rest.md 9.3). */
import { GraphError } from '../../graph/index.js';
import { HttpError, unescaped, type Exchange, type Handler } from '../../http/index.js';
import { logger } from '../../../shared/log.js';
import { Arrival } from '../../request/index.js';
import type { Actor } from '../../schema/index.js';
import { AccessError, markAnswer } from '../../security/index.js';
import type { RestServices } from '../context.js';
import { DocumentCache } from './document-cache.js';
import { sendAsset } from './swagger/swagger-ui.js';

const BASE = '/svc/openapi';
const UI = `${BASE}/ui`;
const SIGNATURE = '_openapi';
const ALLOW = 'GET,HEAD,OPTIONS';

const log = logger('rest.openapi');

/** The handler of `/svc/openapi` and everything below it. */
export function createOpenApi(services: RestServices): Handler {
  const cache = new DocumentCache(services);
  return async (exchange) => {
    try {
      const { path } = exchange;
      if (path === UI || path.startsWith(`${UI}/`)) await answerUi(exchange);
      else await answerDocument(exchange, services, cache);
    } catch (error) {
      fail(exchange, error);
    }
  };
}

async function answerUi(exchange: Exchange): Promise<void> {
  if (!isRead(exchange)) return;
  if (exchange.path === UI) {
    // The page names its files relative to itself.
    exchange.setHeader('Location', `${UI}/`);
    sendStatus(exchange, 301);
    return;
  }
  if (!(await sendAsset(exchange, exchange.path.slice(UI.length + 1)))) sendStatus(exchange, 404);
}

/** What there is no document for needs no permission. */
class DocumentArrival extends Arrival<Asked | undefined> {
  find(): Asked | undefined {
    return askedFor(this.exchange.path);
  }

  signature(target: Asked | undefined): string | undefined {
    return target === undefined ? undefined : SIGNATURE;
  }

  override seen(actor: Actor): void {
    markAnswer(this.exchange, actor);
  }
}

async function answerDocument(exchange: Exchange, services: RestServices, cache: DocumentCache): Promise<void> {
  if (exchange.method === 'OPTIONS' && services.security.isPreflight(exchange)) {
    isRead(exchange);
    return;
  }
  // A wrong verb without permission is refused for the latter.
  const { actor, target: asked } = await services.requests.enter(new DocumentArrival(exchange));
  if (asked === undefined) {
    sendStatus(exchange, 404);
    return;
  }
  if (!isRead(exchange)) return;
  const document = await cache.document(asked.tag, `${originOf(exchange, services)}/svc/rest`);
  if (exchange.aborted) return;
  if (actor.id === undefined) exchange.setHeader('Cache-Control', 'no-cache');
  if (document === undefined) {
    sendStatus(exchange, 404);
    return;
  }
  exchange.setHeader('Content-Type', 'application/json;charset=utf-8');
  const stream = exchange.startStream();
  for (const piece of document) {
    if (exchange.aborted) return;
    await stream.write(piece);
  }
  await stream.end();
}

/** The tag that is asked for; undefined: the whole document. */
interface Asked {
  readonly tag: string | undefined;
}

/** What a path asks for; undefined for a path that is none of these. */
function askedFor(path: string): Asked | undefined {
  if (path === BASE || path === `${BASE}/` || path === `${BASE}/schema.json`) return { tag: undefined };
  const name = /^\/svc\/openapi\/([^/]+)\.json$/.exec(path)?.[1];
  return name === undefined ? undefined : { tag: unescaped(name) };
}

/** True for verbs that read; answers the others, OPTIONS included. */
function isRead(exchange: Exchange): boolean {
  const { method } = exchange;
  if (method === 'GET' || method === 'HEAD') return true;
  exchange.setHeader('Allow', ALLOW);
  sendStatus(exchange, method === 'OPTIONS' ? 200 : 405);
  return false;
}

/** Where clients reach the service: as configured, else as this request did. */
function originOf(exchange: Exchange, { config }: RestServices): string {
  const base = config.get('application.baseurl.override');
  if (base !== '') return base.replace(/\/+$/, '');
  const host = exchange.header('host');
  return `${exchange.scheme}://${host === '' ? 'localhost' : host}`;
}

/** Errors here have a status and no body (docs/interface/rest.md 8.1). */
function fail(exchange: Exchange, error: unknown): void {
  if (exchange.aborted || exchange.responded) return;
  if (error instanceof HttpError) {
    for (const [name, value] of Object.entries(error.headers)) exchange.setHeader(name, value);
    sendStatus(exchange, error.status);
    return;
  }
  if (error instanceof AccessError) {
    sendStatus(exchange, error.status);
    return;
  }
  log.error('the document could not be made', error);
  sendStatus(exchange, error instanceof GraphError ? 503 : 500);
}

function sendStatus(exchange: Exchange, status: number): void {
  exchange.status = status;
  exchange.end();
}
