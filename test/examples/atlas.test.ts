/** The atlas script against the real server, as a user runs it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const SCRIPT = fileURLToPath(new URL('../../examples/atlas/atlas.mjs', import.meta.url));
const LIMIT = 2000;
/** What world-countries holds. */
const COUNTRIES = 250;
const TOKYO = '35.6895,139.6917';

interface Run {
  readonly code: number | null;
  readonly out: string;
  readonly error: string;
}

function atlas(...args: string[]): Promise<Run> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, error] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (error += chunk.toString()));
  return new Promise((resolve) => {
    child.once('close', (code) => {
      resolve({ code, out, error });
    });
  });
}

describe('npm run example:atlas', () => {
  let server: TestServer;
  let first: Run;

  const get = async <T>(path: string): Promise<{ result: T; result_count?: number }> => {
    const answer = await server.admin.get(path);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as { result: T; result_count?: number };
  };
  const total = async (type: string): Promise<number | undefined> =>
    (await get(`/${type}?_pageSize=1&_forceResultCount=1`)).result_count;

  beforeAll(async () => {
    server = await TestServer.start();
    first = await atlas('--url', server.url, '--limit', String(LIMIT));
  });
  afterAll(() => server.stop());

  it('defines the types and loads countries, languages, currencies and cities', async () => {
    expect(first.error).toBe('');
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/11 defined/);
    expect(first.out).toMatch(/City +2,000 {2}\(2,000 new\)/);
    expect(await total('Country')).toBe(COUNTRIES);
    expect(await total('City')).toBe(LIMIT);
    expect(await total('Language')).toBeGreaterThan(100);
    expect(await total('Currency')).toBeGreaterThan(100);
  });

  it('relates them', async () => {
    const { result } = await get<Record<string, { code: string; name: string }[]>[]>('/Country/full?code=CH');
    const [switzerland] = result;
    expect(switzerland).toMatchObject({ name: 'Switzerland', code3: 'CHE', region: { name: 'Europe' } });
    const codes = (key: string): string[] => (switzerland?.[key] ?? []).map((o) => o.code).sort();
    expect(codes('languages')).toEqual(['fra', 'gsw', 'ita', 'roh']);
    expect(codes('currencies')).toEqual(['CHF']);
    expect(codes('borders')).toEqual(['AT', 'DE', 'FR', 'IT', 'LI']);
    const { result: cities } = await get<Record<string, unknown>[]>('/City/full?name=Berlin');
    expect(cities[0]).toMatchObject({ country: { code: 'DE' }, capitalOf: { code: 'DE' } });
  });

  it('lists the largest cities by an indexed property, page by page', async () => {
    const page = (n: number) =>
      get<{ name: string; population: number }[]>(`/City?_sort=population&_order=desc&_pageSize=20&_page=${String(n)}`);
    const { result, result_count: count } = await page(1);
    const populations = [...result, ...(await page(2)).result].map((c) => c.population);
    expect(count).toBe(LIMIT);
    expect(result[0]?.name).toBe('Shanghai');
    expect(populations).toHaveLength(40);
    expect(populations).toEqual([...populations].sort((a, b) => b - a));
  });

  it('finds cities by their distance', async () => {
    const { result } = await get<{ name: string }[]>(`/City?_latlon=${TOKYO}&_distance=60`);
    const names = result.map((c) => c.name);
    expect(names).toContain('Tokyo');
    expect(names).toContain('Yokohama');
    expect(names).not.toContain('Osaka');
  });

  it('changes nothing when run again, and finishes what is missing', async () => {
    const counts = async () =>
      Promise.all(['City', 'Country', 'CountryHAS_CITYCity', 'CountryBORDERSCountry', 'SchemaNode'].map(total));
    const before = await counts();
    const again = await atlas('--url', server.url, '--limit', String(LIMIT));
    expect(again).toMatchObject({ code: 0, error: '' });
    expect(again.out).toMatch(/all there/);
    expect(again.out).not.toMatch(/new\)/);
    expect(await counts()).toEqual(before);

    const [gone] = (await get<{ id: string }[]>('/City?name=Berlin')).result;
    await server.admin.delete(`/City/${gone?.id ?? ''}`);
    expect((await atlas('--url', server.url, '--limit', String(LIMIT))).out).toMatch(/City +2,000 {2}\(1 new\)/);
    expect(await counts()).toEqual(before);
  });

  it('says in one line what is wrong', async () => {
    const oneLine = (run: Run): string => {
      expect(run.code).toBe(1);
      expect(run.error.trim().split('\n')).toHaveLength(1);
      return run.error;
    };
    expect(oneLine(await atlas('--url', 'http://127.0.0.1:1'))).toMatch(/no server answers at http:\/\/127\.0\.0\.1:1/);
    expect(oneLine(await atlas('--url', server.url, '--password', 'wrong'))).toMatch(
      /does not let user 'admin' in \(401\)/,
    );
    expect(oneLine(await atlas('--limit', 'many'))).toMatch(/--limit must be a number/);
    expect(oneLine(await atlas('--color', 'red'))).toMatch(/--help/);
  });

  it('leaves a type of the same name alone', async () => {
    const other = await TestServer.start();
    try {
      await other.as('superadmin', SUPERUSER_PASSWORD).defineType('City', [{ name: 'mayor', propertyType: 'String' }]);
      const run = await atlas('--url', other.url, '--limit', '1');
      expect(run.error).toMatch(/has a type City that is not the atlas's \(no geonameId/);
      expect(run.code).toBe(1);
    } finally {
      await other.stop();
    }
  });
});
