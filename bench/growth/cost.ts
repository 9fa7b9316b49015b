/** What a request costs the server that answers it. */
import type { Context, Requests, Sample, Target } from '../context.js';
import { wrkInstalled } from '../options.js';
import { cpuSeconds } from '../process-figures.js';

type Headers = NonNullable<Requests['headers']>;

/** Paths asked for by somebody. */
export interface Asked {
  readonly paths: readonly string[];
  readonly headers: Headers;
}

/** Requests that cost more are sent one after the other, so that none is left unanswered, and uncounted, at the end; µs. */
const DEAR = 10_000;
/** Requests that cost more are sent over few connections; µs. */
const MEDIUM = 3000;
/** Requests of a look at what they cost; the clock of the system ticks each 10 ms. */
const LOOK = 5;
/** Seconds of a measurement that is to show that it works, however busy the machine is. */
export const MOMENT = 0.3;
const [FEW, MANY] = [2, 8];

/** Processor time of the target a request, in microseconds: by wrk, where it is installed. */
export async function cost(context: Context, target: Target, { paths, headers }: Asked): Promise<Sample> {
  const { quick, seconds } = context.options;
  const from = Math.floor(Math.random() * paths.length);
  const length = quick ? MOMENT : Math.min(1, seconds);
  const about = await inTurn(target, { paths, headers }, from, { count: LOOK, seconds: 0 });
  if (about > DEAR)
    return { value: await inTurn(target, { paths, headers }, from + LOOK, { count: LOOK, seconds: length }) };
  const connections = about > MEDIUM ? FEW : MANY;
  const { cpu } = await context.rate(target, { ...asking(context, { paths, headers }, from), connections }, length);
  return { value: cpu ?? NaN };
}

/** The requests of a load that asks for paths in turns, from one of them on. */
export function asking({ options }: Context, { paths, headers }: Asked, from = 0): Requests {
  return {
    method: 'GET',
    headers,
    connections: MANY,
    requests: Array.from({ length: Math.max(64, paths.length) }, (_, i) => ({
      path: paths[(from + i) % paths.length] ?? '/',
    })),
    // wrk counts whole seconds; a quick run has use for moments.
    ...(options.quick ? { tool: 'autocannon' as const } : wrkInstalled() ? { tool: 'wrk' as const } : {}),
  };
}

/** The same of requests one after the other: so many, and so long, at least. */
async function inTurn(
  target: Target,
  { paths, headers }: Asked,
  from: number,
  atLeast: { readonly count: number; readonly seconds: number },
): Promise<number> {
  const [before, end] = [cpuSeconds(target.pid) ?? NaN, performance.now() + atLeast.seconds * 1000];
  let count = 0;
  for (; count < atLeast.count || performance.now() < end; count++)
    await answer(target, paths[(from + count) % paths.length] ?? '/', headers);
  return (((cpuSeconds(target.pid) ?? NaN) - before) / count) * 1e6;
}

/** The text of an answer; throws when it is refused. */
export async function answer(target: Pick<Target, 'url'>, path: string, headers: Headers): Promise<string> {
  const got = await fetch(`${target.url}${path}`, { headers: { ...headers } });
  const text = await got.text();
  if (!got.ok) throw new Error(`GET ${path} answered ${String(got.status)}: ${text.slice(0, 300)}`);
  return text;
}
