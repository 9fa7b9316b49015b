import { once } from 'node:events';
import { mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import tls from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  CertificateError,
  ConnectionCount,
  tlsCiphers,
  type CertificateSource,
  type Handler,
  type HttpServer,
  type HttpServerOptions,
} from '../../src/main/http/index.js';
import { keystoreOf, nameOf, newCertificate, sealed, type Pair } from '../support/certificates.js';
import { CURVE_KEYSTORE, CURVE_PEM } from '../support/curve-certificate.js';
import { start, onEachTransport, within } from './support.js';

const CIPHERS = tlsCiphers({ included: '', excluded: '', excludedCiphers: '' });
let folder: string;
let first: Pair;
let files = 0;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'svc-tls-test-'));
  first = newCertificate('first');
});
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

/** Writes a file of the test's folder; returns its path. */
function file(content: string | Buffer, name = `file-${String(files++)}`): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

function pem(pair: Pair): CertificateSource & { kind: 'pem' } {
  return { kind: 'pem', certificate: file(pair.certificate), key: file(pair.key), passphrase: '' };
}

async function withTls(
  source: CertificateSource,
  use: (server: HttpServer & { securePort: number }) => Promise<void>,
  handler: Handler = (x) => {
    x.end(`${x.scheme} ${x.path}`);
  },
  options: Partial<HttpServerOptions> = {},
  ciphers = CIPHERS,
): Promise<void> {
  const server = await start({ tls: { port: 0, source: () => source, ciphers, watchEvery: 50 }, ...options }, handler);
  try {
    const { securePort = 0 } = server;
    await use(Object.assign(server, { securePort }));
  } finally {
    await server.close(0);
  }
}

interface SecureConnection {
  readonly socket: tls.TLSSocket;
  readonly name: string;
  /** Sends a request without a body and resolves with the answer's body. */
  ask(path: string): Promise<string>;
  text(): string;
}

function open(port: number, options: tls.ConnectionOptions = {}): Promise<SecureConnection> {
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options });
    let received = '';
    socket.on('data', (chunk: Buffer) => (received += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.once('secureConnect', () => {
      resolve({
        socket,
        name: nameOf(socket.getPeerCertificate().raw),
        text: () => received,
        async ask(path) {
          received = '';
          socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
          const end = Date.now() + 20_000;
          while (!received.includes('\r\n\r\n') || received.endsWith('\r\n\r\n')) {
            if (Date.now() > end || socket.destroyed) throw new Error(`no answer to ${path}: ${received}`);
            await sleep(5);
          }
          return received.slice(received.indexOf('\r\n\r\n') + 4);
        },
      });
    });
  });
}

