import type { MessagePort } from 'node:worker_threads';
import type { Follower, HandedOver, Relay } from '../transport/handing-over.js';
import { HandedExchange } from './handed-exchange.js';
import type { Order, ToMain, ToThread } from './messages.js';
import { Outbox } from './outbox.js';

const NOBODY: Follower = { over: () => undefined };

/** A front-end thread's way to the main thread: hands requests over, sends what comes back, follows what holds for all threads. */
export class RelayClient implements Relay {
  readonly #outbox: Outbox<ToMain>;
  readonly #exchanges = new Map<number, HandedExchange>();
  #last = 0;
  #closed = false;

  /** `follow` does what the main thread has ordered; what it throws is told there. */
  constructor(
    private readonly port: MessagePort,
    private readonly follow: (order: Order) => Promise<void>,
  ) {
    this.#outbox = new Outbox(port);
    port.on('message', this.#onMessages);
    port.on('close', this.#onClose);
  }

  /** Requests that the main thread answers now. */
  get active(): number {
    return this.#exchanges.size;
  }

  take(exchange: HandedOver): Follower {
    if (this.#closed) {
      exchange.refuseReady(503, 'The service is stopping.');
      return NOBODY;
    }
    const id = ++this.#last;
    const handed = new HandedExchange(this, id, exchange);
    this.#exchanges.set(id, handed);
    return handed;
  }

  send(message: ToMain, memory?: ArrayBuffer): void {
    if (!this.#closed) this.#outbox.send(message, memory);
  }

  forget(id: number): void {
    this.#exchanges.delete(id);
  }

  /** Ends what is handed over; the main thread ends it, too. */
  close(): void {
    this.port.close();
    this.#onClose();
  }

  readonly #onMessages = (messages: readonly ToThread[]): void => {
    for (const message of messages) {
      if (message[0] === 'tell') void this.#obey(message[1], message[2]);
      else this.#exchanges.get(message[1])?.take(message);
    }
  };

  async #obey(number: number, order: Order): Promise<void> {
    let problem = '';
    try {
      await this.follow(order);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
    }
    this.send(['told', number, problem]);
    this.#outbox.flush();
  }

  readonly #onClose = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    for (const exchange of [...this.#exchanges.values()]) exchange.abort();
  };
}
