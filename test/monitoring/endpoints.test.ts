/** Health, metrics, times of statements, statistics and events over HTTP (docs/interface/monitoring.md 1 to 5). */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricNames } from '../../src/main/monitoring/index.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const SERVLETS =
  'JsonRestServlet HtmlServlet CsvServlet ProxyServlet FlowServlet HealthCheckServlet HistogramServlet OpenAPIServlet MetricsServlet';
/** Of a proxy that nobody trusts: its client may be anybody. */
const STRANGER = { 'X-Forwarded-For': '203.0.113.7' };

let server: TestServer;
let id: string;
beforeAll(async () => {
  server = await TestServer.start({ settings: { 'httpservice.servlets': SERVLETS } });
  await server.admin.defineType('Project', [{ name: 'title', propertyType: 'String' }]);
  id = await server.admin.create('Project', { title: 'one' });
  await server.admin.create('User', { name: 'kim', password: 'kims-password' });
});
afterAll(() => server.stop());

const kim = (): ReturnType<TestServer['as']> => server.as('kim', 'kims-password');

describe('/svc/health', () => {
  it('tells listed addresses all, as health+json', async () => {
    await server.admin.get(`/Project/${id}`);
    const answer = await server.as().get('/svc/health');
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/health+json; charset=utf-8');
    expect(answer.headers['cache-control']).toBe('max-age=60');
    expect(answer.body).toMatchObject({ version: '1.1', description: 'Svc system health status', status: 'pass' });
    const { checks } = answer.body;
    expect(Object.keys(checks)).toEqual(
      expect.arrayContaining(['memory:utilization', 'cpu:utilization', 'uptime', 'threads', 'json:responseTime']),
    );
    expect(checks['memory:utilization'][0]).toMatchObject({
      componentType: 'system',
      componentId: 'free memory',
      observedUnit: 'bytes',
      status: 'pass',
    });
    expect(checks['memory:utilization'][0].time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}\+0000$/);
    const ofProject = checks['json:responseTime'].filter(
      (one: { componentId: string }) => one.componentId === 'Project',
    );
    expect(ofProject.map((one: { valueDescription: string }) => one.valueDescription)).toEqual([
      'min',
      'max',
      'avg',
      'count',
    ]);
  });

  it('tells others nothing but the status', async () => {
    for (const path of ['/svc/health', '/svc/health/ready', '/svc/health/live']) {
      const answer = await server.as().get(path, STRANGER);
      expect([answer.status, answer.text], path).toEqual([200, '']);
    }
  });

  it('says so when the credentials of the request are wrong', async () => {
    const wrong = server.as('admin', 'wrong');
    expect((await wrong.get('/svc/health/ready')).status).toBe(503);
    expect((await wrong.get('/svc/health/live')).status).toBe(200);
    const answer = await wrong.get('/svc/health');
    expect([answer.status, answer.body.status, answer.body.notes.length]).toEqual([200, 'fail', 1]);
    expect((await server.admin.get('/svc/health/ready')).status).toBe(200);
  });

  it('knows no other paths and methods', async () => {
    expect((await server.as().get('/svc/health/x')).status).toBe(404);
    expect((await server.as().post('/svc/health', {})).status).toBe(405);
    expect((await server.as().send('OPTIONS', '/svc/health')).headers['allow']).toBe('GET,HEAD,OPTIONS');
  });
});

