import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import type { DuckDb } from '../../bench/duckdb.js';
import { installedDuckDb, type InstalledDuckDb } from '../support/duckdb.js';
import { TestServer } from '../support/server.js';

/**
 * The same questions to DuckDB over the same events: a web shop's log with views, clicks and purchases. `ANALYTICS_EVENTS`: how many, a
 * million for a check by hand.
 */
const EVENTS = Number(process.env['ANALYTICS_EVENTS'] ?? 12_000);
const BEGIN = Date.parse('2025-11-15T00:00:00Z');
const DAYS = 100;
const CHUNK = 2000;

interface Event {
  readonly timestamp: string;
  readonly action: string;
  readonly subject: string;
  readonly object: string;
  readonly message: string;
}

/** What is asked, once for both. */
interface Asked {
  readonly unit?: 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
  readonly action?: string;
  readonly subject?: string;
  readonly object?: string;
  readonly range?: readonly [string, string];
  readonly filters?: readonly string[];
  readonly named?: Readonly<Record<string, string>>;
  readonly histogram?: string;
  readonly multiplier?: string;
  readonly correlate?: readonly [action: string, operator: string, pattern?: string];
}

const PATTERNS = {
  minute: 'yyyy-MM-dd HH:mm',
  hour: 'yyyy-MM-dd HH',
  day: 'yyyy-MM-dd',
  week: "yyyy-'W'ww",
  month: 'yyyy-MM',
  year: 'yyyy',
};

const AMOUNT = 'amount=(\\d+);.*';
const SESSION = '.*session=(\\d+).*';
const JANUARY = ['2026-01-01T00:00:00+0000', '2026-01-31T23:59:59+0000'] as const;
const named = { books: '.*category=books.*', cheap: 'amount=\\d;.*', mail: '.*ref=mail;.*' };

const QUESTIONS: readonly Asked[] = [
  ...(['hour', 'day', 'week', 'month', 'year'] as const).map((unit) => ({ unit })),
  { unit: 'minute', range: ['2026-01-05T10:00:00+0000', '2026-01-05T23:00:00+0000'] },
  { unit: 'day', range: JANUARY },
  { unit: 'month', range: JANUARY, action: 'VIEW' },
  { unit: 'day', action: 'PURCHASE' },
  { unit: 'week', subject: 'u7' },
  { unit: 'month', object: 'p3' },
  { unit: 'day', subject: 'u7', object: 'p3' },
  { unit: 'day', subject: 'u1', action: 'CLICK' },
  { unit: 'day', named },
  { unit: 'week', action: 'PURCHASE', named },
  { unit: 'month', named: { none: 'nothing', all: '.*' } },
  { unit: 'month', histogram: '.*category=(\\w+).*' },
  { unit: 'day', action: 'VIEW', histogram: '.*ref=(\\w+);.*' },
  { unit: 'year', histogram: 'amount=(\\d+);.*' },
  { unit: 'month', named, histogram: '.*ref=(mail|ad).*' },
  { unit: 'day', multiplier: AMOUNT },
  { unit: 'month', action: 'PURCHASE', multiplier: AMOUNT, named },
  { unit: 'month', multiplier: AMOUNT, histogram: '.*category=(\\w+).*' },
  { unit: 'month', multiplier: AMOUNT, named, histogram: '.*category=(\\w+).*', range: JANUARY },
  { unit: 'day', filters: ['.*category=toys.*'] },
  { unit: 'month', filters: ['.*category=toys.*', 'amount=\\d\\d;.*'] },
  { unit: 'week', filters: ['.*ref=ad;.*'], action: 'VIEW', named },
  { unit: 'month', action: 'VIEW', correlate: ['PURCHASE', 'and'] },
  { unit: 'month', action: 'VIEW', correlate: ['PURCHASE', 'not'] },
  { unit: 'week', action: 'VIEW', correlate: ['PURCHASE', 'and', SESSION] },
  { unit: 'week', action: 'VIEW', correlate: ['PURCHASE', 'andSubject', SESSION] },
  { unit: 'week', action: 'CLICK', correlate: ['PURCHASE', 'andObject', SESSION] },
  { unit: 'week', action: 'CLICK', correlate: ['PURCHASE', 'not', SESSION] },
  { unit: 'month', correlate: ['CLICK', 'and', SESSION], named },
  { unit: 'month', filters: ['.*ref=ad;.*'], correlate: ['PURCHASE', 'not', SESSION], range: JANUARY },
  { unit: 'day', action: 'VIEW', correlate: ['NONE', 'and'] },
  { unit: 'year', action: 'VIEW', correlate: ['NONE', 'not', SESSION], histogram: '.*ref=(\\w+);.*' },
  { unit: 'month', subject: 'u3', correlate: ['PURCHASE', 'and'], multiplier: AMOUNT },
  { filters: ['.*category=toys.*', 'amount=\\d\\d;.*'] },
  { action: 'VIEW', correlate: ['PURCHASE', 'andSubject', SESSION] },
  { subject: 'u7', range: JANUARY },
  { range: JANUARY },
  { action: 'PURCHASE', range: JANUARY },
  { subject: 'u7', object: 'p3', filters: ['.*category=books.*'] },
];

