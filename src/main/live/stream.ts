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
  /** Bytes that `tell` writes. */
  size(told: Told): number;
  /** `taken` is called whenever the client has taken a number of them. */
  tell(told: Told, taken: (bytes: number) => void): void;
  beat(): void;
  end(why: Ending): void;
}

/** One client that listens: an answer that does not end by itself. */
export class LiveStream {
  readonly #wire: Wire;
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
    this.#waiting += this.#wire.size(told);
    if (this.#waiting > most) this.end('slow');
    else this.#wire.tell(told, this.#taken);
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

  readonly #taken = (bytes: number): void => {
    this.#waiting -= bytes;
  };
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

  size({ text }: Told): number {
    return text.length;
  }

  tell({ text }: Told, taken: (bytes: number) => void): void {
    void this.#stream.write(text).then(() => {
      taken(text.length);
    });
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

  size({ messages }: Told): number {
    return messages.reduce((sum, one) => sum + one.length, 0);
  }

  tell({ messages }: Told, taken: (bytes: number) => void): void {
    for (const one of messages)
      void this.stream.write(one).then(() => {
        taken(one.length);
      });
  }

  beat(): void {
    this.stream.ping();
  }

  end(why: Ending): void {
    this.stream.end(...CLOSINGS[why]);
  }
}
