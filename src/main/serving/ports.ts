/** The listeners: the main ports, and those of the maintenance mode while it is on. */
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import { EXIT } from '../exit-codes.js';
import {
  CertificateError,
  type Certificate,
  type CountsMemory,
  HttpsSettingError,
  ListenError,
  ProcessCounts,
  TransportError,
  type Handler,
  type HttpServer,
} from '../http/index.js';
import { StartError } from '../start-error.js';
import type { MaintenancePorts } from '../services/index.js';
import { mostConnections } from './http-settings.js';
import { Counted, listen } from './listen.js';
import { threadCount } from './threads/thread-count.js';

const log = logger('main');

export interface PortsParts {
  readonly config: Config;
  /** Headers of every answer, whatever the settings say. */
  readonly headers: Readonly<Record<string, string>>;
  readonly site: Handler;
  /** What main ports show in maintenance mode. */
  readonly page: Handler;
  /** What is around everything: headers for other origins, whoever counts. */
  readonly around: (handler: Handler) => Handler;
  /** A front-end thread has handed a request over. */
  readonly handedOver: () => void;
  /** Where the application is reached from now on. */
  readonly moved: (server: HttpServer) => void;
}

/** What a front-end thread needs to listen on the main ports. */
export interface SharedPorts {
  readonly http: number;
  readonly https: number | undefined;
  readonly certificate: Certificate | undefined;
  /** What counts for the process, and how many connections it may have (0: no limit). */
  readonly counts: CountsMemory;
  readonly mostConnections: number;
  /** False: the main thread answers everything, for now. */
  readonly servesSite: boolean;
  /** Number of the thread, from 1. */
  readonly thread: number;
  /** Requests are handed over here. */
  readonly mainThread: MessagePort;
}

/** The threads that listen as well, as far as these ports know them. */
export interface ListeningThreads {
  /** False: from now on the main thread answers everything. Resolves when that holds in all of them. */
  serve(servesSite: boolean): Promise<void>;
}

export class Ports implements MaintenancePorts {
  #maintenance: HttpServer | undefined;
  #closing: Promise<void> = Promise.resolve();
  /** Set once there are some. */
  threads: ListeningThreads | undefined;

  private constructor(
    private readonly parts: PortsParts,
    private readonly main: HttpServer,
    private readonly serves: { main: Handler },
    private readonly counted: Counted,
    /** Threads that accept connections at the main ports, this one counted. */
    readonly threadCount: number,
  ) {}

  /** Opens the main ports; `maintenance`: they show the page from the first request on. Throws `StartError`. */
  static async open(parts: PortsParts, maintenance: boolean): Promise<Ports> {
    const serves = { main: maintenance ? parts.page : parts.site };
    const { config } = parts;
    try {
      const threads = threadCount(config);
      const counts = threads > 1 ? ProcessCounts.create(threads) : undefined;
      const counted = new Counted(config, await mostConnections(config), counts);
      const main = await listen(
        parts,
        counted,
        { http: config.get('application.http.port'), https: config.get('application.https.port') },
        (exchange) => serves.main(exchange),
        { shared: threads > 1 },
      );
      parts.moved(main);
      return new Ports(parts, main, serves, counted, threads);
    } catch (error) {
      throw startErrorOf(error) ?? error;
    }
  }

  /** The main ports. */
  get port(): number {
    return this.main.port;
  }

  get securePort(): number | undefined {
    return this.main.securePort;
  }

  get activeRequests(): number {
    return this.main.activeRequests + (this.#maintenance?.activeRequests ?? 0);
  }

  /** Where the application answers now, without a slash at the end. */
  get applicationAddress(): string {
    return this.address(this.#maintenance !== undefined);
  }

  address(enabled: boolean): string {
    const { port, securePort } = (enabled ? this.#maintenance : undefined) ?? this.main;
    const host = hostOf(this.parts.config.get('application.host'));
    return securePort === undefined ? `http://${host}:${String(port)}` : `https://${host}:${String(securePort)}`;
  }

  /**
   * A place at the main ports for a front-end thread, which hands over what it does not answer itself; `mainThread` is to be transferred. `ended` is to be called when
   * the thread is gone.
   */
  share(thread: number): { readonly ports: SharedPorts; readonly ended: () => void } {
    const { counts, connections } = this.counted;
    if (counts === undefined) throw new Error('the ports are not shared');
    const { port1, port2 } = new MessageChannel();
    this.main.serveThread(
      port1,
      this.parts.around((exchange) => {
        this.parts.handedOver();
        return this.serves.main(exchange);
      }),
    );
    const { port: http, securePort: https, certificate } = this.main;
    return {
      ports: {
        http,
        https,
        certificate,
        counts: counts.memory,
        mostConnections: connections.most,
        servesSite: this.serves.main === this.parts.site,
        thread,
        mainThread: port2,
      },
      ended: () => {
        counts.forget(thread);
      },
    };
  }

  async enable(): Promise<void> {
    await this.#closing;
    const { config } = this.parts;
    const ports = {
      http: config.get('maintenance.application.http.port'),
      https: config.get('maintenance.application.https.port'),
    };
    const taken = [this.main.port, this.main.securePort].find((one) => one === ports.http || one === ports.https);
    if (taken !== undefined) throw new Error(`port ${String(taken)} is a main port`);
    this.#maintenance = await listen(this.parts, this.counted, ports, this.parts.site);
    this.serves.main = this.parts.page;
    await this.threads?.serve(false);
    this.parts.moved(this.#maintenance);
    log.info(`maintenance mode: the application answers at ${this.applicationAddress}/`);
  }

  /** Not awaited is the end of requests at the maintenance ports: the one that has switched may be among them. */
  async disable(): Promise<void> {
    const server = this.#maintenance;
    this.serves.main = this.parts.site;
    this.#maintenance = undefined;
    this.parts.moved(this.main);
    if (server !== undefined) this.#closing = server.close(this.parts.config.get('httpservice.shutdown.grace'));
    await this.threads?.serve(true);
  }

  async reloadCertificate(): Promise<void> {
    await Promise.all([this.main.reloadCertificate(), this.#maintenance?.reloadCertificate()]);
  }

  /** Takes no more connections, lets running requests end for at most `graceMs`, then closes the rest. */
  async close(graceMs: number): Promise<void> {
    await Promise.all([this.main.close(graceMs), this.#maintenance?.close(graceMs), this.#closing]);
  }
}

/** The name under which this machine is reached by itself: listening at all addresses names none. */
function hostOf(host: string): string {
  if (['', '0.0.0.0', '::'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}

function startErrorOf(error: unknown): StartError | undefined {
  if (error instanceof ListenError) return new StartError(error.message, EXIT.portTaken);
  if (error instanceof CertificateError) return new StartError(error.message, EXIT.certificate);
  if (error instanceof TransportError || error instanceof HttpsSettingError)
    return new StartError(error.message, EXIT.configuration);
  return undefined;
}
