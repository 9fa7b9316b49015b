/** `/svc/health`: whether the service does well, for those who watch it (docs/interface/monitoring.md 1). */
import { freemem, loadavg, totalmem } from 'node:os';
import type { Config } from '../config/index.js';
import type { GraphFigures } from '../graph/index.js';
import { HttpError, type Exchange, type Handler } from '../http/index.js';
import { forReading } from './for-reading.js';
import { isListed } from './listed.js';
import type { Counts, RequestCounts } from './request-counts.js';
import type { ThreadCounts } from './thread-counts.js';

const PATH = '/svc/health';
const TYPE = 'application/health+json; charset=utf-8';
/** Milliseconds for which what was found out is told again. */
const KEPT = 1000;
const REST = '/svc/rest/';
const PAGE = '/svc/html/';
/** Of the busiest endpoints and pages; the metrics have all. */
const MOST_SHOWN = 200;

export interface HealthParts {
  readonly config: Config;
  readonly requests: RequestCounts;
  readonly threads: ThreadCounts;
  readonly graph: () => GraphFigures;
  /** Why requests should go elsewhere for now; undefined: they need not. */
  readonly busy: () => string | undefined;
  /** Throws, or rejects, when the credentials of a request are wrong. */
  readonly authenticate: (exchange: Exchange) => unknown;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

type Item = Readonly<Record<string, string | number>>;

export function createHealth(parts: HealthParts): Handler {
  let known: { readonly at: number; readonly checks: Record<string, readonly Item[]> } | undefined;
  const checks = (): Record<string, readonly Item[]> => {
    const now = Date.now();
    if (known === undefined || now - known.at > KEPT) known = { at: now, checks: checksOf(parts) };
    return known.checks;
  };
  const answer = forReading(parts.sendError, async (exchange) => {
    const below = belowOf(exchange);
    exchange.setHeader('Content-Type', TYPE);
    // That it answers is all there is to say.
    if (below === '/live') {
      exchange.setHeader('Cache-Control', 'no-store');
      exchange.end();
      return;
    }
    const refused = await refusal(parts, exchange);
    if (below === '/ready' || !isListed(exchange, parts.config.get('healthcheckservlet.whitelist'))) {
      exchange.setHeader('Cache-Control', 'no-store');
      exchange.status = parts.busy() !== undefined || (below === '/ready' && refused !== undefined) ? 503 : 200;
      exchange.end();
      return;
    }
    exchange.setHeader('Cache-Control', 'max-age=60');
    exchange.end(
      JSON.stringify({
        version: '1.1',
        description: 'Svc system health status',
        status: refused === undefined ? 'pass' : 'fail',
        ...(refused === undefined ? {} : { notes: [refused] }),
        checks: checks(),
      }),
    );
  });
  return (exchange) => {
    if (['', '/live', '/ready'].includes(belowOf(exchange))) return answer(exchange);
    parts.sendError(exchange, new HttpError(404, `There are ${PATH}, ${PATH}/live and ${PATH}/ready.`));
  };
}

/**
 * The same at the main ports in maintenance mode: the process lives, and answers no requests of the application. So it is not restarted, and
 * load balancers take it out; those that are to show its page to visitors look at `/live`.
 */
export function createHealthInMaintenance(sendError: HealthParts['sendError']): Handler {
  return forReading(sendError, (exchange) => {
    const below = belowOf(exchange);
    exchange.setHeader('Content-Type', TYPE);
    exchange.setHeader('Cache-Control', 'no-store');
    if (below === '/live') {
      exchange.end();
      return;
    }
    exchange.status = 503;
    exchange.setHeader('Retry-After', '120');
    // Visitors are told as much by the page.
    const notes = ['The service is in maintenance mode.'];
    exchange.end(below === '/ready' ? '' : JSON.stringify({ version: '1.1', status: 'fail', notes }));
  });
}

function belowOf({ path }: Exchange): string {
  return path.slice(PATH.length).replace(/\/$/, '');
}

/** What is wrong with the credentials of a request. */
async function refusal({ authenticate }: HealthParts, exchange: Exchange): Promise<string | undefined> {
  try {
    await authenticate(exchange);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function checksOf({ requests, threads, graph }: HealthParts): Record<string, readonly Item[]> {
  const time = new Date().toISOString().replace('Z', '+0000');
  const item = (componentId: string, observedValue: number, observedUnit?: string): Item => ({
    componentType: 'system',
    componentId,
    observedValue,
    ...(observedUnit === undefined ? {} : { observedUnit }),
    status: 'pass',
    time,
  });
  const { nodeCache: nodes } = graph();
  const places = [...requests.places()];
  const responses = (start: string, componentType: string): readonly Item[] =>
    busiest(places.filter(([path]) => path.startsWith(start))).flatMap(([path, counts]) =>
      responseItems(path.slice(start.length), componentType, counts, time),
    );
  return {
    'memory:utilization': [
      item('free memory', freemem(), 'bytes'),
      item('max memory', totalmem(), 'bytes'),
      item('total memory', process.memoryUsage.rss(), 'bytes'),
    ],
    'cpu:utilization': [item('load average 1 min', loadavg()[0] ?? 0)],
    uptime: [item('uptime', Math.round(process.uptime() * 1000), 'ms')],
    threads: [
      item('current thread count', threads.current),
      item('peak thread count', threads.peak),
      item('daemon thread count', threads.current - 1),
    ],
    ...(nodes === undefined ? {} : { 'cache:node': [item('size', nodes.size, 'bytes'), item('count', nodes.count)] }),
    'html:responseTime': responses(PAGE, 'page'),
    'json:responseTime': responses(REST, 'endpoint'),
  };
}

type Place = readonly [path: string, counts: readonly Counts[]];

function busiest(places: Place[]): Place[] {
  const sum = ([, counts]: Place): number => counts.reduce((all, { count }) => all + count, 0);
  return places.sort((a, b) => sum(b) - sum(a)).slice(0, MOST_SHOWN);
}

function responseItems(
  componentId: string,
  componentType: string,
  counts: readonly Counts[],
  time: string,
): readonly Item[] {
  const all = counts.reduce((sum, one) => sum + one.count, 0);
  const total = counts.reduce((sum, one) => sum + one.sum, 0);
  const item = (valueDescription: string, observedValue: number, observedUnit?: string): Item => ({
    componentType,
    componentId,
    valueDescription,
    observedValue: Math.round(observedValue * 1000) / 1000,
    ...(observedUnit === undefined ? {} : { observedUnit }),
    status: 'pass',
    time,
  });
  return [
    item('min', Math.min(...counts.map(({ min }) => min)), 'ms'),
    item('max', Math.max(...counts.map(({ max }) => max)), 'ms'),
    item('avg', total / all, 'ms'),
    item('count', all),
  ];
}
