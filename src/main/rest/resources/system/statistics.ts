/** `/stats`: how many requests came, by method and time (docs/interface/monitoring.md 4). */
import { sendValue } from '../../answer/envelope.js';
import type { Resolver, RestRequest } from '../../context.js';
import { RestError } from '../../errors.js';

const DEFAULT_INTERVAL = 60_000;
const DEFAULT_MOST = 10_080;

export const resolveStatistics: Resolver = (segments) => {
  if (segments.length !== 1 || segments[0] !== 'stats') return undefined;
  return { signature: 'stats', allow: ['GET', 'OPTIONS'], verbs: { GET: answer } };
};

async function answer(request: RestRequest): Promise<void> {
  const { statistics } = request.services;
  const { span } = statistics;
  const given = new Map(request.parameters.filters);
  const unknown = [...given.keys()].find((name) => name !== 'interval' && name !== 'max');
  if (unknown !== undefined)
    throw new RestError(400, `The parameter ${unknown} is not known: there are interval and max.`);
  // A span of the settings that is longer than the usual interval is the least there is.
  const interval = numberIn(given, 'interval') ?? Math.ceil(DEFAULT_INTERVAL / span) * span;
  if (interval === 0 || interval % span !== 0) {
    throw new RestError(
      422,
      `The interval must be a multiple of ${String(span)} ms (application.stats.aggreation.interval).`,
    );
  }
  await sendValue(request, statistics.sums(interval, numberIn(given, 'max') ?? DEFAULT_MOST), 1);
}

function numberIn(given: ReadonlyMap<string, string>, name: string): number | undefined {
  const text = given.get(name);
  if (text === undefined) return undefined;
  if (!/^\d{1,12}$/.test(text)) throw new RestError(422, `${name} must be a number.`);
  return Number(text);
}
