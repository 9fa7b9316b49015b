/** Tables that are sent to `/svc/csv/<Type>`: each row becomes an object by the rules, rights and limits of REST (docs/interface/monitoring.md 7). */
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let server: TestServer;
let admin: Client;
let kim: Client;
const CSV = { 'Content-Type': 'text/csv' };

beforeAll(async () => {
  server = await TestServer.start({
    settings: { 'httpservice.body.maxobjects': 1000, 'httpservice.body.maxvalues': 3000 },
  });
  ({ admin } = server);
  await admin.defineType('City', [
    { name: 'code', propertyType: 'String', notNull: true, unique: true },
    { name: 'people', propertyType: 'Long' },
    { name: 'twins', propertyType: 'StringArray' },
  ]);
  await admin.create('User', { name: 'kim', password: 'kims-password' });
  kim = server.as('kim', 'kims-password');
});
afterAll(() => server.stop());

const post = (
  table: string | Buffer,
  query = '',
  who = admin,
  headers: Record<string, string> = CSV,
): Promise<Answer> => who.send('POST', `/svc/csv/City${query}`, table, headers);
const names = async (): Promise<string[]> =>
  (await admin.get('/City?_sort=code')).body.result.map(({ name }: { name: string }) => name).sort();

describe('a table', () => {
  it('becomes objects, all of its rows or none', async () => {
    const answer = await post(
      '\ufeffcode;name;people;twins\r\n"B;1";"Bonn ""am Rhein""";330000;"[""Oxford"",""Minsk""]"\r\n\r\nM1;"Two\nlines";;Lyon\r\n',
    );
    expect([answer.status, answer.body.result_count]).toEqual([201, 2]);
    const [bonn, two] = answer.body.result as string[];
    expect((await admin.get(`/City/${bonn ?? ''}/all`)).body.result).toMatchObject({
      code: 'B;1',
      name: 'Bonn "am Rhein"',
      people: 330000,
      twins: ['Oxford', 'Minsk'],
    });
    expect((await admin.get(`/City/${two ?? ''}/all`)).body.result).toMatchObject({
      name: 'Two\nlines',
      people: null,
      twins: ['Lyon'],
    });
    const all = await admin.get('/svc/csv/City/all');
    expect(all.text).toContain('"[""Oxford"",""Minsk""]"');
  });

  it('is written as its parameters say', async () => {
    const table = "code,name\n'C,1',x\n'C2',y\n'C3',z";
    const answer = await post(table, "?delimiter=,&quoteChar='&range=1,3");
    expect([answer.status, answer.body.result_count]).toEqual([201, 2]);
    expect(await names()).toEqual(expect.arrayContaining(['x', 'z']));
    expect(await names()).not.toContain('y');
    expect((await post('code\tname\nT1\ttab', '?delimiter=TAB')).status).toBe(201);
    expect((await post('code\nF1', '', admin, { 'Content-Type': 'application/x-www-form-urlencoded' })).status).toBe(
      201,
    );
    expect((await post('code;name\n', '')).status).toBe(200);
    for (const [query, status] of [
      ['?delimiter=', 400],
      ['?range=x', 400],
      ['?separator=,', 400],
      ['?_locale=de', 201],
    ] as const)
      expect([query, (await post(`code\nP${query}`, query)).status]).toEqual([query, status]);
    expect((await post('code\nJ1', '', admin, { 'Content-Type': 'application/json' })).status).toBe(415);
    expect((await post('code\nL1', '', admin, { 'Content-Type': 'text/csv; charset=latin1' })).status).toBe(415);
    expect((await post('code\nZ1', '', admin, { ...CSV, 'Content-Encoding': 'gzip' })).status).toBe(415);
  });

  it.each([
    [
      'a value of another kind',
      'code;people\nE1;1\n\nE2;many',
      { row: 2, line: 4, property: 'people' },
      'Row 2 (line 4), column "people": ',
    ],
    [
      'a value that is missing',
      'code;name\nE1;x\n;y\nE3;z',
      { row: 2, line: 3, property: 'code', token: 'must_not_be_empty' },
      'Row 2 (line 3), column "code": ',
    ],
    ['a value that is there already', 'code\nE1\n"B;1"', { row: 2, line: 3 }, 'Row 2 (line 3)'],
    ['a value that comes twice', 'code\nE1\nE2\nE1', { property: 'code', token: 'already_taken' }, 'column "code"'],
    [
      'an id that is taken',
      'code;id\nE1;\nE2;THIS',
      { row: 2, line: 3, property: 'id', token: 'already_taken' },
      'Row 2 (line 3), column "id": ',
    ],
    [
      'a row that is too long',
      'code\nE1\nE2;x',
      { row: 2, line: 3, token: 'invalid_row' },
      'Row 2 (line 3) has 2 columns, the header 1.',
    ],
    ['a quote that is not closed', 'code\nE1\n"E2', { row: 2 }, 'has a quote that is not closed'],
    ['no name of a column', 'code;\nE1;', { token: 'must_not_be_empty' }, 'Column 2 of the header has no name.'],
    ['the name of a column twice', 'code;code\nE1;E2', { property: 'code' }, 'Column 2 of the header'],
  ])('with %s is refused with row and column, and makes nothing', async (_, table, token, message) => {
    const taken = (await admin.get('/City')).body.result[0].id as string;
    const before = (await admin.get('/City')).body.result_count as number;
    const { status, body } = await post(table.replace('THIS', taken));
    expect([status, body.errors[0], body.message]).toMatchObject([422, token, expect.stringContaining(message)]);
    expect((await admin.get('/City')).body.result_count).toBe(before);
  });

  it('and a list are refused with the first hundred of their errors, and how many more there are', async () => {
    const rows = Array.from({ length: 250 }, (_, i) => `n${String(i)}`);
    const table = await post(`code;name\n;${rows.join('\n;')}`);
    const list = await admin.post(
      '/City',
      rows.map((name) => ({ name })),
    );
    for (const { status, body } of [table, list])
      expect([status, body.errors.length, body.moreErrors]).toEqual([422, 100, 150]);
    expect(table.body.errors[99]).toMatchObject({ property: 'code', row: 100, line: 101 });
    expect((await admin.post('/City', {})).body).not.toHaveProperty('moreErrors');
  });

  it('is empty, too long or too large for a request: nothing is made of it', async () => {
    expect((await post('')).status).toBe(422);
    expect((await post(`code\n${'x\n'.repeat(1001)}`)).body.message).toMatch(
      /httpservice\.body\.maxobjects.*doCSVImport/,
    );
    expect((await post(`code;name;people;twins\n${'x;y;1;z\n'.repeat(900)}`)).body.message).toMatch(/maxvalues/);
    expect((await post(`code;twins\nN1;"[${'{},'.repeat(1000)}{}]"`)).status).toBe(413);
    const wide = Array.from({ length: 4000 }, (_, i) => `c${String(i)}`).join(';');
    expect((await post(`${wide}\nx`)).body.message).toMatch(/maxvalues/);
    expect((await post(`code\n"${'x'.repeat(2 * 1024 * 1024)}`)).status).toBe(422);
    expect((await post('code\nX1', '', admin, { ...CSV, 'Content-Length': '99999999' })).status).toBe(413);
    expect((await admin.get('/City?code=x')).body.result).toEqual([]);
  });
});

