/** Calls to other servers, by methods over REST in both languages: what is sent, and what is answered (docs/interface/script-runtime.md 5.1, 5.2). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Client } from '../support/client.js';
import { file, fields, until, upload, uploaded } from '../support/files.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';
import { Calls, NULL } from './calls.js';
import { TargetServer } from './target-server.js';

let server: TestServer;
let admin: Client;
let target: TargetServer;
let calls: Calls;

beforeAll(async () => {
  target = await TargetServer.start();
  server = await TestServer.start({ settings: { 'application.httphelper.maxanswersize': 8 } });
  ({ admin } = server);
  calls = await Calls.on(server, {
    exGet: "GET(retrieve('url'))",
    exBody: "GET(retrieve('url')).body",
    exType: "GET(retrieve('url'), retrieve('type')).body",
    exPost: "(addHeader('Content-Type', 'application/json'), POST(retrieve('url'), retrieve('body')).body)",
    exPut: "PUT(retrieve('url'), retrieve('body')).body.method",
    exHead: 'HEAD(retrieve("url")).status',
    exFile: "POST(retrieve('url'), first(find('File', 'name', 'ex.txt'))).status",
    exFail: "GET(retrieve('url')).success",
    exUsage: 'GET()',
  });
});
afterAll(async () => {
  await server.stop();
  await target.stop();
});

describe('results', () => {
  it('have status, success, headers and body, in both languages', async () => {
    for (const result of [await calls.js(['GET', target.url()]), await calls.ex('exGet', { url: target.url() })]) {
      expect(result).toMatchObject({ status: 200, success: true, body: 'hällo' });
      expect(result.headers['Content-Type']).toBe('text/plain; charset=utf-8');
    }
    expect(await calls.ex('exBody', { url: target.url() })).toBe('hällo');
  });

  it('of errors are results too', async () => {
    expect(await calls.js(['GET', target.url('/fail')])).toMatchObject({ status: 500, success: false, body: 'sorry' });
    expect(await calls.ex('exFail', { url: target.url('/nowhere') })).toBe(false);
  });

  it('join headers that come several times by line ends', async () => {
    expect((await calls.js(['GET', target.url('/echo')])).headers['X-Twice']).toBe('a\nb');
  });

  it('of HEAD have no body, and their status is a text', async () => {
    const result = await calls.js(['HEAD', target.url('/gzip')]);
    expect(result).toMatchObject({ status: '200', success: true });
    expect(result.headers['Content-Encoding']).toBe('gzip');
    expect(result).not.toHaveProperty('body');
    expect(await calls.ex('exHead', { url: target.url('/fail') })).toBe('500');
  });

  it('of GET and POST are never parsed, of PUT, PATCH and DELETE when JSON is expected', async () => {
    const url = target.url('/json');
    const text = '{"name": "Jürgen", "list": [1, 2]}';
    expect((await calls.js(['GET', url, 'application/json'])).body).toBe(text);
    expect((await calls.js(['POST', url, '', 'application/json'])).body).toBe(text);
    for (const name of ['PUT', 'PATCH']) {
      expect((await calls.js([name, url, ''])).body).toEqual({ name: 'Jürgen', list: [1, 2] });
      expect((await calls.js([name, url, '', 'text/plain'])).body).toBe(text);
      expect((await calls.js([name, target.url('/broken.json'), ''])).body).toBe('');
    }
    expect((await calls.js(['DELETE', url])).body).toEqual({ name: 'Jürgen', list: [1, 2] });
    expect((await calls.js(['DELETE', url, 'text/plain'])).body).toBe(text);
  });

  it('are bytes for application/octet-stream', async () => {
    await admin.create('SchemaMethod', {
      name: 'exBytes',
      source: "base64encode(GET(retrieve('url'), 'application/octet-stream').body)",
    });
    expect(await calls.ex('exBytes', { url: target.url('/bytes') })).toBe(
      Buffer.from([0, 255, 128, 10]).toString('base64'),
    );
  });

  it('are unpacked', async () => {
    for (const path of ['/gzip', '/brotli']) {
      const { body, headers } = await calls.js(['GET', target.url(path)]);
      expect(body).toBe('packed '.repeat(1000));
      expect(headers).not.toHaveProperty('Content-Encoding');
    }
    expect(await calls.js(['GET', target.url('/nogzip')])).toMatchObject({ status: 204, body: '' });
    expect(await calls.refused(['GET', target.url('/badgzip')])).toContain('its answer cannot be unpacked');
  });

  it('are read in the charset of the answer, of the call, of the setting', async () => {
    expect((await calls.js(['GET', target.url('/latin'), 'text/plain; charset=utf-8'])).body).toBe('café');
    expect((await calls.js(['GET', target.url('/nameless')])).body).toBe('café');
    expect((await calls.js(['GET', target.url('/nameless8')])).body).toBe('cafÃ©');
    expect(await calls.ex('exType', { url: target.url('/nameless8'), type: 'text/plain; charset=utf-8' })).toBe('café');
  });

  it('that are longer than the setting allows end the script, packed or not', async () => {
    const began = Date.now();
    expect(await calls.refused(['GET', target.url('/endless')])).toContain('larger than 8 MB');
    expect(await calls.refused(['GET', target.url('/bomb')])).toContain('larger than 8 MB');
    expect(Date.now() - began).toBeLessThan(15_000);
  });
});

describe('what is sent', () => {
  it('is text in a charset, with the type of headers that were added', async () => {
    const echo = target.url('/echo');
    expect(await calls.echoed(['POST', echo, 'grün'])).toMatchObject({
      method: 'POST',
      headers: { 'content-type': 'text/plain; charset=UTF-8', connection: 'close', 'user-agent': 'curl/7.35.0' },
      body: Buffer.from('grün').toString('latin1'),
    });
    expect(await calls.echoed(['POST', echo, 'grün€', 'text/plain', 'ISO-8859-1'])).toMatchObject({ body: 'grün?' });
    expect(await calls.refused(['POST', echo, 'x', 'text/plain', 'EBCDIC'])).toContain('charset EBCDIC');
    expect(JSON.parse(await calls.ex('exPost', { url: echo, body: '{}' }))).toMatchObject({
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await calls.ex('exPut', { url: echo, body: 'x' })).toBe('PUT');
  });

  it('headers: added ones hold for the request, are replaced, taken away and cleared', async () => {
    const echo = target.url('/echo');
    const { headers } = await calls.echoed(
      ['addHeader', 'X-One', '1'],
      ['addHeader', 'x-one', '2'],
      ['addHeader', 'X-Two', '2'],
      ['addHeader', 'X-Two', NULL],
      ['GET', target.url()],
      ['GET', echo],
    );
    expect(headers).toMatchObject({ 'x-one': '2' });
    expect(headers).not.toHaveProperty('x-two');
    expect((await calls.echoed(['GET', echo])).headers).not.toHaveProperty('x-one');
    const cleared = await calls.echoed(['addHeader', 'X-One', '1'], ['clearHeaders'], ['GET', echo]);
    expect(cleared.headers).not.toHaveProperty('x-one');
  });

  it('headers that would break out of their line, or belong to the connection, are refused', async () => {
    for (const [name, value] of [
      ['X-One', 'a\r\nX-Two: b'],
      ['X One', 'a'],
      ['X-One', '€'],
      ['Content-Length', '3'],
      ['Transfer-Encoding', 'chunked'],
    ]) {
      expect(await calls.refused(['addHeader', name, value])).toContain('cannot be sent');
    }
  });

  it('a File: its bytes, with its type', async () => {
    const id = await uploaded(admin, file('ex.txt', 'bytes of the file', 'text/csv'));
    for (const name of ['POST', 'PUT', 'PATCH']) {
      await calls.js([name, target.url('/sink'), { file: id }]);
      expect(target.last).toMatchObject({ method: name, size: 17 });
      expect(target.last.headers).toMatchObject({ 'content-length': '17' });
      expect(target.last.headers).not.toHaveProperty('transfer-encoding');
    }
    expect((await calls.echoed(['POST', target.url('/echo'), { file: id }])).body).toBe('bytes of the file');
    expect(await calls.ex('exFile', { url: target.url('/sink') })).toBe(200);
  });

  it('a File with credentials: preemptive only', async () => {
    const id = await uploaded(admin, file('secret.txt', 'x'));
    const plain = await calls.refused([
      'POST',
      target.url('/private'),
      { file: id },
      'text/plain',
      'UTF-8',
      'ann',
      'söcret',
    ]);
    expect(plain).toContain('preemptive authentication is required');
    const before = target.seen.length;
    expect(
      await calls.refused(['FETCH', target.url('/private'), { method: 'PUT', body: { file: id }, username: 'ann' }]),
    ).toBe(plain);
    expect(await calls.refused(['POST', target.url('/private').replace('//', '//ann:x@'), { file: id }])).toBe(plain);
    expect(target.seen.length).toBe(before);
    const credentials = { username: 'ann', password: 'söcret', preemptive: true };
    expect(await calls.js(['POST', target.url('/private'), { file: id }, credentials])).toMatchObject({
      body: 'welcome',
    });
    expect(target.seen.length).toBe(before + 1);
  });

  it('a File that its user may not read is refused, wherever the script has it from', async () => {
    const id = await uploaded(admin, file('mine.txt', 'x'));
    await admin.create('SchemaMethod', {
      name: 'smuggle',
      source: `{ let one; $.doPrivileged(() => { one = $.find('File', $.retrieve('id')); }); return $.POST($.retrieve('url'), one); }`,
    });
    await admin.create('User', { name: 'bob', password: 'bob-password' });
    await allow(admin, 'smuggle', 'user', ['POST']);
    const before = target.seen.length;
    const body = { id, url: target.url('/sink') };
    const answer = await server.as('bob', 'bob-password').post('/smuggle', body);
    expect(answer.status, answer.text).toBe(403);
    expect(target.seen.length).toBe(before);
    expect((await admin.post('/smuggle', body)).status).toBe(200);
  });

  it('a File that is a template is refused', async () => {
    const id = await uploaded(admin, file('template.txt', '${me.id}'));
    await admin.patch(`/File/${id}`, { isTemplate: true });
    expect(await calls.refused(['POST', target.url('/sink'), { file: id }])).toContain('evaluated');
  });

  it('parts: texts, files, lists, folders', async () => {
    const id = await uploaded(admin, file('a "quoted".txt', 'aaa', 'text/plain'));
    const folder = await admin.create('Folder', { name: 'parts' });
    for (const name of ['one.bin', 'two.bin']) {
      const { status } = await upload(admin, [...fields({ parent: folder }), file(name, name)]);
      expect(status).toBe(200);
    }
    const parts = { text: 'grün', none: null, list: ['x', NULL, 7], file: { file: id }, all: { folder } };
    const result = await calls.js(['POSTMultiPart', target.url('/echo'), parts]);
    expect(result.status).toBe(201);
    const { headers, body } = JSON.parse(result.body) as { headers: Record<string, string>; body: string };
    const boundary = /^multipart\/form-data; boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1] ?? '';
    expect(Number(headers['content-length'])).toBe(body.length);
    const found = body.split(`--${boundary}`).slice(1, -1);
    expect(found).toHaveLength(6);
    const one = (part: string, disposition: string, type: string, content: string): void => {
      expect(part).toBe(`\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${type}\r\n\r\n${content}\r\n`);
    };
    const utf8 = (text: string): string => Buffer.from(text).toString('latin1');
    one(found[0] ?? '', 'form-data; name="text"', 'text/plain; charset=UTF-8', utf8('grün'));
    one(found[1] ?? '', 'form-data; name="list"', 'text/plain; charset=UTF-8', 'x');
    one(found[2] ?? '', 'form-data; name="list"', 'text/plain; charset=UTF-8', '7');
    expect(found[3]).toContain('name="file"; filename="a %22quoted%22.txt"');
    expect(found[3]).toContain('\r\n\r\naaa\r\n');
    expect(found.slice(4).every((part) => part.includes('name="all"; filename="'))).toBe(true);
  });

  it('with wrong arguments: the usage is answered', async () => {
    expect(await calls.ex('exUsage', {})).toMatch(/^Usage: GET\(url/);
    expect(await calls.js(['POST', target.url()])).toMatch(/^Usage: POST\(url/);
    expect(await calls.js(['POSTMultiPart', target.url(), 'text'])).toMatch(/^Usage: POSTMultiPart\(url/);
    expect(await calls.js(['validateCertificates', 'perhaps'])).toMatch(/^Usage: validateCertificates/);
  });
});

describe('FETCH', () => {
  it('does what its options say', async () => {
    const options = { method: 'patch', headers: { 'X-One': 1 }, body: '{}', contentType: 'application/json' };
    expect(await calls.echoed(['FETCH', target.url('/echo'), options])).toMatchObject({
      method: 'PATCH',
      headers: { 'x-one': '1', 'content-type': 'application/json' },
      body: '{}',
    });
    expect(await calls.js(['FETCH', target.url()])).toMatchObject({ status: 200, success: true, body: 'hällo' });
    expect((await calls.js(['FETCH', target.url('/json'), { responseType: 'json' }])).body.name).toBe('Jürgen');
    expect((await calls.js(['FETCH', target.url('/to-echo/302'), { redirects: false }])).status).toBe(302);
  });

  it('is refused with options that make no sense', async () => {
    expect(await calls.refused(['FETCH', target.url(), { method: 'CONNECT' }])).toContain('not CONNECT');
    expect(await calls.refused(['FETCH', target.url(), { responseType: 'dom' }])).toContain('responseType');
    expect(await calls.refused(['FETCH', target.url(), { headers: 'x' }])).toContain('headers');
    expect(await calls.refused(['FETCH', target.url(), { timeout: 'soon' }])).toContain('timeout');
  });

  it('ends after its timeout, while nothing comes or while something does', async () => {
    for (const path of ['/never', '/stuck']) {
      const began = Date.now();
      const message = await calls.refused(['FETCH', target.url(path), { timeout: 1 }]);
      expect(message).toBe(`The GET request to ${target.url(path)} failed: it took longer than 1 s.`);
      expect(Date.now() - began).toBeLessThan(15_000);
      await until(() => Promise.resolve(target.last.gone), 'the call ends');
    }
  });
});
