/**
 * `/svc/csv/<Type>`: lists of objects as tables, and tables whose rows become objects (docs/interface/monitoring.md 7). Everything but the form is
 * that of the list at the same path of REST.
 */
import { answered } from '../../../shared/happened.js';
import type { ReadTransaction } from '../../graph/index.js';
import { HttpError, type Exchange, type Handler, type ResponseStream } from '../../http/index.js';
import { Delivery, type Entered } from '../../request/index.js';
import { onlyReadable, typeQuery, type Actor, type Schema, type Type } from '../../schema/index.js';
import { markAnswer } from '../../security/index.js';
import { NobodyThere } from '../answer/envelope.js';
import { memoryOf, type RestRequest, type RestServices, type RestSettings } from '../context.js';
import { sendError } from '../errors.js';
import { conditions, pageOf, sortKeys, window } from '../query/query.js';
import { read } from '../read.js';
import { NO_BODY } from '../request/body.js';
import type { BodyMemory, BodyShare } from '../request/body-memory.js';
import { Parameters } from '../request/parameters.js';
import type { RestMemory } from '../rest.js';
import { toPresent } from '../resources/objects/present-ends.js';
import { restRequest } from '../rest-request.js';
import { route, signatureOf, type Route } from '../router.js';
import { onRestSettingsChange, restSettings } from '../settings.js';
import type { HeldObjects } from '../answer/held-objects.js';
import { Rows } from './rows.js';
import { objectsOf, readTable, tableFormat, type Table } from './table.js';

const BASE = '/svc/csv';
const METHODS = 'GET,HEAD,OPTIONS,POST';
/** Characters that are sent at a time. */
const PIECE = 64 * 1024;
/** Characters that wait until all is read, where it may have to be read again. */
const MOST_WAITING = 1024 * 1024;

export function isCsv(path: string): boolean {
  return path === BASE || path.startsWith(`${BASE}/`);
}

/** The handler of everything below `/svc/csv`. */
export function createCsv(services: RestServices, { bodies, held }: RestMemory): Handler {
  const settingsNow = (): RestSettings => ({
    ...restSettings(services.config),
    defaultView: services.config.get('csvservlet.defaultview'),
    outputDepth: services.config.get('csvservlet.outputdepth'),
  });
  let settings = settingsNow();
  const follow = (): void => {
    settings = settingsNow();
  };
  onRestSettingsChange(services.config, follow);
  services.config.onChange('csvservlet.defaultview', follow);
  services.config.onChange('csvservlet.outputdepth', follow);
  return async (exchange) => {
    const arrival = new CsvArrival(exchange, settings, bodies);
    try {
      if (exchange.method === 'OPTIONS' && services.security.isPreflight(exchange)) sendAllow(exchange);
      else if (exchange.method === 'POST') await create(services, settings, held, arrival);
      else await answer(services, settings, held, arrival, await services.requests.enter(arrival));
    } catch (error) {
      sendError(exchange, error, arrival.actor);
    }
  };
}

class CsvArrival extends Delivery<Route, Table> {
  readonly startedAt = performance.now();
  actor: Actor | undefined;
  /** What its table takes of the memory for bodies; absent until one is taken. */
  share: BodyShare | undefined;

  constructor(
    exchange: Exchange,
    private readonly settings: RestSettings,
    private readonly bodies: BodyMemory,
  ) {
    super(exchange);
  }

  find(schema: Schema): Route {
    const found = route(this.exchange.path.slice(BASE.length), schema, this.settings);
    const { listOf } = found.resource;
    this.exchange.place = `${BASE}/${listOf === undefined ? '<unknown>' : signatureOf(found)}`;
    return found;
  }

  signature(target: Route): string {
    return signatureOf(target);
  }

  override seen(actor: Actor): void {
    this.actor = actor;
    markAnswer(this.exchange, actor);
  }

  take({ actor, target }: Entered<Route>): Promise<Table> {
    const { exchange, settings } = this;
    typeOf(target);
    const format = tableFormat(exchange, new Parameters(exchange.query, settings.legacyParameters));
    this.share = this.bodies.share(exchange, actor.id);
    return readTable(exchange, format, settings.body, this.share);
  }
}

