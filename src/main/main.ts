/**
 * Composition root: reads the settings, opens the graph, compiles the schema, starts the server, ends cleanly.
 * Exit codes: see `exit-codes.ts`.
 */
import { hostname } from 'node:os';
import { parseArgs } from 'node:util';
import { happened } from '../shared/happened.js';
import { logger } from '../shared/log.js';
import { Analytics } from './analytics/index.js';
import { Cluster } from './cluster/index.js';
import { Config, ConfigError } from './config/index.js';
import { BackupSchedule } from './backup/index.js';
import { Setup, valuesAtStart } from './configuration/index.js';
import { Changelog } from './events/index.js';
import { createDeployServlet, Deployments, type DeploymentContext } from './deployment/index.js';
import { EXIT, exitCodeOf } from './exit-codes.js';
import { JobNotices } from './files/index.js';
import { GraphError, type Graph } from './graph/index.js';
import { giveMemoryBackWhenIdle } from './idle-memory.js';
import { Migrations, Threads } from './maintenance/index.js';
import { launcherFile, memberName, readVersion } from './own-facts.js';
import { openAdminUi } from './opening/open-admin-ui.js';
import { openBelonging } from './opening/open-belonging.js';
import { openConfiguration } from './opening/open-configuration.js';
import { openControl } from './opening/open-control.js';
import { openFiles, openPages } from './opening/open-files.js';
import { openFrontEnds } from './opening/open-front-ends.js';
import { openGeocoder } from './opening/open-geocoder.js';
import { openGraph } from './opening/open-graph.js';
import { openEventSource, openLive } from './opening/open-live.js';
import { logRequests, openLog } from './opening/open-logs.js';
import { openMedia } from './opening/open-media.js';
import { Monitor, monitoringServlets } from './opening/open-monitoring.js';
import { openPools } from './opening/open-pools.js';
import { openSchema, type MediaPlace } from './opening/open-schema.js';
import { openSecurity } from './opening/open-security.js';
import { reloadOnSignal, stopOnSignals } from './signals.js';
import {
  createConfirmationLinks,
  createFlow,
  createForms,
  createImages,
  createProxy,
  createRest,
  createScriptHost,
  createWatch,
  sendError,
  Welcome,
  writeOptions,
  type RestServices,
} from './rest/index.js';
import { LogTail } from './monitoring/index.js';
import { serveFrontend, type Pages } from './pages/index.js';
import { Requests } from './request/index.js';
import { SchemaError, type FunctionScriptsPlace, type SchemaService } from './schema/index.js';
import { EncryptionKeys, evaluateMail, Scripting } from './scripting/index.js';
import { ensureInitialUser } from './security/index.js';
import { MaintenanceMode, Services, serviceTable } from './services/index.js';
import { beginningNow } from './serving/current.js';
import { createMaintenancePage } from './serving/maintenance-page.js';
import { Ports } from './serving/ports.js';
import { createSite } from './serving/site.js';
import { plannedThreads } from './serving/threads/thread-count.js';
import { StartError } from './start-error.js';
import { migrateAtStart } from './start-migrations.js';

const log = logger('main');

async function loadConfig(): Promise<Config> {
  const { values } = parseArgs({ options: { conf: { type: 'string' } }, allowPositionals: false });
  try {
    return await Config.load({ confPath: values.conf ?? 'svc.conf', env: process.env });
  } catch (error) {
    if (error instanceof ConfigError)
      throw new StartError(error.problems.map((p) => p.message).join('; '), EXIT.configuration);
    throw error;
  }
}

async function connect(config: Config, monitor: Monitor): Promise<Graph> {
  try {
    return await openGraph(config, {
      transactions: monitor.transactions,
      statement: monitor.statement,
      threads: plannedThreads(config),
    });
  } catch (error) {
    if (!(error instanceof GraphError)) throw error;
    throw new StartError(error.message, exitCodeOf(error.code));
  }
}

