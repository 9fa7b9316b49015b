import type { Exchange, ResponseStream } from '../http/index.js';
import type { Actor } from '../schema/index.js';
import { HEARTBEAT } from './frames.js';

/** One client that listens: an answer that does not end by itself. */
export class LiveStream {
  readonly #stream: ResponseStream;
  #waiting = 0;
  #ended = false;

  constructor(
    exchange: Exchange,
    /** Who listens, as last looked at. */
    public actor: Actor,
    /** Characters that may wait for the client. */
    private readonly most: number,
    private readonly onEnd: (stream: LiveStream) => void,
  ) {
    exchange.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    exchange.setHeader('Cache-Control', 'no-cache, no-store');
    // Proxies of this kind would gather events.
    exchange.setHeader('X-Accel-Buffering', 'no');
    this.#stream = exchange.startStream();
    exchange.signal.addEventListener('abort', () => {
      this.end();
    });
    this.write(HEARTBEAT);
  }

  /** Text that is frames already. A client that is too far behind is let go. */
  write(text: string): void {
    if (this.#ended) return;
    this.#waiting += text.length;
    if (this.#waiting > this.most) {
      this.end();
      return;
    }
    void this.#stream.write(text).then(() => {
      this.#waiting -= text.length;
    });
  }

  /** The client may come back; what it has not taken by then it gets, as far as that is known. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.onEnd(this);
    // One that is behind has the time that answers have.
    void this.#stream.end();
  }
}
