/** A server on a pair of ports, as the settings want it; in the main thread and in front-end threads. */
import type { MessagePort } from 'node:worker_threads';
import type { Config } from '../config/index.js';
import {
  AddressCounts,
  chooseTransport,
  ConnectionCount,
  startHttpServer,
  type Certificate,
  type Handler,
  type HttpServer,
  type ProcessCounts,
} from '../http/index.js';
import { EVENT_SOURCE } from '../live/index.js';
import {
  budgetLimits,
  followBudgets,
  followPolicy,
  gate,
  httpPolicy,
  httpsOptions,
  tellTransport,
} from './http-settings.js';

/** What counts for all ports, and with `counts` for all threads. */
export class Counted {
  readonly connections: ConnectionCount;

  constructor(
    private readonly config: Config,
    most: number,
    readonly counts: ProcessCounts | undefined,
  ) {
    this.connections = new ConnectionCount(most, counts);
  }

  /** Of one server. */
  addresses(): AddressCounts {
    return new AddressCounts(this.config.get('httpservice.connections.maxperaddress'), this.counts?.keys('addresses'));
  }
}

export interface ListenParts {
  readonly config: Config;
  /** Headers of every answer, whatever the settings say. */
  readonly headers: Readonly<Record<string, string>>;
  /** What is around everything: headers for other origins, whoever counts. */
  readonly around: (handler: Handler) => Handler;
}

export interface Sharing {
  /** Front-end threads are to listen on the same ports. */
  readonly shared?: boolean;
  /** This is one: the way to the main thread, and the certificate that it serves. */
  readonly mainThread?: MessagePort;
  readonly certificate?: Certificate | undefined;
}

/** Listens. Throws `ListenError`, `CertificateError`, `TransportError`, `HttpsSettingError`. */
export async function listen(
  { config, headers, around }: ListenParts,
  counted: Counted,
  ports: { readonly http: number; readonly https: number },
  handler: Handler,
  { shared = false, mainThread, certificate }: Sharing = {},
): Promise<HttpServer> {
  const opened: { server?: HttpServer } = {};
  const chosen = chooseTransport(config.get('application.http.transport'), config.get('httpservice.headers.maxsize'));
  const { tls } = httpsOptions(config, ports.https);
  const server = await startHttpServer(
    {
      transport: chosen.transport,
      host: config.get('application.host'),
      port: ports.http,
      maxBodyTime: config.get('httpservice.request.timeout'),
      idleTimeout: config.get('httpservice.idle.timeout'),
      readTimeout: config.get('httpservice.answers.readtimeout'),
      connections: counted.connections,
      addresses: counted.addresses(),
      maxConnectionsPerAddress: config.get('httpservice.connections.maxperaddress'),
      maxHeaderSize: config.get('httpservice.headers.maxsize'),
      gzip: config.get('httpservice.gzip.enabled'),
      webSockets: [EVENT_SOURCE],
      ...budgetLimits(config),
      ...(counted.counts === undefined ? {} : { counts: counted.counts }),
      ...httpPolicy(config, headers),
      ...(tls === undefined ? {} : { tls: { ...tls, ...(certificate === undefined ? {} : { given: certificate }) } }),
      shared,
      ...(mainThread === undefined ? {} : { mainThread }),
    },
    around(gate(config, handler, () => opened.server, counted.counts)),
  );
  opened.server = server;
  if (mainThread !== undefined) {
    followBudgets(config, server);
    return server;
  }
  tellTransport(config, chosen);
  followPolicy(config, server, headers);
  return server;
}