onEachTransport((transport) => {
  test('open connections are limited together with those of HTTP, and more are closed before they are encrypted', async () => {
    const connections = new ConnectionCount(3);
    await withTls(
      pem(first),
      async (server) => {
        const plain = net.connect(server.port, '127.0.0.1');
        await once(plain, 'connect');
        const secure = [await open(server.securePort), await open(server.securePort)];
        for (let i = 0; i < 20; i++) await expect(open(server.securePort)).rejects.toThrow();
        for (const c of secure) expect(await c.ask('/a')).toBe('https /a');
        plain.destroy();
        await expect.poll(() => connections.open).toBe(2);
        const next = await open(server.securePort);
        expect(await next.ask('/b')).toBe('https /b');
        for (const { socket } of [...secure, next]) socket.destroy();
        await expect.poll(() => connections.open).toBe(0);
      },
      undefined,
      { connections },
    );
  });

  test('HTTPS and HTTP are served side by side, kept connections and bodies included', async () => {
    const secure: boolean[] = [];
    await withTls(
      pem(first),
      async (server) => {
        const c = await open(server.securePort);
        expect(c.name).toBe('first');
        expect(await c.ask('/a')).toBe('https /a 0');
        expect(await c.ask('/b')).toBe('https /b 0');
        const plain = await fetch(`http://127.0.0.1:${String(server.port)}/c`);
        expect(await plain.text()).toBe('http /c 0');
        for (const size of [0, 10, 100_000, 3_000_000]) {
          for (const chunked of [true, false]) {
            const text = await new Promise<string>((resolve, reject) => {
              const headers = chunked ? {} : { 'Content-Length': size };
              const req = request(
                { port: server.securePort, host: '127.0.0.1', method: 'POST', rejectUnauthorized: false, headers },
                (res) => {
                  let all = '';
                  res.on('data', (d: Buffer) => (all += d.toString()));
                  res.on('end', () => {
                    resolve(all);
                  });
                },
              );
              req.on('error', reject);
              req.end(Buffer.alloc(size));
            });
            expect(text).toBe(`https / ${String(size)}`);
          }
        }
        expect(new Set(secure)).toEqual(new Set([true, false]));
        c.socket.destroy();
      },
      async (x) => {
        secure.push(x.secure);
        x.end(`${x.scheme} ${x.path} ${String((await x.readBody(1e7)).length)}`);
      },
    );
  });

  test('large and streamed answers arrive whole', async () => {
    const body = 'x'.repeat(2_000_000);
    await withTls(
      pem(first),
      async (server) => {
        for (const path of ['/whole', '/streamed']) {
          const length = await new Promise<number>((resolve, reject) => {
            request({ port: server.securePort, host: '127.0.0.1', path, rejectUnauthorized: false }, (res) => {
              let size = 0;
              res.on('data', (d: Buffer) => (size += d.length));
              res.on('end', () => {
                resolve(size);
              });
            })
              .on('error', reject)
              .end();
          });
          expect(length).toBe(body.length);
        }
      },
      async (x) => {
        if (x.path === '/whole') {
          x.end(body);
          return;
        }
        const stream = x.startStream();
        for (let at = 0; at < body.length; at += 50_000) await stream.write(body.slice(at, at + 50_000));
        await stream.end();
      },
    );
  });

  test('a client that never begins TLS is closed like one that never sends a request', async () => {
    await withTls(
      pem(first),
      async (server) => {
        for (const greeting of ['', 'GET / HTTP/1.1\r\nHost: a\r\n\r\n']) {
          const socket = net.connect(server.securePort, '127.0.0.1');
          const closed = new Promise((resolve) => socket.once('close', resolve));
          socket.on('error', () => undefined);
          socket.write(greeting);
          await within(closed);
        }
        const c = await open(server.securePort);
        expect(await c.ask('/')).toBe('https /');
        c.socket.destroy();
      },
      undefined,
      { maxBodyTime: 300 },
    );
  });

  if (transport === 'node')
    test('connections of an address count over both ports', async () => {
      await withTls(
        pem(first),
        async (server) => {
          const plain = net.connect(server.port, '127.0.0.1');
          await new Promise((resolve) => plain.once('connect', resolve));
          const isServed = (): Promise<boolean> =>
            open(server.securePort).then(
              ({ socket }) => {
                socket.destroy();
                return true;
              },
              () => false,
            );
          await expect.poll(isServed).toBe(false);
          plain.destroy();
          await expect.poll(isServed).toBe(true);
        },
        undefined,
        { maxConnectionsPerAddress: 1 },
      );
    });

  test('keys: in the same file, behind a passphrase, in a keystore, of elliptic curves', async () => {
    const both = { kind: 'pem', certificate: file(first.certificate + first.key), key: '', passphrase: '' } as const;
    const locked = { ...pem(first), key: file(sealed(first.key, 'open sesame')), passphrase: 'open sesame' };
    const stores = ['', 'changeit'].map(
      (password) => ({ kind: 'pkcs12', path: file(keystoreOf(first, password)), password }) as const,
    );
    for (const source of [both, locked, ...stores]) {
      await withTls(source, async (server) => {
        const c = await open(server.securePort);
        expect(c.name).toBe('first');
        expect(await c.ask('/')).toBe('https /');
        c.socket.destroy();
      });
    }
    const curves = [
      { kind: 'pem', certificate: file(CURVE_PEM), key: '', passphrase: '' },
      { kind: 'pkcs12', path: file(CURVE_KEYSTORE), password: 'changeit' },
    ] as const;
    for (const source of curves) {
      await withTls(source, async (server) => {
        for (const maxVersion of ['TLSv1.2', 'TLSv1.3'] as const) {
          const c = await open(server.securePort, { maxVersion });
          expect([c.name, await c.ask('/')]).toEqual(['curve', 'https /']);
          c.socket.destroy();
        }
      });
    }
    expect(readdirSync(tmpdir()).filter((name) => /^svc-tls-(?!test)/.test(name))).toEqual([]);
  });

  test('a certificate that cannot be used is refused in one line that names the file', async () => {
    const good = pem(first);
    const other = newCertificate('other');
    const bad: readonly (readonly [CertificateSource, RegExp])[] = [
      [{ ...good, certificate: join(folder, 'none') }, /certificate .*none cannot be read: there is no such file/],
      [{ ...good, key: join(folder, 'none') }, /private key .*none cannot be read: there is no such file/],
      [{ ...good, certificate: folder }, /cannot be read: EISDIR/],
      [{ ...good, certificate: file('nonsense') }, /is not in PEM form/],
      [
        { ...good, certificate: file('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n') },
        /certificate .* is damaged/,
      ],
      [{ ...good, key: file('nonsense') }, /there is no private key in PEM form in/],
      [{ ...good, key: file(other.key) }, /private key does not belong to the certificate/],
      [{ ...good, key: file(sealed(first.key, 'a')) }, /needs a passphrase/],
      [{ ...good, key: file(sealed(first.key, 'a')), passphrase: 'b' }, /damaged, or its passphrase is another one/],
      [pem(newCertificate('old', { from: -10, to: -1, key: first.key })), /expired on \d{4}-/],
      [pem(newCertificate('new', { from: 1, key: first.key })), /is not valid before \d{4}-/],
      [{ kind: 'pkcs12', path: join(folder, 'none'), password: '' }, /keystore .*none cannot be read/],
      [{ kind: 'pkcs12', path: file('nonsense'), password: '' }, /no PKCS#12 keystore that can be read/],
      [
        { kind: 'pkcs12', path: file(keystoreOf(first, 'a')), password: 'b' },
        /application.keystore.password is not its/,
      ],
      [{ kind: 'pkcs12', path: file(Buffer.from('feedfeed00000002', 'hex')), password: '' }, /JKS/],
    ];
    for (const [source, message] of bad) {
      const starting = withTls(source, async () => Promise.resolve());
      await expect(starting).rejects.toThrow(CertificateError);
      await expect(starting).rejects.toThrow(message);
      await expect(starting).rejects.not.toThrow(/\n/);
    }
  });

  test('TLS before 1.2 is refused, 1.2 where the settings want it, and suites can be left out', async () => {
    const can = async (port: number, options: tls.ConnectionOptions): Promise<boolean> => {
      try {
        (await open(port, { ciphers: 'DEFAULT@SECLEVEL=0', ...options })).socket.destroy();
        return true;
      } catch {
        return false;
      }
    };
    const only = (version: tls.SecureVersion): tls.ConnectionOptions => ({ minVersion: version, maxVersion: version });
    await withTls(pem(first), async (server) => {
      const versions = (['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3'] as const).map((v) =>
        can(server.securePort, only(v)),
      );
      expect(await Promise.all(versions)).toEqual([false, false, true, true]);
      expect(await can(server.securePort, { ...only('TLSv1.2'), ciphers: 'AES128-SHA@SECLEVEL=0' })).toBe(false);
    });
    const without12 = tlsCiphers({ included: 'TLSv1.3', excluded: '', excludedCiphers: '' });
    const without128 = tlsCiphers({
      included: 'TLSv1.2,TLSv1.3',
      excluded: 'TLSv1, TLSv1.1',
      excludedCiphers: 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,TLS_RSA_WITH_AES_128_CBC_SHA',
    });
    const test12 = async (server: HttpServer & { securePort: number }, wanted: boolean): Promise<void> => {
      const suite = { ...only('TLSv1.2'), ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' };
      expect(await can(server.securePort, suite)).toBe(false);
      expect(await can(server.securePort, only('TLSv1.2'))).toBe(wanted);
      expect(await can(server.securePort, only('TLSv1.3'))).toBe(true);
    };
    await withTls(pem(first), (server) => test12(server, false), undefined, {}, without12);
    await withTls(pem(first), (server) => test12(server, true), undefined, {}, without128);
  });

  test.each([
    ['TLSv1.2', '', '', /TLSv1\.3 cannot be turned off/],
    ['', 'TLSv1.3', '', /TLSv1\.3 cannot be turned off/],
    ['TLSv1,TLSv1.3', '', '', /TLSv1 cannot be served/],
    ['TLSv1.4', '', '', /'TLSv1\.4' is none of/],
    ['', 'x', '', /protocols\.excluded: 'x'/],
    ['', '', 'TLS_AES_128_GCM_SHA256', /cannot be left out/],
    ['', '', 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA257', /is no cipher suite/],
    ['', '', 'ECDHE-RSA-AES128-GCM-SHA257', /is no cipher suite/],
    ['', '', 'nonsense', /is no cipher suite/],
    [
      '',
      '',
      'ECDHE-RSA-AES128-GCM-SHA256,ECDHE-RSA-AES256-GCM-SHA384,ECDHE-RSA-CHACHA20-POLY1305',
      /leaves no suite for RSA/,
    ],
  ])('what cannot be honoured is refused: %j %j %j', (included, excluded, excludedCiphers, message) => {
    expect(() => tlsCiphers({ included, excluded, excludedCiphers })).toThrow(message);
  });

  test('old suites that nobody is offered may be excluded all the same', () => {
    const excludedCiphers =
      'TLS_RSA_WITH_AES_128_CBC_SHA,SSL_RSA_WITH_3DES_EDE_CBC_SHA,TLS_DHE_RSA_WITH_AES_256_GCM_SHA384,DES-CBC3-SHA,AES128-SHA,DHE-RSA-AES128-GCM-SHA256,RC4-MD5';
    expect(tlsCiphers({ included: '', excluded: '', excludedCiphers })).toBe(CIPHERS);
  });

  test('a renewed certificate under load: running requests and kept connections go on, new ones see it', async () => {
    const certificate = file(first.certificate, 'live.pem');
    const key = file(first.key, 'live.key');
    const source = { kind: 'pem', certificate, key, passphrase: '' } as const;
    const second = newCertificate('second');
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    await withTls(
      source,
      async (server) => {
        const kept = await Promise.all(Array.from({ length: 10 }, () => open(server.securePort)));
        for (const c of kept) expect([c.name, await c.ask('/before')]).toEqual(['first', '/before']);
        const running = kept.map((c, i) => c.ask(`/held/${String(i)}`));
        let failures = 0;
        let renewed = false;
        const seen = new Set<string>();
        const load = Array.from({ length: 4 }, async () => {
          while (!renewed) {
            try {
              const c = await open(server.securePort);
              seen.add(c.name);
              await c.ask('/load');
              c.socket.destroy();
            } catch {
              failures++;
            }
          }
        });
        await sleep(100);
        // As renewing tools do: written beside, then renamed, one after the other.
        writeFileSync(`${certificate}.new`, second.certificate);
        renameSync(`${certificate}.new`, certificate);
        await sleep(20);
        writeFileSync(`${key}.new`, second.key);
        renameSync(`${key}.new`, key);
        const end = Date.now() + 20_000;
        while (!seen.has('second') && Date.now() < end) await sleep(10);
        await sleep(100);
        renewed = true;
        await Promise.all(load);
        expect([...seen]).toEqual(['first', 'second']);
        // Who waits to be accepted in the very moment the old socket closes is turned away by the system.
        expect(failures).toBeLessThanOrEqual(1);
        release();
        expect(await Promise.all(running)).toEqual(kept.map((_, i) => `/held/${String(i)}`));
        for (const c of kept) expect(await c.ask('/after')).toBe('/after');
        for (let i = 0; i < 5; i++) {
          const c = await open(server.securePort);
          expect(c.name).toBe('second');
          c.socket.destroy();
        }
        for (const c of kept) c.socket.destroy();
      },
      async (x) => {
        if (x.path.startsWith('/held')) await held;
        x.end(x.path);
      },
    );
  });

  test('a broken new certificate changes nothing, and the next good one is taken', async () => {
    const certificate = file(first.certificate, 'again.pem');
    const source = { kind: 'pem', certificate, key: file(first.key), passphrase: '' } as const;
    await withTls(source, async (server) => {
      const names = async (): Promise<string> => {
        const c = await open(server.securePort);
        c.socket.destroy();
        return c.name;
      };
      for (const broken of ['nonsense', newCertificate('other').certificate]) {
        file(broken, 'again.pem');
        await server.reloadCertificate();
        expect(await names()).toBe('first');
      }
      rmSync(certificate);
      await server.reloadCertificate();
      expect(await names()).toBe('first');
      file(newCertificate('expired', { from: -9, to: -1, key: first.key }).certificate, 'again.pem');
      await server.reloadCertificate();
      expect(await names()).toBe('first');
      file(newCertificate('third', { key: first.key }).certificate, 'again.pem');
      await server.reloadCertificate();
      expect(await names()).toBe('third');
    });
  });

  test('closing ends both ports and lets running requests of both finish', async () => {
    let go: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (go = resolve));
    await withTls(
      pem(first),
      async (server) => {
        const c = await open(server.securePort);
        const answer = c.ask('/slow');
        const plain = fetch(`http://127.0.0.1:${String(server.port)}/slow`);
        await expect.poll(() => server.activeRequests).toBe(2);
        const closing = server.close(60_000);
        go();
        await closing;
        expect(await answer).toBe('done');
        expect(await (await plain).text()).toBe('done');
        await expect(open(server.securePort)).rejects.toThrow();
      },
      async (x) => {
        await gate;
        x.end('done');
      },
    );
  });
});