function events(): Event[] {
  let seed = 4711;
  const upTo = (n: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((seed / 0x8000_0000) * n);
  };
  const pick = <T>(list: readonly T[]): T => list[upTo(list.length)] as T;
  return Array.from({ length: EVENTS }, (): Event => {
    const action = pick(['VIEW', 'VIEW', 'VIEW', 'CLICK', 'CLICK', 'PURCHASE']);
    const session = `session=${String(upTo(EVENTS / 5))}`;
    const start =
      action === 'PURCHASE'
        ? `amount=${String(upTo(300))};category=${pick(['books', 'toys', 'food'])};`
        : `ref=${pick(['mail', 'ad', 'search'])};`;
    return {
      timestamp: new Date(BEGIN + upTo(DAYS * 86_400) * 1000 + upTo(1000)).toISOString(),
      action,
      subject: `u${String(upTo(100))}`,
      object: `p${String(upTo(30))}`,
      message: start + session,
    };
  });
}

let server: TestServer;
let admin: Client;
let installed: InstalledDuckDb | undefined;
let duck: DuckDb | undefined;

beforeAll(async () => {
  installed = await installedDuckDb();
  duck = installed?.db;
  if (duck === undefined) return;
  server = await TestServer.start({ settings: { 'application.timezone': 'UTC', 'database.query.timeout': 600_000 } });
  ({ admin } = server);
  const all = events();
  const file = join(server.folder, 'events.ndjson');
  await writeFile(file, all.map((event) => JSON.stringify(event)).join('\n'));
  await duck.run("SET TimeZone = 'UTC'");
  await duck.run(
    `CREATE TABLE events AS SELECT CAST(timestamp AS TIMESTAMP) AS t, action, subject, object, message FROM read_json('${file}',
     columns = {timestamp: 'VARCHAR', action: 'VARCHAR', subject: 'VARCHAR', object: 'VARCHAR', message: 'VARCHAR'})`,
  );
  for (let at = 0; at < all.length; at += CHUNK) {
    const { status, text } = await admin.post('/LogEvent', all.slice(at, at + CHUNK));
    if (status !== 201) throw new Error(text);
  }
  // Most events are in columns by then.
  while ((await readdir(join(server.folder, 'db/columns')).catch(() => [])).length === 0) await sleep(20);
}, 1_800_000);

afterAll(async () => {
  await installed?.close();
  if (duck !== undefined) await server.stop();
});

const quoted = (text: string): string => `'${text.replace(/'/g, "''")}'`;
const fits = (pattern: string, of = 'message'): string => `regexp_full_match(${of}, ${quoted(pattern)})`;
const group = (pattern: string, of = 'message'): string => `regexp_extract(${of}, ${quoted(pattern)}, 1)`;

function where({ action, subject, object, range, filters = [], correlate }: Asked): string {
  const terms = ['true'];
  for (const [key, value] of Object.entries({ action, subject, object })) {
    if (value !== undefined) terms.push(`${key} = ${quoted(value)}`);
  }
  if (range !== undefined) terms.push(`t BETWEEN TIMESTAMP ${instant(range[0])} AND TIMESTAMP ${instant(range[1])}`);
  for (const filter of filters) terms.push(fits(filter));
  if (correlate !== undefined) {
    const [of, operator, pattern] = correlate;
    const same =
      pattern === undefined
        ? 'r.subject = e.subject AND r.object = e.object'
        : `${fits(pattern, 'r.message')} AND ${fits(pattern, 'e.message')} AND ${group(pattern, 'r.message')} = ${group(pattern, 'e.message')}` +
          (operator === 'andSubject' ? ' AND r.subject = e.subject' : '') +
          (operator === 'andObject' ? ' AND r.object = e.object' : '');
    const exists = `EXISTS (SELECT 1 FROM events r WHERE r.action = ${quoted(of)} AND ${same})`;
    terms.push(operator === 'not' ? `NOT ${exists}` : exists);
  }
  return terms.join(' AND ');
}

const instant = (text: string): string => `'${text.slice(0, 19).replace('T', ' ')}'`;

async function rows(sql: string): Promise<Record<string, unknown>[]> {
  return (await (duck as DuckDb).runAndReadAll(sql)).getRowObjects();
}

