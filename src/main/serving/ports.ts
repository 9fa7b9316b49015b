/** The listeners: the main ports, and those of the maintenance mode while it is on. */
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import { EXIT } from '../exit-codes.js';
import {
  CertificateError,
  chooseTransport,
  type ConnectionCount,
  HttpsSettingError,
  ListenError,
  startHttpServer,
  TransportError,
  type Handler,
  type HttpServer,
} from '../http/index.js';
import { StartError } from '../start-error.js';
import { EVENT_SOURCE } from '../live/index.js';
import type { MaintenancePorts } from '../services/index.js';
import {
  budgetLimits,
  connectionCount,
  followPolicy,
  gate,
  httpPolicy,
  httpsOptions,
  tellTransport,
} from './http-settings.js';

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
  /** Where the application is reached from now on. */
  readonly moved: (server: HttpServer) => void;
}

export class Ports implements MaintenancePorts {
  #maintenance: HttpServer | undefined;
  #closing: Promise<void> = Promise.resolve();

  private constructor(
    private readonly parts: PortsParts,
    private readonly main: HttpServer,
    private readonly serves: { main: Handler },
    private readonly connections: ConnectionCount,
  ) {}

  /** Opens the main ports; `maintenance`: they show the page from the first request on. Throws `StartError`. */
  static async open(parts: PortsParts, maintenance: boolean): Promise<Ports> {
    const serves = { main: maintenance ? parts.page : parts.site };
    const { config } = parts;
    try {
      const connections = await connectionCount(config);
      const main = await listen(
        parts,
        connections,
        { http: config.get('application.http.port'), https: config.get('application.https.port') },
        (exchange) => serves.main(exchange),
      );
      parts.moved(main);
      return new Ports(parts, main, serves, connections);
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

  async enable(): Promise<void> {
    await this.#closing;
    const { config } = this.parts;
    const ports = {
      http: config.get('maintenance.application.http.port'),
      https: config.get('maintenance.application.https.port'),
    };
    const taken = [this.main.port, this.main.securePort].find((one) => one === ports.http || one === ports.https);
    if (taken !== undefined) throw new Error(`port ${String(taken)} is a main port`);
    this.#maintenance = await listen(this.parts, this.connections, ports, this.parts.site);
    this.serves.main = this.parts.page;
    this.parts.moved(this.#maintenance);
    log.info(`maintenance mode: the application answers at ${this.applicationAddress}/`);
  }

  /** Not awaited is the end of requests at the maintenance ports: the one that has switched may be among them. */
  disable(): Promise<void> {
    const server = this.#maintenance;
    this.serves.main = this.parts.site;
    this.#maintenance = undefined;
    this.parts.moved(this.main);
    if (server !== undefined) this.#closing = server.close(this.parts.config.get('httpservice.shutdown.grace'));
    return Promise.resolve();
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

async function listen(
  { config, headers, around }: PortsParts,
  connections: ConnectionCount,
  ports: { readonly http: number; readonly https: number },
  handler: Handler,
): Promise<HttpServer> {
  const opened: { server?: HttpServer } = {};
  const chosen = chooseTransport(config.get('application.http.transport'), config.get('httpservice.headers.maxsize'));
  const server = await startHttpServer(
    {
      transport: chosen.transport,
      host: config.get('application.host'),
      port: ports.http,
      maxBodyTime: config.get('httpservice.request.timeout'),
      idleTimeout: config.get('httpservice.idle.timeout'),
      readTimeout: config.get('httpservice.answers.readtimeout'),
      connections,
      maxConnectionsPerAddress: config.get('httpservice.connections.maxperaddress'),
      maxHeaderSize: config.get('httpservice.headers.maxsize'),
      gzip: config.get('httpservice.gzip.enabled'),
      webSockets: [EVENT_SOURCE],
      ...budgetLimits(config),
      ...httpPolicy(config, headers),
      ...httpsOptions(config, ports.https),
    },
    around(gate(config, handler, () => opened.server)),
  );
  opened.server = server;
  tellTransport(config, chosen);
  followPolicy(config, server, headers);
  return server;
}

function startErrorOf(error: unknown): StartError | undefined {
  if (error instanceof ListenError) return new StartError(error.message, EXIT.portTaken);
  if (error instanceof CertificateError) return new StartError(error.message, EXIT.certificate);
  if (error instanceof TransportError || error instanceof HttpsSettingError)
    return new StartError(error.message, EXIT.configuration);
  return undefined;
}
