/**
 * The one way to the context of a request (docs/design/requests.md): who asks, where to, may he; then the body; then all of
 * it again, as what was decided may have changed while the body came, which its sender can make long.
 */
import type { Graph, ReadTransaction } from '../graph/index.js';
import type { Exchange } from '../http/index.js';
import type { Actor, SchemaService } from '../schema/index.js';
import type { Security } from '../security/index.js';
import { askerOf } from './asker.js';
import type { Arrival, Delivery, Entered, RequestContext } from './context.js';
import { WhileListening } from './listening.js';
import { Standstill } from './standstill.js';

/** Looks at what decides, when commits come between them; the last one counts, as each was true when it was asked. */
const LOOKS = 4;

export interface RequestParts {
  readonly graph: Graph;
  readonly schemas: SchemaService;
  readonly security: Security;
}

export class Requests {
  readonly standstill = new Standstill();

  constructor(private readonly parts: RequestParts) {}

  /**
   * The context of a request that brings no body, or whose body is taken in the middle of the work; then `again` is for its end.
   * A promise only where there is something to wait for: an await costs a short read more than all that is decided here.
   * Throws `AccessError`.
   */
  enter<Target>(arrival: Arrival<Target>): Entered<Target> | Promise<Entered<Target>> {
    const { security } = this.parts;
    const { generation } = security;
    const sender = security.authentication.authenticate(arrival.exchange);
    if (sender instanceof Promise) return sender.then((actor) => this.#known(arrival, actor, generation));
    return this.#known(arrival, sender, generation);
  }

  /** The context of a request that brings a body, and the body. Nothing of that is taken from who may not send it. */
  async receive<Target, Body>(
    delivery: Delivery<Target, Body>,
  ): Promise<{ readonly entered: Entered<Target>; readonly body: Body }> {
    const { generation } = this.parts.security;
    const entering = this.enter(delivery);
    const sender = entering instanceof Promise ? await entering : entering;
    const body = await delivery.take(sender);
    return { entered: await this.#look(delivery, sender, generation), body };
  }

  /** The context as it is now, for a request that has taken its time: its sender's rights may be others. Throws `AccessError`. */
  again<Target>(arrival: Arrival<Target>, before: Entered<Target>): Entered<Target> | Promise<Entered<Target>> {
    // Nobody knows what was authenticated when; asking anew is a look into memory.
    return this.#look(arrival, before, undefined);
  }

  /**
   * The same request by the user whose name and password came with it although no page asks for them, where a file does
   * (RFC 7617); undefined: none came. Throws `AccessError`.
   */
  async byPassword(context: RequestContext): Promise<RequestContext | undefined> {
    const { graph, schemas, security } = this.parts;
    const actor = await security.authentication.byBasic(context.exchange);
    if (actor === undefined) return undefined;
    const asker = await askerOf(security, actor);
    return { ...asker, exchange: context.exchange, schema: schemas.schema, commit: graph.commitNumber };
  }

  /** Who sends a request, for what needs nothing else of it. Throws `AccessError`. */
  sender(exchange: Exchange): Actor | Promise<Actor> {
    return this.parts.security.authentication.authenticate(exchange);
  }

  /** Runs `work` as the one transaction of a reading request: it ends when the client goes away. */
  read<T>({ exchange, actor }: RequestContext, work: (tx: ReadTransaction) => Promise<T>): Promise<T> {
    return this.parts.graph.read(work, new WhileListening(exchange, actor));
  }

  #known<Target>(
    arrival: Arrival<Target>,
    actor: Actor,
    generation: number,
  ): Entered<Target> | Promise<Entered<Target>> {
    arrival.seen(actor);
    return this.#decide(arrival, actor, generation, undefined, 1);
  }

  /** One look at all that decides, with what is known from the one before as far as that still holds. */
  #look<Target>(
    arrival: Arrival<Target>,
    before: Entered<Target>,
    generation: number | undefined,
    look = 1,
  ): Entered<Target> | Promise<Entered<Target>> {
    const { security } = this.parts;
    const now = security.generation;
    if (now === generation) return this.#decide(arrival, before.actor, now, before, look);
    const sender = security.authentication.authenticate(arrival.exchange);
    if (sender instanceof Promise) return sender.then((actor) => this.#decide(arrival, actor, now, before, look));
    return this.#decide(arrival, sender, now, before, look);
  }

  #decide<Target>(
    arrival: Arrival<Target>,
    actor: Actor,
    generation: number,
    before: Entered<Target> | undefined,
    look: number,
  ): Entered<Target> | Promise<Entered<Target>> {
    const { graph, schemas, security } = this.parts;
    const { exchange } = arrival;
    const { schema } = schemas;
    const commit = graph.commitNumber;
    const target = before?.schema === schema ? before.target : arrival.find(schema);
    arrival.admit(actor);
    const signature = arrival.signature(target);
    const checking =
      signature === undefined
        ? undefined
        : security.resourceAccess.check(actor, signature, exchange.method, exchange.path);
    const access = checking === undefined ? security.objectAccess.of(actor) : undefined;
    if (access !== undefined && !(access instanceof Promise))
      return { exchange, actor, access, schema, commit, target };
    return this.#waited(arrival, { exchange, actor, schema, commit, target }, checking, access, generation, look);
  }

  /** Where the graph was asked something may have been committed meanwhile: then what was decided before is looked at again. */
  async #waited<Target>(
    arrival: Arrival<Target>,
    known: Omit<Entered<Target>, 'access'>,
    checking: Promise<void> | void,
    rights: Promise<Entered<Target>['access']> | undefined,
    generation: number,
    look: number,
  ): Promise<Entered<Target>> {
    await checking;
    const access = await (rights ?? this.parts.security.objectAccess.of(known.actor));
    const entered = { ...known, access };
    if (look === LOOKS || this.parts.graph.commitNumber === known.commit) return entered;
    return this.#look(arrival, entered, generation, look + 1);
  }
}
