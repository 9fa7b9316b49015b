/** The front-end threads, as the main thread sees them: it starts them, tells them what changes, and starts those anew that end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { MessageChannel, Worker } from 'node:worker_threads';
import { passOnHappening } from '../../../shared/happened.js';
import { inTime } from '../../../shared/in-time.js';
import { logger, passOnLine } from '../../../shared/log.js';
import { serverFile } from '../../../shared/worker-path.js';
import type { Config } from '../../config/index.js';
import type { Graph } from '../../graph/index.js';
import type { LoginFacts, Security, SessionUse } from '../../security/index.js';
import type { Ports } from '../ports.js';
import { Calls, ThreadEndedError } from './calls.js';
import type { CountedHappening, CountedRequest } from './counting.js';
import type { FrontEndData } from './thread-data.js';

const log = logger('main');
/** Milliseconds before one that has ended is started anew: at first, and at most. */
const PAUSE = 100;
const MAX_PAUSE = 10_000;
/** Milliseconds after which one has lasted. */
const LASTED = 60_000;
/** Milliseconds that a thread may take to end. */
const PATIENCE = 2000;
/** Milliseconds for which others wait until a thread follows what it is told. Its loop may be blocked. */
const TO_FOLLOW = 2000;

export interface FrontEndThreadsParts {
  readonly config: Config;
  readonly version: string;
  readonly graph: Graph;
  readonly security: Security;
  readonly headers: Readonly<Record<string, string>>;
  readonly ports: Pick<Ports, 'share'>;
  /** Told of each request that a thread has answered. */
  readonly counted: (request: CountedRequest) => void;
}

class FrontEndThread {
  readonly #worker: Worker;
  readonly #calls: Calls;
  readonly began = performance.now();
  /** Resolves when it listens; rejects when it ends before. */
  readonly listening: Promise<void>;
  /** Resolves when it has ended, with the reason where it was not to end. */
  readonly ended: Promise<string | undefined>;
  #reason: string | undefined;
  #listens = false;

  /** `number`: of the thread, from 1. */
  constructor(
    file: URL,
    readonly number: number,
    { config, version, graph, security, headers, ports, counted }: FrontEndThreadsParts,
  ) {
    if (graph.seat === undefined) throw new Error('the engine has no place for threads that read');
    const seat = graph.seat();
    const { port1, port2 } = new MessageChannel();
    const place = ports.share(number);
    const data: FrontEndData = {
      config: config.copy(),
      version,
      graph: seat,
      calls: port2,
      ports: place.ports,
      headers,
    };
    this.#worker = new Worker(file, {
      workerData: data,
      transferList: [seat.port, port2, place.ports.mainThread],
    });
    let listens = (): void => undefined;
    this.listening = new Promise((resolve, reject) => {
      listens = resolve;
      this.#worker.once('exit', () => {
        reject(new Error(`a front-end thread could not start: ${this.#reason ?? 'it has ended'}`));
      });
    });
    this.#calls = new Calls(port1, {
      listening: () => {
        this.#listens = true;
        listens();
      },
      verify: (name: string, password: string, from: LoginFacts) =>
        security.authentication.verified(name, password, from),
      touched: (session: SessionUse) => {
        security.sessions.used(session);
      },
      log: passOnLine,
      counted: (requests: readonly CountedRequest[], happenings: readonly CountedHappening[]) => {
        for (const one of requests) counted(one);
        for (const one of happenings) passOn(one);
      },
    });
    port1.unref();
    this.#worker.once('error', (error: Error) => {
      this.#reason = error.stack ?? error.message;
    });
    this.ended = new Promise((resolve) => {
      this.#worker.once('exit', () => {
        place.ended();
        resolve(this.#reason);
      });
    });
  }

  tell(name: string, ...args: unknown[]): void {
    this.#calls.tell(name, ...args);
  }

  /** The same; resolves when it has done so, has ended, or takes too long, which the log tells: it does so as soon as its loop goes on. */
  async follow(name: string, ...args: unknown[]): Promise<void> {
    const followed = this.#calls.ask(name, ...args).catch((error: unknown) => {
      if (!(error instanceof ThreadEndedError)) log.error(`a front-end thread did not follow (${name})`, error);
    });
    await inTime(TO_FOLLOW, followed, () => {
      // One that starts takes its time, and answers nobody meanwhile.
      if (!this.#listens) return;
      const thread = `front-end thread ${String(this.number)}`;
      log.error(`${thread} has not followed for ${String(TO_FOLLOW)} ms (${name}): its loop is blocked`);
      void followed.then(() => {
        log.info(`${thread} follows again (${name})`);
      });
    });
  }

  /** It ends itself: to terminate a thread with uWebSockets.js aborts the process (docs/design/threads.md 10). */
  async stop(): Promise<void> {
    this.#calls.tell('stop');
    await Promise.race([this.ended, sleep(PATIENCE, undefined, { ref: false })]);
  }
}

function passOn(one: CountedHappening): void {
  passOnHappening((listener) => {
    if ('data' in one) listener.happened(one.type, one.description, one.data);
    else listener.answered(one.type, one.method, one.path, one.id, one.name);
  });
}

export class FrontEndThreads {
  readonly #running = new Set<FrontEndThread>();
  #stopping = false;
  readonly #unfollow: () => void;

  constructor(private readonly parts: FrontEndThreadsParts) {
    let planned = false;
    this.#unfollow = parts.config.onAnyChange(() => {
      // One request may change many.
      if (planned) return;
      planned = true;
      const followed = Promise.resolve().then(() => {
        planned = false;
        return this.#all('settings', parts.config.copy());
      });
      parts.config.followed.until(followed);
    });
  }

  /** Starts so many threads; resolves when all listen. Rejects when one cannot. */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, (_, i) => this.#begin(i + 1).listening));
  }

  /** How many there are now. */
  get count(): number {
    return this.#running.size;
  }

  /** False: from now on the main thread answers everything. Resolves when that holds. */
  serve(servesSite: boolean): Promise<void> {
    return this.#all('serving', servesSite);
  }

  /** Resolves when none of them is answering anybody, or they take too long; what it answers lets them go on. */
  async rest(): Promise<() => void> {
    const all = [...this.#running];
    await Promise.all(all.map((one) => one.follow('rest')));
    return () => {
      for (const one of all) one.tell('go');
    };
  }

  /** After the ports are closed, which ends what they answer. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#unfollow();
    await Promise.all([...this.#running].map((one) => one.stop()));
  }

  async #all(name: string, ...args: unknown[]): Promise<void> {
    await Promise.all([...this.#running].map((one) => one.follow(name, ...args)));
  }

  #begin(number: number, pause = PAUSE): FrontEndThread {
    const thread = new FrontEndThread(serverFile('front-end'), number, this.parts);
    this.#running.add(thread);
    void thread.ended.then((reason) => this.#ended(thread, reason, pause));
    return thread;
  }

  async #ended(thread: FrontEndThread, reason: string | undefined, pause: number): Promise<void> {
    this.#running.delete(thread);
    if (this.#stopping) return;
    const lasted = performance.now() - thread.began > LASTED;
    const wait = lasted ? PAUSE : pause;
    log.error(
      `a front-end thread has ended (${reason ?? 'without a reason'}); another one is started in ${String(wait)} ms`,
    );
    await sleep(wait);
    if (!this.#stopping) this.#begin(thread.number, Math.min(MAX_PAUSE, wait * 2)).listening.catch(() => undefined);
  }
}
