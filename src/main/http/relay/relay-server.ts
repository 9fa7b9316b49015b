import type { MessagePort } from 'node:worker_threads';
import { inTime } from '../../../shared/in-time.js';
import type { Handler } from '../exchange.js';
import { Hub } from '../transport/hub.js';
import type { ServerShared } from '../transport/transport.js';
import { BITS, type Order, type ToMain, type ToThread } from './messages.js';
import { Outbox } from './outbox.js';
import { RelayedExchange, type Thread } from './relayed-exchange.js';

/** Milliseconds that a thread has to say that it has closed, beyond those its requests have. */
const TO_ANSWER = 3000;
/** Milliseconds for which others wait until a thread follows an order. Its loop may be blocked. */
const TO_FOLLOW = 2000;

/** What the threads' requests have in common on the main thread. */
interface Hubs {
  readonly plain: Hub;
  readonly secure: Hub;
}

/** The main thread's side: requests that front-end threads have handed over, and what all threads are told. */
export class RelayServer {
  readonly #hubs: Hubs;
  readonly #threads = new Set<ThreadLink>();
  #stopping: Order | undefined;

  constructor(private readonly shared: ServerShared) {
    this.#hubs = { plain: new Hub(shared, false, true), secure: new Hub(shared, true, true) };
  }

  /** Serves what the thread behind this port hands over, until the port is closed. `orders` are what it is told first. */
  add(port: MessagePort, handler: Handler, orders: readonly Order[]): void {
    const link = new ThreadLink(port, this.#hubs, handler, () => this.#threads.delete(link));
    this.#threads.add(link);
    for (const order of orders) void this.#tell(link, order);
    // It came too late.
    if (this.#stopping !== undefined) void this.#tell(link, this.#stopping);
  }

  /** Requests of threads whose response is not complete. */
  get activeRequests(): number {
    return this.#hubs.plain.active + this.#hubs.secure.active;
  }

  /** Resolves when the order holds in all threads, or they have ended, or take too long. What a thread does not do is in the log. */
  async tell(order: Order): Promise<void> {
    await Promise.all([...this.#threads].map((thread) => this.#tell(thread, order)));
  }

  async #tell(thread: ThreadLink, order: Order): Promise<void> {
    const { log } = this.shared;
    const told = thread.tell(order).then((problem) => {
      if (problem !== '') log.error(`a front-end thread did not follow (${order.kind}): ${problem}`);
    });
    // How long that takes is known to who waits for it.
    if (order.kind === 'stop') return told;
    await inTime(TO_FOLLOW, told, () => {
      // One that starts takes its time, and answers nobody meanwhile.
      if (!thread.hasFollowed) return;
      log.error(`a front-end thread has not followed for ${String(TO_FOLLOW)} ms (${order.kind}): its loop is blocked`);
    });
  }

  /** The threads take no more connections; requests end for at most `graceMs`, then they are broken off. */
  async close(graceMs: number): Promise<void> {
    const { plain, secure } = this.#hubs;
    const stop = (this.#stopping = { kind: 'stop', graceMs });
    if (this.#threads.size > 0) {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, graceMs + TO_ANSWER)));
      const stopped = Promise.race([this.tell(stop), late]);
      await Promise.all([stopped, plain.drain(graceMs), secure.drain(graceMs)]);
      clearTimeout(timer);
    }
    for (const thread of [...this.#threads]) thread.close();
    plain.stop();
    secure.stop();
  }
}

/** One front-end thread. */
class ThreadLink implements Thread {
  readonly #outbox: Outbox<ToThread>;
  readonly #exchanges = new Map<number, RelayedExchange>();
  /** Who waits for the answers to orders, by number. */
  readonly #waiting = new Map<number, (problem: string) => void>();
  #orders = 0;
  /** It has answered an order, so it listens. */
  hasFollowed = false;
  #closed = false;

  constructor(
    private readonly port: MessagePort,
    private readonly hubs: Hubs,
    readonly handler: Handler,
    private readonly onClosed: () => void,
  ) {
    this.#outbox = new Outbox(port);
    port.on('message', this.#onMessages);
    port.on('close', this.#onClose);
  }

  send(message: ToThread, memory?: ArrayBuffer): void {
    if (!this.#closed) this.#outbox.send(message, memory);
  }

  forget(id: number): void {
    this.#exchanges.delete(id);
  }

  tell(order: Order): Promise<string> {
    return new Promise((resolve) => {
      const number = ++this.#orders;
      this.#waiting.set(number, resolve);
      this.send(['tell', number, order]);
    });
  }

  close(): void {
    // What was answered last may be here still.
    this.#outbox.flush();
    this.port.close();
    this.#onClose();
  }

  readonly #onMessages = (messages: readonly ToMain[]): void => {
    for (const message of messages) this.#take(message);
  };

  #take(message: ToMain): void {
    if (message[0] === 'open') {
      const hub = (message[8] & BITS.tls) === 0 ? this.hubs.plain : this.hubs.secure;
      const exchange = new RelayedExchange(hub, this, message);
      this.#exchanges.set(message[1], exchange);
      exchange.start();
      return;
    }
    if (message[0] === 'told') {
      this.hasFollowed = true;
      this.#waiting.get(message[1])?.(message[2]);
      this.#waiting.delete(message[1]);
      return;
    }
    const exchange = this.#exchanges.get(message[1]);
    switch (message[0]) {
      case 'body':
        exchange?.arrived(message[2], message[3]);
        break;
      case 'failed':
        exchange?.broken(message[2], message[3], message[4]);
        break;
      case 'taken':
        exchange?.taken(message[2]);
        break;
      case 'local':
        exchange?.found(message[2]);
        break;
      case 'gone':
        exchange?.abort();
        break;
    }
  }

  readonly #onClose = (): void => {
    if (this.#closed) return;
    this.#closed = true;
    this.onClosed();
    for (const answered of this.#waiting.values()) answered('');
    this.#waiting.clear();
    for (const exchange of [...this.#exchanges.values()]) exchange.abort();
  };
}
