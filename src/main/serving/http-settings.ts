/** The settings of the HTTP server, in the form it takes them. */
import { logger } from '../../shared/log.js';
import { openFileLimit } from '../../shared/open-files.js';
import type { Config } from '../config/index.js';
import {
  forceHttps,
  HttpsSettingError,
  parseHeaderList,
  RateLimiter,
  tlsCiphers,
  type BudgetLimits,
  type CertificateSource,
  type ChosenTransport,
  type Handler,
  type HttpPolicyOptions,
  type HttpServer,
  type ProcessCounts,
  type RateLimits,
  type TlsOptions,
} from '../http/index.js';

const log = logger('http');

/** Settings `httpPolicy` reads. */
const POLICY = [
  'htmlservlet.customresponseheaders',
  'httpservice.hsts.maxage',
  'httpservice.cookies.httponly',
  'httpservice.cookies.samesite',
  'httpservice.cookies.secure',
  'httpservice.trustedproxies',
] as const;

/** What may change while the server runs; `own` headers are the server's, whatever the settings say. */
export function httpPolicy(config: Config, own: Readonly<Record<string, string>>): HttpPolicyOptions {
  const { headers, problems } = parseHeaderList(config.get('htmlservlet.customresponseheaders'));
  for (const problem of problems) log.warn(`htmlservlet.customresponseheaders: ${problem}`);
  return {
    responseHeaders: { ...headers, ...own },
    hstsMaxAge: config.get('httpservice.hsts.maxage'),
    cookies: {
      httpOnly: config.get('httpservice.cookies.httponly'),
      sameSite: config.get('httpservice.cookies.samesite'),
      secure: config.get('httpservice.cookies.secure'),
    },
    trustedProxies: config.get('httpservice.trustedproxies'),
  };
}

/** What is left of the files that the process may open for everything else: databases, contents, calls to others. */
const OTHER_FILES = 1024;
/** Below this it is told how many connections there may be. */
const FEW_CONNECTIONS = 10_000;

/** How many connections may be open; 0: there is no limit. */
export async function mostConnections(config: Config): Promise<number> {
  const set = config.get('httpservice.connections.max');
  const files = await openFileLimit();
  if (set > 0 || files === undefined) return set;
  const most = files - Math.min(OTHER_FILES, Math.ceil(files / 4));
  if (most < FEW_CONNECTIONS)
    log.info(
      `at most ${String(most)} connections at a time, as the process may open ${String(files)} files (ulimit -n); httpservice.connections.max says another number`,
    );
  return most;
}

/** Says which transport is taken in the place of a better one, and which settings it cannot keep as they are (docs/http.md). */
export function tellTransport(config: Config, { transport, instead }: ChosenTransport): void {
  if (instead !== undefined) {
    log.warn(
      `transport node: ${instead} Until then requests take up to twice the processor time that HTTP itself takes, nothing else is lost; ` +
        'application.http.transport = node says that this is meant',
    );
  }
  if (transport !== 'uws') return;
  log.info(
    'transport uws: connections without a request are closed after about 10 s (httpservice.idle.timeout), ' +
      'httpservice.connections.maxperaddress counts requests that wait for their client; docs/http.md says more',
  );
  if (config.get('httpservice.dosfilter.ratelimiting') && config.get('httpservice.dosfilter.remoteport')) {
    log.warn('httpservice.dosfilter.remoteport needs application.http.transport = node: addresses are counted');
  }
}

/** What requests may take of the memory. */
export function budgetLimits(config: Config): { readonly bodies: BudgetLimits; readonly answers: BudgetLimits } {
  return {
    bodies: {
      total: config.get('httpservice.bodies.maxbytes'),
      perAddress: config.get('httpservice.bodies.maxbytesperaddress'),
    },
    answers: {
      total: config.get('httpservice.answers.maxbytes'),
      perAddress: config.get('httpservice.answers.maxbytesperaddress'),
    },
  };
}

/** Settings `budgetLimits` reads. */
const BUDGETS = [
  'httpservice.bodies.maxbytes',
  'httpservice.bodies.maxbytesperaddress',
  'httpservice.answers.maxbytes',
  'httpservice.answers.maxbytesperaddress',
] as const;

/** Lets changed limits of memory hold from the next response on. */
export function followBudgets(config: Config, server: HttpServer): void {
  for (const name of BUDGETS) {
    config.onChange(name, () => {
      const { bodies, answers } = budgetLimits(config);
      server.budgets.bodies.configure(bodies);
      server.budgets.answers.configure(answers);
    });
  }
}

