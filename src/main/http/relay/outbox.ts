import type { MessagePort } from 'node:worker_threads';

/** Messages to another thread: those of one turn of the loop leave as one. */
export class Outbox<M> {
  #messages: M[] = [];
  #memory: ArrayBuffer[] = [];
  #planned = false;

  constructor(private readonly port: MessagePort) {}

  /** `memory` is handed over: nobody may use it here afterwards. */
  send(message: M, memory?: ArrayBuffer): void {
    this.#messages.push(message);
    if (memory !== undefined) this.#memory.push(memory);
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(this.flush);
  }

  /** Without waiting for the end of the turn. */
  readonly flush = (): void => {
    this.#planned = false;
    if (this.#messages.length === 0) return;
    const [messages, memory] = [this.#messages, this.#memory];
    this.#messages = [];
    this.#memory = [];
    this.port.postMessage(messages, memory);
  };
}