/** The type whose objects stand at a path. Throws `HttpError` 404. */
function typeOf({ resource, path }: Route): Type {
  if (resource.listOf === undefined)
    throw new HttpError(404, `There is no list of objects at ${path}: ${BASE}/<Type> shows one.`);
  return resource.listOf;
}

/** Makes an object of each row as REST makes them of a list: all of them, or none. */
async function create(
  services: RestServices,
  settings: RestSettings,
  held: HeldObjects,
  arrival: CsvArrival,
): Promise<void> {
  try {
    const { entered, body: table } = await services.requests.receive(arrival);
    const { actor, target } = entered;
    const body = await objectsOf(table, typeOf(target));
    answered('Csv', 'POST', signatureOf(target), actor);
    const request = restRequest(entered, { services, settings, startedAt: arrival.startedAt, body, held });
    try {
      await target.resource.verbs.POST?.(request);
    } finally {
      request.memory?.release();
    }
  } finally {
    arrival.share?.release();
  }
}

async function answer(
  services: RestServices,
  settings: RestSettings,
  held: HeldObjects,
  { startedAt }: CsvArrival,
  entered: Entered<Route>,
): Promise<void> {
  const { exchange, actor, target } = entered;
  const { method } = exchange;
  const type = typeOf(target);
  answered('Csv', method, signatureOf(target), actor);
  if (method === 'OPTIONS') {
    sendAllow(exchange);
    return;
  }
  if (method !== 'GET' && method !== 'HEAD')
    throw new HttpError(405, `${method} is not possible here.`, { Allow: METHODS });
  const request = restRequest(entered, { services, settings, startedAt, body: NO_BODY, held });
  try {
    await read(request, (tx) => send(request, tx, type));
  } catch (error) {
    if (!(error instanceof NobodyThere)) throw error;
  } finally {
    request.memory?.release();
  }
}

async function send(request: RestRequest, tx: ReadTransaction, type: Type): Promise<void> {
  const { exchange } = request;
  const where = await conditions(request, tx, type);
  const query = onlyReadable(toPresent(request, typeQuery(type, where, sortKeys(request, type))), request.access);
  const { offset, limit } = window(request, pageOf(request.parameters));
  const rows = new Rows(request, tx, type);
  const out = new Sent(request, tx, type.name);
  await out.write(rows.header);
  if (exchange.method !== 'HEAD' && limit !== 0) {
    const cut = limit === undefined ? { offset } : { offset, limit };
    for await (const batch of tx.stream({ ...query, ...cut }))
      for (const entity of batch) await out.write(await rows.row(entity));
  }
  await out.end();
}

/** A table on its way to its reader. */
class Sent {
  #stream: ResponseStream | undefined;
  #waiting = '';

  constructor(
    private readonly request: RestRequest,
    private readonly tx: ReadTransaction,
    private readonly name: string,
  ) {}

  async write(text: string): Promise<void> {
    const { aborted } = this.request.exchange;
    if (aborted) throw new NobodyThere();
    this.#waiting += text;
    const most = this.#stream === undefined && this.tx.confirm !== undefined ? MOST_WAITING : PIECE;
    if (this.#waiting.length >= most) await this.#send();
  }

  async end(): Promise<void> {
    await this.#send();
    await this.#stream?.end();
  }

  async #send(): Promise<void> {
    const text = this.#waiting;
    this.#waiting = '';
    memoryOf(this.request).keepBytes(text.length);
    if (this.#stream === undefined) await this.tx.confirm?.();
    this.#stream ??= this.#open();
    await this.#stream.write(text);
    memoryOf(this.request).leaveBytes(text.length);
  }

  #open(): ResponseStream {
    const { exchange } = this.request;
    exchange.setHeader('Content-Type', 'text/csv;charset=utf-8');
    // It is text for other programs, and never a page of this server.
    exchange.setHeader('Content-Disposition', `attachment; filename="${this.name}.csv"`);
    exchange.setHeader('X-Content-Type-Options', 'nosniff');
    return exchange.startStream();
  }
}

function sendAllow(exchange: Exchange): void {
  exchange.setHeader('Allow', METHODS);
  exchange.end();
}
