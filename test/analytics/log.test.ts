import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

type Row = readonly [time: string, action: string, subject: string, object: string, message: string];

/** Events of three days in two months; the time zone is Berlin. */
const EVENTS: readonly Row[] = [
  ['2026-01-05T10:00:00+0000', 'VIEW', 'u1', 'p1', 'category:books'],
  ['2026-01-05T10:30:00+0000', 'VIEW', 'u2', 'p1', 'category:toys'],
  ['2026-01-05T23:30:00+0000', 'CLICK', 'u1', 'p2', 'banner=7'],
  ['2026-01-07T08:00:00+0000', 'PURCHASE', 'u1', 'p1', 'amount=12.5;premium'],
  ['2026-01-07T09:00:00+0000', 'PURCHASE', 'u3', 'p2', 'amount=3'],
  ['2026-02-01T00:00:00+0000', 'VIEW', 'u1', 'p2', 'category:books'],
];
const JAN_5 = '[2026-01-05T00:00:00+0000 TO 2026-01-05T23:59:59+0000]';

const query = (parameters: Readonly<Record<string, string>>): string =>
  `/log?${new URLSearchParams(parameters).toString()}`;
const ms = (text: string): string => String(Date.parse(text));
/** Beginnings of days in Berlin, in winter. */
const day = (text: string): string => String(Date.parse(`${text}T00:00:00+01:00`));

