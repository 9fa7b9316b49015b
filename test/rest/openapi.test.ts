import { Validator } from '@seriousme/openapi-schema-validator';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chromiumPath } from '../support/chromium.js';
import type { Client } from '../support/client.js';
import { TestServer } from '../support/server.js';

/** As much of a document as the tests look into. */
interface Document {
  readonly openapi: string;
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly { readonly url: string }[];
  readonly components: Readonly<Record<string, Readonly<Record<string, Record<string, unknown>>>>>;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly tags: readonly { readonly name: string }[];
  readonly security: readonly unknown[];
}
interface Operation {
  readonly operationId?: string;
  readonly tags?: readonly string[];
  readonly parameters?: readonly { readonly name?: string; readonly $ref?: string }[];
  readonly responses?: Readonly<Record<string, unknown>>;
}

const VERSION = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;

const browserPath = chromiumPath();
if (browserPath === undefined) console.warn('skipped: the API page in a browser; there is no Chromium (CHROMIUM_PATH)');

let server: TestServer;
let admin: Client;

async function fetchDocument(path = '/svc/openapi'): Promise<Document> {
  const answer = await admin.get(path);
  expect(answer.status).toBe(200);
  return answer.body as Document;
}

const operationsOf = (document: Document): Operation[] =>
  Object.values(document.paths).flatMap((item) => Object.values(item).filter((o) => o.operationId !== undefined));
const idsOf = (document: Document): string[] => operationsOf(document).map((o) => o.operationId ?? '');

function propertiesOf(document: Document, component: string): Record<string, Record<string, unknown>> {
  const properties = document.components['schemas']?.[component]?.['properties'];
  expect(properties, component).toBeDefined();
  return properties as Record<string, Record<string, unknown>>;
}

beforeAll(async () => {
  server = await TestServer.start();
  admin = server.admin;
  const task = await admin.defineType(
    'OaTask',
    [
      { name: 'title', propertyType: 'String', notNull: true, indexed: true },
      { name: 'state', propertyType: 'Enum', format: 'open, closed' },
      { name: 'effort', propertyType: 'Integer', format: '[1,10]' },
      { name: 'views', propertyType: 'Long' },
      { name: 'ratio', propertyType: 'Double' },
      { name: 'done', propertyType: 'Boolean' },
      { name: 'due', propertyType: 'Date' },
      { name: 'stamp', propertyType: 'Date', format: "yyyy-MM-dd'T'HH:mm:ssXXX" },
      { name: 'labels', propertyType: 'StringArray' },
      { name: 'sealed', propertyType: 'String', readOnly: true },
      { name: 'parts', propertyType: 'Function', readFunction: '{ return [1]; }', openAPIReturnType: 'integer[]' },
    ],
    {
      includeInOpenAPI: true,
      tags: ['planning', 'with blank'],
      description: 'Something to do',
      schemaViews: [
        {
          name: 'public',
          nonGraphProperties: 'title, state, effort, views, ratio, done, due, stamp, labels, sealed, parts, oaProject',
        },
        { name: 'short', nonGraphProperties: 'title' },
      ],
      schemaMethods: [
        {
          name: 'finish',
          source: '{ }',
          includeInOpenAPI: true,
          parameters: [{ name: 'reason', parameterType: 'String', index: 0 }],
        },
        {
          name: 'byAge',
          source: '{ }',
          includeInOpenAPI: true,
          isStatic: true,
          httpVerb: 'GET',
          parameters: [{ name: 'days', parameterType: 'int' }],
        },
        { name: 'unlisted', source: '{ }' },
      ],
    },
  );
  const project = await admin.defineType('OaProject', [{ name: 'code', propertyType: 'String' }], {
    includeInOpenAPI: true,
  });
  // Its objects and the lists of OaTask would share their operation ids.
  await admin.defineType('OaTaskList', [], { includeInOpenAPI: true, tags: ['planning'] });
  await admin.defineType('OaHidden', [{ name: 'secret', propertyType: 'String' }]);
  await admin.relate(project, 'HAS', task, { sourceJsonName: 'oaProject', targetJsonName: 'oaTasks' });
  await admin.create('SchemaMethod', { name: 'oaReport', source: '{ }', includeInOpenAPI: true, tags: ['reports'] });
});

afterAll(async () => {
  await server.stop();
});

