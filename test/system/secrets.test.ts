/**
 * A server all of whose secrets are marked: those of the settings, of objects, of logins. It is asked through every door, rightly and wrongly, and
 * then all that it has printed, answered and written is searched for the marks.
 */
import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Calls } from '../scripting/calls.js';
import { SVC } from '../support/launched.js';
import { makePage } from '../support/pages.js';
import { allow } from '../support/permissions.js';
import { S3_PROVIDER } from '../support/s3-server.js';
import { onNeo4j, TestServer } from '../support/server.js';

const run = promisify(execFile);

/** A secret that is found wherever it stands; `what` says in a failure which one it is. */
const marked = (what: string): string => `mk7Q-${what}-0f1e2d3c4b5a69788796a5b4c3d2e1f0`;
/** It has to be of the letters of Base32. */
const FACTOR = 'MK7QMK7QJBSWY3DPEHPK3PXP';
const MARK = /mk7Q-[\w-]+|MK7QMK7Q/;
/** Nobody listens there. */
const CLOSED = '127.0.0.1:9';

const SETTINGS = {
  'superuser.password': marked('superuser'),
  'initialuser.password': marked('administrator'),
  'security.jwt.secret': marked('jwt'),
  'application.encryption.secret': marked('encryption'),
  'application.https.key.passphrase': marked('passphrase'),
  'application.keystore.password': marked('keystore'),
  'backup.place': 's3://bucket/prefix',
  'backup.s3.endpoint': `http://${CLOSED}`,
  'backup.s3.accesskey': marked('accesskey'),
  'backup.s3.secretkey': marked('secretkey'),
  'application.images.url.secret': marked('images'),
  'geocoding.apikey': marked('geocoder'),
  'geocoding.provider': `http://${CLOSED}/?q={address}&key={apikey}`,
  'translation.google.apikey': marked('google'),
  'translation.google.url': `http://${CLOSED}/google`,
  'translation.deepl.apikey': marked('deepl'),
  'translation.deepl.url': `http://${CLOSED}/deepl`,
  'smtp.host': '127.0.0.1',
  'smtp.port': 9,
  'smtp.user': 'mailer',
  'smtp.password': marked('smtp'),
  'oauth.servers': 'keycloak github',
  'oauth.logging.verbose': true,
  'oauth.keycloak.server_url': `http://${CLOSED}`,
  'oauth.keycloak.client_id': 'svc',
  'oauth.keycloak.client_secret': marked('keycloak'),
  'oauth.github.client_id': 'svc',
  'oauth.github.client_secret': marked('github'),
  'oauth.github.token_location': `http://${CLOSED}/token`,
  'my.own.password': marked('own'),
  'my.own.url': `https://reader:${marked('url')}@example.com/`,
  'application.proxy.mode': 'protected',
  'log.level': 'DEBUG',
  'log.cypher.debug': true,
  'log.requests': true,
  'log.scriptprocess.commandline': 2,
  'log.functions.shortenstacktrace': false,
  'application.changelog.enabled': true,
  'application.changelog.user_centric.enabled': true,
  'httpservice.servlets':
    'JsonRestServlet HtmlServlet LoginServlet TokenServlet LogoutServlet UploadServlet DeploymentServlet CsvServlet ProxyServlet FlowServlet ' +
    'HealthCheckServlet HistogramServlet OpenAPIServlet MetricsServlet EventSourceServlet',
  'application.scripting.js.timeout.total': 20_000,
};

const PASSWORD = marked('password');

/** What was said: where, and the text. */
const said: { readonly where: string; readonly text: string }[] = [];

/** What logins gave: nothing else may show it. */
const tokens: string[] = [];

let server: TestServer;
let target: string;
/** Answers every request, and keeps nothing. */
let other: Server;

/** What administrators read of objects over REST, as that is what it is kept for: properties that are encrypted where they are stored, or none at all. */
const READ = /mk7Q-(?:sealed|storage-\w+|mailbox|mqtt)-\w+/g;

