/** What answers with files say of them: type, name, length, methods, parameters (docs/interface/files.md 5.3, 5.4, 5.10). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { ADMIN, change, fetchPath, makeFile } from '../support/serving.js';

let server: TestServer;

beforeAll(async () => {
  server = await TestServer.start();
  await makeFile(server, { name: 'a.txt', content: 'hello' });
  await makeFile(server, { name: 'b.bin', content: Buffer.from([0, 255, 1, 254]) });
});
afterAll(() => server.stop());

describe('Content-Type', () => {
  it('is the file’s, with a charset for text that names none', async () => {
    const type = async (contentType: string | null): Promise<unknown> => {
      const id = await makeFile(server, { name: 'typed.dat', properties: { contentType } });
      const answer = await fetchPath(server, `/${id}`);
      expect(answer.headers['x-content-type-options']).toBe('nosniff');
      await server.admin.delete(`/File/${id}`);
      return answer.headers['content-type'];
    };
    expect(await type('text/css')).toBe('text/css;charset=utf-8');
    expect(await type('application/javascript')).toBe('application/javascript;charset=utf-8');
    expect(await type('text/plain; charset=iso-8859-1')).toBe('text/plain; charset=iso-8859-1');
    expect(await type('application/json')).toBe('application/json');
    expect(await type('video/x-own')).toBe('video/x-own');
    expect(await type('text/html\r\nSet-Cookie: a=b')).toBe('application/octet-stream');
    expect(await type('text/hüml')).toBe('application/octet-stream');
  });

  it('of content that a user wrote and browsers run is sandboxed', async () => {
    await server.admin.create('User', { name: 'writer', password: 'secret-of-writer' });
    const by = { 'X-User': 'writer', 'X-Password': 'secret-of-writer' };
    for (const [name, content] of [
      ['page.html', '<html><script>alert(1)</script></html>'],
      ['image.svg', '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ] as const) {
      const properties = { contentType: name.endsWith('svg') ? 'image/svg+xml' : 'text/html' };
      await makeFile(server, { name, content, by, properties });
      expect((await fetchPath(server, `/${name}`)).headers['content-security-policy']).toBe('sandbox');
      await makeFile(server, { name: `admin-${name}`, content, properties });
      expect((await fetchPath(server, `/admin-${name}`)).headers['content-security-policy']).toBeUndefined();
    }
  });
});

describe('HEAD', () => {
  it('has the headers of GET and no body', async () => {
    for (const path of ['/a.txt', '/b.bin', '/b.bin?_filename=x', '/b.bin?_as-data-url=1']) {
      const [got, head] = [await fetchPath(server, path), await fetchPath(server, path, {}, 'HEAD')];
      expect(head).toMatchObject({ status: 200, text: '' });
      const { date: _one, ...expected } = got.headers;
      const { date: _two, ...actual } = head.headers;
      expect(actual).toEqual(expected);
    }
  });
});

describe('methods', () => {
  it('POST is answered like GET', async () => {
    expect(await fetchPath(server, '/a.txt', {}, 'POST', 'a=b')).toMatchObject({ status: 200, text: 'hello' });
  });

  it.each(['PUT', 'DELETE', 'PATCH'])('%s is refused with 405, whatever is there', async (method) => {
    for (const path of ['/a.txt', '/nothing']) {
      const answer = await fetchPath(server, path, ADMIN, method);
      expect(answer).toMatchObject({ status: 405, headers: { allow: 'GET,HEAD,OPTIONS' } });
      expect(JSON.parse(answer.text)).toMatchObject({ code: 405 });
    }
  });

  it('OPTIONS tells them, whatever is there', async () => {
    for (const path of ['/a.txt', '/nothing']) {
      const answer = await fetchPath(server, path, {}, 'OPTIONS');
      expect(answer).toMatchObject({ status: 200, text: '', headers: { allow: 'GET,HEAD,OPTIONS' } });
    }
  });
});

describe('_filename', () => {
  const disposition = async (name: string): Promise<unknown> =>
    (await fetchPath(server, `/a.txt?_filename=${encodeURIComponent(name)}`)).headers['content-disposition'];

  it('makes the browser save the file under that name', async () => {
    expect((await fetchPath(server, '/a.txt')).headers['content-disposition']).toBeUndefined();
    expect((await fetchPath(server, '/a.txt?_filename=')).headers['content-disposition']).toBeUndefined();
    expect(await disposition('report 1.pdf')).toBe('attachment; filename="report 1.pdf"');
  });

  it('survives names that mean harm, and those of other languages', async () => {
    expect(await disposition('a"; filename="b')).toBe(
      `attachment; filename="a\\"; filename=\\"b"; filename*=UTF-8''a%22%3B%20filename%3D%22b`,
    );
    expect(await disposition('a\r\nSet-Cookie: x=y')).toBe('attachment; filename="aSet-Cookie: x=y"');
    expect(await disposition('a\\b')).toContain('filename="a\\\\b"');
    expect(await disposition('żółć €.txt')).toBe(
      `attachment; filename="____ _.txt"; filename*=UTF-8''%C5%BC%C3%B3%C5%82%C4%87%20%E2%82%AC.txt`,
    );
    expect(await disposition("it's (1)*.txt")).toMatch(/^attachment; filename="it's \(1\)\*\.txt"$/);
    expect(await disposition('ä\u0000\u007f')).toBe(`attachment; filename="_"; filename*=UTF-8''%C3%A4`);
  });

  it('goes with ranges and 304', async () => {
    const part = await fetchPath(server, '/a.txt?_filename=x.txt', { Range: 'bytes=0-1' });
    expect(part).toMatchObject({ status: 206, headers: { 'content-disposition': 'attachment; filename="x.txt"' } });
  });
});

describe('_as-data-url', () => {
  it('sends base64 on one line, without a prefix; ranges mean nothing', async () => {
    for (const size of [0, 1, 2, 3, 100, 200_000, 600_001]) {
      const content = Buffer.from(Array.from({ length: size }, (_, i) => (i * 31) % 256));
      const id = await makeFile(server, { name: `size-${String(size)}`, content });
      const answer = await fetchPath(server, `/${id}?_as-data-url=true`, { Range: 'bytes=0-1' });
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({
        'content-type': 'text/plain',
        'content-length': String(answer.body.length),
      });
      expect(answer.text).toBe(content.toString('base64'));
    }
  });
});

describe('files without content', () => {
  it('are empty', async () => {
    await server.admin.create('File', { name: 'never', visibleToPublicUsers: true });
    expect(await fetchPath(server, '/never')).toMatchObject({ status: 200, text: '' });
  });

  it('whose content is evaluated are answered evaluated', async () => {
    const content = "user ${me.name}, file ${this.name}, sum ${add(1, 2)}, ${{ $.request.q + '!' }}";
    const id = await makeFile(server, { name: 'template.txt', content, properties: { contentType: 'text/plain' } });
    await change(server.admin, `/File/${id}`, { isTemplate: true });
    expect(await fetchPath(server, '/template.txt?q=ask')).toMatchObject({
      status: 200,
      text: 'user , file template.txt, sum 3.0, ask!',
    });
  });

  it('that fail while they are evaluated show nothing of their source', async () => {
    const id = await makeFile(server, {
      name: 'failing.txt',
      content: "${{ const secret = 'xyzzy'; throw new Error(); }}",
    });
    await change(server.admin, `/File/${id}`, { isTemplate: true });
    const answer = await fetchPath(server, '/failing.txt');
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain('xyzzy');
  });

  it('are not evaluated when somebody wrote them who is no administrator', async () => {
    const by = { 'X-User': 'writer', 'X-Password': 'secret-of-writer' };
    const id = await makeFile(server, { name: 'planted.txt', content: '${me.name}', by });
    await change(server.admin, `/File/${id}`, { isTemplate: true });
    expect(await fetchPath(server, '/planted.txt')).toMatchObject({ status: 200, text: '${me.name}' });
  });
});
