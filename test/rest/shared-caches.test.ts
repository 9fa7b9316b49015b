import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Client, cookieOf, type Answer } from '../support/client.js';
import { allow } from '../support/permissions.js';
import { TestServer } from '../support/server.js';

interface Stored {
  readonly vary: readonly string[];
  readonly asked: IncomingHttpHeaders;
  readonly head: IncomingHttpHeaders;
  readonly status: number;
  readonly body: Buffer;
}

/**
 * A cache before the server that keeps every answer it may, for ever: what `no-store` and `private` forbid it does not, and
 * `Vary` says whom else an answer is for (RFC 9111).
 */
class SharedCache {
  private constructor(private readonly server: Server) {}

  static async before(origin: string): Promise<SharedCache> {
    const kept = new Map<string, Stored[]>();
    const server = createServer((req, res) => {
      const key = `${req.method ?? ''} ${req.url ?? ''}`;
      const hit = kept.get(key)?.find(({ vary, asked }) => vary.every((name) => asked[name] === req.headers[name]));
      if (hit !== undefined) {
        res.writeHead(hit.status, { ...hit.head, 'x-cache': 'hit' }).end(hit.body);
        return;
      }
      const onward = request(`${origin}${req.url ?? ''}`, { method: req.method, headers: req.headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () => {
          const body = Buffer.concat(chunks);
          const status = answer.statusCode ?? 0;
          const forbidden = /private|no-store|no-cache/.test(answer.headers['cache-control'] ?? '');
          const vary = (answer.headers.vary ?? '')
            .toLowerCase()
            .split(/\s*,\s*/)
            .filter((name) => name !== '');
          if (req.method === 'GET' && [200, 404].includes(status) && !forbidden)
            kept.set(key, [...(kept.get(key) ?? []), { vary, asked: req.headers, head: answer.headers, status, body }]);
          const { 'transfer-encoding': _, ...head } = answer.headers;
          res.writeHead(status, head).end(body);
        });
      });
      req.pipe(onward);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new SharedCache(server);
  }

  get url(): string {
    return `http://127.0.0.1:${String((this.server.address() as AddressInfo).port)}`;
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

describe('answers of REST', () => {
  let server: TestServer;
  let cache: SharedCache;
  const PASSWORD = 'a-password';

  beforeAll(async () => {
    server = await TestServer.start({
      settings: { 'security.jwt.secret': 'a-secret-of-more-than-32-characters-for-tests' },
    });
    cache = await SharedCache.before(server.url);
    for (const name of ['alice', 'bob']) await server.admin.create('User', { name, password: PASSWORD });
    await allow(server.admin, 'User', 'user', ['GET']);
    for (const signature of ['_login', '_token', '_registration', '_resetPassword'])
      await allow(server.admin, signature, 'anonymous', ['POST']);
    await allow(server.admin, 'Folder', 'anonymous', ['GET']);
    await allow(server.admin, 'Folder', 'user', ['GET']);
  });
  afterAll(async () => {
    cache.close();
    await server.stop();
  });

  /** Clients of a user, one for each means to say who he is. */
  async function clientsOf(name: string): Promise<Record<string, Client>> {
    const login = await server.as().post('/login', { name, password: PASSWORD });
    const cookie = cookieOf(login, 'JSESSIONID');
    const token = (await server.as().post('/token', { name, password: PASSWORD })).body.result.access_token as string;
    const by = (headers: Record<string, string>): Client => new Client(cache.url, undefined, undefined, headers);
    return {
      session: by({ Cookie: cookie }),
      'session token': by({ 'X-SvcSessionToken': cookie.slice('JSESSIONID='.length) }),
      bearer: by({ Authorization: `Bearer ${token}` }),
      'token cookie': by({ Cookie: `access_token=${token}` }),
      password: new Client(cache.url, name, PASSWORD),
    };
  }

  it('to one user are no answers to the next, whatever says who asks', async () => {
    const [alice, bob] = [await clientsOf('alice'), await clientsOf('bob')];
    for (const means of Object.keys(alice)) {
      const first = await alice[means]?.get('/me');
      expect([means, first?.body.result.name]).toEqual([means, 'alice']);
      expect(first?.headers['cache-control']).toBe('private, no-store');
      for (const name of ['Cookie', 'Authorization', 'X-User', 'X-SvcSessionToken'])
        expect(first?.headers['vary']).toContain(name);
    }
    for (const [means, client] of Object.entries(bob))
      expect([means, (await client.get('/me')).body.result?.name]).toEqual([means, 'bob']);
    expect((await new Client(cache.url).get('/me')).status).toBe(401);
  });

  it('to nobody in particular may be kept, and are no answers to somebody', async () => {
    const anybody = new Client(cache.url);
    await server.admin.create('Folder', {
      name: 'hers',
      owner: (await server.as('alice', PASSWORD).get('/me')).body.result.id,
    });
    const first = await anybody.get('/Folder');
    expect([first.status, first.headers['cache-control'], first.body.result_count]).toEqual([200, undefined, 0]);
    expect((await anybody.get('/Folder')).headers['x-cache']).toBe('hit');
    for (const [means, client] of Object.entries(await clientsOf('alice'))) {
      const answer = await client.get('/Folder');
      expect([means, answer.body.result_count, answer.headers['x-cache']]).toEqual([means, 1, undefined]);
    }
  });

  it('that hand out credentials are for nobody else, also when they are refused', async () => {
    const post = (path: string, body: unknown): Promise<Answer> => server.as().post(path, body);
    for (const path of ['/login', '/token'])
      for (const password of [PASSWORD, 'wrong'])
        expect((await post(path, { name: 'alice', password })).headers['cache-control']).toBe('private, no-store');
    for (const path of ['/registration', '/reset-password'])
      expect((await post(path, { eMail: 'new@example.com' })).headers['cache-control']).toBe('private, no-store');
  });

  it('stay as they are when they are compressed', async () => {
    for (let i = 0; i < 30; i++)
      await server.admin.create('Folder', { name: `public ${String(i)}`, visibleToPublicUsers: true });
    const answer = await new Client(cache.url).get('/Folder?_sort=name', { 'Accept-Encoding': 'gzip' });
    expect(answer.headers['content-encoding']).toBe('gzip');
    expect(String(answer.headers['vary']).match(/accept-encoding/gi)).toHaveLength(1);
    expect(answer.headers['vary']).toContain('X-User');
  });

  it('of the description of the service are private to whom it is shown', async () => {
    await allow(server.admin, '_openapi', 'user', ['GET']);
    expect((await server.as('alice', PASSWORD).get('/svc/openapi')).headers['cache-control']).toBe('private, no-store');
  });
});