/** What databases, backups and exports of data have as it is: hidden from everybody, or a text as any other. */
const KEPT = /MK7QMK7Q\w+|mk7Q-mqtt-\w+/g;

/** Sends a request and keeps the answer; a path with `~` begins at the root, others but `/svc` at the endpoints of REST; cookies count as said unless they are what was asked for. */
async function ask(
  method: string,
  path: string,
  {
    body,
    headers = {},
    given = false,
    without,
  }: { body?: unknown; headers?: Record<string, string>; given?: boolean; without?: RegExp } = {},
): Promise<Response> {
  const content = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(
    `${server.url}${path.startsWith('~') ? path.slice(1) : path.startsWith('/svc') ? path : `/svc/rest${path}`}`,
    {
      method,
      redirect: 'manual',
      headers: { ...(content === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(content === undefined ? {} : { body: content }),
    },
  );
  const all = await answer.clone().text();
  const text = without === undefined ? all : all.replaceAll(without, '');
  if (!given)
    said.push({
      where: `${method} ${path} ${String(answer.status)}`,
      text: `${JSON.stringify([...answer.headers])}\n${text}`,
    });
  return answer;
}

const asAdmin = { 'X-User': 'admin', 'X-Password': SETTINGS['initialuser.password'] };
const admin = (method: string, path: string, body?: unknown): Promise<Response> =>
  ask(method, path, { body, headers: asAdmin });
const cookieIn = (answer: Response): string => (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

/** Everything that lies below a folder, but the settings themselves. */
async function written(folder: string, without?: RegExp): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name === 'svc.conf') continue;
    const path = join(entry.parentPath, entry.name);
    const text = await readFile(path, 'latin1');
    said.push({
      where: path,
      text: without === undefined && !path.includes('/db/') ? text : text.replaceAll(without ?? KEPT, ''),
    });
  }
}

