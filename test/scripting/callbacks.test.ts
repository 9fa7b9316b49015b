/** Methods and functions that are called by their names, over the real server (docs/interface/scripting.md 6.7, docs/interface/security.md 12). */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Client } from '../support/client.js';
import { file, upload, uploaded } from '../support/files.js';
import { Jar } from '../support/jar.js';
import { CLIENT, OpenIdProvider } from '../support/openid-provider.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

let provider: OpenIdProvider;
let server: TestServer;
let admin: Client;

beforeAll(async () => {
  vi.spyOn(console, 'warn').mockReturnValue(undefined);
  vi.spyOn(console, 'info').mockReturnValue(undefined);
  provider = await OpenIdProvider.start('keycloak');
  server = await TestServer.start({
    settings: {
      'oauth.servers': 'keycloak',
      'oauth.keycloak.server_url': provider.url,
      'oauth.keycloak.realm': 'test',
      'oauth.keycloak.client_id': CLIENT.id,
      'oauth.keycloak.client_secret': CLIENT.secret,
      'oauth.keycloak.return_uri': '/svc/rest/me',
      'application.session.timeout': 1800,
      'security.jwt.secret': 'a-secret-of-the-tests-0123456789-abcdef',
    },
  });
  provider.register(`${server.url}/oauth/keycloak/auth`);
  provider.accounts.set('anna', { email: 'anna@example.com', email_verified: true });
  ({ admin } = server);
  await admin.defineType('Note', [
    { name: 'text', propertyType: 'String' },
    { name: 'who', propertyType: 'String' },
  ]);
  const told =
    "{ $.create('Note', { name: 'NAME', text: $.args.user.name, who: $.me.name }); if ($.args.user.name === 'fail') throw new Error('no') }";
  for (const name of ['onSvcLogin', 'onSvcLogout']) {
    await admin.create('SchemaMethod', { name, source: told.replace('NAME', name), isPrivate: true });
  }
  await admin.create('SchemaMethod', {
    name: 'onOAuthLogin',
    staticSchemaNodeName: 'User',
    source:
      "{ $.create('Note', { name: 'onOAuthLogin', text: $.this.name + ' ' + $.args.provider + ' ' + $.args.userinfo.email, who: $.me.name }) }",
  });
  await admin.defineType('Watched', [], {
    inheritedTraits: ['File'],
    schemaMethods: [
      {
        name: 'onUpload',
        source:
          "{ if ($.this.name === 'bad.txt') throw new Error('on purpose'); if ($.this.name === 'said.txt') $.error('name', 'is_bad'); $.this.contentType = 'text/x-seen'; $.create('Note', { name: 'onUpload', text: $.this.name, who: $.me?.name }); }",
      },
      {
        name: 'onDownload',
        source:
          "{ if ($.args.requestedFileName === 'bad') throw new Error('on purpose'); $.doPrivileged(() => { $.create('Note', { name: 'onDownload', text: [$.this.name, $.args.editMode, $.args.requestedFileName, $.args.statusCode].join(' '), who: $.me?.name }) }) }",
      },
    ],
  });
  await admin.create('User', { name: 'jane', password: 'secret-of-jane' });
  await admin.create('User', { name: 'fail', password: 'secret-of-fail' });
  await admin.create('User', { name: 'anna', eMail: 'anna@example.com' });
  for (const path of ['_login', '_token']) await allow(admin, path, 'anonymous', ['POST']);
  await allow(admin, '_logout', 'user', ['POST']);
  await allow(admin, 'User', 'user', ['GET']);
  await allow(admin, '_sessions/_id', 'user', ['DELETE']);
});
afterAll(async () => {
  vi.restoreAllMocks();
  await Promise.all([server.stop(), provider.stop()]);
});