/** docs/interface/analytics.md */
describe('the analytics log', () => {
  let server: TestServer;
  let admin: Client;
  const ask = (parameters: Readonly<Record<string, string>>, by = admin): Promise<Answer> => by.get(query(parameters));
  /** Messages of a list. */
  const listed = async (parameters: Readonly<Record<string, string>>, by = admin): Promise<string[]> => {
    const { status, body, text } = await ask(parameters, by);
    if (status !== 200) throw new Error(text);
    return (body.result as { message: string }[]).map(({ message }) => message);
  };

  beforeAll(async () => {
    // Few events are enough for columns, so that answers are made of them.
    const settings = { 'application.timezone': 'Europe/Berlin', 'analytics.columns.from': 3 };
    server = await TestServer.start({ settings });
    ({ admin } = server);
    await admin.post(
      '/LogEvent',
      EVENTS.map(([timestamp, action, subject, object, message]) => ({ timestamp, action, subject, object, message })),
    );
  });
  afterAll(() => server.stop());

  it('sums up', async () => {
    const { status, body } = await admin.get('/log');
    expect(status).toBe(200);
    expect(body.result).toEqual([
      {
        actions: ['CLICK', 'PURCHASE', 'VIEW'],
        entryCount: 6,
        firstEntry: '2026-01-05T11:00:00+0100',
        lastEntry: '2026-02-01T01:00:00+0100',
      },
    ]);
    expect(body.result_count).toBe(1);
  });

  it('lists events by time', async () => {
    const { body } = await ask({ subject: 'u1', object: 'p1' });
    const ends = { subject: 'u1', object: 'p1' };
    expect(body.result).toEqual([
      { ...ends, action: 'VIEW', timestamp: '2026-01-05T11:00:00+0100', message: 'category:books' },
      { ...ends, action: 'PURCHASE', timestamp: '2026-01-07T09:00:00+0100', message: 'amount=12.5;premium' },
    ]);
    expect(body.result_count).toBe(2);
  });

  it.each<[Record<string, string>, string[]]>([
    [{ object: 'p2' }, ['banner=7', 'amount=3', 'category:books']],
    [{ subject: 'u2', action: 'VIEW' }, ['category:toys']],
    [{ subject: 'u2', object: 'p2' }, []],
    [{ action: 'view' }, []],
    [{ timestamp: JAN_5 }, ['category:books', 'category:toys', 'banner=7']],
    [{ timestamp: '[2026-01-07T09:00:00+0100 TO 2026-01-07T09:00:00Z]', subject: 'u3' }, ['amount=3']],
    [{ timestamp: '[2026-01-07T08:00:01+0000 TO 2026-01-07T08:59:59+0000]' }, []],
    [{ filters: 'category:.*' }, ['category:books', 'category:toys', 'category:books']],
    [{ filters: 'category:.*::.*toys' }, ['category:toys']],
    // The whole message has to match.
    [{ filters: 'toys' }, []],
    [{ filters: '.*\\p{Punct}\\d+', action: 'CLICK' }, ['banner=7']],
    [{ filters: '(?i)CATEGORY:B\\w+', timestamp: JAN_5 }, ['category:books']],
    [{ subject: 'u1', _order: 'desc' }, ['category:books', 'amount=12.5;premium', 'banner=7', 'category:books']],
    [{ action: 'VIEW', _sort: 'message' }, ['category:books', 'category:books', 'category:toys']],
    [{ action: 'VIEW', _pageSize: '1', _page: '2' }, ['category:toys']],
    [{ filters: 'cat.*', _pageSize: '1', _page: '2' }, ['category:toys']],
    // Others of the same subject and object.
    [{ action: 'VIEW', correlate: 'PURCHASE' }, ['category:books']],
    [{ action: 'VIEW', correlate: 'PURCHASE::and' }, ['category:books']],
    [{ action: 'VIEW', correlate: 'PURCHASE::not' }, ['category:toys', 'category:books']],
    [{ action: 'CLICK', correlate: 'PURCHASE::andSubject' }, []],
    // With the same captured value.
    [{ timestamp: JAN_5, correlate: 'VIEW::and::category:(.*)' }, ['category:books', 'category:toys']],
    [{ correlate: 'VIEW::andSubject::category:(books)' }, ['category:books', 'category:books']],
    [{ correlate: 'VIEW::andObject::category:(toys)' }, ['category:toys']],
    [{ action: 'PURCHASE', correlate: 'VIEW::not::category:(.*)' }, ['amount=12.5;premium', 'amount=3']],
    [{ action: 'VIEW', correlate: 'VIEW::not::category:(.*)' }, []],
    // Nothing to correlate with.
    [{ action: 'VIEW', correlate: 'NONE::and' }, []],
    [{ action: 'CLICK', correlate: 'NONE::not' }, ['banner=7']],
    [{ action: 'VIEW', filters: '.*books', correlate: 'PURCHASE::not' }, ['category:books']],
  ])('lists %j', async (parameters, messages) => {
    expect(await listed(parameters)).toEqual(messages);
  });

  it('counts what it lists', async () => {
    const plain = await ask({ action: 'VIEW', _pageSize: '2' });
    expect(plain.body).toMatchObject({ result_count: 3, page_count: 2, page: 1, page_size: 2 });
    const filtered = await ask({ filters: 'cat.*', _pageSize: '2' });
    expect(filtered.body).toMatchObject({ result_count: 3, page_count: 2, page: 1, page_size: 2 });
    const none = await ask({ filters: 'cat', _pageSize: '2' });
    expect(none.body).toMatchObject({ result: [], result_count: 0 });
  });

  it.each<[Record<string, string>, Record<string, Record<string, number>>]>([
    [
      { timestamp: '[2026-01-05T10:00:00+0000 TO 2026-01-08T10:00:00+0000]', aggregate: 'yyyy-MM-dd' },
      {
        [day('2026-01-05')]: { total: 2 },
        [day('2026-01-06')]: { total: 1 },
        [day('2026-01-07')]: { total: 2 },
        [day('2026-01-08')]: { total: 0 },
      },
    ],
    [{ subject: 'u1', aggregate: 'yyyy' }, { [day('2026-01-01')]: { total: 4 } }],
    [{ aggregate: 'yyyy-MM' }, { [day('2026-01-01')]: { total: 5 }, [day('2026-02-01')]: { total: 1 } }],
    [
      { aggregate: "yyyy-'W'ww", timestamp: '[2026-01-05T00:00:00+0000 TO 2026-01-12T10:00:00+0000]' },
      { [day('2026-01-05')]: { total: 5 }, [day('2026-01-12')]: { total: 0 } },
    ],
    [
      { aggregate: 'yyyy-MM-dd HH', action: 'PURCHASE' },
      { [ms('2026-01-07T08:00:00Z')]: { total: 1 }, [ms('2026-01-07T09:00:00Z')]: { total: 1 } },
    ],
    [{ aggregate: 'yyyy-MM-dd HH:mm', subject: 'u2' }, { [ms('2026-01-05T10:30:00Z')]: { total: 1 } }],
    [{ aggregate: 'yyyy-MM-dd', subject: 'nobody' }, {}],
    [
      { aggregate: 'yyyy-MM-dd', action: 'PURCHASE', premium: '.*premium', cheap: 'amount=\\d', none: 'x' },
      { [day('2026-01-07')]: { total: 2, premium: 1, cheap: 1 } },
    ],
    // Every group has the same keys.
    [
      { aggregate: 'yyyy-MM', books: 'category:books', click: 'banner.*' },
      { [day('2026-01-01')]: { total: 5, books: 1, click: 1 }, [day('2026-02-01')]: { total: 1, books: 1, click: 0 } },
    ],
    [{ aggregate: 'yyyy', histogram: 'category:(.*)' }, { [day('2026-01-01')]: { total: 6, books: 2, toys: 1 } }],
    [{ aggregate: 'yyyy', histogram: 'sort:amount=(\\d).*' }, { [day('2026-01-01')]: { total: 6, 1: 1, 3: 1 } }],
    // A value that is another key.
    [
      { aggregate: 'yyyy', histogram: 'kind:.*:(total|toys|books)', toys: '.*toys' },
      { [day('2026-01-01')]: { total: 6, toys: 1, 'kind:toys': 1, books: 2 } },
    ],
    [
      { aggregate: 'yyyy-MM', action: 'PURCHASE', multiplier: 'amount=([\\d.]+).*', premium: '.*premium', all: '.*' },
      { [day('2026-01-01')]: { total: 2, multiplier: 15.5, premium: 12.5, all: 15.5 } },
    ],
    // What has no number counts as one.
    [
      { aggregate: 'yyyy', multiplier: 'banner=(\\d)', histogram: 'v:(banner|category).*' },
      { [day('2026-01-01')]: { total: 6, multiplier: 7, banner: 7, category: 3 } },
    ],
    [
      { aggregate: 'yyyy', filters: 'category.*', correlate: 'PURCHASE::not', books: '.*books' },
      { [day('2026-01-01')]: { total: 2, books: 1 } },
    ],
  ])('counts %j', async (parameters, groups) => {
    const { status, body, text } = await ask(parameters);
    expect(text).toContain('result');
    expect(status).toBe(200);
    expect(body.result).toEqual([groups]);
  });

  it('gives files of events', async () => {
    const lines = await ask({ subject: 'u2', _format: 'ndjson' });
    expect(lines.headers['content-type']).toBe('application/x-ndjson;charset=utf-8');
    expect(lines.text.endsWith('\n')).toBe(true);
    expect(
      lines.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      {
        id: expect.any(String) as string,
        subject: 'u2',
        object: 'p1',
        action: 'VIEW',
        timestamp: '2026-01-05T11:30:00+0100',
        message: 'category:toys',
      },
    ]);
    const csv = await admin.get('/log?action=CLICK', { Accept: 'text/csv' });
    expect(csv.headers['content-type']).toBe('text/csv;charset=utf-8');
    expect(csv.text).toMatch(
      /^id,timestamp,action,subject,object,message\r\n[0-9a-f]{32},2026-01-06T00:30:00\+0100,CLICK,u1,p2,banner=7\r\n$/,
    );
    const head = await admin.send('HEAD', '/log?_format=csv');
    expect([head.status, head.text, head.headers['content-type']]).toEqual([200, '', 'text/csv;charset=utf-8']);
    // Without other parameters: all of them.
    expect((await ask({ _format: 'csv' })).text.split('\r\n')).toHaveLength(EVENTS.length + 2);
    expect((await ask({ _format: 'csv', subject: 'nobody' })).text).toBe(
      'id,timestamp,action,subject,object,message\r\n',
    );
  });

  it.each<[Record<string, string>, number, string]>([
    [{ histogram: 'a:(.*)' }, 400, 'To use the histogram function, please supply an aggregation pattern.'],
    [{ subject: 'u1', multiplier: '(.*)' }, 400, 'aggregation pattern'],
    [{ unknown: 'x' }, 400, 'unknown'],
    [{ aggregate: 'no pattern' }, 422, 'aggregate'],
    [{ aggregate: '' }, 422, 'aggregate'],
    [{ aggregate: "'day'" }, 422, 'unit of time'],
    [{ aggregate: 'yyyy', x: '(' }, 422, 'x: '],
    [{ aggregate: 'yyyy', x: '(a)\\1' }, 422, 'x: '],
    [{ aggregate: 'yyyy', x: 'a'.repeat(1001) }, 422, '1000 characters'],
    [{ aggregate: 'yyyy', total: '.*' }, 422, 'total'],
    [{ aggregate: 'yyyy', histogram: 'a:.*' }, 422, 'capture group'],
    [{ aggregate: 'yyyy', multiplier: 'amount=.*' }, 422, 'capture group'],
    [{ aggregate: 'yyyy', multiplier: 'amount=(.*)' }, 422, 'no number'],
    [{ filters: '[' }, 422, 'filters'],
    [{ filters: Array.from({ length: 500 }, () => 'a').join('::') }, 422, '100 filters'],
    [{ correlate: '' }, 422, 'action'],
    [{ correlate: 'VIEW::or::(.*)' }, 422, 'operators'],
    [{ correlate: 'VIEW::and::.*' }, 422, 'capture group'],
    [{ correlate: 'VIEW::and::(' }, 422, 'correlate'],
    [{ timestamp: 'yesterday' }, 422, 'timestamp'],
    [{ timestamp: '[2026-01-01 TO 2026-01-02]' }, 422, 'timestamp'],
    [{ timestamp: '[2026-02-30T00:00:00+0000 TO 2026-03-02T00:00:00+0000]' }, 422, 'timestamp'],
    [{ timestamp: '[2026-02-01T00:00:00+0000 TO 2026-01-02T00:00:00+0000]' }, 422, 'before it begins'],
    [{ aggregate: 'ss', timestamp: '[2020-01-01T00:00:00+0000 TO 2026-01-02T00:00:00+0000]' }, 422, 'groups'],
    [{ aggregate: 'yyyy-MM-dd HH:mm:ss' }, 422, 'groups'],
    [{ aggregate: 'yyyy', _format: 'csv' }, 400, 'csv'],
    [{ subject: 'u1', _format: 'xml' }, 422, '_format'],
  ])('refuses %j', async (parameters, status, message) => {
    const answer = await ask(parameters);
    expect(answer.status).toBe(status);
    expect(answer.body.message).toContain(message);
  });

  it('refuses what is given twice', async () => {
    const answer = await admin.get('/log?subject=u1&subject=u2');
    expect(answer.status).toBe(400);
  });

  it('answers GET, POST and OPTIONS', async () => {
    expect((await admin.put('/log', {})).status).toBe(405);
    expect((await admin.delete('/log')).status).toBe(405);
    const options = await admin.send('OPTIONS', '/log');
    expect(options.headers['allow']).toBe('GET,OPTIONS,POST');
  });
});

