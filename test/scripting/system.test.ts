/** Functions about the server, over the real one (docs/interface/script-runtime.md 8.11). */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { SUPERUSER_PASSWORD, TestServer } from '../support/server.js';

const HIDDEN = '****** HIDDEN ******';
let server: TestServer;
let places: Server;
let admin: Client;

beforeAll(async () => {
  places = createServer((req, res) => {
    const known = decodeURIComponent(req.url ?? '').includes('Frankfurt');
    res.end(known ? '[{"lat": "50.1", "lon": "8.7"}]' : '[]');
  });
  await new Promise<void>((resolve) => places.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${String((places.address() as AddressInfo).port)}`;
  server = await TestServer.start({
    settings: {
      'application.title': 'Title of the test',
      'geocoding.provider': `${url}/?q={address}`,
      'my.own.setting': 'plain',
      'my.smtp.password': 'secret-of-my-own',
      'my.upstream': 'https://user:secret-in-url@example.com/',
    },
    environment: {
      PLAIN_VARIABLE: 'plain',
      SOME_API_KEY: 'secret-key',
      DATABASE_URL: 'postgres://user:secret-in-url@host/db',
      SVC_security_jwt_secret: 'a-secret-for-tokens-of-more-than-32-characters',
      SVC_application_instance_stage: 'test',
      KEYBOARD: 'de',
    },
  });
  ({ admin } = server);
  await admin.create('SchemaMethod', { name: 'readConfig', source: "config(retrieve('name'), retrieve('absent'))" });
  await admin.create('SchemaMethod', { name: 'env', source: "getenv(retrieve('name'))" });
  await admin.create('SchemaMethod', { name: 'allEnv', source: 'getenv()' });
  await admin.create('SchemaMethod', { name: 'environment', source: 'svcEnv()' });
  await admin.create('SchemaMethod', { name: 'info', source: 'systemInfo()' });
  await admin.create('SchemaMethod', {
    name: 'import',
    source: "maintenance(retrieve('command'), 'source', retrieve('source'), 'mode', 'COPY')",
  });
  await admin.create('SchemaMethod', {
    name: 'lateImport',
    source: "(create('Group', 'name', 'late'), maintenance('directFileImport', 'source', '/'))",
  });
  await admin.create('SchemaMethod', {
    name: 'place',
    source: "{ return $.geocode('Hauptstr. 1', $.args.city, 'Germany') }",
  });
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  for (const name of ['import', 'readConfig', 'allEnv']) await allow(admin, name, 'user', ['POST']);
});
afterAll(async () => {
  places.close();
  await server.stop();
});

const call = async (path: string, body: unknown = {}, client = admin): Promise<unknown> => {
  const answer = await client.post(path, body);
  expect(answer.status, answer.text).toBe(200);
  return (answer.body as { result: unknown }).result;
};

describe('config', () => {
  it.each([
    ['application.title', undefined, 'Title of the test'],
    ['APPLICATION.TITLE', undefined, 'Title of the test'],
    ['my.own.setting', undefined, 'plain'],
    ['no.such.setting', 'absent', 'absent'],
    ['superuser.password', undefined, HIDDEN],
    ['superuser.password', 'absent', HIDDEN],
    ['initialuser.password', undefined, HIDDEN],
    ['security.jwt.secret', undefined, HIDDEN],
    ['my.smtp.password', undefined, HIDDEN],
    ['my.upstream', undefined, HIDDEN],
  ])('%s, %s is %s', async (name, absent, expected) => {
    expect(await call('/readConfig', { name, absent })).toBe(expected);
  });

  it('an unknown one is null', async () => {
    expect(await call('/readConfig', { name: 'no.such.setting' })).toEqual([]);
  });

  it('hides secrets from administrators and from everybody else', async () => {
    const jane = server.as('jane', 'secret-of-jane');
    expect(await call('/readConfig', { name: 'superuser.password' }, jane)).toBe(HIDDEN);
  });
});

describe('getenv', () => {
  it.each([
    ['PLAIN_VARIABLE', 'plain'],
    ['KEYBOARD', 'de'],
    ['SVC_application_instance_stage', 'test'],
    ['SOME_API_KEY', HIDDEN],
    ['DATABASE_URL', HIDDEN],
    ['SVC_security_jwt_secret', HIDDEN],
  ])('%s is %s', async (name, expected) => {
    expect(await call('/env', { name })).toBe(expected);
  });

  it('the map of all holds no secret either', async () => {
    const all = (await call('/allEnv', {}, server.as('jane', 'secret-of-jane'))) as Record<string, string>;
    expect(all).toMatchObject({ PLAIN_VARIABLE: 'plain', SOME_API_KEY: HIDDEN, DATABASE_URL: HIDDEN });
    expect(JSON.stringify(all)).not.toMatch(/secret-key|secret-in-url|a-secret-for-tokens/);
  });
});

describe('the server', () => {
  it('svcEnv is what /_env says', async () => {
    const { result } = (await admin.get('/_env')).body as { result: Record<string, unknown> };
    // Only administrators are told of services, and only by REST.
    const { dashboardInfo: _, services: __, ...same } = result;
    expect(await call('/environment')).toMatchObject(same);
    expect(JSON.stringify(await call('/environment'))).not.toContain(SUPERUSER_PASSWORD);
  });

  it('systemInfo has times, counts and memory', async () => {
    const info = (await call('/info')) as Record<string, unknown>;
    expect(Math.abs(Number(info['now']) - Date.now())).toBeLessThan(10_000);
    expect(Number(info['uptime'])).toBeGreaterThan(0);
    expect((info['counts'] as { nodes: number }).nodes).toBeGreaterThan(5);
    expect(info).toMatchObject({ deploymentActive: false, maintenanceActive: false });
  });

  it('geocode asks the geocoder of the settings; what is unknown is the empty text', async () => {
    expect(await call('/place', { city: 'Frankfurt' })).toEqual({ latitude: 50.1, longitude: 8.7 });
    expect(await call('/place', { city: 'Nowhere' })).toBe('');
  });
});

describe('maintenance', () => {
  it('runs a command for an administrator and answers its result', async () => {
    const source = join(server.folder, 'import-me');
    await mkdir(source);
    await writeFile(join(source, 'one.txt'), 'one');
    await server.reload({ 'application.filesystem.import.roots': server.folder });
    const result = await call('/import', { command: 'directFileImport', source });
    expect(result).toMatchObject({ jobtype: 'DIRECT_IMPORT', status: 'FINISHED' });
  });

  it('refuses who is no administrator: nothing happens, null is answered, and the log says so', async () => {
    const source = join(server.folder, 'not-for-jane');
    await mkdir(source);
    await writeFile(join(source, 'jane.txt'), 'jane');
    const jane = server.as('jane', 'secret-of-jane');
    expect(await call('/import', { command: 'directFileImport', source }, jane)).toEqual([]);
    expect(await server.untilLogged(/maintenance\('directFileImport'\) failed: only administrators/)).toHaveLength(1);
    expect((await admin.get('/File?name=jane.txt')).body).toMatchObject({ result_count: 0 });
  });

  it.each(['noSuchCommand', 'rebuildIndex'])('%s is not there: logged, null', async (command) => {
    expect(await call('/import', { command, source: '/' })).toEqual([]);
    expect(await server.untilLogged(new RegExp(`maintenance\\('${command}'\\) failed`))).toHaveLength(1);
  });

  it('after the script has written: refused, as both would wait for each other', async () => {
    expect(await call('/lateImport')).toEqual(expect.any(String));
    expect(await server.untilLogged(/has written something already/)).toHaveLength(1);
  });
});
