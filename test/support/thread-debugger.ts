/** The threads of a running server by Node's debugger: what happens to a thread without a door in the server for it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { WebSocket } from 'ws';
import type { TestServer } from './server.js';

interface Told {
  readonly method?: string;
  readonly params?: { readonly sessionId: string; readonly message?: string; readonly workerInfo?: { url: string } };
}

/** A front-end thread, as the debugger knows it. */
export interface DebuggedThread {
  /** Has it run an expression; nobody waits for the value. */
  run(expression: string): void;
}

export class ThreadDebugger {
  readonly threads: DebuggedThread[] = [];
  #serial = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.on('message', (data: Buffer) => {
      const { method, params } = JSON.parse(data.toString()) as Told;
      if (method !== 'NodeWorker.attachedToWorker' || params?.workerInfo?.url.includes('front-end') !== true) return;
      const { sessionId } = params;
      this.threads.push({
        run: (expression) => {
          const message = { id: ++this.#serial, method: 'Runtime.evaluate', params: { expression } };
          this.#ask('NodeWorker.sendMessageToWorker', { sessionId, message: JSON.stringify(message) });
        },
      });
    });
  }

  /** Of a server; resolves when it knows so many front-end threads. */
  static async attach(server: TestServer, threads: number): Promise<ThreadDebugger> {
    server.child.kill('SIGUSR1');
    const [line = ''] = await server.untilLogged(/Debugger listening on \S+/);
    const socket = new WebSocket(/Debugger listening on (\S+)/.exec(line)?.[1] ?? '');
    await new Promise((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
    });
    const attached = new ThreadDebugger(socket);
    attached.#ask('NodeWorker.enable', { waitForDebuggerOnStart: false });
    while (attached.threads.length < threads) await sleep(5);
    return attached;
  }

  close(): void {
    this.socket.terminate();
  }

  #ask(method: string, params: object): void {
    this.socket.send(JSON.stringify({ id: ++this.#serial, method, params }));
  }
}

/** Computes until there is no such file any more. */
export function computingWhile(file: string): string {
  return `{ const { existsSync } = process.getBuiltinModule('node:fs'); while (existsSync(${JSON.stringify(file)})); }`;
}

/** Throws what nobody catches. */
export const THROWING = "setTimeout(() => { throw new Error('provoked by a test'); }); undefined";
