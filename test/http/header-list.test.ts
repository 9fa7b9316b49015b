import { expect, test } from 'vitest';
import { parseHeaderList } from '../../src/main/http/index.js';
import { TestServer } from '../support/server.js';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

test('pairs that make no sense are left out and named', () => {
  const { headers, problems } = parseHeaderList(
    'X-A:1, X-B : mode=block;x ,, broken, :v, X-C:, X D:1, Connection:close, Content-Length:1, CSP:default-src https:,x-a:2, X-E:a\r\nX-F:b',
  );
  expect(headers).toEqual({ 'X-A': '2', 'X-B': 'mode=block;x', CSP: 'default-src https:' });
  expect(problems).toHaveLength(8);
  expect(problems.join('\n')).toMatch(/'broken': there is no colon/);
});

test('the server warns of bad pairs, sends HSTS over HTTPS only and follows a changed setting', async () => {
  const conf = {
    'htmlservlet.customresponseheaders': 'Strict-Transport-Security:max-age=60,X-Frame-Options:SAMEORIGIN,nonsense',
    'httpservice.trustedproxies': '127.0.0.0/8',
  };
  const server = await TestServer.start({ settings: conf });
  try {
    expect(await server.untilLogged(/customresponseheaders: left out .*'nonsense'/)).toHaveLength(1);
    const plain = await server.admin.get('/User');
    expect(plain.headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(plain.headers['x-svc-edition']).toBe('Community');
    expect(plain.headers['strict-transport-security']).toBeUndefined();
    const secure = { 'X-Forwarded-Proto': 'https' };
    expect((await server.admin.get('/User', secure)).headers['strict-transport-security']).toBe('max-age=60');

    await writeFile(
      join(server.folder, 'svc.conf'),
      'superuser.password = x\nhtmlservlet.customresponseheaders = X-New:1\nhttpservice.hsts.maxage = 7\nhttpservice.trustedproxies = ::1, 127.0.0.1\n',
    );
    server.child.kill('SIGHUP');
    await server.untilLogged(/again$/);
    await sleep(20);
    const after = await server.admin.get('/User', secure);
    expect(after.headers['x-new']).toBe('1');
    expect(after.headers['x-frame-options']).toBeUndefined();
    expect(after.headers['x-svc-edition']).toBe('Community');
    expect(after.headers['strict-transport-security']).toBe('max-age=7');
    expect((await server.admin.get('/User')).headers['strict-transport-security']).toBeUndefined();
  } finally {
    await server.stop();
  }
});
