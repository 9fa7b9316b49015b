/** Questions from one thread to another, with answers: few and small. Requests go through `http/relay`. */
import type { MessagePort } from 'node:worker_threads';
import { AccessError } from '../../security/index.js';

type Question = { readonly ask: number; readonly name: string; readonly args: readonly unknown[] };
type Answer = { readonly answer: number; readonly value?: unknown; readonly failure?: Failure };

/** An error as it crosses threads. */
interface Failure {
  readonly message: string;
  /** Of `AccessError`. */
  readonly access?: Pick<AccessError, 'status' | 'headers'>;
}

/** The other side is gone. */
export class ThreadEndedError extends Error {
  override readonly name = 'ThreadEndedError';
}

/** What the other side may ask, by name. */
export type Answers = Readonly<Record<string, (...args: never[]) => unknown>>;

/** One end of a channel. */
export class Calls {
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #next = 1;
  #closed: Error | undefined;

  constructor(
    private readonly port: MessagePort,
    private readonly answers: Answers,
  ) {
    port.on('message', (message: Question | Answer) => {
      if ('ask' in message) void this.#answer(message);
      else this.#take(message);
    });
    port.on('close', () => {
      this.#close();
    });
  }

  /** Resolves with what the other side answers; rejects with its error (`AccessError` as that), with `ThreadEndedError` when it is gone. */
  ask(name: string, ...args: unknown[]): Promise<unknown> {
    if (this.#closed !== undefined) return Promise.reject(this.#closed);
    return new Promise((resolve, reject) => {
      const id = this.#next++;
      this.#waiting.set(id, { resolve, reject });
      this.#send({ ask: id, name, args });
    });
  }

  /** The same where nobody waits for an answer. */
  tell(name: string, ...args: unknown[]): void {
    if (this.#closed === undefined) this.#send({ ask: 0, name, args });
  }

  #send(message: Question | Answer): void {
    this.port.postMessage(message);
  }

  async #answer({ ask, name, args }: Question): Promise<void> {
    let answer: Answer;
    try {
      const run = this.answers[name];
      if (run === undefined) throw new Error(`nobody answers '${name}'`);
      answer = { answer: ask, value: await run(...(args as never[])) };
    } catch (error) {
      answer = { answer: ask, failure: failureOf(error) };
    }
    if (ask !== 0 && this.#closed === undefined) this.#send(answer);
  }

  #take({ answer, value, failure }: Answer): void {
    const waiting = this.#waiting.get(answer);
    this.#waiting.delete(answer);
    if (failure === undefined) waiting?.resolve(value);
    else waiting?.reject(errorOf(failure));
  }

  #close(): void {
    this.#closed = new ThreadEndedError('the other thread has ended');
    for (const { reject } of this.#waiting.values()) reject(this.#closed);
    this.#waiting.clear();
  }
}

function failureOf(error: unknown): Failure {
  const message = error instanceof Error ? error.message : String(error);
  if (!(error instanceof AccessError)) return { message };
  const { status, headers } = error;
  return { message, access: { status, headers } };
}

function errorOf({ message, access }: Failure): Error {
  return access === undefined ? new Error(message) : new AccessError(message, access.status, access.headers);
}