describe('the whole document', () => {
  test('is valid in the eyes of a third party', async () => {
    const result = await new Validator().validate({ ...(await fetchDocument()) });
    expect(result.errors).toBeUndefined();
    expect(result.valid).toBe(true);
  });

  test('has the root keys, titles and server, and is not to be kept', async () => {
    const answer = await admin.get('/svc/openapi');
    const document = answer.body as Document;
    expect(Object.keys(document).sort()).toEqual([
      'components',
      'info',
      'openapi',
      'paths',
      'security',
      'servers',
      'tags',
    ]);
    expect(document.openapi).toBe('3.0.2');
    expect(document.info).toEqual({ title: 'Svc REST Server', version: VERSION });
    expect(document.servers).toEqual([{ url: `${server.url}/svc/rest` }]);
    expect(answer.headers['cache-control']).toBe('private, no-store');
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(await fetchDocument('/svc/openapi/schema.json')).toEqual(document);
  });

  test('has the components that are always there', async () => {
    const { components } = await fetchDocument();
    expect(Object.keys(components['securitySchemes'] ?? {})).toEqual([
      'CookieAuth',
      'BearerAuth',
      'XUserAuth',
      'XPassAuth',
    ]);
    expect(Object.keys(components['parameters'] ?? {})).toEqual([
      'page',
      'pageSize',
      'inexactSearch',
      'outputNestingDepth',
    ]);
    expect(Object.values(components['parameters'] ?? {}).map((p) => p['name'])).toEqual([
      '_page',
      '_pageSize',
      '_inexact',
      '_outputNestingDepth',
    ]);
    expect(Object.keys(components['responses'] ?? {}).sort()).toEqual(
      'badRequest created forbidden loginError loginResponse notFound ok tokenError tokenResponse unauthorized validationError'.split(
        ' ',
      ),
    );
    expect(Object.keys(components['schemas'] ?? {})).toEqual(
      expect.arrayContaining(
        `GetBaseResponse WriteBaseResponse WriteResponse CreateResponse LoginResponse TokenResponse ok ErrorToken RESTResponse
        UsernameLoginBody EMailLoginBody RefreshTokenLoginBody User NodeInterface`.split(/\s+/),
      ),
    );
  });

  test('has paths and operation ids of marked types, sessions and maintenance', async () => {
    const document = await fetchDocument();
    const { paths } = document;
    expect(Object.keys(paths['/OaTask'] ?? {})).toEqual(['get', 'post', 'delete']);
    expect(Object.keys(paths['/OaTask/{uuid}'] ?? {})).toEqual(['parameters', 'get', 'put', 'delete']);
    expect(paths['/OaTask/short']?.['get']?.operationId).toBe('getOaTaskList.short');
    expect(paths['/OaTask/{uuid}/short']?.['get']?.operationId).toBe('getOaTask.short');
    const ids = idsOf(document);
    expect(ids).toEqual(
      expect.arrayContaining([
        'getOaTaskList.public',
        'getOaTaskList.all',
        'createOaTask',
        'updateOaTask',
        'deleteOaTask',
        'deleteOaTaskList',
        'executeOaTask.finish',
        'executeOaTask.byAge',
        'executeGlobal.oaReport',
        'login',
      ]),
    );
    expect(paths['/OaTask/{uuid}/finish']?.['post']?.responses).not.toHaveProperty('501');
    expect(paths['/OaTask/byAge/{days}']?.['get']?.operationId).toBe('executeOaTask.byAge');
    expect(paths['/maintenance/rebuildIndex']).toBeDefined();
    expect(Object.keys(paths).filter((p) => /OaHidden|unlisted/.test(p))).toEqual([]);
    expect(document.components['schemas']).not.toHaveProperty('OaHidden');
  });

  test('has every operation id once and every tag in its list', async () => {
    const document = await fetchDocument();
    const ids = idsOf(document);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    expect(ids).toContain('deleteOaTaskListList');
    const tags = new Set(document.tags.map((t) => t.name));
    for (const operation of operationsOf(document)) {
      for (const tag of operation.tags ?? []) expect(tags, tag).toContain(tag);
    }
  });

  test('describes properties as they are written and read', async () => {
    const document = await fetchDocument();
    const task = propertiesOf(document, 'OaTask');
    expect(task['title']).toMatchObject({ type: 'string' });
    expect(task['title']).not.toHaveProperty('nullable');
    expect(task['state']).toMatchObject({ type: 'string', enum: ['open', 'closed', null], nullable: true });
    expect(task['effort']).toMatchObject({ type: 'integer', format: 'int32', nullable: true });
    expect(task['views']).toMatchObject({ type: 'integer', format: 'int64' });
    expect(task['ratio']).toMatchObject({ type: 'number', format: 'double' });
    expect(task['done']).toEqual({ type: 'boolean' });
    // The default pattern has no colon in its offset, so it is no date-time of RFC 3339.
    expect(task['due']).toMatchObject({ type: 'string' });
    expect(task['due']).not.toHaveProperty('format');
    expect(task['stamp']).toMatchObject({ type: 'string', format: 'date-time' });
    expect(task['labels']).toEqual({ type: 'array', items: { type: 'string' } });
    expect(task['sealed']).toMatchObject({ readOnly: true });
    expect(task['parts']).toMatchObject({ type: 'array', items: { type: 'integer', format: 'int32' } });
    expect(task['id']).toMatchObject({ type: 'string', readOnly: true });
    expect(task['oaProject']).toMatchObject({
      nullable: true,
      allOf: [{ $ref: '#/components/schemas/NodeInterface' }],
    });
    expect(propertiesOf(document, 'OaProject.all')['oaTasks']).toMatchObject({
      type: 'array',
      items: { $ref: '#/components/schemas/NodeInterface' },
    });
    expect(Object.keys(propertiesOf(document, 'OaTask.short'))).toEqual(expect.arrayContaining(['title']));
    expect(document.components['schemas']?.['OaTask-create']).toMatchObject({ required: ['title'] });
    expect(propertiesOf(document, 'OaTask-update')).not.toHaveProperty('sealed');
  });

  test('lists search keys and reserved parameters of collections', async () => {
    const parameters = (await fetchDocument()).paths['/OaTask']?.['get']?.parameters ?? [];
    const names = parameters.map((p) => p.name ?? p.$ref ?? '');
    expect(names).toEqual(
      expect.arrayContaining(['#/components/parameters/page', '_sort', '_order', 'title', 'state', 'due', 'id']),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  test('follows the schema', async () => {
    const id = await admin.defineType('OaLate', [], { includeInOpenAPI: true });
    expect((await fetchDocument()).paths).toHaveProperty('/OaLate');
    expect((await admin.put(`/SchemaNode/${id}`, { includeInOpenAPI: false })).status).toBe(200);
    expect((await fetchDocument()).paths).not.toHaveProperty('/OaLate');
  });
});

describe('the document of a tag', () => {
  test('holds what carries the tag, and sessions, but no maintenance', async () => {
    const document = await fetchDocument('/svc/openapi/planning.json');
    const result = await new Validator().validate({ ...document });
    expect(result.errors).toBeUndefined();
    const paths = Object.keys(document.paths);
    expect(paths).toEqual(expect.arrayContaining(['/OaTask', '/OaTaskList', '/OaTask/{uuid}/finish', '/login']));
    expect(paths.filter((p) => /^\/(OaProject|oaReport|maintenance)/.test(p))).toEqual([]);
    expect(document.components['schemas']).not.toHaveProperty('OaProject');
  });

  test('is found by an escaped name, and by the name of a type without tags', async () => {
    expect((await fetchDocument('/svc/openapi/with%20blank.json')).paths).toHaveProperty('/OaTask');
    expect((await fetchDocument('/svc/openapi/OaProject.json')).paths).toHaveProperty('/OaProject');
    expect((await fetchDocument('/svc/openapi/reports.json')).paths).toHaveProperty('/oaReport');
  });

  test.each([
    '/svc/openapi/nothing.json',
    '/svc/openapi/__proto__.json',
    '/svc/openapi/a/b.json',
    '/svc/openapi/schema.xml',
  ])('is not there: %s', async (path) => {
    const answer = await admin.get(path);
    expect(answer.status).toBe(404);
    expect(answer.text).toBe('');
  });

  test('with a broken escape is refused', async () => {
    const answer = await admin.get('/svc/openapi/%E0%A4.json');
    expect(answer.status).toBe(400);
    expect(answer.text).toBe('');
  });
});

describe('access', () => {
  test.each(['/svc/openapi', '/svc/openapi/schema.json', '/svc/openapi/planning.json', '/svc/openapi/nothing.json'])(
    'nobody else reads %s',
    async (path) => {
      for (const client of [server.as(), server.as('nobody', 'wrong')]) {
        const answer = await client.get(path);
        expect(answer.status).toBe(401);
        expect(answer.text).toBe('');
      }
    },
  );

  test('refusals are logged with the signature', async () => {
    expect((await server.untilLogged(/signature '_openapi'/)).length).toBeGreaterThan(0);
  });

  test('verbs', async () => {
    for (const verb of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      const answer = await admin.send(verb, '/svc/openapi');
      expect(answer.status, verb).toBe(405);
      expect(answer.headers['allow']).toBe('GET,HEAD,OPTIONS');
      expect(answer.text).toBe('');
    }
    const head = await admin.send('HEAD', '/svc/openapi');
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    const options = await server.admin.send('OPTIONS', '/svc/openapi');
    expect(options.status).toBe(200);
    expect(options.headers['allow']).toBe('GET,HEAD,OPTIONS');
  });
});

describe('Swagger UI', () => {
  test('is a page without inline scripts, under a strict policy', async () => {
    const redirect = await server.as().get('/svc/openapi/ui');
    expect(redirect.status).toBe(301);
    expect(redirect.headers['location']).toBe('/svc/openapi/ui/');
    const page = await server.as().get('/svc/openapi/ui/');
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toMatch(/^text\/html/);
    expect(page.headers['content-security-policy']).toContain("script-src 'self';");
    expect(page.text).not.toMatch(/<script(?![^>]*src=)/);
    expect(page.text).not.toMatch(/\son\w+=/);
    expect((await server.as().get('/svc/openapi/ui/start.js')).text).toContain('../schema.json');
  });

  test('says how to add types, and that its lists are limited', async () => {
    const page = await server.as().get('/svc/openapi/ui/');
    expect(page.text).toContain('"includeInOpenAPI"');
    expect(page.text).toContain('_pageSize');
  });

  test.skipIf(browserPath === undefined)('limits lists that nobody asked a number of', async () => {
    const args = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
    const browser = await chromium.launch({ executablePath: browserPath ?? '', args });
    try {
      const page = await browser.newPage();
      await page.goto(`${server.url}/svc/openapi/ui/#/planning/getOaTaskList.public`);
      await page.fill('#name', 'admin');
      await page.fill('#password', 'admin');
      await page.click('#sign-in button');
      const list = page.locator('.opblock.is-open');
      await list.getByRole('button', { name: 'Try it out' }).click();
      const run = async (): Promise<string> => {
        const answered = page.waitForResponse((answer) => answer.url().includes('/svc/rest/OaTask'));
        await list.getByRole('button', { name: 'Execute' }).click();
        const answer = await answered;
        expect(answer.status()).toBe(200);
        return new URL(answer.url()).searchParams.get('_pageSize') ?? '';
      };
      expect(await run()).toBe('100');
      await list.locator('tr[data-param-name=_pageSize] input').fill('7');
      expect(await run()).toBe('7');
      // There are types on the page: the hint does not stand in the way.
      expect(await page.locator('#hint').getAttribute('open')).toBeNull();
    } finally {
      await browser.close();
    }
  });

  test('has all the files the page names', async () => {
    const page = await server.as().get('/svc/openapi/ui/');
    const names = [...page.text.matchAll(/(?:src|href)="([^".][^"]*)"/g)].map((m) => m[1] ?? '');
    expect(names).toContain('swagger-ui-bundle.js');
    for (const name of names) {
      const answer = await server.as().get(`/svc/openapi/ui/${name}`);
      expect(answer.status, name).toBe(200);
      expect(answer.text.length, name).toBeGreaterThan(100);
    }
  });

  test.each([
    'package.json',
    '../../../package.json',
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    '..\\package.json',
    '/etc/passwd',
    '%00',
    'constructor',
    'swagger-ui-bundle.js.map',
  ])('gives out no other file: %s', async (name) => {
    const head = await rawGet(server.port, `/svc/openapi/ui/${name}`);
    expect(head).toMatch(/^HTTP\/1\.1 4\d\d /);
  });

  test('shows the version of the program, or the one that the settings give', async () => {
    await server.reload({ 'openapiservlet.server.version': '7.1' });
    expect((await fetchDocument()).info.version).toBe('7.1');
    await server.reload({ 'openapiservlet.server.version': '' });
    expect((await fetchDocument()).info.version).toBe(VERSION);
  });

  test('can only be read', async () => {
    expect((await server.as().post('/svc/openapi/ui/', {})).status).toBe(405);
  });
});

/** First line of the answer to a path as it stands: clients would tidy it up before sending. */
function rawGet(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
    });
    socket.setTimeout(5000, () => {
      socket.destroy(new Error('no answer'));
    });
    socket.on('error', reject);
    socket.once('data', (data) => {
      socket.destroy();
      resolve(data.toString().split('\r\n')[0] ?? '');
    });
  });
}