/** What DuckDB says, in the form of the answer. */
async function counted(
  asked: Asked & { readonly unit: keyof typeof PATTERNS },
): Promise<Record<string, Record<string, number>>> {
  const { unit, named = {}, histogram, multiplier, range } = asked;
  const bucket = `epoch_ms(date_trunc('${unit}', t)) AS bucket`;
  const weight =
    multiplier === undefined
      ? '1'
      : `CASE WHEN ${fits(multiplier)} THEN CAST(${group(multiplier)} AS DOUBLE) ELSE 1 END`;
  const counts: Record<string, string> = { ...named, ...(multiplier === undefined ? {} : { multiplier }) };
  const sums = Object.entries(counts).map(
    ([name, pattern]) =>
      `, CAST(coalesce(sum(${weight}) FILTER (${fits(pattern)}), 0) AS DOUBLE) AS n_${name}, count(*) FILTER (${fits(pattern)}) AS c_${name}`,
  );
  const groups = await rows(
    `SELECT ${bucket}, count(*) AS total${sums.join('')} FROM events e WHERE ${where(asked)} GROUP BY 1`,
  );
  const values =
    histogram === undefined
      ? []
      : await rows(
          `SELECT ${bucket}, ${group(histogram)} AS v, CAST(sum(${weight}) AS DOUBLE) AS n FROM events e WHERE ${where(asked)} AND ${fits(histogram)} GROUP BY 1, 2`,
        );
  const seen = Object.keys(counts).filter((name) => groups.some((row) => Number(row[`c_${name}`]) > 0));
  // A captured text that is a name gets the histogram's in front.
  const keyOf = (value: unknown): string => (String(value) in counts ? `h:${String(value)}` : String(value));
  const keys = [...seen, ...new Set(values.map((row) => keyOf(row['v'])))];
  const starts = groups.map((row) => Number(row['bucket']));
  const [first, last] =
    range === undefined
      ? [Math.min(...starts), Math.max(...starts)]
      : range.map((text) => Date.parse(`${text.slice(0, 19)}Z`));
  const expected: Record<string, Record<string, number>> = {};
  if (first !== undefined && last !== undefined && Number.isFinite(first)) {
    const all = await rows(
      `SELECT epoch_ms(g) AS bucket FROM generate_series(date_trunc('${unit}', make_timestamp(${String(first)}000)), make_timestamp(${String(last)}000), INTERVAL 1 ${unit}) s(g)`,
    );
    for (const row of all)
      expected[String(row['bucket'])] = Object.fromEntries(['total', ...keys].map((key) => [key, 0]));
  }
  for (const row of groups) {
    const at = (expected[String(row['bucket'])] ??= {});
    at['total'] = Number(row['total']);
    for (const name of seen) at[name] = Number(row[`n_${name}`]);
  }
  for (const row of values) (expected[String(row['bucket'])] ??= {})[keyOf(row['v'])] = Number(row['n']);
  return expected;
}

function path(asked: Asked, more: Readonly<Record<string, string>> = {}): string {
  const { unit, action, subject, object, range, filters, named = {}, histogram, multiplier, correlate } = asked;
  const parameters: Record<string, string | undefined> = {
    aggregate: unit === undefined ? undefined : PATTERNS[unit],
    action,
    subject,
    object,
    timestamp: range === undefined ? undefined : `[${range.join(' TO ')}]`,
    filters: filters?.join('::'),
    histogram: histogram === undefined ? undefined : `h:${histogram}`,
    multiplier,
    correlate: correlate?.join('::'),
    ...named,
    ...more,
  };
  const given = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== undefined);
  return `/log?${new URLSearchParams(given).toString()}`;
}

it('answers as DuckDB does', { timeout: 1_800_000 }, async (context) => {
  if (duck === undefined) {
    context.skip('npm cannot install @duckdb/node-api here');
    return;
  }
  const [whole = {}] = await rows('SELECT count(*) AS n, epoch_ms(min(t)) AS a, epoch_ms(max(t)) AS b FROM events');
  const seconds = (value: unknown): string => `${new Date(Number(value)).toISOString().slice(0, 19)}+0000`;
  expect((await admin.get('/log')).body.result).toEqual([
    {
      actions: ['CLICK', 'PURCHASE', 'VIEW'],
      entryCount: EVENTS,
      firstEntry: seconds(whole['a']),
      lastEntry: seconds(whole['b']),
    },
  ]);
  for (const asked of QUESTIONS) {
    const { unit } = asked;
    const asks = JSON.stringify(asked);
    if (unit === undefined) {
      const [row = {}] = await rows(`SELECT count(*) AS n FROM events e WHERE ${where(asked)}`);
      const { body } = await admin.get(path(asked, { _pageSize: '1', _forceResultCount: 'true' }));
      expect([asks, body.result_count]).toEqual([asks, Number(row['n'])]);
      continue;
    }
    const answer = await admin.get(path(asked));
    expect([asks, answer.status, answer.body.result]).toEqual([asks, 200, [await counted({ ...asked, unit })]]);
  }
});