interface Note {
  readonly text: string;
  readonly who: string;
}
/** All notes of a name, which are deleted. */
async function take(name: string): Promise<Note[]> {
  const { result } = (await admin.get(`/Note?name=${name}`)).body as { result: (Note & { id: string })[] };
  for (const { id } of result) await admin.delete(`/Note/${id}`);
  return result.map(({ text, who }) => ({ text, who }));
}
/** The same, once there is one: it may come after the answer. */
async function untilTaken(name: string): Promise<Note[]> {
  for (const end = Date.now() + 20_000; ; await sleep(10)) {
    const found = await take(name);
    if (found.length > 0) return found;
    if (Date.now() > end) throw new Error(`nothing was told: ${server.lines.slice(-5).join('\n')}`);
  }
}

describe('logins', () => {
  const jane = { text: 'jane', who: 'superadmin' };

  it('onSvcLogin and onSvcLogout: as superuser, with the user, before the answer', async () => {
    const client = await server.as('jane', 'secret-of-jane').loggedIn();
    expect(await take('onSvcLogin')).toEqual([jane]);
    expect(await take('onSvcLogout')).toEqual([]);
    expect((await client.post('/logout')).status).toBe(200);
    expect(await take('onSvcLogout')).toEqual([jane]);
    expect(await take('onSvcLogin')).toEqual([]);
  });

  it('tokens for credentials are a login, new ones for old ones are none', async () => {
    const { body } = await server.as().post('/token', { name: 'jane', password: 'secret-of-jane' });
    expect(await take('onSvcLogin')).toEqual([jane]);
    const { refresh_token } = (body as { result: { refresh_token: string } }).result;
    expect((await server.as().post('/token', { refresh_token })).status).toBe(200);
    expect(await take('onSvcLogin')).toEqual([]);
  });

  it('a wrong password and credentials in headers are none', async () => {
    await server.as().post('/login', { name: 'jane', password: 'wrong' });
    await server.as('jane', 'secret-of-jane').get('/me');
    expect(await take('onSvcLogin')).toEqual([]);
  });

  it('a session that is ended from elsewhere is a logout', async () => {
    const client = await server.as('jane', 'secret-of-jane').loggedIn();
    const { result } = (await admin.get('/SessionDataNode/ui')).body as { result: { sessionId: string }[] };
    expect((await client.delete(`/_sessions/${result.at(-1)?.sessionId ?? ''}`)).status).toBe(200);
    expect(await take('onSvcLogout')).toEqual([jane]);
    await take('onSvcLogin');
  });

  it('what fails in them is logged, and the login goes on; what they wrote is taken back', async () => {
    const answer = await server.as().post('/login', { name: 'fail', password: 'secret-of-fail' });
    expect(answer.status).toBe(200);
    expect(await take('onSvcLogin')).toEqual([]);
    expect(await server.untilLogged(/ - onSvcLogin:\d+:\d+: /)).toHaveLength(1);
  });

  it('onOAuthLogin: on the user, with the provider and what it knows', async () => {
    const jar = new Jar();
    const page = await jar.open(`${server.url}/oauth/keycloak/login`);
    const end = await jar.open(new URL(/action="([^"]+)"/.exec(page.text)?.[1] ?? '', page.url), {
      account: 'anna',
      in: '',
    });
    expect(end.url.pathname).toBe('/svc/rest/me');
    expect(await take('onOAuthLogin')).toEqual([{ text: 'anna keycloak anna@example.com', who: 'superadmin' }]);
    expect(await take('onSvcLogin')).toEqual([{ text: 'anna', who: 'superadmin' }]);
  });
});

