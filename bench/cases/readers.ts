/** Case 25: lists of readers who are no administrators, beside an administrator, in processor time of the server a request. */
import type { Context, Requests, Sample, Series } from '../context.js';
import { series } from '../context.js';
import { wrkInstalled } from '../options.js';
import { cpuSeconds } from '../process-figures.js';
import {
  loadReaders,
  readerHeaders,
  TYPES,
  visible,
  type Reader,
  type ReaderHeaders,
  type VisibleType,
} from '../readers.js';
import { growthResult, type Result } from '../result.js';
import type { ServerProcess } from '../server-process.js';

const PAGE = 20;
const LISTS = { sorted: '_sort=rank&', unsorted: '', filtered: 'kind=kind3&' } as const;
type List = keyof typeof LISTS;
/** One object in ten passes the filter; a little less, as chance has it. */
const FILTERED = 0.09;
const FIRST = 1;
const DEEP = 88;
const PAGES = 5;
/** Long enough for the clock of the system, which ticks each 10 ms: there are some hundred measurements. */
const SECONDS = 2;

/** What a request of one reader for one list takes, in microseconds. */
export interface ReaderFigures {
  readonly reader: Reader;
  readonly share: number;
  readonly list: List;
  readonly administrator: Series;
  readonly first: Series;
  /** Undefined where the reader has no such page. */
  readonly deep: Series | undefined;
}

export async function listAsReaders(context: Context): Promise<Result[]> {
  if (cpuSeconds(process.pid) === undefined) {
    context.say('case 25 is skipped: this system does not tell the processor time of a process');
    return [];
  }
  const { quick } = context.options;
  // Both ways of seeing little, and seeing all: enough to show that it works.
  const types = quick ? TYPES.filter(({ share }) => share === 1 || share === 0.001) : TYPES;
  const dataset = await loadReaders(context, types);
  const server = await context.server(dataset);
  try {
    const figures: ReaderFigures[] = [];
    for (const one of types) {
      for (const list of Object.keys(LISTS) as List[]) {
        figures.push(...(await measure(context, server, one, list)));
      }
    }
    return judge(figures);
  } finally {
    await context.stopServer(dataset);
  }
}

async function measure(
  context: Context,
  server: ServerProcess,
  one: VisibleType,
  list: List,
): Promise<ReaderFigures[]> {
  const { quick, rounds, readerObjects, seconds } = context.options;
  const headers = await readerHeaders(server);
  const seen = visible(one, readerObjects) * (list === 'filtered' ? FILTERED : 1);
  const last = Math.max(1, Math.floor(seen / PAGE));
  if (list === 'unsorted') await check(server, one, readerObjects, headers);
  const ask = async (who: keyof typeof headers, from: number): Promise<Sample> => {
    const pages = Array.from({ length: PAGES }, (_, i) => from + i).filter((page) => page <= last);
    const path = (page: number): string =>
      `/svc/rest/${one.type}?${LISTS[list]}_pageSize=${String(PAGE)}&_page=${String(page)}`;
    const requests: Requests = {
      method: 'GET',
      headers: headers[who],
      requests: Array.from({ length: 64 * pages.length }, (_, i) => ({ path: path(pages[i % pages.length] ?? 1) })),
      ...tool(quick),
    };
    const { cpu } = await context.rate(server, requests, quick ? 0.1 : Math.min(SECONDS, seconds));
    return { value: cpu ?? NaN };
  };
  const parties = [
    ['administrator', FIRST],
    ...one.readers.flatMap((reader) => [
      [reader, FIRST] as const,
      ...(last >= DEEP + PAGES - 1 ? [[reader, DEEP] as const] : []),
    ]),
  ] as const;
  // Each once before it counts.
  if (!quick) for (const [who, from] of parties) await ask(who, from);
  const samples = new Map<string, Sample[]>();
  for (let i = 0; i < rounds; i++) {
    for (const [who, from] of parties) {
      const key = `${who} ${String(from)}`;
      samples.set(key, [...(samples.get(key) ?? []), await ask(who, from)]);
    }
  }
  const of = (who: string, from: number): Series | undefined => {
    const found = samples.get(`${who} ${String(from)}`);
    return found === undefined ? undefined : series(found);
  };
  const none = series([]);
  return one.readers.map((reader) => ({
    reader,
    share: one.share,
    list,
    administrator: of('administrator', FIRST) ?? none,
    first: of(reader, FIRST) ?? none,
    deep: of(reader, DEEP),
  }));
}

