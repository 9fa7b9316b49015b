import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TestServer } from '../support/server.js';
import { hasUws } from '../support/transports.js';

/** What the interface has and this version has not. */
const PATHS = ['ws', 'pdf'].map((name) => `/svc/${name}`);

describe.each(['uws', 'node'].filter((name) => hasUws() || name !== 'uws'))(
  'what is missing, with transport %s',
  (transport) => {
    let server: TestServer;
    beforeAll(async () => {
      server = await TestServer.start({ settings: { 'application.http.transport': transport } });
    });
    afterAll(() => server.stop());

    it.each(PATHS)('%s and what lies below says so, to everybody', async (path) => {
      for (const [method, at] of [
        ['GET', path],
        ['GET', `${path}/`],
        ['GET', `${path}/below/it?x=1`],
        ['POST', path],
      ] as const) {
        const answer = await server.as().send(method, at, method === 'POST' ? {} : undefined);
        expect([answer.status, answer.body.code, answer.body.errors], `${method} ${at}`).toEqual([501, 501, []]);
        expect(answer.body.message).toContain(path);
      }
    });

    it('answers those who want to speak another protocol, too', async () => {
      const wish = {
        Connection: 'Upgrade',
        Upgrade: 'websocket',
        'Sec-WebSocket-Version': '13',
        'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
      };
      expect((await server.as().send('GET', '/svc/ws', undefined, wish)).status).toBe(501);
    });

    it('is no more than that: other addresses are not found', async () => {
      for (const path of ['/svc/healthy', '/svc/Health', '/svc/x/health'])
        expect((await server.admin.get(path)).status, path).toBe(404);
    });
  },
);

it('what is missing stands in README', () => {
  const missing = readFileSync('README.md', 'utf8').split('## What is missing')[1]?.split('\n## ')[0] ?? '';
  for (const path of PATHS) expect(missing).toContain(`\`${path}\``);
});
