/** Credentials, redirects and failures of calls to other servers (docs/interface/script-runtime.md 5.1). */
import { createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newCertificate } from '../support/certificates.js';
import type { Client } from '../support/client.js';
import { file, until, uploaded } from '../support/files.js';
import { TestServer } from '../support/server.js';
import { asked, Calls } from './calls.js';
import { TargetServer } from './target-server.js';

let server: TestServer;
let admin: Client;
let target: TargetServer;
let other: TargetServer;
let secure: TargetServer;
let calls: Calls;

beforeAll(async () => {
  [target, other, secure] = await Promise.all([
    TargetServer.start(),
    TargetServer.start(),
    TargetServer.start(newCertificate('target')),
  ]);
  const elsewhere = other.url('/echo');
  target.routes.set('/away', (_, response) => response.writeHead(307, { Location: elsewhere }).end());
  server = await TestServer.start();
  ({ admin } = server);
  calls = await Calls.on(server);
});
afterAll(async () => {
  await server.stop();
  await Promise.all([target.stop(), other.stop(), secure.stop()]);
});

describe('credentials', () => {
  it('are sent when they are asked for, or at once with preemptive', async () => {
    const url = target.url('/private');
    const before = target.seen.length;
    expect(await calls.js(['GET', url, 'text/plain', 'ann', 'söcret'])).toMatchObject({ status: 200, body: 'welcome' });
    expect(target.seen.slice(before).map(({ headers }) => headers.authorization !== undefined)).toEqual([false, true]);
    expect(await calls.js(['GET', url, 'text/plain', 'ann', 'wrong'])).toMatchObject({ status: 401 });
    const one = target.seen.length;
    const preemptive = { username: 'ann', password: 'söcret', preemptive: true };
    expect(await calls.js(['HEAD', url, preemptive])).toMatchObject({ status: '200' });
    expect(await calls.js(['PUT', url, 'x', 'text/plain', preemptive])).toMatchObject({ body: 'welcome' });
    expect(await calls.js(['DELETE', url, 'text/plain', preemptive])).toMatchObject({ body: 'welcome' });
    expect(target.seen.length).toBe(one + 3);
  });

  it('of the URL are asked for too, and in no message', async () => {
    const url = target.url('/private').replace('//', '//ann:s%C3%B6cret@');
    expect(await calls.js(['GET', url])).toMatchObject({ body: 'welcome' });
    const message = await calls.refused(['GET', 'http://ann:geheim@127.0.0.1:1/x?key=hidden']);
    expect(message).toBe('The GET request to http://127.0.0.1:1/x?... failed: the connection was refused.');
  });

  it('are not sent to where nobody asks for them', async () => {
    expect(await calls.echoed(['GET', target.url('/echo'), 'text/plain', 'ann', 'x'])).not.toHaveProperty(
      'headers.authorization',
    );
  });

  it('stay behind when a redirect leads to another origin, as do headers that tell who one is', async () => {
    const headers = { Authorization: 'Bearer x', Cookie: 'a=b', 'X-Api-Key': 'k', 'X-User': 'u', 'X-Kept': 'yes' };
    const away = await calls.echoed(['FETCH', target.url('/away'), { headers }]);
    expect(away.headers).toMatchObject({ 'x-kept': 'yes', host: `localhost:${String(other.port)}` });
    for (const name of ['authorization', 'cookie', 'x-api-key', 'x-user'])
      expect(away.headers).not.toHaveProperty(name);
    const preemptive = { username: 'ann', password: 'x', preemptive: true };
    expect(await calls.echoed(['FETCH', target.url('/away'), preemptive])).not.toHaveProperty('headers.authorization');
    expect(await calls.echoed(['FETCH', target.url('/to-echo/302'), preemptive])).toHaveProperty(
      'headers.authorization',
    );
  });
});

