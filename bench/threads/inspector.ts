/** Lets single threads of a server compute, by the protocol of debuggers: the server itself has nothing that could be asked to. */
import { WebSocket } from 'ws';

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: {
    readonly sessionId?: string;
    readonly message?: string;
    readonly workerInfo?: { readonly url: string };
  };
  readonly error?: { readonly message: string };
}

/** A thread that accepts connections; undefined: the main thread. */
export type Thread = string | undefined;

/** Settings of Node for a server whose threads are to compute. */
export const INSPECTED = ['--inspect=127.0.0.1:0'] as const;

export class Inspector {
  readonly #waiting = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  #next = 1;
  /** Sessions of the front-end threads. */
  readonly frontEnds: string[] = [];

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      this.#take(JSON.parse(data.toString()) as Message);
    });
    socket.on('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the server has ended'));
    });
  }

  /** `url`: what the server says it listens on (`ServerProcess.inspectorUrl`). */
  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const inspector = new Inspector(socket);
    // Threads that there are, are told of before it answers.
    await inspector.#ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    return inspector;
  }

  /** Resolves when the thread has computed for so many milliseconds, in one go. */
  async compute(thread: Thread, milliseconds: number): Promise<void> {
    const expression = `{ const until = Date.now() + ${String(milliseconds)}; while (Date.now() < until); }`;
    if (thread === undefined) await this.#ask('Runtime.evaluate', { expression });
    else await this.#askThread(thread, 'Runtime.evaluate', { expression });
  }

  close(): void {
    this.socket.close();
  }

  #ask(method: string, params: object): Promise<void> {
    const id = this.#next++;
    this.socket.send(JSON.stringify({ id, method, params }));
    return this.#answered(id);
  }

  /** Numbers are of both, so that an answer is known by its own. */
  async #askThread(sessionId: string, method: string, params: object): Promise<void> {
    const id = this.#next++;
    const answered = this.#answered(id);
    await this.#ask('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify({ id, method, params }) });
    await answered;
  }

  #answered(id: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
  }

  #take({ id, method, params, error }: Message): void {
    if (method === 'NodeWorker.attachedToWorker' && params?.workerInfo?.url.includes('front-end') === true)
      this.frontEnds.push(params.sessionId ?? '');
    if (method === 'NodeWorker.receivedMessageFromWorker') this.#take(JSON.parse(params?.message ?? '{}') as Message);
    if (id === undefined) return;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error === undefined) waiting?.resolve();
    else waiting?.reject(new Error(error.message));
  }
}
