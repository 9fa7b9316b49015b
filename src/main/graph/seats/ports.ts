/**
 * The ports of threads that read the database, as the main thread sees them: each is told everything in its order, and none is waited for
 * (docs/design/threads.md 4, 10).
 */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { Own } from './clock.js';

/** Bytes of messages that a thread may have left in its port. */
const MOST_LEFT = 64 * 1024 * 1024;
/** Bytes of a message, about, without what grows with what it tells. */
export const SIZE = 512;
/** Milliseconds that threads are waited for at the end. */
const CLOSING = 2000;

/** A message as it lies in a port; `size`: about how many bytes it takes. */
export type Sized<M> = M & { readonly size: number };

export interface SeatPort {
  readonly port: MessagePort;
  readonly own: Own;
  /** Bytes that were sent. */
  sent: number;
  /** Something was not told, as too much was left. */
  missed: boolean;
}

export interface SeatPortsParts<M, F> {
  /** What tells a thread that something was not told. */
  readonly missed: () => M;
  /** Hears of what threads say. */
  readonly told: (message: F) => void;
  /** The last thread has gone. */
  readonly left?: () => void;
  /** For tests: bytes instead of 64 MB. */
  readonly mostLeft?: number | undefined;
}

export class SeatPorts<M extends object, F> {
  readonly #all = new Set<SeatPort>();

  constructor(private readonly parts: SeatPortsParts<M, F>) {}

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** One more, which is told what is told from now on, and the end that its thread gets. */
  open(): { readonly taken: SeatPort; readonly port: MessagePort } {
    const { port1, port2 } = new MessageChannel();
    const own = new Own();
    own.hold(undefined);
    const taken: SeatPort = { port: port1, own, sent: 0, missed: false };
    this.#all.add(taken);
    port1.on('message', (message: F) => {
      this.parts.told(message);
    });
    port1.on('close', () => {
      this.#all.delete(taken);
      if (this.isEmpty) this.parts.left?.();
    });
    port1.unref();
    return { taken, port: port2 };
  }

  /** Whether what each thread shares says so. */
  every(isSo: (own: Own) => boolean): boolean {
    return [...this.#all].every(({ own }) => isSo(own));
  }

  toAll(message: M, size = SIZE): void {
    for (const taken of this.#all) this.post(taken, message, size);
  }

  post(taken: SeatPort, message: M, size = SIZE): void {
    const { port, own } = taken;
    if (own.left(taken.sent) + size > (this.parts.mostLeft ?? MOST_LEFT)) {
      taken.missed = true;
      return;
    }
    if (taken.missed) {
      taken.missed = false;
      taken.sent += SIZE;
      port.postMessage({ ...this.parts.missed(), size: SIZE } satisfies Sized<M>);
    }
    taken.sent += size;
    port.postMessage({ ...message, size } satisfies Sized<M>);
  }

  /** Resolves when all threads have closed theirs, or soon: what is left is closed then. */
  async close(): Promise<void> {
    await until(() => this.isEmpty, CLOSING);
    for (const { port } of this.#all) port.close();
  }
}

/** Resolves when it is so, or after so many milliseconds. */
export async function until(isSo: () => boolean, most: number): Promise<void> {
  const end = performance.now() + most;
  while (!isSo() && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 1));
}