describe('who sends a table', () => {
  it('needs the permission to POST the type, before the table is taken', async () => {
    expect((await post('code\nK1', '', kim)).status).toBe(401);
    expect((await post('code\nK1', '', server.as())).status).toBe(401);
    await allow(admin, 'City', 'user', ['GET']);
    const socket = connect(server.port, '127.0.0.1');
    const answer = new Promise<string>((resolve) =>
      socket.once('data', (data) => resolve(data.toString().slice(9, 12))),
    );
    socket.write(
      'POST /svc/csv/City HTTP/1.1\r\nHost: x\r\nX-User: kim\r\nX-Password: kims-password\r\nContent-Length: 90000\r\n\r\ncode\nK1',
    );
    expect(await answer).toBe('401');
    socket.destroy();
  });

  it('owns what becomes of it, has no other rights by it, and writes as much as by REST', async () => {
    await allow(admin, 'City', 'user', ['GET', 'POST']);
    const others = await admin.create('City', { code: 'O1' });
    expect((await post('code;name\nK1;of kim', '', kim)).status).toBe(201);
    expect((await admin.get('/City/ui?code=K1')).body.result[0]).toMatchObject({ owner: { name: 'kim' } });
    const { status } = await post(`code;grantees\nK2;${others}`, '', kim);
    expect(status).toBe((await kim.post('/City', { code: 'K3', grantees: others })).status);
    expect((await kim.send('PUT', '/svc/csv/City', 'code\nK4', CSV)).status).toBe(401);
    expect((await admin.send('PUT', '/svc/csv/City', 'code\nK4', CSV)).headers['allow']).toBe('GET,HEAD,OPTIONS,POST');
    expect((await admin.send('POST', '/svc/csv/Nothing', 'code\nK4', CSV)).status).toBe(404);
    expect((await admin.send('POST', '/svc/csv/me', 'code\nK4', CSV)).status).toBe(404);
  });

  it('is told of by the runtime events', async () => {
    const { body } = await admin.get('/_runtimeEventLog?type=Csv');
    expect(body.result.map((one: { description: string }) => one.description)).toContain('Post');
  });
});
