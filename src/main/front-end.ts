/**
 * A front-end thread: the rooms that read, put together (docs/design/threads.md). It accepts connections as the main thread does, answers what only
 * reads, and hands everything else over.
 */
import { workerData } from 'node:worker_threads';
import { listenToHappenings } from '../shared/happened.js';
import { logger, setLogSink } from '../shared/log.js';
import { Config, type ConfigCopy } from './config/index.js';
import type { FileCallbacks, Files } from './files/index.js';
import { ProcessCounts } from './http/index.js';
import { giveMemoryOfThreadBackWhenIdle } from './idle-memory.js';
import type { Media } from './media/index.js';
import { openFiles, openPages } from './opening/open-files.js';
import { openGeocoder } from './opening/open-geocoder.js';
import { openFollower } from './opening/open-graph.js';
import { followLogSettings } from './opening/open-logs.js';
import { openSchema, type MediaPlace } from './opening/open-schema.js';
import { openSecurity } from './opening/open-security.js';
import { serveFrontend, type Pages } from './pages/index.js';
import { Requests } from './request/index.js';
import { createRest, sendError, Welcome, writeOptions, type RestServices } from './rest/index.js';
import type { FunctionScriptsPlace } from './schema/index.js';
import { EncryptionKeys, hearsDownloads, Scripting } from './scripting/index.js';
import { Counted, listen } from './serving/listen.js';
import { Calls } from './serving/threads/calls.js';
import { Counting } from './serving/threads/counting.js';
import { elsewhere, partOf } from './serving/threads/elsewhere.js';
import { createFrontEndSite } from './serving/threads/front-end-site.js';
import type { FrontEndData } from './serving/threads/thread-data.js';
import { plannedThreads } from './serving/threads/thread-count.js';

const log = logger('main');

/** Whose every use is the main thread's. */
const FUNCTIONS: FunctionScriptsPlace = {
  get scripts(): never {
    throw elsewhere('a function property');
  },
};
const MEDIA: MediaPlace = {
  wants: undefined,
  read: () => {
    throw elsewhere('a thumbnail');
  },
};

async function start(data: FrontEndData): Promise<void> {
  const config = Config.ofCopy(data.config);
  followLogSettings(config);
  // Orders may come before there is anything that follows them.
  const state = { servesSite: data.ports.servesSite };
  const standing = { still: Promise.resolve((): void => undefined) };
  const calls: Calls = new Calls(data.calls, {
    settings: (copy: ConfigCopy) => {
      config.take(copy);
    },
    /** Resolves when nobody is being answered; `go` lets those who wait begin. */
    rest: async () => {
      standing.still = requests.standstill.begin();
      await standing.still;
    },
    go: async () => {
      // Who has asked for it may not have waited.
      const goOn = await standing.still;
      goOn();
    },
    serving: (servesSite: boolean) => {
      state.servesSite = servesSite;
    },
    /** The server has been closed with the main thread's. */
    stop: async () => {
      await graph.close();
      process.exit();
    },
  });
  setLogSink((line) => {
    calls.tell('log', line);
  });
  const counting = new Counting(calls);
  listenToHappenings(counting);

  const keys = new EncryptionKeys(config);
  const graph = await openFollower(config, data.graph, plannedThreads(config));
  const schemas = await openSchema(config, graph, keys, FUNCTIONS, MEDIA);
  const { cors, security } = await openSecurity({
    config,
    graph,
    schemas,
    elsewhere: {
      verify: (...pair) => calls.ask('verify', ...pair) as Promise<string | null>,
      touched: (session) => {
        calls.tell('touched', session);
      },
    },
  });
  const requests = new Requests({ graph, schemas, security });
  const welcome = new Welcome(config, data.version);
  const files: Files = openFiles(
    { config, graph, schemas, security, requests, belonging: partOf('belonging') },
    (): Pages => pages,
    welcome,
  );
  files.callbacks.current = partOf<FileCallbacks>('callbacks', {
    // Few files have somebody who wants to hear of it.
    delivering: (file) => {
      if (hearsDownloads(schemas.schema, file)) throw elsewhere('onDownload');
      return undefined;
    },
  });
  files.templates.evaluate = () => {
    throw elsewhere('a template');
  };
  // What it reads may be read here; whatever it keeps, or reaches beyond the database, is the main thread's.
  const scripting = new Scripting({
    config,
    graph,
    schemas,
    security,
    files: partOf<Files>('files', {
      contentOf: (file) => files.contentOf(file),
      fileAt: (path, access) => files.fileAt(path, access),
    }),
    media: partOf<Media>('media'),
    changelog: partOf('changelog'),
    host: partOf('host'),
    stores: partOf('stores'),
    programs: partOf('programs'),
    keys,
    write: () => writeOptions(config, 'script'),
  });
  security.mails.evaluate = () => {
    throw elsewhere('a mail');
  };
  const pages = openPages({ config, graph, schemas, security, requests, scripting }, files);
  const services = partOf<RestServices>('services', {
    config,
    graph,
    schemas,
    security,
    requests,
    files,
    media: partOf<Media>('media', { thumbnails: partOf('thumbnails') }),
    geocoder: openGeocoder(config),
    version: data.version,
    isFrontEnd: true,
  });
  const site = createFrontEndSite({
    servlets: new Set(config.get('httpservice.servlets')),
    rest: createRest(services).rest,
    pages,
    frontend: await serveFrontend({ packs: () => config.get('httpservice.gzip.enabled'), sendError }),
    standstill: requests.standstill,
    graph,
    state,
  });
  const { http, https = 0, certificate, counts, mostConnections, thread, mainThread } = data.ports;
  await listen(
    { config, headers: data.headers, around: (handler) => counting.around(cors.wrap(handler)) },
    new Counted(config, mostConnections, new ProcessCounts(counts, thread)),
    { http, https },
    site,
    { mainThread, certificate },
  );
  // From here on as in the main thread: one request must not end the thread. What fails before does.
  process.on('unhandledRejection', (error) => {
    log.error('unhandled rejection', error);
  });
  giveMemoryOfThreadBackWhenIdle();
  await calls.ask('listening');
}

void start(workerData as FrontEndData);
