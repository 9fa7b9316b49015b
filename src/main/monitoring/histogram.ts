/** `/svc/histogram`: the times of statements, for those on a list (docs/interface/monitoring.md 3). */
import { logger } from '../../shared/log.js';
import type { Config } from '../config/index.js';
import { HttpError, type Exchange, type Handler } from '../http/index.js';
import { forReading } from './for-reading.js';
import { isListed } from './listed.js';
import { QUERY_ORDERS, type QueryTime, type QueryTimes } from './query-times.js';
import { refuseUnlisted } from './refuse-unlisted.js';

const log = logger('monitoring');
const DEFAULT_TOP = 1000;
const PARAMETERS: ReadonlySet<string> = new Set(['sort', 'top', 'reset']);

export interface HistogramParts {
  readonly config: Config;
  readonly queries: QueryTimes;
  readonly sendError: (exchange: Exchange, error: unknown) => void;
}

export function createHistogram({ config, queries, sendError }: HistogramParts): Handler {
  return forReading(sendError, (exchange) => {
    if (!isListed(exchange, config.get('histogramservlet.whitelist'))) {
      refuseUnlisted(exchange, 'histogramservlet.whitelist');
      return;
    }
    const parameters = new URLSearchParams(exchange.query);
    const unknown = [...parameters.keys()].find((name) => !PARAMETERS.has(name));
    if (unknown !== undefined)
      throw new HttpError(400, `The parameter ${unknown} is not known: there are sort, top and reset.`);
    const asked = parameters.get('sort') ?? 'total';
    const order = QUERY_ORDERS.find((one) => one === asked);
    if (order === undefined) throw new HttpError(400, `sort is one of ${QUERY_ORDERS.join(', ')}.`);
    const top = parameters.get('top') ?? String(DEFAULT_TOP);
    if (!/^\d{1,9}$/.test(top)) throw new HttpError(400, 'top is a number.');
    const text = JSON.stringify(queries.sorted(order, Number(top)).map(shown));
    if (parameters.has('reset') && exchange.method === 'GET') {
      queries.reset();
      log.info('the histogram of queries begins anew: it was reset');
    }
    exchange.setHeader('Content-Type', 'application/json; charset=utf-8');
    exchange.setHeader('Cache-Control', 'max-age=60');
    exchange.end(text);
  });
}

function shown({ text, count, total, max, min }: QueryTime): Record<string, string | number> {
  return {
    Query: text,
    Count: count,
    'Overall time (s)': total / 1000,
    'Maximum time (s)': max / 1000,
    'Minimum time (s)': min / 1000,
    'Average time (s)': total / count / 1000,
  };
}