describe.skipIf(onNeo4j)('a secret', () => {
  beforeAll(async () => {
    other = createServer((request, response) => {
      request.resume();
      response.writeHead(500).end('no');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    target = await mkdtemp(join(tmpdir(), 'svc-secrets-'));
    server = await TestServer.start({
      settings: { ...SETTINGS, 'data.exchange.path': target },
      environment: { LOG_FILE: 'logs/own.log', SVC_my_own_token: marked('environment') },
    });
    const client = server.as('admin', SETTINGS['initialuser.password']);
    for (const signature of ['_login', '_logout', '_token', '_registration', '_resetPassword'])
      for (const who of ['anonymous', 'user'] as const) await allow(client, signature, who, ['POST']);
    await allow(client, 'User', 'user', ['GET', 'PUT']);
    await allow(client, '_sessions', 'user', ['GET']);
    await client.create('User', {
      name: 'anna',
      eMail: 'anna@example.org',
      password: PASSWORD,
      twoFactorSecret: FACTOR,
      proxyUrl: `http://${CLOSED}`,
      proxyUsername: 'anna',
      proxyPassword: marked('proxy'),
      visibleToAuthenticatedUsers: true,
    });
    await client.create('User', { name: 'berta', password: PASSWORD, twoFactorSecret: FACTOR });
    await client.create('User', { name: 'second', password: PASSWORD, twoFactorSecret: FACTOR, isTwoFactorUser: true });
    await client.defineType('Vault', [{ name: 'label', propertyType: 'String' }]);
    for (const [name, propertyType] of [
      ['sealed', 'Encrypted'],
      ['pass', 'Password'],
    ])
      await client.create('SchemaProperty', { schemaNode: { name: 'Vault' }, name, propertyType });
    await client.create('Vault', { label: 'a', sealed: marked('sealed'), pass: marked('pass') });
    await client.create('StorageConfiguration', {
      name: 'bucket',
      provider: S3_PROVIDER,
      entries: [
        { name: 'bucketName', value: 'bucket' },
        { name: 'endpoint', value: `http://${CLOSED}` },
        { name: 'accessKey', value: marked('storage-access') },
        { name: 'secretKey', value: marked('storage-secret') },
      ],
    });
    await client.create('Mailbox', {
      name: 'box',
      host: '127.0.0.1',
      user: 'box',
      mailProtocol: 'imaps',
      password: marked('mailbox'),
    });
    await client.create('MQTTClient', { name: 'broker', mainBrokerURL: `tcp://${CLOSED}`, password: marked('mqtt') });
  });
  afterAll(async () => {
    await server.stop();
    await rm(target, { recursive: true, force: true });
    other.closeAllConnections();
    await new Promise((resolve) => other.close(resolve));
  });

  it('is asked for at every door', async () => {
    await objects();
    await logins();
    await configuration();
    await badRequests();
    await scripts();
    await pages();
    await files();
    await watching();
  });

  it('is in none of what was answered, printed and written', async () => {
    await server.reload({ 'smtp.port': 9, 'security.jwt.secret': 'mk7Q-short', 'my.own.password': marked('changed') });
    await writeFile(
      join(server.folder, 'svc.conf'),
      `${await readFile(join(server.folder, 'svc.conf'), 'utf8')}\nsmtp.password ${marked('line')}\n`,
    );
    const before = server.lines.length;
    server.child.kill('SIGHUP');
    await expect.poll(() => server.lines.slice(before).join('\n')).toMatch(/svc\.conf/);
    await written(server.folder);
    await written(target, KEPT);
    said.push(...server.lines.map((text, at) => ({ where: `line ${String(at)} of the log`, text })));
    const told = said.flatMap(({ where, text }) => {
      const mark = text.search(MARK);
      const at = mark < 0 ? Math.max(...tokens.map((token) => text.indexOf(token))) : mark;
      return at < 0 ? [] : [`${where}: ${text.slice(Math.max(0, at - 60), at + 60)}`];
    });
    expect(told.slice(0, 40)).toEqual([]);
    // The search has seen what it is to see.
    expect(server.lines.length).toBeGreaterThan(200);
    expect(said.length).toBeGreaterThan(500);
  });
});

/** Every type in every view, by administrator and user; searches and sorts by what is secret. */
async function objects(): Promise<void> {
  const { result } = (await (await admin('GET', '/_schema')).json()) as { result: { type?: string; name?: string }[] };
  const types = result
    .map((one) => one.type ?? one.name ?? '')
    .filter((name) => /^[A-Z]\w*$/.test(name) && name !== 'Vault');
  expect(types.length).toBeGreaterThan(50);
  for (const type of types) {
    for (const view of ['public', 'ui', 'all'])
      await ask('GET', `/${type}/${view}?_pageSize=20`, { headers: asAdmin, without: READ });
    await admin('GET', `/_schema/${type}/all`);
  }
  const asAnna = { 'X-User': 'anna', 'X-Password': PASSWORD };
  for (const path of ['/User', '/User/ui', '/User/all', '/me/all', '/Vault'])
    await ask('GET', path, { headers: asAnna });
  await admin('GET', '/Vault');
  for (const key of ['password', 'twoFactorSecret', 'proxyPassword']) {
    await admin('GET', `/User?${key}=${PASSWORD}`);
    await admin('GET', `/User?_sort=${key}`);
  }
  await admin('GET', '/_env');
  await admin('GET', '/_cluster');
  await admin('GET', '/svc/csv/User/all');
  await admin('GET', '/svc/openapi/schema.json');
}

async function logins(): Promise<void> {
  const wrong = marked('wrong');
  const json = (path: string, body: unknown, given = false): Promise<Response> => ask('POST', path, { body, given });
  await json('/login', { name: 'berta', password: wrong });
  await json('/login', { name: 'nobody', password: wrong });
  await json('/login', { name: 'berta', password: { a: wrong } });
  await json('/token', { name: 'berta', password: wrong });
  await json('/token', { refresh_token: wrong });
  await json('/registration', { eMail: 'new@example.org', password: wrong });
  await json('/reset-password', { eMail: 'anna@example.org' });
  for (const headers of [
    { 'X-User': 'berta', 'X-Password': wrong },
    { Authorization: `Basic ${Buffer.from(`berta:${wrong}`).toString('base64')}` },
    { Authorization: `Bearer ${wrong}` },
    { Cookie: `JSESSIONID=${wrong}; access_token=${wrong}` },
    { 'X-SvcSessionToken': wrong },
  ] as Record<string, string>[])
    await ask('GET', '/User', { headers });
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
  await ask('POST', '/svc/login', { body: `name=berta&password=${wrong}`, headers: form });
  const two = await json('/login', { name: 'second', password: PASSWORD });
  await json('/login', { twoFactorToken: two.headers.get('token'), twoFactorCode: '000000' });
  const session = cookieIn(await json('/login', { name: 'anna', password: PASSWORD }, true));
  const gave = await json('/token', { name: 'anna', password: PASSWORD }, true);
  expect(gave.status, await gave.clone().text()).toBe(200);
  const { result } = (await gave.json()) as {
    result: { access_token: string; refresh_token: string };
  };

  tokens.push(session.split('=')[1] ?? '', result.access_token, result.refresh_token);
  expect(tokens.every((one) => one.length > 20)).toBe(true);
  for (const headers of [{ Cookie: session }, { Authorization: `Bearer ${result.access_token}` }] as Record<
    string,
    string
  >[]) {
    await ask('GET', '/me/all', { headers });
    await ask('GET', '/_sessions', { headers });
    await ask('PUT', '/me', { headers, body: { password: 'x' } });
  }
  await admin('GET', '/User/all?name=anna');
  await admin('GET', '/SessionDataNode/all');
  for (const provider of ['keycloak', 'github']) {
    await ask('GET', `~/oauth/${provider}/login`);
    await ask('GET', `~/oauth/${provider}/auth?code=${wrong}&state=${wrong}`);
  }
}

async function configuration(): Promise<void> {
  const json = (method: string, path: string, body?: unknown, headers = {}, given = false): Promise<Response> =>
    ask(method, `/svc/config${path}`, { body, headers, given });
  await json('GET', '');
  await json('POST', '/api/login', { password: marked('wrong') });
  const cookie = {
    Cookie: cookieIn(await json('POST', '/api/login', { password: SETTINGS['superuser.password'] }, {}, true)),
  };
  tokens.push(cookie.Cookie.split('=')[1] ?? '');
  for (const path of ['settings', 'services', 'maintenance', 'sessions', 'connections'])
    expect([path, (await json('GET', `/api/${path}`, undefined, cookie)).status]).toEqual([path, 200]);
  const changes = [
    { 'security.jwt.secret': 'mk7Q-short' },
    { 'smtp.password': `${marked('lines')}\n${marked('lines')}` },
    { 'smtp.password': { value: marked('object') } },
    { 'smtp.password': marked('changed') },
  ];
  for (const one of changes) await json('POST', '/api/settings', { changes: one }, cookie);
  const neo4j = {
    driver: 'neo4j',
    url: `bolt://${CLOSED}`,
    username: 'neo4j',
    password: marked('neo4j'),
    databasename: 'neo4j',
  };
  const connection = async (action: string, given: object): Promise<number> =>
    (await json('POST', '/api/connections', { action, ...given }, cookie)).status;
  expect(await connection('test', neo4j)).toBe(200);
  expect(await connection('add', { name: 'other', ...neo4j })).toBe(200);
  await connection('save', { name: 'other', url: 'bolt://example.com' });
  await connection('test', { name: 'other', password: { value: marked('object') } });
  for (const path of ['settings', 'connections']) await json('GET', `/api/${path}`, undefined, cookie);
}

/** Bodies that cannot be read, and values that cannot be stored. */
async function badRequests(): Promise<void> {
  const secret = marked('bad');
  for (const body of [
    `{"name": "x", "password": "${secret}`,
    `{"name": "x", "password": "${secret}" "b"}`,
    `{"name": "x", "password": ["${secret}"]}`,
    `{"name": "x", "password": {"a": "${secret}"}}`,
    `{"name": "x", "proxyPassword": ["${secret}"]}`,
    `{"name": "anna", "password": "${secret}"}`,
    `{"name": "x", "twoFactorSecret": {"a": "${FACTOR}"}}`,
    `{"name": "x", "eMail": "no address", "password": "${secret}"}`,
  ])
    await admin('POST', '/User', body);
  await admin('POST', '/Vault', { label: 'b', sealed: [secret] });
  await admin('POST', '/Vault', { label: { a: 1 }, sealed: secret, pass: secret });
  await admin('PATCH', '/User', [{ id: 'x', password: secret }]);
  await admin('GET', `/Unknown?password=${secret}`);
  await admin('GET', `/no-such-page?token=${secret}`);
  await admin('POST', '/maintenance/noSuchCommand', { password: secret });
  await admin('POST', '/maintenance/setNodeProperties', {
    type: 'User',
    name: 'nobody',
    newPassword: secret,
    password: secret,
  });
}

/** What scripts are told of settings, and what fails on the way to somebody else. */
async function scripts(): Promise<void> {
  const client = server.as('admin', SETTINGS['initialuser.password']);
  const calls = await Calls.on(server, {}, { admin: client });
  const password = marked('remote');
  const address = `http://127.0.0.1:${String((other.address() as AddressInfo).port)}`;
  const say = async (...given: Parameters<Calls['raw']>): Promise<void> => {
    const { status, text } = await calls.raw(...given);
    said.push({ where: `script ${JSON.stringify(given.map(([name]) => name))} ${String(status)}`, text });
  };
  for (const name of Object.keys(SETTINGS)) await say(['config', name]);
  for (const name of ['SVC_my_own_token', 'PATH']) await say(['getenv', name]);
  await say(['svcEnv']);
  await say(['systemInfo']);
  await say(['serverlog', 200]);
  for (const url of [address, `http://${CLOSED}`]) {
    const withUser = url.replace('http://', `http://reader:${password}@`);
    await say(['addHeader', 'Authorization', `Bearer ${password}`], ['GET', `${url}/?key=${password}`]);
    await say(['GET', withUser]);
    await say(['GET', url, 'text/html', 'reader', password]);
    await say(['POST', url, JSON.stringify({ password })]);
  }
  await say(['jdbc', `jdbc:postgresql://${CLOSED}/shop`, 'SELECT 1', 'reader', password]);
  await say(['jdbc', `jdbc:postgresql://${CLOSED}/shop?user=reader&password=${password}`, 'SELECT 1']);
  await say(['jdbc', `jdbc:mysql://reader:${password}@${CLOSED}/shop`, 'SELECT 1']);
  await say(['remoteCypher', `bolt://${CLOSED}`, 'neo4j', password, 'RETURN 1']);
  await admin('POST', '/SchemaMethod', {
    name: 'documents',
    source: "{ return $.mongodb($.retrieve('url'), 'test', 'c').findOne({}); }",
  });
  await admin('POST', '/documents', { url: `mongodb://reader:${password}@${CLOSED}/` });
  await say(['translate', 'a', 'en', 'de']);
  await say(['translate', 'a', 'en', 'de', 'deepl']);
  await say(['geocode', 'Street 1', 'City', 'Country']);
  await say(['sendPlaintextMail', 'a@example.org', 'A', 'b@example.org', 'B', 'subject', 'text']);
  await say(
    ['mailBegin', 'a@example.org', 'A', 'b@example.org', 'B', 'subject', '<p>text</p>', 'text'],
    ['mailSetFrom', 'a@example.org', 'A'],
    ['mailAddTo', 'b@example.org', 'B'],
    ['mailSetManualConfig', '127.0.0.1', 9, 'mailer', password, false, false],
    ['mailSend'],
    ['mailGetError'],
  );
  const failing = [
    "{ throw new Error('on purpose'); }",
    '{ return $.me.password.length; }',
    "{ return $.first($.find('Vault')).pass; }",
    "{ return [$.me.salt, $.me.twoFactorSecret, $.me.sessionIds, $.first($.find('User', 'name', 'anna')).proxyPassword]; }",
    "{ return $.toJson($.find('User'), 'all', 3); }",
    "{ $.log($.find('User', 'name', 'anna')); $.log($.config('smtp.password')); $.print($.svcEnv()); return $.me; }",
    "{ return $.cypher('MATCH (n) RETURN n'); }",
    "{ return $.exec('no.such.script', [{ value: $.retrieve('password'), mask: true }]); }",
    '{ const missing = $.retrieve("password"); return missing.no.such.thing; }',
    '${this.no.such(',
  ];
  for (const [i, source] of failing.entries()) {
    await admin('POST', '/SchemaMethod', { name: `failing${String(i)}`, source });
    await admin('POST', `/failing${String(i)}`, { password });
  }
}

async function pages(): Promise<void> {
  const client = server.as('admin', SETTINGS['initialuser.password']);
  const texts = [
    "${config('superuser.password')}${config('smtp.password')}${config('my.own.password')}",
    '${me.password}${me.twoFactorSecret}${me.proxyPassword}${request.password}',
    "${{ return $.toJson($.find('User'), 'all', 2); }}",
    "${{ throw new Error('on purpose'); }}",
    "${GET('http://127.0.0.1:9/')}",
  ];
  for (const [i, text] of texts.entries()) {
    await makePage(client, `page${String(i)}`, [['html', {}, ['body', {}, ['p', {}, text]]]]);
    await ask('GET', `~/page${String(i)}`);
    await ask('GET', `~/page${String(i)}?edit=3`, { headers: asAdmin });
  }
  await ask('GET', '~/');
  await ask('GET', '~/no-such-page');
}

/** Deployments, backups, commands: what becomes files, and what does not succeed. */
async function files(): Promise<void> {
  const folder = (name: string): string => join(target, name);
  await admin('POST', '/maintenance/deploy', { mode: 'export', target: folder('application') });
  await admin('POST', '/maintenance/deploy', {
    mode: 'import',
    source: `http://reader:${marked('source')}@${CLOSED}/a.zip?signature=${marked('signature')}`,
  });
  const form = new FormData();
  form.set('mode', 'app');
  form.set('downloadUrl', `http://reader:${marked('download')}@${CLOSED}/a.zip?signature=${marked('signature')}`);
  const deployed = await fetch(`${server.url}/svc/deploy`, { method: 'POST', headers: asAdmin, body: form });
  said.push({ where: `/svc/deploy ${String(deployed.status)}`, text: await deployed.text() });
  await admin('POST', '/maintenance/deployData', {
    mode: 'export',
    target: folder('data'),
    types: 'User,Mailbox,StorageConfigurationEntry,Vault',
  });
  await admin('POST', '/maintenance/sync', { mode: 'export', file: folder('graph.zip'), target: folder('graph') });
  await admin('GET', '/_schemaJson');
  for (const args of [
    ['backup', 'create'],
    ['backup', 'list'],
    ['backup', 'create', '--place', folder('backup')],
    ['config', '--help'],
    ['user', 'passwd', 'anna'],
  ]) {
    const result = run(process.execPath, [SVC, ...args], {
      cwd: server.folder,
      env: { ...process.env, SVC_TEST_DRIVER: undefined },
    });
    result.child.stdin?.end(`${marked('typed')}\n`);
    const { stdout, stderr } = await result.catch((error: unknown) => error as { stdout: string; stderr: string });
    said.push({ where: `svc ${args.join(' ')}`, text: `${stdout}\n${stderr}` });
  }
}

async function watching(): Promise<void> {
  for (const path of ['/svc/health', '/svc/health/ready', '/svc/metrics', '/svc/histogram', '/svc/openapi/ui/'])
    await ask('GET', path);
  await ask('GET', '/svc/health', { headers: { 'X-User': 'admin', 'X-Password': marked('wrong') } });
  for (const path of ['/stats', '/_runtimeEventLog', '/_serverLog?lines=2000', '/User?_pageSize=1'])
    await admin('GET', path);
  await ask('GET', `/svc/proxy?url=http://reader:${marked('page')}@${CLOSED}/&authPassword=${marked('page')}`, {
    headers: asAdmin,
  });
}
