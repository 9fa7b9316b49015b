/** What the service tells of itself, put together: who counts, and which paths show it (docs/design/monitoring.md). */
import { listenToHappenings } from '../../shared/happened.js';
import type { Config } from '../config/index.js';
import type { Deployments } from '../deployment/index.js';
import type { Graph } from '../graph/index.js';
import type { Handler } from '../http/index.js';
import type { Live } from '../live/index.js';
import {
  AccessStatistics,
  createHealth,
  createHistogram,
  createMetrics,
  QueryTimes,
  RequestCounts,
  RuntimeEvents,
  ThreadCounts,
  Tracing,
  TransactionTimes,
} from '../monitoring/index.js';
import type { GraphObservers } from './open-graph.js';
import type { Requests } from '../request/index.js';
import { sendError } from '../rest/index.js';

/** Those who count; to be made before the first worker is started, and before the graph is opened. */
export class Monitor implements GraphObservers {
  readonly requests = new RequestCounts();
  readonly statement: GraphObservers['statement'];
  readonly queries = new QueryTimes();
  readonly times = new TransactionTimes();
  readonly events = new RuntimeEvents();
  readonly threads = new ThreadCounts();
  readonly statistics: AccessStatistics;
  /** Undefined: there are no traces. */
  tracing: Tracing | undefined;

  constructor(private readonly config: Config) {
    this.statement = this.queries.took;
    this.statistics = new AccessStatistics(config.get('application.stats.aggreation.interval'));
    this.requests.onRequest = this.statistics.count;
    listenToHappenings(this.events);
  }

  /** What is around all that answers requests. */
  around(handler: Handler): Handler {
    const counted = this.requests.wrap(handler);
    return this.tracing?.wrap(counted) ?? counted;
  }

  /** The last that is known of the service leaves. */
  async stop(): Promise<void> {
    await this.tracing?.stop();
  }

  /** Traces, where the settings want them; before the graph is opened. */
  async trace(version: string): Promise<void> {
    this.tracing = await Tracing.open(this.config, version);
  }

  /** Reads are measured where somebody may ask for that: each request has one. */
  get transactions(): GraphObservers['transactions'] {
    const { times, events, tracing } = this;
    const read = (milliseconds: number): void => {
      times.read(milliseconds);
      tracing?.transaction('read', milliseconds, false);
    };
    return {
      ...(tracing !== undefined || hasMetrics(this.config) ? { read } : {}),
      wrote: (milliseconds, failed) => {
        times.wrote(milliseconds, failed);
        tracing?.transaction('write', milliseconds, failed);
        if (failed) events.happened('Transaction', 'Failed', { time: Math.round(milliseconds) });
      },
    };
  }

  /** Commits are events, too. */
  follow(graph: Graph): void {
    const { events } = this;
    graph.onCommit((changes, { origin }) => {
      const { door, userId, userName = '' } = origin;
      const who = userId === undefined ? {} : { id: userId, name: userName };
      events.happened('Transaction', 'Success', { changes: changes.length, door, ...who });
      if (!events.isAboutObjects) return;
      // Who changes what an event is about has seen it.
      for (const { entity } of changes) events.changed(entity.id);
    });
  }
}

function hasMetrics(config: Config): boolean {
  return config.get('httpservice.servlets').includes('MetricsServlet');
}

export interface MonitoredRooms {
  readonly graph: Graph;
  readonly requests: Requests;
  readonly deployments: Deployments;
  readonly live: Live;
  readonly version: string;
}

/** Handlers of the paths that show what is counted, by their servlets. */
export function monitoringServlets(
  config: Config,
  monitor: Monitor,
  { graph, requests, deployments, live, version }: MonitoredRooms,
): ReadonlyMap<string, Handler> {
  const health = createHealth({
    config,
    requests: monitor.requests,
    threads: monitor.threads,
    graph: () => graph.figures(),
    busy: () => (deployments.areActive ? 'a deployment is active' : undefined),
    authenticate: (exchange) => requests.sender(exchange),
    sendError,
  });
  const servlets = new Map<string, Handler>([
    ['HealthCheckServlet', health],
    ['HistogramServlet', createHistogram({ config, queries: monitor.queries, sendError })],
  ]);
  if (!hasMetrics(config)) return servlets;
  return servlets.set(
    'MetricsServlet',
    createMetrics({
      config,
      requests: monitor.requests,
      transactions: monitor.times,
      queries: monitor.queries,
      graph: () => graph.figures(),
      streams: () => live.count,
      version,
      sendError,
    }),
  );
}
