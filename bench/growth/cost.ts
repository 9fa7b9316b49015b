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

/** Requests that take longer are sent one after the other, so that none is left unanswered, and uncounted, at the end; ms. */
const SLOW = 20;
/** Requests that take longer are sent over few connections; ms. */
const MEDIUM = 3;
const FEWEST = 3;

/** Processor time of the target a request, in microseconds: by wrk, where it is installed. */
export async function cost(context: Context, target: Target, { paths, headers }: Asked): Promise<Sample> {
  const { quick, seconds } = context.options;
  const [from, wall] = [Math.floor(Math.random() * paths.length), [] as number[]];
  for (let i = 0; i < 2; i++) wall.push(await once(target, paths[(from + i) % paths.length] ?? '/', headers));
  const taken = Math.min(...wall);
  const length = quick ? 0.1 : Math.min(1, seconds);
  if (taken > SLOW) return { value: await inTurn(target, paths, headers, from + 2, length) };
  const { cpu } = await context.rate(
    target,
    {
      method: 'GET',
      headers,
      connections: taken > MEDIUM ? 2 : 8,
      requests: Array.from({ length: Math.max(64, paths.length) }, (_, i) => ({
        path: paths[(from + i) % paths.length] ?? '/',
      })),
      // wrk counts whole seconds; a quick run has use for moments.
      ...(quick ? { tool: 'autocannon' as const } : wrkInstalled() ? { tool: 'wrk' as const } : {}),
    },
    length,
  );
  return { value: cpu ?? NaN };
}

async function inTurn(
  target: Target,
  paths: readonly string[],
  headers: Headers,
  from: number,
  seconds: number,
): Promise<number> {
  const [before, end] = [cpuSeconds(target.pid) ?? NaN, performance.now() + seconds * 1000];
  let count = 0;
  for (; count < FEWEST || performance.now() < end; count++)
    await once(target, paths[(from + count) % paths.length] ?? '/', headers);
  return (((cpuSeconds(target.pid) ?? NaN) - before) / count) * 1e6;
}

/** Milliseconds of one request. */
async function once(target: Target, path: string, headers: Headers): Promise<number> {
  const begin = performance.now();
  await answer(target, path, headers);
  return performance.now() - begin;
}

/** The text of an answer; throws when it is refused. */
export async function answer(target: Pick<Target, 'url'>, path: string, headers: Headers): Promise<string> {
  const got = await fetch(`${target.url}${path}`, { headers: { ...headers } });
  const text = await got.text();
  if (!got.ok) throw new Error(`GET ${path} answered ${String(got.status)}: ${text.slice(0, 300)}`);
  return text;
}