/** Throws when a reader sees more or less of a type than the measurement is about: an empty list is a cheap one. */
async function check(server: ServerProcess, one: VisibleType, objects: number, headers: ReaderHeaders): Promise<void> {
  for (const reader of one.readers) {
    const answer = await fetch(`${server.url}/svc/rest/${one.type}?_pageSize=1&_disableSoftLimit=true`, {
      headers: { ...headers[reader] },
    });
    const text = await answer.text();
    const { result_count: count } = JSON.parse(text) as { result_count?: number };
    if (count === visible(one, objects)) continue;
    const told = `${String(answer.status)} ${text.slice(0, 300)}`;
    throw new Error(`${reader} sees ${String(count)} objects of ${one.type}: ${told}`);
  }
}

/** wrk where it is; a quick run, in which each measurement is a moment, has no use for its whole seconds. */
function tool(quick: boolean): Pick<Requests, 'tool'> {
  if (quick) return { tool: 'autocannon' };
  return wrkInstalled() ? { tool: 'wrk' } : {};
}

interface Pair {
  readonly title: string;
  readonly baseline: Series;
  readonly svc: Series;
}

/** A row for each reader and share, and one for each goal that compares a reader's lists: of each row the worst list counts. */
export function judge(figures: readonly ReaderFigures[]): Result[] {
  const readers = [...new Set(figures.map(nameOf))];
  const beside = readers.map((name) => {
    const own = figures.filter((one) => nameOf(one) === name);
    const pairs = own.map(({ list, administrator, first }) => ({ title: list, baseline: administrator, svc: first }));
    return worst(`page of 20, ${name}`, 'an administrator', pairs, own[0]?.share === 1 ? 1.3 : 2);
  });
  const deep = figures.flatMap((one) =>
    one.deep === undefined ? [] : [{ title: titleOf(one), baseline: one.first, svc: one.deep }],
  );
  const unsorted = readers.flatMap((name) => {
    const of = (list: List): Series | undefined =>
      figures.find((one) => nameOf(one) === name && one.list === list)?.first;
    const [baseline, svc] = [of('sorted'), of('unsorted')];
    return baseline === undefined || svc === undefined ? [] : [{ title: name, baseline, svc }];
  });
  return [
    ...beside,
    ...(deep.length > 0 ? [worst('page 90, whoever asks', 'page 1', deep, 1.5)] : []),
    ...(unsorted.length > 0 ? [worst('unsorted, whoever asks', 'sorted', unsorted, 1)] : []),
  ];
}

function nameOf({ reader, share }: ReaderFigures): string {
  return `${reader} seeing ${String(share * 100)} %`;
}

function titleOf(one: ReaderFigures): string {
  return `${one.list} ${nameOf(one)}`;
}

function worst(title: string, baselineTitle: string, pairs: readonly Pair[], goal: number): Result {
  const ratio = ({ baseline, svc }: Pair): number => svc.median / baseline.median;
  const [first, ...rest] = pairs;
  if (first === undefined) throw new Error(`nothing was measured for ${title}`);
  const most = rest.reduce((a, b) => (ratio(b) > ratio(a) ? b : a), first);
  const each = pairs.map(
    (one) => `${one.title} ${ratio(one).toFixed(2)} × (${µs(one.svc)} and ${µs(one.baseline)} µs)`,
  );
  const about = {
    case: 25,
    title: `${title} (${most.title})`,
    unit: 'µs CPU',
    baselineTitle,
    note: `${title}: ${each.join(', ')}`,
  };
  return growthResult(about, most, goal);
}

function µs({ median }: Series): string {
  return String(Math.round(median));
}
