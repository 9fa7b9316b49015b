/** `/svc/EventSource`: the stream of events, as server-sent events or over a WebSocket (docs/interface/live.md). */
import { HttpError, type Exchange, type Handler } from '../http/index.js';
import { Arrival, type Requests } from '../request/index.js';
import type { Actor } from '../schema/index.js';
import type { Security } from '../security/index.js';
import type { Live } from './live.js';
import { LiveStream } from './stream.js';
import type { Watch, Watched } from './watched.js';

export const EVENT_SOURCE = '/svc/EventSource';
const METHODS = 'GET,OPTIONS';
/** Addresses of one stream. */
const MOST_SUBSCRIPTIONS = 20;

export interface EventSourceParts {
  readonly live: Live;
  readonly requests: Requests;
  readonly security: Security;
  readonly watch: Watch;
  readonly sendError: (exchange: Exchange, error: unknown, actor?: Actor) => void;
  /** Streams that may be open, and characters that may wait for each. */
  readonly limits: () => { readonly streams: number; readonly waiting: number };
}

class EventSourceArrival extends Arrival<readonly Watched[]> {
  actor: Actor | undefined;

  constructor(
    exchange: Exchange,
    private readonly watched: readonly Watched[],
  ) {
    super(exchange);
  }

  find(): readonly Watched[] {
    return this.watched;
  }

  signature(): string {
    return '_eventSource';
  }

  override seen(actor: Actor): void {
    this.actor = actor;
  }
}

/** Handler of the stream. */
export function createEventSource(parts: EventSourceParts): Handler {
  return async (exchange) => {
    let arrival: EventSourceArrival | undefined;
    try {
      if (exchange.method === 'OPTIONS') {
        exchange.setHeader('Allow', METHODS);
        exchange.end();
        return;
      }
      if (exchange.method !== 'GET')
        throw new HttpError(405, `${exchange.method} is not possible here.`, { Allow: METHODS });
      checkSocket(parts.security, exchange);
      const query = new URLSearchParams(exchange.query);
      arrival = new EventSourceArrival(exchange, addressesOf(query).map(parts.watch));
      await begin(parts, arrival, lastIdOf(exchange, query));
    } catch (error) {
      parts.sendError(exchange, error, arrival?.actor);
    }
  };
}

async function begin(
  { live, requests, security, limits }: EventSourceParts,
  arrival: EventSourceArrival,
  lastId: number | undefined,
): Promise<void> {
  const { exchange } = arrival;
  const entered = await requests.enter(arrival);
  const accept = exchange.header('accept');
  const most = limits();
  if (!exchange.wantsWebSocket && accept !== '' && !/text\/(?:event-stream|\*)|\*\/\*/i.test(accept))
    throw new HttpError(406, 'This is a stream of events: it is answered as text/event-stream only.');
  if (live.count >= most.streams)
    throw new HttpError(503, 'Too many streams of events are open.', { 'Retry-After': '5' });
  for (const one of entered.target)
    await security.resourceAccess.check(entered.actor, one.signature(entered.schema), 'GET', one.path);
  const again = async (): Promise<Actor> => (await requests.again(arrival, entered)).actor;
  const open = (): LiveStream | undefined => {
    if (exchange.aborted) return undefined;
    return new LiveStream(exchange, entered.actor, most.waiting, (stream) => {
      live.left(stream);
    });
  };
  await live.listen(open, entered, entered.target, again, lastId);
}

/** Throws `HttpError` 403 for pages of other sites, and 426 for a WebSocket that cannot be had as it is asked for. */
function checkSocket(security: Security, exchange: Exchange): void {
  if (exchange.wantsWebSocket) {
    if (!security.mayOpenSocket(exchange))
      throw new HttpError(403, 'Pages of this origin may not open a WebSocket here: see the CORS settings.');
    return;
  }
  if (exchange.header('upgrade').toLowerCase() === 'websocket')
    throw new HttpError(426, 'This is no handshake of a WebSocket of version 13.', { 'Sec-WebSocket-Version': '13' });
}

/** Values of `subscribe`. Throws `HttpError` 400 for parameters that mean nothing here, and for too many. */
function addressesOf(query: URLSearchParams): string[] {
  for (const name of query.keys())
    if (name !== 'subscribe' && name !== 'lastEventId')
      throw new HttpError(400, `The parameter ${name} is not known: there are subscribe and lastEventId.`);
  const addresses = [...new Set(query.getAll('subscribe'))];
  if (addresses.length > MOST_SUBSCRIPTIONS)
    throw new HttpError(400, `A stream has at most ${String(MOST_SUBSCRIPTIONS)} subscriptions.`);
  return addresses;
}

/** By the header that browsers send, or the parameter where a client cannot. Throws `HttpError` 400. */
function lastIdOf(exchange: Exchange, query: URLSearchParams): number | undefined {
  const text = exchange.header('last-event-id') || query.get('lastEventId');
  if (text === null || text === '') return undefined;
  if (!/^\d{1,15}$/.test(text)) throw new HttpError(400, 'Last-Event-ID is no number of this stream.');
  return Number(text);
}