describe('/svc/metrics', () => {
  const metrics = async (): Promise<string> => (await server.as().get('/svc/metrics')).text;

  it('counts requests by what the schema knows, and never by what a client has made up', async () => {
    await server.admin.get(`/Project/${id}/ui`);
    await server.admin.get('/Project?title=made-up-value');
    await server.admin.get('/NoSuchType-made-up');
    await fetch(`${server.url}/made-up-page`);
    await server.as().send('GET', '/svc/login/made-up');
    const text = await metrics();
    expect(text).toMatch(
      /^svc_http_requests_total\{method="GET",path="\/svc\/rest\/Project\/<uuid>\/ui",status="200"\} 1$/m,
    );
    expect(text).toMatch(/^svc_http_requests_total\{method="GET",path="\/svc\/rest\/<unknown>",status="404"\} 1$/m);
    expect(text).toMatch(/^svc_http_requests_total\{method="GET",path="\/svc\/html\/<unknown>",status="404"\} 1$/m);
    expect(text).toContain('path="/svc/login"');
    expect(text).not.toMatch(/made-up|[0-9a-f]{32}/);
  });

  it('has histograms, and figures of loop, pools, transactions and caches', async () => {
    const text = await metrics();
    expect(text).toContain(
      'svc_http_request_duration_seconds_bucket{method="GET",path="/svc/rest/Project/<uuid>/ui",le="+Inf"} 1',
    );
    for (const name of ['svc_transaction_duration_seconds_count{kind="write"}', 'nodejs_eventloop_lag_seconds'])
      expect(text).toContain(`${name} `);
    expect(text).toMatch(/^svc_statements_total [1-9]/m);
    for (const line of text.split('\n'))
      expect(line).toMatch(/^(?:|#.*|[a-z_0-9]+(?:\{(?:[a-z]+="[^"]*",?)+\})? (?:-?[\d.]+(?:e[+-]?\d+)?|\+Inf|NaN))$/i);
  });

  it('is for listed addresses', async () => {
    const answer = await server.as().get('/svc/metrics', STRANGER);
    expect([answer.status, answer.text]).toEqual([403, '']);
    await server.untilLogged(/WARN .*refused \/svc\/metrics to .*metricsservlet\.whitelist/);
    await server.reload({ 'metricsservlet.whitelist': '192.0.2.1' });
    expect((await server.admin.get('/svc/metrics')).status).toBe(403);
    await server.reload({ 'metricsservlet.whitelist': '127.0.0.1' });
    expect((await server.as().get('/svc/metrics')).status).toBe(200);
  });

  it('has each metric of the dashboard', async () => {
    const dashboard = await readFile('monitoring/grafana.json', 'utf8');
    const named = new Set(dashboard.match(/\b(?:svc|nodejs|process)_[a-z_0-9]+/g));
    expect(named.size).toBeGreaterThan(10);
    const text = await metrics();
    const there = new Set([...text.matchAll(/^# TYPE (\w+) /gm)].map(([, name]) => name));
    const unknown = [...named].filter(
      (name) =>
        !there.has(name) && !there.has(name.replace(/_(?:bucket|sum|count)$/, '')) && !metricNames.includes(name),
    );
    expect(unknown).toEqual([]);
  });
});

describe('/svc/histogram', () => {
  it('shows statements and their times, without values', async () => {
    await server.admin.get('/Project?title=my-dearest-words');
    const { status, headers, body, text } = await server.as().get('/svc/histogram?sort=count&top=5');
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(body.length).toBeLessThanOrEqual(5);
    expect(Object.keys(body[0])).toEqual([
      'Query',
      'Count',
      'Overall time (s)',
      'Maximum time (s)',
      'Minimum time (s)',
      'Average time (s)',
    ]);
    expect(body[0].Count).toBeGreaterThanOrEqual(body.at(-1).Count);
    expect(text).not.toContain('my-dearest-words');
  });

  it('begins anew when it is asked to, and refuses what it does not know and whom it does not list', async () => {
    const before = (await server.as().get('/svc/histogram?reset')).body.length;
    expect(before).toBeGreaterThan(0);
    expect((await server.as().get('/svc/histogram?top=100000')).body.length).toBeLessThan(before);
    for (const query of ['sort=x', 'top=x', 'other=1'])
      expect((await server.as().get(`/svc/histogram?${query}`)).status, query).toBe(400);
    expect((await server.as().get('/svc/histogram', STRANGER)).status).toBe(403);
  });
});

describe('/svc/rest/stats', () => {
  it('counts requests by method and time', async () => {
    const { result } = (await server.admin.get('/stats')).body;
    expect(Object.keys(result)).toEqual(expect.arrayContaining(['GET', 'POST']));
    const [[time = '', count = 0] = []] = Object.entries<number>(result.GET);
    expect([Number(time) % 60_000, count > 0]).toEqual([0, true]);
    const day = (await server.admin.get('/stats?interval=86400000&max=1')).body.result;
    expect(Object.keys(day.GET)).toHaveLength(1);
    expect((await server.admin.get('/stats?interval=61000')).status).toBe(422);
    expect((await server.admin.get('/stats?other=1')).status).toBe(400);
  });

  it('needs its permission', async () => {
    expect((await kim().get('/stats')).status).toBe(401);
    await allow(server.admin, 'stats', 'user', ['GET']);
    expect((await kim().get('/stats')).status).toBe(200);
  });
});

describe('/svc/rest/_runtimeEventLog', () => {
  const events = async (
    query = '',
  ): Promise<{ type: string; description: string; seen: boolean; data: Record<string, unknown> }[]> =>
    (await server.admin.get(`/_runtimeEventLog${query}`)).body.result;

  it('tells what has happened, the newest first', async () => {
    await server.as('kim', 'not-the-password-of-kim').get('/Project');
    await server.as('nobody-of-this-name', 'x').get('/Project');
    await kim().get('/Project');
    await server.admin.post('/maintenance/flushCaches', {});
    const all = (await server.admin.get('/_runtimeEventLog?_pageSize=1000')).body.result as { id: number }[];
    expect(all.map((one) => one.id)).toEqual(all.map((one) => one.id).sort((a, b) => b - a));
    const kinds = (await events()).map(({ type, description }) => `${type}: ${description}`);
    for (const kind of [
      'Authentication: Wrong password',
      'Authentication: No principal found',
      'ResourceAccess: No permission',
      'Rest: Get',
      'Maintenance: flushCaches',
      'Transaction: Success',
    ])
      expect(kinds).toContain(kind);
    const text = JSON.stringify(await events());
    expect(text).not.toMatch(/not-the-password-of-kim|kims-password/);
  });

  it('has pages and filters', async () => {
    const page = (await server.admin.get('/_runtimeEventLog?_pageSize=2&_page=2')).body;
    expect([page.result.length, page.page, page.page_size]).toEqual([2, 2, 2]);
    expect(page.result_count).toBeGreaterThan(4);
    const some = await events('?type=Authentication,Maintenance');
    expect(new Set(some.map(({ type }) => type))).toEqual(new Set(['Authentication', 'Maintenance']));
    expect((await server.admin.get('/_runtimeEventLog?other=1')).status).toBe(400);
  });

  it('counts as seen what was acknowledged', async () => {
    expect((await server.admin.post('/_runtimeEventLog?type=Maintenance', { action: 'x' })).status).toBe(200);
    expect((await events('?type=Maintenance&seen=true')).length).toBe(0);
    expect((await server.admin.post('/_runtimeEventLog?type=Maintenance', { action: 'acknowledge' })).status).toBe(200);
    expect((await events('?type=Maintenance&seen=false')).length).toBe(0);
    expect((await events('?type=Maintenance&seen=true')).length).toBeGreaterThan(0);
    expect((await events('?type=Authentication&seen=false')).length).toBeGreaterThan(0);
  });

  it('names the script that failed, until somebody changes it', async () => {
    const method = await server.admin.create('SchemaMethod', { name: 'broken', source: "{ throw new Error('oh'); }" });
    expect((await server.admin.post('/broken', {})).status).toBeGreaterThanOrEqual(400);
    const [event] = await events('?type=Scripting');
    expect(event).toMatchObject({ description: 'Scripting Error', data: { name: 'broken', row: 1 } });
    expect(JSON.stringify(event)).toContain('oh');
    await server.admin.delete(`/SchemaMethod/${method}`);
  });

  it('needs its permission', async () => {
    expect((await kim().get('/_runtimeEventLog')).status).toBe(401);
    expect((await kim().post('/_runtimeEventLog', { action: 'acknowledge' })).status).toBe(401);
    await allow(server.admin, '_runtimeEventLog', 'user', ['GET']);
    expect((await kim().get('/_runtimeEventLog')).status).toBe(200);
    expect((await kim().post('/_runtimeEventLog', { action: 'acknowledge' })).status).toBe(401);
  });
});

describe('/svc/csv', () => {
  it('shows the list of REST as a table, with its filters, views and pages', async () => {
    for (const title of ['two; "three"', 'zwei\nZeilen']) await server.admin.create('Project', { title });
    const answer = await server.admin.get('/svc/csv/Project?_sort=title');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv;charset=utf-8']);
    expect(answer.headers['content-disposition']).toBe('attachment; filename="Project.csv"');
    const lines = answer.text.split('\r\n');
    expect(lines[0]).toContain('"title"');
    expect(answer.text).toContain('"two; ""three"""');
    expect(answer.text).toContain('"zwei\nZeilen"');
    expect(lines).toHaveLength(5);
    const page = await server.admin.get('/svc/csv/Project/ui?title=one&_pageSize=1');
    expect(page.text.split('\r\n')).toHaveLength(3);
    expect(page.text).toContain('"createdDate"');
    expect(page.text).toContain(`"${id}"`);
    expect((await server.admin.send('HEAD', '/svc/csv/Project')).text).toBe('');
  });

  it('has the rights of REST', async () => {
    expect((await server.as().get('/svc/csv/Project')).status).toBe(401);
    expect((await kim().get('/svc/csv/Project')).status).toBe(401);
    await allow(server.admin, 'Project', 'user', ['GET']);
    const seen = await server.admin.create('Project', { title: 'for kim', visibleToAuthenticatedUsers: true });
    const { status, text } = await kim().get('/svc/csv/Project');
    expect([status, text.split('\r\n').length]).toEqual([200, 3]);
    expect(text).toContain('"for kim"');
    expect(text).not.toContain('"one"');
    await server.admin.delete(`/Project/${seen}`);
  });

  it('answers clearly what it does not have', async () => {
    expect((await server.admin.get('/svc/csv/NoSuchType')).status).toBe(404);
    expect((await server.admin.get('/svc/csv')).status).toBe(404);
    expect((await server.admin.get('/svc/csv/me')).status).toBe(404);
    expect((await server.admin.put('/svc/csv/Project', {})).status).toBe(405);
    expect((await server.admin.get('/svc/csv/Project?nokey=1')).status).toBe(
      (await server.admin.get('/Project?nokey=1')).status,
    );
  });
});

describe('/svc/flow', () => {
  it('knows flows by their effective names, for who may see them', async () => {
    const main = await server.admin.create('FlowContainerPackage', { name: 'main' });
    await server.admin.create('FlowContainer', { name: 'sum', flowPackage: main });
    expect((await server.admin.get('/svc/flow/main.sum')).status).toBe(501);
    const none = await server.admin.get('/svc/flow/sum');
    expect([none.status, none.body]).toEqual([404, { code: 404, error: 'Requested flow could not be found.' }]);
    expect((await kim().post('/svc/flow/main.sum', {})).status).toBe(404);
    expect((await server.admin.put('/svc/flow/main.sum', {})).status).toBe(405);
  });
});