describe('events', () => {
  let server: TestServer;
  let admin: Client;
  const EVENT = { action: 'POSTED', message: 'm', subject: 'u9', object: 'p9' };

  beforeAll(async () => {
    server = await TestServer.start();
    ({ admin } = server);
    await admin.create('User', { name: 'jane', password: 'Jane-secret-1' });
    await admin.create('User', { name: 'joe', password: 'Joe-secret-1' });
    await allow(admin, 'log', 'user', ['GET', 'POST']);
    await allow(admin, 'log', 'anonymous', ['POST']);
    await allow(admin, 'LogEvent', 'user', ['GET', 'POST']);
    await allow(admin, 'LogEvent/_id', 'user', ['GET', 'PUT', 'DELETE']);
  });
  afterAll(() => server.stop());

  it('are written by POST', async () => {
    const sent = Date.now();
    const { status, body, headers } = await admin.post('/log', EVENT);
    expect(status).toBe(201);
    expect(headers['location']).toBeUndefined();
    expect(body.result_count).toBe(1);
    expect(body.result).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
        type: 'LogEvent',
        name: null,
        ...EVENT,
        timestamp: expect.any(String) as string,
      },
    ]);
    const time = Date.parse(body.result[0].timestamp.replace(/(\d\d)$/, ':$1'));
    expect(time).toBeGreaterThanOrEqual(Math.floor(sent / 1000) * 1000);
    const found = await admin.get(`/LogEvent/${String(body.result[0].id)}/all`);
    expect(found.body.result).toMatchObject({
      visibleToPublicUsers: true,
      visibleToAuthenticatedUsers: true,
      owner: null,
      createdBy: null,
    });
  });

  it('may be several at once', async () => {
    const events = [1, 2, 3].map((n) => ({ ...EVENT, action: 'MANY', message: String(n) }));
    const { status, body } = await admin.post('/log', events);
    expect(status).toBe(201);
    expect(body.result.map(({ message }: { message: string }) => message)).toEqual(['1', '2', '3']);
  });

  it.each(['subject', 'object', 'action', 'message'])('have a %s', async (field) => {
    for (const value of [null, undefined]) {
      const { status, body } = await admin.post('/log', { ...EVENT, [field]: value });
      expect(status).toBe(422);
      expect(body.message).toBe('Log entry must consist of at least ‛subjectId‛, ‛objectId‛, ‛action‛ and ‛message‛');
      expect(body.errors).toEqual([{ type: 'LogFile', property: field, token: 'must_not_be_empty' }]);
    }
    expect((await admin.post('/log', { ...EVENT, [field]: '' })).status).toBe(201);
  });

  it('are refused when something is wrong with them', async () => {
    expect((await admin.post('/log', undefined)).status).toBe(422);
    expect((await admin.post('/log', '{')).status).toBe(400);
    expect((await admin.post('/log', [EVENT, { action: 'x' }])).status).toBe(422);
    const more = await admin.post('/log', { ...EVENT, owner: 'x' });
    expect(more.status).toBe(422);
    expect(more.body.message).toContain('owner');
    // The time is the server's, whatever the client says.
    const timed = await admin.post('/log', { ...EVENT, timestamp: '2001-01-01T00:00:00+0000' });
    expect(timed.status).toBe(201);
    expect(timed.body.result[0].timestamp).not.toContain('2001');
  });

  it('hold any text', async () => {
    const message = 'a\r\nb\u0000\u0001"c",\u2028d\ud83d\ude00 {"action":"FORGED"}\n2026';
    const odd = { subject: 'odd"\n', object: ' p,1', action: 'ODD\t', message };
    expect((await admin.post('/log', odd)).status).toBe(201);
    const path = `/log?${new URLSearchParams({ subject: odd.subject, object: odd.object, action: odd.action }).toString()}`;
    expect((await admin.get(path)).body.result).toMatchObject([odd]);
    const lines = (await admin.get(`${path}&_format=ndjson`)).text.split('\n');
    expect(lines).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject(odd);
    const csv = (await admin.get(`${path}&_format=csv`)).text;
    expect(csv).toContain(
      `,ODD\t,"odd""\n"," p,1","a\r\nb\u0000\u0001""c"",\u2028d\ud83d\ude00 {""action"":""FORGED""}\n2026"\r\n`.replace(
        ',ODD\t,',
        ',"ODD\t",',
      ),
    );
    const counted = await admin.get(`${path}&aggregate=yyyy&all=${encodeURIComponent('(?s).*')}&some=.*`);
    const [groups] = counted.body.result as [Record<string, Record<string, number>>];
    // A dot is no line end, as in Java.
    expect(Object.values(groups)).toEqual([{ total: 1, all: 1 }]);
  });

  it('may be large', async () => {
    const message = 'x'.repeat(1_000_000);
    expect((await admin.post('/log', { ...EVENT, action: 'LARGE', message })).status).toBe(201);
    const { body } = await admin.get('/log?action=LARGE');
    expect(body.result[0].message).toBe(message);
    // Expressions that run away elsewhere.
    for (const evil of ['(a+)+$', '(x+x+)+y', '(.*)*y', '(x|x)*y', '(x*)*y', '(.*x.*x.*x.*)+y']) {
      const since = performance.now();
      const answer = await admin.get(`/log?action=LARGE&filters=${encodeURIComponent(evil)}`);
      expect(answer.body.result).toEqual([]);
      expect(performance.now() - since).toBeLessThan(20_000);
    }
  });

  it('are for whom they are permitted', async () => {
    const jane = server.as('jane', 'Jane-secret-1');
    const nobody = server.as();
    expect((await nobody.get('/log')).status).toBe(401);
    expect((await nobody.post('/log', { ...EVENT, action: 'ANONYMOUS' })).status).toBe(201);
    expect((await server.as('jane', 'Jane-secret-1').post('/log', { ...EVENT, action: 'JANES' })).status).toBe(201);
    // What nobody owns is nobody's to change.
    const [{ id }] = (await jane.post('/log', EVENT)).body.result as [{ id: string }];
    expect((await jane.put(`/LogEvent/${id}`, { message: 'forged' })).status).toBe(403);
    expect((await jane.delete(`/LogEvent/${id}`)).status).toBe(403);
  });

  it('are counted as far as the reader may see them', async () => {
    const [jane, joe] = [server.as('jane', 'Jane-secret-1'), server.as('joe', 'Joe-secret-1')];
    const own = { ...EVENT, action: 'OWN', message: 'of=jane', timestamp: '2026-03-01T00:00:00+0000' };
    expect((await jane.post('/LogEvent', own)).status).toBe(201);
    const shared = { ...own, message: 'of=all', visibleToAuthenticatedUsers: true };
    expect((await admin.post('/LogEvent', shared)).status).toBe(201);
    const counts = async (by: Client, path: string): Promise<unknown> =>
      Object.values((await by.get(`/log?action=OWN&${path}`)).body.result[0] as object);
    for (const [by, total] of [
      [admin, 2],
      [jane, 2],
      [joe, 1],
    ] as const) {
      expect(await counts(by, 'aggregate=yyyy')).toEqual([{ total }]);
      expect((await by.get('/log?action=OWN')).body.result_count).toBe(total);
      expect((await by.get('/log?action=OWN&filters=of.*')).body.result_count).toBe(total);
      expect((await by.get('/log?action=OWN&_format=ndjson')).text.trim().split('\n')).toHaveLength(total);
    }
    // What a reader may not see is nothing to compare with.
    expect(await counts(joe, 'aggregate=yyyy&correlate=OWN::and::of=(jane)')).toEqual([]);
    expect(await counts(jane, 'aggregate=yyyy&correlate=OWN::and::of=(jane)')).toEqual([{ total: 1 }]);
    const whole = (await joe.get('/log')).body.result[0] as { actions: string[] };
    expect(whole.actions).toContain('OWN');
  });

  it('are written by scripts', async () => {
    await admin.create('SchemaMethod', {
      name: 'note',
      source: `{
        $.logEvent('BY_SCRIPT', 'one', $.me, 'p1');
        $.logEvent({ action: 'BY_SCRIPT', message: 'two', subject: 's', object: 'o' });
        $.logEvent({ action: 'BY_SCRIPT' });
        return [$.logEvent('BY_SCRIPT', 'four').message, $.logEvent('x', null), $.logEvent('x')];
      }`,
    });
    const usage = 'Usage: logEvent(action, message [, subject [, object]])';
    await allow(admin, 'note', 'user', ['POST']);
    const jane = server.as('jane', 'Jane-secret-1');
    expect((await jane.post('/note', {})).body.result).toEqual(['four', usage, usage]);
    const { body } = await admin.get('/log?action=BY_SCRIPT');
    const [me] = (await admin.get('/User?name=jane')).body.result as [{ id: string }];
    expect(body.result).toMatchObject([
      { message: 'one', subject: me.id, object: 'p1' },
      { message: 'two', subject: 's', object: 'o' },
      { message: null, subject: null },
      { message: 'four', subject: null, object: null },
    ]);
    expect((await jane.get('/log?action=BY_SCRIPT')).body.result).toEqual([]);
    const found = await admin.get('/LogEvent/all?action=BY_SCRIPT&message=one');
    expect(found.body.result[0]).toMatchObject({ owner: null, visibleToPublicUsers: false, createdBy: null });
  });

  it('are objects like others', async () => {
    const found = await server.as('jane', 'Jane-secret-1').get('/LogEvent?action=POSTED&message=m&_pageSize=1');
    expect(found.body.result).toMatchObject([{ type: 'LogEvent', action: 'POSTED', message: 'm', subject: 'u9' }]);
  });

  it('are made of old log files', async () => {
    const folder = join(server.folder, 'files', 's', '0');
    await mkdir(folder, { recursive: true });
    const [subject, object] = ['0'.repeat(31) + 'a', '0'.repeat(31) + 'b'];
    const good = join(folder, subject + object);
    await writeFile(good, '1262304000000,VISIT,first, with comma\n1262390400000,VISIT,\n');
    await writeFile(join(folder, object + subject), '1262304000000,VISIT,x\nnonsense\n');
    await writeFile(join(folder, 'other'), '');
    expect((await server.as('jane', 'Jane-secret-1').post('/log?initialize=true', {})).status).toBe(403);
    const { status, body } = await admin.post('/log?initialize=true');
    expect(status).toBe(200);
    expect(body.result).toEqual([{ files: 1, events: 3, left: 2 }]);
    expect((await admin.get(`/log?subject=${subject}`)).body.result).toEqual([
      { subject, object, action: 'VISIT', timestamp: '2010-01-01T00:00:00+0000', message: 'first, with comma' },
      { subject, object, action: 'VISIT', timestamp: '2010-01-02T00:00:00+0000', message: '' },
    ]);
    expect((await admin.post('/log?initialize=true')).body.result).toEqual([{ files: 0, events: 0, left: 2 }]);
    expect(await readdir(folder)).toHaveLength(2);
  });

  it('go when the setting says so', async () => {
    const old = { ...EVENT, action: 'OLD' };
    const times = ['2001-01-01T00:00:00+0000', '2001-01-02T00:00:00+0000', new Date().toISOString()];
    await admin.post(
      '/LogEvent',
      times.map((timestamp) => ({ ...old, timestamp })),
    );
    expect((await admin.get('/log?action=OLD')).body.result_count).toBe(3);
    await server.reload({ 'analytics.retention.days': 3650 });
    await server.untilLogged(/deleted \d events older than 3650 days/);
    expect((await admin.get('/log?action=OLD')).body.result_count).toBe(1);
  });
});