describe('onUpload', () => {
  it('is called in the transaction of the upload, with the rights of who uploads', async () => {
    const id = await uploaded(admin, file('one.txt', 'one'), { type: 'Watched' });
    expect(await take('onUpload')).toEqual([{ text: 'one.txt', who: 'admin' }]);
    expect((await admin.get(`/Watched/${id}/ui`)).body).toMatchObject({ result: { contentType: 'text/x-seen' } });
  });

  it('is not called for content that is replaced, nor for other types', async () => {
    const id = await uploaded(admin, file('two.txt', 'two'), { type: 'Watched' });
    await take('onUpload');
    const answer = await upload(admin, [file('two.txt', 'three')], { method: 'PUT', path: `/svc/upload/${id}` });
    expect(answer.status).toBe(200);
    await uploaded(admin, file('plain.txt', 'plain'));
    expect(await take('onUpload')).toEqual([]);
  });

  it.each(['bad.txt', 'said.txt'])('that fails is logged, and %s is there', async (name) => {
    const id = await uploaded(admin, file(name, 'content'), { type: 'Watched' });
    expect((await admin.get(`/Watched/${id}`)).status).toBe(200);
    expect(
      await server.untilLogged(new RegExp(`(?:Watched\\[${id}\\]:onUpload:\\d+:\\d+|onUpload of ${id} says): `)),
    ).not.toHaveLength(0);
    await take('onUpload');
  });

  it('is called for resumable uploads', async () => {
    const metadata = Object.entries({ filename: 'tus.txt', type: 'Watched' })
      .map(([key, value]) => `${key} ${Buffer.from(value).toString('base64')}`)
      .join(',');
    const headers = {
      'Tus-Resumable': '1.0.0',
      'Upload-Length': '3',
      'Upload-Metadata': metadata,
      'Content-Type': 'application/offset+octet-stream',
    };
    expect((await admin.send('POST', '/svc/upload/tus', Buffer.from('tus'), headers)).status).toBe(201);
    expect(await take('onUpload')).toEqual([{ text: 'tus.txt', who: 'admin' }]);
  });
});

describe('onDownload', () => {
  let path: string;
  let id: string;
  beforeAll(async () => {
    id = await admin.create('Watched', {
      name: 'load.txt',
      base64Data: Buffer.from('content').toString('base64'),
      visibleToPublicUsers: true,
    });
    path = '/svc/html/load.txt';
  });
  const get = (
    query = '',
    headers: Record<string, string> = {},
    client: Client = admin,
    method = 'GET',
  ): ReturnType<Client['send']> => client.send(method, `${path}${query}`, undefined, headers);

  it('is called after a delivery, with the rights of who asked', async () => {
    expect((await get()).text).toBe('content');
    expect(await untilTaken('onDownload')).toEqual([{ text: 'load.txt NONE  200', who: 'superadmin' }]);
  });

  it('is told the name that was asked for, the edit mode and the status', async () => {
    await get('?_filename=other.txt', { Range: 'bytes=0-1' });
    expect((await untilTaken('onDownload'))[0]?.text).toBe('load.txt NONE other.txt 206');
    await get('?_edit=5');
    expect((await untilTaken('onDownload'))[0]?.text).toBe('load.txt PREVIEW  200');
    await get('?_edit=5', {}, server.as());
    expect((await untilTaken('onDownload'))[0]?.text).toBe('load.txt NONE  200');
  });

  it('is called for HEAD and for 304', async () => {
    const { etag = '' } = (await get('', {}, admin, 'HEAD')).headers;
    expect((await untilTaken('onDownload'))[0]?.text).toBe('load.txt NONE  200');
    expect((await get('', { 'If-None-Match': String(etag) })).status).toBe(304);
    expect((await untilTaken('onDownload'))[0]?.text).toBe('load.txt NONE  304');
  });

  it('is not called where nothing was delivered, nor for the widget mode of administrators', async () => {
    expect((await get('', { Range: 'bytes=100-' })).status).toBe(416);
    expect((await get('', { 'If-Match': '"other"' })).status).toBe(412);
    expect((await get('?_edit=1')).status).toBe(200);
    await sleep(100);
    expect(await take('onDownload')).toEqual([]);
  });

  it('that fails is logged, and the content was sent', async () => {
    expect((await get('?_filename=bad')).text).toBe('content');
    expect(await server.untilLogged(new RegExp(`Watched\\[${id}\\]:onDownload:\\d+:\\d+: `))).toHaveLength(1);
  });

  it('of many downloads at once each is told', async () => {
    const answers = await Promise.all(Array.from({ length: 80 }, () => get()));
    expect(answers.every(({ text }) => text === 'content')).toBe(true);
    let told = 0;
    for (const end = Date.now() + 20_000; told < 80 && Date.now() < end;)
      told += (await untilTaken('onDownload')).length;
    expect(told).toBe(80);
  });
});
