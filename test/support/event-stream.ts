/** A client of live events, as strict as a browser: by server-sent events, or over a WebSocket. */
import { WebSocket } from 'ws';

/** Data of an event `change`. */
export interface Told {
  readonly subscription: string;
  readonly action: string;
  readonly id: string;
  readonly type: string;
  // Tests look into objects of many shapes.
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  readonly object?: any;
}

const PATIENCE = 60_000;

export class EventStream {
  readonly #events: [string, string][] = [];
  #lastId = '';
  #over = false;
  #wake: () => void = () => undefined;

  /** Of a WebSocket: with what it has ended. */
  closedWith: [code: number, reason: string] | undefined;

  private constructor(
    readonly headers: Headers,
    private readonly abort: AbortController,
    /** Of a WebSocket. */
    readonly socket?: WebSocket,
  ) {}

  static async open(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    const abort = new AbortController();
    const answer = await fetch(url, { headers: { Accept: 'text/event-stream', ...headers }, signal: abort.signal });
    if (answer.status !== 200 || answer.body === null)
      throw new Error(`the stream answered ${String(answer.status)}: ${await answer.text()}`);
    const stream = new EventStream(answer.headers, abort);
    void stream.#read(answer.body);
    return stream;
  }

  /** The same over a WebSocket. */
  static openSocket(url: string, headers: Readonly<Record<string, string>>): Promise<EventStream> {
    const socket = new WebSocket(url.replace(/^http/, 'ws'), { headers, rejectUnauthorized: false });
    return new Promise((resolve, reject) => {
      let stream: EventStream | undefined;
      const abort = new AbortController();
      abort.signal.addEventListener('abort', () => {
        socket.terminate();
      });
      socket.on('upgrade', (answer) => {
        const pairs = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
        stream = new EventStream(new Headers(pairs), abort, socket);
        resolve(stream);
      });
      socket.on('unexpected-response', (_, answer) => {
        void (async () => {
          let text = '';
          for await (const piece of answer) text += String(piece);
          reject(new Error(`the stream answered ${String(answer.statusCode)}: ${text}`));
        })();
      });
      socket.on('error', reject);
      socket.on('message', (data: Buffer, isBinary) => {
        if (isBinary) throw new Error('a message is no text');
        if (stream !== undefined) stream.#message(data.toString());
      });
      socket.on('close', (code, reason) => {
        if (stream === undefined) return;
        stream.closedWith = [code, reason.toString()];
        stream.#over = true;
        stream.#wake();
      });
    });
  }

  #message(text: string): void {
    const { id, event, data } = JSON.parse(text) as { id?: number; event: string; data: unknown };
    if (id !== undefined) this.#lastId = String(id);
    this.#events.push([event, typeof data === 'string' ? data : JSON.stringify(data)]);
    this.#wake();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let rest = '';
    try {
      for await (const text of body.pipeThrough(new TextDecoderStream())) {
        const frames = (rest + text).split('\r\n\r\n');
        rest = frames.pop() ?? '';
        for (const one of frames) this.#frame(one.split('\r\n'));
        this.#wake();
      }
    } catch {
      // Closed by the test, or broken off.
    }
    this.#over = true;
    this.#wake();
  }

  #frame(lines: readonly string[]): void {
    const values = (name: string): string[] =>
      lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
    const [id] = values('id');
    if (id !== undefined) this.#lastId = id;
    const data = values('data');
    if (data.length > 0) this.#events.push([values('event')[0] ?? 'message', data.join('\n')]);
  }

  async #until(isDone: () => boolean, what: string): Promise<void> {
    const end = Date.now() + PATIENCE;
    while (!isDone()) {
      if (Date.now() > end) throw new Error(`the stream did not bring ${what}; it has ${JSON.stringify(this.#events)}`);
      if (this.#over) throw new Error(`the stream has ended before ${what}; it has ${JSON.stringify(this.#events)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 200);
        this.#wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  /** The next events, but for `ready`: name and data. */
  async events(count: number): Promise<[string, string][]> {
    const own = (): [string, string][] => this.#events.filter(([name]) => name !== 'ready');
    await this.#until(() => own().length >= count, `${String(count)} events`);
    const taken = own().slice(0, count);
    for (const one of taken) this.#events.splice(this.#events.indexOf(one), 1);
    return taken;
  }

  /** The next events, which tell of changes. */
  async take(count: number): Promise<Told[]> {
    const events = await this.events(count);
    return events.map(([name, data]) => {
      if (name !== 'change') throw new Error(`${name}: ${data}`);
      return JSON.parse(data) as Told;
    });
  }

  /** An event of that name has come. */
  until(name: string): Promise<void> {
    return this.#until(() => this.#events.some(([one]) => one === name), name);
  }

  /** The id that a browser would send when it comes back. */
  async lastId(): Promise<string> {
    await this.#until(() => this.#lastId !== '', 'an id').catch(() => undefined);
    return this.#lastId;
  }

  async ended(): Promise<void> {
    const end = Date.now() + PATIENCE;
    while (!this.#over) {
      if (Date.now() > end) throw new Error('the stream did not end');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  close(): void {
    this.abort.abort();
  }
}
