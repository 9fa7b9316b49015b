/** The maintenance command `migrate`: what it finds in stored scripts, and what it puts right (contract, Maintenance). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Client } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

const OLD = "{ return $.GET('http://127.0.0.1:1', 'text/plain', 'u', 'p').status; }";
const NEW = "{ return $.GET('http://127.0.0.1:1', 'text/plain', { username: 'u', password: 'p' }).status; }";
const MAIL = "Hello ${GET('http://127.0.0.1:1', 'text/plain', 'u', 'p').body} ${encrypt('x')}";

let server: TestServer;
let admin: Client;
let method: string;
let property: string;
let template: string;

const migrate = (body: unknown, client = admin): Promise<Answer> => client.post('/maintenance/migrate', body);
async function stored(type: string, id: string, key: string): Promise<unknown> {
  return ((await admin.get(`/${type}/${id}/all`)).body.result as Record<string, unknown>)[key];
}

beforeAll(async () => {
  server = await TestServer.start();
  ({ admin } = server);
  method = await admin.create('SchemaMethod', { name: 'old', source: OLD });
  await admin.create('SchemaMethod', { name: 'unclear', source: '{ $.GET(...$.retrieve("args")) }' });
  await admin.create('SchemaNode', {
    name: 'Thing',
    schemaProperties: [{ name: 'fetched', propertyType: 'Function', readFunction: OLD }],
  });
  [{ id: property }] = (await admin.get('/SchemaProperty?name=fetched')).body.result as [{ id: string }];
  template = await admin.create('MailTemplate', { name: 'WELCOME', text: MAIL });
  await admin.create('User', { name: 'anna', password: 'anna' });
  await allow(admin, 'maintenance/migrate', 'user', ['POST']);
});
afterAll(() => server.stop());

describe('migrate', () => {
  it('tells what it finds and what it would rewrite, and leaves all as it is', async () => {
    for (const body of [{}, { mode: 'dry-run' }]) {
      const answer = await migrate(body);
      expect(answer.body.result).toEqual([
        {
          mode: 'dry-run',
          findings: 5,
          rewritten: 3,
          steps: [
            { step: 'notions', version: '0.1.0', findings: 0, changes: 0 },
            { step: 'crypt-functions', version: '0.1.0', findings: 1, changes: 0 },
            { step: 'http-functions', version: '0.1.0', findings: 1, changes: 3 },
          ],
        },
      ]);
    }
    const [line] = await server.untilLogged(/would: http SchemaMethod\[\w+\]:old\.source:1:10: GET\(\)/);
    expect(line).toContain(`SchemaMethod[${method}]`);
    await server.untilLogged(/http SchemaMethod\[\w+\]:unclear\.source:1:3: GET\(\) cannot be looked at/);
    await server.untilLogged(/crypt MailTemplate\[\w+\]:WELCOME\.text:1:\d+: encrypt\(\)/);
    expect(await stored('SchemaMethod', method, 'source')).toBe(OLD);
  });

  it('rewrites with apply, once', async () => {
    expect((await migrate({ mode: 'apply' })).body.result).toMatchObject([
      { mode: 'apply', findings: 5, rewritten: 3 },
    ]);
    expect(await stored('SchemaMethod', method, 'source')).toBe(NEW);
    expect(await stored('SchemaProperty', property, 'readFunction')).toBe(NEW);
    expect(await stored('MailTemplate', template, 'text')).toContain('fromJson(\'{"username":"u","password":"p"}\')');
    expect((await migrate({ mode: 'apply' })).body.result).toMatchObject([
      { mode: 'apply', findings: 2, rewritten: 0 },
    ]);
  });

  it('is a job with progress, which can be asked for later', async () => {
    const [{ jobId }] = (await migrate({ background: true })).body.result as [{ jobId: number }];
    const job = async (): Promise<Record<string, unknown>> =>
      ((await admin.get(`/jobs/${String(jobId)}`)).body as { result: Record<string, unknown> }).result;
    await expect.poll(async () => (await job())['status']).toBe('FINISHED');
    const { jobtype, processedObjects, result } = await job();
    expect([jobtype, result]).toEqual(['MAINTENANCE', expect.objectContaining({ mode: 'dry-run', findings: 2 })]);
    expect(processedObjects).toBeGreaterThan(3);
  });

  it('runs from scripts', async () => {
    await admin.create('SchemaMethod', {
      name: 'look',
      source: "{ return $.maintenance('migrate', 'mode', 'dry-run'); }",
    });
    expect((await admin.post('/look')).body).toMatchObject({ result: { mode: 'dry-run', findings: 2, rewritten: 0 } });
  });

  it('comes behind the import of an application, too', async () => {
    await admin.create('SchemaMethod', { name: 'imported', source: OLD });
    const target = join(server.folder, 'deployment/app');
    expect((await admin.post('/maintenance/deploy', { mode: 'export', target })).status).toBe(200);
    const imports = await admin.post('/maintenance/deploy', { mode: 'import', source: target });
    expect(imports.status).toBe(200);
    const [{ source }] = (await admin.get('/SchemaMethod/all?name=imported')).body.result as [{ source: string }];
    expect(source).toBe(NEW);
  });

  it('is for administrators, and has two modes', async () => {
    expect((await migrate({}, server.as('anna', 'anna'))).status).toBe(403);
    for (const wrong of [{ mode: 'off' }, { mode: 1 }, { mod: 'apply' }])
      expect((await migrate(wrong)).status).toBe(422);
  });
});
