import type { Exchange, MessageStream, ResponseStream } from '../http/index.js';
import type { Actor } from '../schema/index.js';
import { HEARTBEAT, type Told } from './frames.js';

/** Why a stream ends: the server does, who listens may not any more, or is too far behind. */
export type Ending = 'going' | 'refused' | 'slow';

/** Status codes of a WebSocket's end (RFC 6455, 7.4.1, and IANA's list). */
const CLOSINGS: Readonly<Record<Ending, readonly [code: number, reason: string]>> = {
  going: [1001, 'The server ends.'],
  refused: [1008, 'The login or the permission has ended.'],
  slow: [1013, 'Too much waits for this client.'],
};

/** One form of stream. */
interface Wire {
  /** The client has not taken all. */
  readonly behind: boolean;
  /** Bytes that `tell` writes. */
  size(told: Told): number;
  /** Resolves when the client has taken it. */
  tell(told: Told): Promise<void>;
  beat(): void;
  end(why: Ending): void;
}

/** One client that listens: an answer that does not end by itself. */
export class LiveStream {
  readonly #wire: Wire;
  /** Bytes that the client has not taken. */
  #waiting = 0;
  #ended = false;

  constructor(
    exchange: Exchange,
    /** Who listens, as last looked at. */
    public actor: Actor,
    /** Bytes that may wait for the client. */
    private readonly most: number,
    private readonly onEnd: (stream: LiveStream) => void,
  ) {
    this.#wire = exchange.wantsWebSocket ? new Socket(exchange.startMessages()) : new ServerSent(exchange);
    exchange.signal.addEventListener('abort', () => {
      this.end('going');
    });
    this.beat();
  }

  /** A client that is too far behind is let go. What it has missed before is sent whole, `most` or not: it would come back for it again and again. */
  write(told: Told, most = this.most): void {
    if (this.#ended) return;
    const size = this.#wire.size(told);
    if (this.#waiting + size > most) {
      this.end('slow');
      return;
    }
    const taken = this.#wire.tell(told);
    // Nearly always it has: thousands of promises a round are not waited for.
    if (!this.#wire.behind) return;
    this.#waiting += size;
    void taken.then(() => {
      this.#waiting -= size;
    });
  }

  /** A sign of life. */
  beat(): void {
    if (!this.#ended) this.#wire.beat();
  }

  /** The client may come back; what it has not taken by then it gets, as far as that is known. */
  end(why: Ending): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onEnd(this);
    // One that is behind has the time that answers have.
    this.#wire.end(why);
  }
}

class ServerSent implements Wire {
  readonly #stream: ResponseStream;

  constructor(exchange: Exchange) {
    exchange.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    exchange.setHeader('Cache-Control', 'no-cache, no-store');
    // Proxies of this kind would gather events.
    exchange.setHeader('X-Accel-Buffering', 'no');
    this.#stream = exchange.startStream();
  }

  get behind(): boolean {
    return this.#stream.behind;
  }

  size({ text }: Told): number {
    return text.length;
  }

  tell({ text }: Told): Promise<void> {
    return this.#stream.write(text);
  }

  beat(): void {
    void this.#stream.write(HEARTBEAT);
  }

  end(): void {
    void this.#stream.end();
  }
}

class Socket implements Wire {
  constructor(private readonly stream: MessageStream) {}

  get behind(): boolean {
    return this.stream.behind;
  }

  size({ messages }: Told): number {
    return messages.reduce((sum, one) => sum + one.length, 0);
  }

  tell({ messages }: Told): Promise<void> {
    let taken = Promise.resolve();
    for (const one of messages) taken = this.stream.write(one);
    return taken;
  }

  beat(): void {
    this.stream.ping();
  }

  end(why: Ending): void {
    this.stream.end(...CLOSINGS[why]);
  }
}
