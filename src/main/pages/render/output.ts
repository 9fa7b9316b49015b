/** Where the HTML of a page goes: gathered, or sent as it is made. */
import { HttpError, type Exchange, type ResponseStream } from '../../http/index.js';

/** Characters after which a part is sent. */
const PART = 32 * 1024;
/** Characters of what is gathered whole. */
const MOST = 64 * 1024 * 1024;

/** A page that became too long to be made in one piece. */
export class TooLongError extends HttpError {
  constructor() {
    super(500, `The page becomes longer than ${String(MOST)} characters.`);
  }
}

/** Nobody waits for the page any more. */
export class GoneError extends Error {
  override readonly name = 'GoneError';
}

/** What pages write into. */
export interface Output {
  write(text: string): void;
  /** Resolves when more may be written; undefined: it may be. Throws `GoneError`, `TooLongError`. */
  pressure(): Promise<void> | undefined;
}

/** Gathers a text. */
export class GatheredOutput implements Output {
  text = '';

  write(text: string): void {
    // A script may catch the error, and go on.
    if (this.text.length > MOST) throw new TooLongError();
    this.text += text;
  }

  pressure(): undefined {
    if (this.text.length > MOST) throw new TooLongError();
    return undefined;
  }
}

/** Characters of a page that is copied while it is made. */
const MOST_COPIED = 1024 * 1024;

/**
 * Copies what is sent, for others who wait for the same: they must not wait for a slow client, so what is made is held in memory until the
 * end. `tooLong`: it is, and goes on as if it were not copied.
 */
export class CopiedOutput implements Output {
  /** Undefined: it has become too long. */
  text: string | undefined = '';

  constructor(
    private readonly exchange: Exchange,
    private readonly sent: SentOutput,
    private readonly tooLong: () => void,
  ) {}

  write(text: string): void {
    this.sent.write(text);
    if (this.text === undefined) return;
    this.text += text;
    if (this.text.length <= MOST_COPIED) return;
    this.text = undefined;
    this.tooLong();
  }

  pressure(): Promise<void> | undefined {
    if (this.text === undefined) return this.sent.pressure();
    if (this.exchange.aborted) throw new GoneError('the client went away');
    return undefined;
  }
}

/** Sends as it is made, unless all has to be known before. */
export class SentOutput implements Output {
  #text = '';
  #stream: ResponseStream | undefined;
  #sending: Promise<void> | undefined;
  #failure: Error | undefined;

  /**
   * `begin` sets status and headers; asked once. `maySend`: whether something may leave before the end.
   */
  constructor(
    private readonly exchange: Exchange,
    private readonly begin: () => void,
    private readonly maySend: () => boolean,
  ) {}

  write(text: string): void {
    if (this.#text.length > MOST) throw new TooLongError();
    this.#text += text;
  }

  pressure(): Promise<void> | undefined {
    if (this.exchange.aborted) throw new GoneError('the client went away');
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#text.length < PART) return undefined;
    if (!this.maySend()) {
      if (this.#text.length > MOST) throw new TooLongError();
      return undefined;
    }
    return this.send();
  }

  /** Sends what there is, for a client that waits for the rest; what goes wrong is found by whoever writes next. */
  sendEarly(): void {
    if (this.maySend() && !this.exchange.aborted)
      this.send().catch((error: unknown) => {
        this.#failure ??= error instanceof Error ? error : new Error(String(error));
      });
  }

  /** Sends what there is. */
  async send(): Promise<void> {
    await this.#sending;
    if (this.#text === '' || this.exchange.aborted) return;
    if (this.#stream === undefined) {
      this.begin();
      this.#stream = this.exchange.startStream();
    }
    const text = this.#text;
    this.#text = '';
    this.#sending = this.#stream.write(text);
    await this.#sending;
  }

  /** Sends the rest; the answer is complete. */
  async end(): Promise<void> {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#stream === undefined) {
      this.begin();
      this.exchange.end(this.#text);
      return;
    }
    await this.send();
    await this.#stream.end();
  }
}