/** Lets changed settings hold from the next response on, in front-end threads as well. */
export function followPolicy(config: Config, server: HttpServer, own: Readonly<Record<string, string>>): void {
  followBudgets(config, server);
  let planned = false;
  for (const name of POLICY) {
    config.onChange(name, () => {
      // One reload may change several of them.
      if (planned) return;
      planned = true;
      const reconfigured = Promise.resolve().then(() => {
        planned = false;
        return server.reconfigure(httpPolicy(config, own));
      });
      config.followed.until(reconfigured);
    });
  }
}

/** HTTPS at a port, as the settings want it. Throws `HttpsSettingError`. */
export function httpsOptions(config: Config, port: number): { readonly tls?: TlsOptions } {
  const ciphers = tlsCiphers({
    included: config.get('httpservice.ssl.protocols.included'),
    excluded: config.get('httpservice.ssl.protocols.excluded'),
    excludedCiphers: config.get('httpservice.ssl.ciphers.excluded'),
  });
  if (config.get('application.https.enabled')) {
    return { tls: { port, source: () => certificateSource(config), ciphers } };
  }
  if (config.get('httpservice.force.https') && config.get('httpservice.trustedproxies').length === 0) {
    throw new HttpsSettingError(
      'httpservice.force.https needs HTTPS: application.https.enabled, or a proxy in httpservice.trustedproxies',
    );
  }
  return {};
}

function certificateSource(config: Config): CertificateSource {
  const certificate = config.path('application.https.certificate');
  return certificate === ''
    ? {
        kind: 'pkcs12',
        path: config.path('application.keystore.path'),
        password: config.get('application.keystore.password'),
      }
    : {
        kind: 'pem',
        certificate,
        key: config.path('application.https.key'),
        passphrase: config.get('application.https.key.passphrase'),
      };
}

/** Settings `rateLimits` reads. */
const LIMITS = [
  'httpservice.dosfilter.ratelimiting',
  'httpservice.dosfilter.maxrequestspersec',
  'httpservice.dosfilter.delayms',
  'httpservice.dosfilter.throttledrequests',
  'httpservice.dosfilter.maxwaitms',
  'httpservice.dosfilter.throttlems',
  'httpservice.dosfilter.maxrequestms',
  'httpservice.dosfilter.maxidletrackerms',
  'httpservice.dosfilter.insertheaders',
  'httpservice.dosfilter.remoteport',
  'httpservice.dosfilter.ipwhitelist',
  'httpservice.dosfilter.toomanycode',
] as const;

function rateLimits(config: Config): RateLimits {
  return {
    enabled: config.get('httpservice.dosfilter.ratelimiting'),
    requestsPerSecond: config.get('httpservice.dosfilter.maxrequestspersec'),
    delay: config.get('httpservice.dosfilter.delayms'),
    slots: config.get('httpservice.dosfilter.throttledrequests'),
    slotWait: config.get('httpservice.dosfilter.maxwaitms'),
    throttle: config.get('httpservice.dosfilter.throttlems'),
    maxRun: config.get('httpservice.dosfilter.maxrequestms'),
    forgetAfter: config.get('httpservice.dosfilter.maxidletrackerms'),
    headers: config.get('httpservice.dosfilter.insertheaders'),
    perConnection: config.get('httpservice.dosfilter.remoteport'),
    refusedStatus: config.get('httpservice.dosfilter.toomanycode'),
    exempt: config
      .get('httpservice.dosfilter.ipwhitelist')
      .split(/[\s,]+/)
      .filter((word) => word !== ''),
  };
}

/** What is in front of the rooms: limits, redirects to HTTPS. `server` is asked once it listens; `counts`: what other threads count as well. */
export function gate(
  config: Config,
  site: Handler,
  server: () => HttpServer | undefined,
  counts?: ProcessCounts,
): Handler {
  const limiter = new RateLimiter(rateLimits(config), counts);
  for (const name of LIMITS) {
    config.onChange(name, () => {
      limiter.configure(rateLimits(config));
    });
  }
  if (!config.get('httpservice.force.https')) return limiter.wrap(site);
  const redirecting = forceHttps(site, {
    securePort: () => server()?.securePort,
    baseUrl: () => config.get('application.baseurl.override'),
  });
  return limiter.wrap(redirecting);
}
