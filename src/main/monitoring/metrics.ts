/** `/svc/metrics`: figures for Prometheus (docs/interface/monitoring.md 2). */
import type { Registry } from 'prom-client';
import { logger } from '../../shared/log.js';
import { TimeSlice } from '../../shared/time-slice.js';
import { workFigures } from '../../shared/work/index.js';
import { poolFigures } from '../../shared/worker-pool.js';
import type { Config } from '../config/index.js';
import type { GraphFigures } from '../graph/index.js';
import type { Exchange, Handler } from '../http/index.js';
import { forReading } from './for-reading.js';
import { isListed } from './listed.js';
import type { QueryTimes } from './query-times.js';
import { refuseUnlisted } from './refuse-unlisted.js';
import { BUCKETS, type RequestCounts } from './request-counts.js';
import { headOf, histogram, sample, type Labels } from './text-format.js';
import { TRANSACTION_BUCKETS, type TransactionTimes } from './transaction-times.js';

const log = logger('monitoring');

export interface MetricsParts {
  readonly config: Config;
  readonly requests: RequestCounts;
  readonly transactions: TransactionTimes;
  readonly queries: QueryTimes;
  readonly graph: () => GraphFigures;
  /** Streams of events that are open. */
  readonly streams: () => number;
  readonly version: string;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

interface Figure {
  readonly name: string;
  readonly type: 'counter' | 'gauge';
  readonly help: string;
  readonly values: (parts: MetricsParts) => readonly (readonly [Labels, number])[];
}

/** Cheap figures, which are asked for when they are shown. */
const FIGURES: readonly Figure[] = [
  {
    name: 'svc_info',
    type: 'gauge',
    help: 'Always 1; the label tells the version.',
    values: ({ version }) => [[{ version }, 1]],
  },
  {
    name: 'svc_http_requests_running',
    type: 'gauge',
    help: 'Requests that are being answered.',
    values: ({ requests }) => [[{}, requests.running]],
  },
  {
    name: 'svc_http_requests_handed_over_total',
    type: 'counter',
    help: 'Requests that front-end threads did not answer themselves.',
    values: ({ requests }) => [[{}, requests.handedOver]],
  },
  {
    name: 'svc_event_streams',
    type: 'gauge',
    help: 'Streams of events that are open.',
    values: ({ streams }) => [[{}, streams()]],
  },
  {
    name: 'svc_transactions_failed_total',
    type: 'counter',
    help: 'Writing transactions of which nothing was written.',
    values: ({ transactions }) => [[{}, transactions.writes.failed]],
  },
  {
    name: 'svc_writer_queue',
    type: 'gauge',
    help: 'Transactions that wait for the writer.',
    values: ({ graph }) => [[{}, graph().waitingWriters]],
  },
  {
    name: 'svc_statements_total',
    type: 'counter',
    help: 'Statements that the database was asked.',
    values: ({ queries }) => [[{}, queries.count]],
  },
  {
    name: 'svc_statement_seconds_total',
    type: 'counter',
    help: 'Time that statements of the database took.',
    values: ({ queries }) => [[{}, queries.total / 1000]],
  },
  ...ofNodeCache('hits', 'svc_node_cache_hits_total', 'counter', 'Nodes that were in memory when they were asked for.'),
  ...ofNodeCache('misses', 'svc_node_cache_misses_total', 'counter', 'Nodes that had to be read.'),
  ...ofNodeCache('count', 'svc_node_cache_nodes', 'gauge', 'Nodes in memory.'),
  ...ofNodeCache('size', 'svc_node_cache_bytes', 'gauge', 'About what the nodes in memory take.'),
  ...ofWorkNow('running', 'svc_work_running', 'Work that pools do now: images, texts, videos, functions of scripts.'),
  ...ofWorkNow('waiting', 'svc_work_waiting', 'Work that waits for a place in its pool.'),
  ...ofWork('done', 'svc_work_done_total', 'Work that was done, by pool and kind.'),
  ...ofWork('failed', 'svc_work_failed_total', 'Work that failed or was ended, by pool and kind.'),
  ...ofWork('waited', 'svc_work_wait_seconds_total', 'Time that work waited for a place.'),
  ...ofWork('ran', 'svc_work_run_seconds_total', 'Time that work ran.'),
  ...ofPools('threads', 'svc_pool_threads', 'gauge', 'Threads of a pool of workers.'),
  ...ofPools('waiting', 'svc_pool_queue', 'gauge', 'Tasks that wait for a thread of a pool.'),
  ...ofPools('completed', 'svc_pool_tasks_total', 'counter', 'Tasks that threads of a pool have done.'),
];

/** Names of all metrics of the service itself, without those of the runtime. */
export const metricNames: readonly string[] = [
  'svc_http_requests_total',
  'svc_http_request_duration_seconds',
  'svc_transaction_duration_seconds',
  ...FIGURES.map(({ name }) => name),
];

export function createMetrics(parts: MetricsParts): Handler {
  const registry = runtimeRegistry();
  registry.catch((error: unknown) => {
    log.error('metrics of the runtime are missing', error);
  });
  return forReading(parts.sendError, async (exchange) => {
    if (!isListed(exchange, parts.config.get('metricsservlet.whitelist'))) {
      refuseUnlisted(exchange, 'metricsservlet.whitelist');
      return;
    }
    const text = (await ownText(parts)) + (await (await registry).metrics());
    exchange.setHeader('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
    exchange.setHeader('Cache-Control', 'no-store');
    exchange.end(text);
  });
}

/** What is known of any process of Node: loop, heap, garbage, processor time. The package is loaded where metrics are asked for. */
async function runtimeRegistry(): Promise<Registry> {
  const { collectDefaultMetrics, Registry: Runtime } = await import('prom-client');
  const registry = new Runtime();
  collectDefaultMetrics({ register: registry });
  return registry;
}

async function ownText(parts: MetricsParts): Promise<string> {
  const { requests, transactions } = parts;
  const slice = new TimeSlice();
  let text = '';
  for (const { name, type, help, values } of FIGURES) {
    const all = values(parts);
    if (all.length > 0) text += headOf(name, type, help);
    for (const [labels, value] of all) text += sample(name, labels, value);
  }
  const took = 'svc_transaction_duration_seconds';
  text += headOf(
    took,
    'histogram',
    'Time of transactions until they are over, of writing ones until they are durable.',
  );
  for (const [kind, times] of Object.entries({ read: transactions.reads, write: transactions.writes }))
    text += histogram(took, { kind }, TRANSACTION_BUCKETS, times.buckets, times.sum / 1000);

  text += headOf('svc_http_requests_total', 'counter', 'Requests by method, path and status of the answer.');
  for (const [path, method, { statuses }] of requests) {
    for (const [status, count] of statuses) text += sample('svc_http_requests_total', { method, path, status }, count);
    if (slice.due) await slice.pause();
  }
  const duration = 'svc_http_request_duration_seconds';
  text += headOf(duration, 'histogram', 'Time until a request was answered.');
  for (const [path, method, { buckets, sum }] of requests) {
    text += histogram(duration, { method, path }, BUCKETS, buckets, sum / 1000);
    if (slice.due) await slice.pause();
  }
  return text;
}

function ofNodeCache(
  what: 'hits' | 'misses' | 'count' | 'size',
  name: string,
  type: Figure['type'],
  help: string,
): Figure[] {
  const values: Figure['values'] = ({ graph }) => {
    const { nodeCache } = graph();
    return nodeCache === undefined ? [] : [[{}, nodeCache[what]]];
  };
  return [{ name, type, help, values }];
}

/** Of pools of work, by what is done. */
function ofWork(what: 'done' | 'failed' | 'waited' | 'ran', name: string, help: string): Figure[] {
  const values: Figure['values'] = () =>
    workFigures().flatMap(({ pool, kinds }) =>
      [...kinds].map(([work, figures]): [Labels, number] => [{ pool, work }, figures[what]]),
    );
  return [{ name, type: 'counter', help, values }];
}

function ofWorkNow(what: 'running' | 'waiting', name: string, help: string): Figure[] {
  const values: Figure['values'] = () => workFigures().map((figures) => [{ pool: figures.pool }, figures[what]]);
  return [{ name, type: 'gauge', help, values }];
}

function ofPools(
  what: 'threads' | 'waiting' | 'completed',
  name: string,
  type: Figure['type'],
  help: string,
): Figure[] {
  return [{ name, type, help, values: () => [...poolFigures()].map(([pool, figures]) => [{ pool }, figures[what]]) }];
}