async function main(): Promise<void> {
  const startedAt = new Date();
  const threads = new Threads();
  giveMemoryBackWhenIdle();
  const config = await loadConfig();
  const pools = openPools(config);
  const atStart = valuesAtStart(config);
  const logTail = new LogTail();
  await openLog(config);
  for (const problem of config.problems) log.warn(problem.message);
  const version = await readVersion();
  log.info(`starting ${config.get('application.title')} ${version}, settings from ${config.confPath}`);

  const monitor = new Monitor(config);
  await monitor.trace(version);
  logRequests(config, monitor.requests);
  const graph = await connect(config, monitor);
  monitor.follow(graph);
  const keys = new EncryptionKeys(config);
  let schemas: SchemaService;
  // Scripts need the rooms that need the schema: until they are there, function properties read as null.
  const functions: FunctionScriptsPlace = { scripts: undefined };
  // Likewise what works on the content of files: thumbnails read as null.
  const mediaPlace: MediaPlace = { wants: undefined, read: undefined };
  try {
    schemas = await openSchema(config, graph, keys, functions, mediaPlace);
  } catch (error) {
    await graph.close();
    if (error instanceof SchemaError)
      throw new StartError(`the schema in the database does not compile: ${error.message}`, EXIT.schema);
    throw error;
  }
  const belonging = await openBelonging(config, graph, schemas);
  const changelog = new Changelog({
    config,
    graph,
    schemas,
    instance: graph.membership === undefined ? undefined : memberName(config),
  });
  await changelog.start();
  await ensureInitialUser(graph, schemas, writeOptions(config, 'system'), {
    create: config.get('initialuser.create'),
    name: config.get('initialuser.name'),
    password: config.get('initialuser.password'),
  });
  const { cors, security } = await openSecurity({ config, graph, schemas });
  const cluster = await Cluster.start(graph, {
    facts: { name: memberName(config), host: hostname(), pid: process.pid, version, startedAt },
    leaseTime: config.get('cluster.lease.time'),
  });
  await security.keepTidy(cluster);
  const requests = new Requests({ graph, schemas, security });
  const welcome = new Welcome(config, version);
  const files = openFiles({ config, graph, schemas, security, requests, belonging }, (): Pages => pages, welcome);
  const media = await openMedia(
    { config, graph, schemas, security, files, write: () => writeOptions(config, 'system') },
    mediaPlace,
  );
  const host = createScriptHost(() => services);
  const scripting = new Scripting({
    config,
    graph,
    schemas,
    security,
    files,
    media,
    changelog,
    host,
    keys,
    write: () => writeOptions(config, 'script'),
  });
  const pages = openPages({ config, graph, schemas, security, requests, scripting }, files);
  functions.scripts = scripting.functions;
  files.callbacks.current = scripting.callbacks;
  files.importScripts.current = scripting.imports;
  security.events.listener = scripting.callbacks;
  schemas.lifecycle = scripting.lifecycle;
  security.mails.evaluate = (mail) => evaluateMail(scripting, mail);
  files.templates.evaluate = (file, source, reader) => scripting.evaluateTemplate(file, source, reader);
  const migrations = new Migrations({
    config,
    graph,
    schemas,
    files,
    cluster,
    write: () => writeOptions(config, 'command'),
  });
  await migrateAtStart(migrations, [scripting, files, security, cluster, changelog], graph);
  files.start();
  files.keepTidy(cluster);
  const backups = new BackupSchedule(config, launcherFile());
  backups.start(cluster);
  const live = openLive(config, { graph, schemas, security });
  files.jobs.notices = new JobNotices(live, cluster.name);
  const deploying: DeploymentContext = {
    config,
    graph,
    schemas,
    files,
    scripting,
    migrations,
    version,
    write: () => writeOptions(config, 'command'),
    standstill: requests.standstill,
  };
  const deployments = new Deployments(deploying);
  graph.stillness?.follow(() => requests.standstill.begin());
  deployments.start();
  const analytics = new Analytics({ config, graph, schemas, write: () => writeOptions(config, 'system') });
  analytics.start(cluster);
  const running = new Services(config, serviceTable({ config, cluster, schemas, scripting, files, media }));
  const maintenanceMode = new MaintenanceMode({
    config,
    services: running,
    cluster,
    notes: graph.notes,
    ports: {
      enable: () => ports.enable(),
      disable: () => ports.disable(),
      address: (enabled) => ports.address(enabled),
    },
    changes: (change) => {
      const message = JSON.stringify({ type: 'MAINTENANCE', ...change });
      live.send('GENERIC_MESSAGE', message, { authenticated: true, anonymous: true });
      live.endStreams();
      logTail.endStreams();
    },
  });
  const services: RestServices = {
    config,
    deployments,
    graph,
    cluster,
    schemas,
    security,
    requests,
    files,
    media,
    scripting,
    threads,
    migrations,
    geocoder: openGeocoder(config),
    live,
    analytics,
    events: monitor.events,
    statistics: monitor.statistics,
    logTail,
    running,
    maintenanceMode,
    version,
    startedAt,
  };
  const { rest, csv } = createRest(services);
  const setup = new Setup(config);
  const configuration = await openConfiguration(config, {
    security,
    services: running,
    maintenanceMode,
    setup,
    atStart,
    version,
    address: () => ports.applicationAddress,
    restart: () => {
      restart();
    },
    sendError,
  });
  const adminUi = await openAdminUi(config, {
    security,
    requests,
    version,
    hasConfiguration: configuration !== undefined,
    sendError,
  });
  const site = createSite({
    adminUi,
    configuration,
    needsSetup: () => !setup.isComplete,
    rootPath: () => config.get('application.root.path'),
    servlets: new Set(config.get('httpservice.servlets')),
    rest,
    csv,
    flow: createFlow(services),
    proxy: createProxy(services),
    images: createImages(services),
    deploy: createDeployServlet({ ...deploying, requests, deployments }),
    files,
    pages,
    welcome,
    eventSource: openEventSource(config, { live, requests, security, watch: createWatch(services), sendError }),
    standstill: requests.standstill,
    monitoring: monitoringServlets(config, monitor, { graph, requests, deployments, live, version }),
    frontend: await serveFrontend({ packs: () => config.get('httpservice.gzip.enabled'), sendError }),
    oauth: (exchange) => security.oauth.handle(exchange, pages.showErrorPage),
    forms: createForms(config, security, requests, pages.errorPath),
    confirmationLinks: createConfirmationLinks(config, security),
  });

  let ports: Ports;
  const headers = { 'X-Svc-Edition': 'Community', ...(cluster.shared ? { 'X-Svc-Cluster-Node': cluster.name } : {}) };
  try {
    const inMaintenance = await MaintenanceMode.atStart(config, cluster, graph.notes);
    await running.startAll(inMaintenance);
    ports = await Ports.open(
      {
        config,
        headers,
        site: beginningNow(graph, site),
        page: createMaintenancePage(config, sendError),
        around: (handler) => monitor.around(cors.wrap(handler)),
        handedOver: () => {
          monitor.requests.handedOver++;
        },
        moved: ({ port, securePort }) => {
          cluster.port = port;
          security.listensOn(port, securePort);
        },
      },
      inMaintenance,
    );
    await maintenanceMode.begin(inMaintenance);
  } catch (error) {
    await cluster.stop();
    await graph.close();
    throw error;
  }
  const frontEnds = await openFrontEnds(ports, { config, version, graph, security, requests, headers, monitor });
  const control = await openControl(services, host);
  const parts = [
    frontEnds,
    ...(control === undefined ? [] : [control]),
    backups,
    maintenanceMode,
    running,
    analytics,
    scripting,
    media,
    files,
    security,
    cluster,
    changelog,
    monitor,
    pools,
  ];
  // Streams would never end by themselves.
  const first = {
    stop: (): void => {
      live.stop();
      logTail.endStreams();
    },
  };
  const grace = config.get('httpservice.shutdown.grace');
  const restart = stopOnSignals({ server: ports, first, services: parts, graph, grace });
  reloadOnSignal(config, ports);
  happened('SystemInfo', 'Started', { key: 'version', value: version });
  const user = config.get('initialuser.name');
  if (ports.securePort !== undefined) log.info(`listening on https://localhost:${String(ports.securePort)}/`);
  log.info(`listening on http://localhost:${String(ports.port)}/`);
  setup.begin(ports.applicationAddress);
  log.info(
    security.documentedPassword.inUse
      ? `log in as '${user}' with the documented initial password, which is the word admin; it works on this machine only, until it is changed`
      : `log in as '${user}' (at the address above, or with the headers X-User and X-Password)`,
  );
}

// Whoever read the log may go (`npm start | head`): the server goes on without it.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);

process.on('unhandledRejection', (error) => {
  log.error('unhandled rejection', error);
});

/** When it listens (bin/serve.js). */
export const started = main().catch((error: unknown) => {
  if (error instanceof StartError) {
    log.error(error.message);
    process.exit(error.code);
  }
  if (error instanceof GraphError) {
    log.error(`could not start: ${error.message}`);
    process.exit(exitCodeOf(error.code));
  }
  log.error('could not start', error);
  process.exit(EXIT.failed);
});
