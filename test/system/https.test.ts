import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keystoreOf, nameOf, newCertificate, type Pair } from '../support/certificates.js';
import { TestServer } from '../support/server.js';

let folder: string;
let pair: Pair;
const PEM = {
  'application.https.enabled': true,
  'application.https.port': 0,
  'application.https.certificate': 'server.crt',
  'application.https.key': 'server.key',
};

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-https-'));
  pair = newCertificate('first');
  writeFileSync(join(folder, 'server.crt'), pair.certificate);
  writeFileSync(join(folder, 'server.key'), pair.key);
  writeFileSync(join(folder, 'domain.key.keystore'), keystoreOf(pair, 'changeit'));
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

function securePort(server: TestServer): number {
  return Number(/https:\/\/localhost:(\d+)/.exec(server.logged(/listening on https/)[0] ?? '')?.[1]);
}

function get(port: number, path: string): Promise<{ status: number; headers: Record<string, unknown> }> {
  return new Promise((resolve, reject) => {
    const headers = { 'X-User': 'admin', 'X-Password': 'admin' };
    request({ port, host: '127.0.0.1', path, headers, rejectUnauthorized: false }, (res) => {
      res.resume();
      resolve({ status: res.statusCode ?? 0, headers: res.headers });
    })
      .on('error', reject)
      .end();
  });
}

function certificateAt(port: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, () => {
      resolve(nameOf(socket.getPeerCertificate().raw));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}

test('with force.https plain requests are redirected, and SIGHUP takes a renewed certificate', async () => {
  const server = await TestServer.start({ folder, settings: { ...PEM, 'httpservice.force.https': true } });
  try {
    const port = securePort(server);
    const plain = await server.admin.get('/User?_pageSize=1');
    expect(plain.status).toBe(302);
    expect(plain.headers['location']).toBe(`https://127.0.0.1:${String(port)}/svc/rest/User?_pageSize=1`);
    expect(plain.headers['strict-transport-security']).toBeUndefined();
    const secure = await get(port, '/svc/rest/User?_pageSize=1');
    expect(secure.status).toBe(200);
    expect(secure.headers['strict-transport-security']).toBe('max-age=60');
    expect(await certificateAt(port)).toBe('first');

    const second = newCertificate('second');
    writeFileSync(join(folder, 'server.crt'), second.certificate);
    writeFileSync(join(folder, 'server.key'), second.key);
    server.child.kill('SIGHUP');
    await server.untilLogged(/renewed certificate of CN=second/);
    expect(await certificateAt(port)).toBe('second');
    writeFileSync(join(folder, 'server.crt'), 'broken');
    server.child.kill('SIGHUP');
    await server.untilLogged(/kept the old certificate: .*not in PEM form/);
    expect(await certificateAt(port)).toBe('second');
    expect(server.lines.join('\n')).not.toContain('PRIVATE KEY');
  } finally {
    await server.stop();
    writeFileSync(join(folder, 'server.crt'), pair.certificate);
    writeFileSync(join(folder, 'server.key'), pair.key);
  }
});

test('a PKCS#12 keystore serves too', async () => {
  const server = await TestServer.start({
    folder,
    settings: {
      'application.https.enabled': true,
      'application.https.port': 0,
      'application.keystore.password': 'changeit',
    },
  });
  try {
    expect(await certificateAt(securePort(server))).toBe('first');
    expect((await server.admin.get('/User')).status).toBe(200);
  } finally {
    await server.stop();
  }
});

test('without a certificate that can be used the start ends with one line and exit code 18', async () => {
  writeFileSync(join(folder, 'expired.crt'), newCertificate('old', { from: -9, to: -1, key: pair.key }).certificate);
  const starts = [
    [{ ...PEM, 'application.https.certificate': 'none.crt' }, 18, /none\.crt cannot be read: there is no such file/],
    [{ ...PEM, 'application.https.certificate': 'expired.crt' }, 18, /expired\.crt expired on/],
    [
      { 'application.https.enabled': true, 'application.keystore.password': 'wrong' },
      18,
      /application\.keystore\.pass/,
    ],
    [{ ...PEM, 'httpservice.ssl.protocols.included': 'TLSv1.2' }, 2, /TLSv1\.3 cannot be turned off/],
    [{ 'httpservice.force.https': true }, 2, /httpservice\.force\.https needs HTTPS/],
  ] as const;
  for (const [settings, exit, line] of starts) {
    const { code, lines } = await TestServer.tryStart(folder, { folder, settings });
    expect(code).toBe(exit);
    expect(lines.filter((l) => l.includes('ERROR'))).toEqual([expect.stringMatching(line)]);
  }
});

test('an HTTPS port that is taken ends the start like any other', async () => {
  const server = await TestServer.start({ folder, settings: PEM });
  const other = mkdtempSync(join(tmpdir(), 'svc-https-'));
  try {
    for (const name of ['server.crt', 'server.key'] as const)
      writeFileSync(join(other, name), name === 'server.crt' ? pair.certificate : pair.key);
    const settings = { ...PEM, 'application.https.port': securePort(server) };
    const { code } = await TestServer.tryStart(other, { folder: other, settings });
    expect(code).toBe(10);
  } finally {
    await server.stop();
    rmSync(other, { recursive: true, force: true });
  }
});