describe('redirects', () => {
  it('are followed by GET, PUT, PATCH and DELETE; by POST when told to', async () => {
    const url = target.url('/to-echo/302');
    for (const method of ['GET', 'PUT', 'PATCH', 'DELETE']) {
      const args = method === 'PUT' || method === 'PATCH' ? ['x'] : [];
      expect(await calls.echoed([method, url, ...args])).toMatchObject({ method });
    }
    expect((await calls.js(['POST', url, 'x'])).status).toBe(302);
    expect((await calls.js(['HEAD', url])).status).toBe('302');
    expect(await calls.echoed(['POST', url, 'x', { redirects: true }])).toMatchObject({ method: 'GET', body: '' });
  });

  it('keep method and body for 307 and 308, files too', async () => {
    const id = await uploaded(admin, file('again.txt', 'twice'));
    for (const status of ['307', '308']) {
      const url = target.url(`/to-echo/${status}`);
      expect(await calls.echoed(['POST', url, { file: id }, { redirects: true }])).toMatchObject({
        method: 'POST',
        body: 'twice',
      });
    }
    expect(await calls.echoed(['PUT', target.url('/to-echo/303'), 'x'])).toMatchObject({ method: 'GET', body: '' });
  });

  it('end after 20, and lead to http and https only', async () => {
    const before = target.seen.length;
    expect(await calls.refused(['GET', target.url('/loop')])).toContain('more than 20 times');
    expect(target.seen.length - before).toBe(21);
    expect(await calls.refused(['GET', target.url('/to-file')])).toContain('Only http and https');
    expect(await calls.refused(['GET', 'file:///etc/passwd'])).toContain('Only http and https');
  });
});

describe('failures', () => {
  it('of the network are 422 and name the URL', async () => {
    expect(await calls.refused(['GET', 'http://nowhere.invalid/x'])).toMatch(
      /^The GET request to http:\/\/nowhere\.invalid\/x failed: .*name of the host|no host of this name/,
    );
    expect(await calls.refused(['GET', 'no url'])).toContain('no URL');
    expect(await calls.refused(['GET', target.url('/cut')])).toContain('the connection was broken');
  });

  it('of a server that speaks something else', async () => {
    const strange = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end('220 mail.example.com ESMTP\r\n');
    });
    await new Promise<void>((resolve) => {
      strange.listen(0, '127.0.0.1', resolve);
    });
    const address = strange.address();
    const port = typeof address === 'object' ? address?.port : 0;
    expect(await calls.refused(['GET', `http://127.0.0.1:${String(port)}/`])).toContain('its answer is not HTTP');
    strange.close();
  });

  it('can be caught by JavaScript', async () => {
    const source = "{ try { $.GET('http://127.0.0.1:1/'); } catch (e) { return e.message; } }";
    await admin.create('SchemaMethod', { name: 'catching', source });
    expect((await admin.post('/catching', {})).body.result).toContain('the connection was refused');
  });

  it('of certificates: a self-signed one is refused until validateCertificates(false)', async () => {
    const url = secure.url();
    expect(await calls.refused(['GET', url])).toContain('its certificate signs itself');
    expect(await calls.js(['validateCertificates', false], ['GET', url])).toMatchObject({ body: 'hällo' });
    // Another host than the certificate is for.
    const byAddress = secure.url('/', '127.0.0.1');
    expect(await calls.js(['validateCertificates', false], ['GET', byAddress])).toMatchObject({ body: 'hällo' });
    expect(
      await calls.refused(['validateCertificates', false], ['validateCertificates', true], ['GET', url]),
    ).toContain('certificate');
  });

  it('a client that goes away ends the call of its script', async () => {
    const before = target.seen.length;
    const control = new AbortController();
    const answered = fetch(`${server.url}/svc/rest/run`, {
      method: 'POST',
      body: JSON.stringify(asked([['GET', target.url('/never')]])),
      headers: { 'X-User': 'admin', 'X-Password': 'admin' },
      signal: control.signal,
    }).catch(() => undefined);
    await until(() => Promise.resolve(target.seen.length > before), 'the call arrives');
    control.abort();
    await answered;
    await until(() => Promise.resolve(target.last.gone), 'the call ends');
  });
});
