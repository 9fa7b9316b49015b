import type { Socket } from 'node:net';

/** A request as its connection sees it. */
interface Served {
  /** Its answer is the last one of the connection. */
  closeAfter: boolean;
  readonly begun: boolean;
  readonly responded: boolean;
  readonly body: { readonly complete: boolean };
  start(): void;
  abort(): void;
}

/** One connection: its requests are served one after the other, however many of them have come. */
export class NodeConnection {
  readonly address: string;
  private current: Served | undefined;
  private readonly waiting: Served[] = [];
  private broken = false;

  /** `id`: tells it from all others of the process. */
  constructor(
    private readonly socket: Socket,
    readonly id: number,
  ) {
    this.address = peerOf(socket);
    socket.once('close', () => {
      this.broken = true;
      const open = this.current === undefined ? [] : [this.current, ...this.waiting];
      this.waiting.length = 0;
      for (const exchange of open) exchange.abort();
    });
  }

  /** Address of this machine; empty once it is closed. */
  get localAddress(): string {
    return dotted(this.socket.localAddress ?? '');
  }

  /** Something that was parsed. It begins when what is behind it in the same piece was parsed, too. */
  add(exchange: Served): void {
    if (this.broken) {
      exchange.abort();
      return;
    }
    if (this.current === undefined) this.start(exchange);
    else {
      // Who sends more before the answer is there does not fill the memory.
      this.socket.pause();
      this.waiting.push(exchange);
    }
  }

  over(exchange: Served): void {
    if (exchange !== this.current) return;
    this.current = undefined;
    // Behind the last answer nothing is served, whatever has come already.
    if (exchange.closeAfter) {
      this.broken = true;
      for (const waiting of this.waiting.splice(0)) waiting.abort();
    }
    if (this.broken) return;
    const next = this.waiting.shift();
    if (next !== undefined) this.start(next);
    if (this.waiting.length === 0) this.socket.resume();
  }

  /** Nothing is being served. */
  get idle(): boolean {
    return this.current === undefined;
  }

  /** What came last is no HTTP: nothing that has not begun begins. Says what becomes of the connection. */
  breakBehind(): 'refuse' | 'close' | 'finish' {
    this.broken = true;
    for (const exchange of this.waiting.splice(0)) exchange.abort();
    const { current } = this;
    if (current === undefined) return 'refuse';
    if (current.begun && current.body.complete) {
      current.closeAfter = true;
      return 'finish';
    }
    const answers = current.begun && current.responded;
    current.abort();
    return answers ? 'close' : 'refuse';
  }

  destroy(): void {
    this.socket.destroy();
  }

  private start(exchange: Served): void {
    this.current = exchange;
    setImmediate(() => {
      exchange.start();
    });
  }
}

/** IPv4 dotted also when it came through an IPv6 socket. */
export function peerOf(socket: Socket): string {
  return dotted(socket.remoteAddress ?? '');
}

function dotted(address: string): string {
  return address.startsWith('::ffff:') && address.includes('.') ? address.slice(7) : address;
}
